//! `ctx check`: does it fit, is it valid?

mod line;
mod sarif;

use std::cmp::Reverse;
use std::fmt;
use std::io::Write;
use std::panic::resume_unwind;
use std::thread;

use serde::Serialize;

use crate::check::limits::{
    self, LEAST_WINDOW, SMALL_WINDOW, WindowGuard, corrected, guard_window, over_hard_limit,
};
use crate::check::shape::misshapen;
use crate::check::{Finding, PORTABLE, Rule, Severity, findings_for, locate, waived};
use crate::cli::check::{Check, Question};
use crate::command::limits::{keep_within, window};
use crate::command::share::{Told, Worker, ask_each};
use crate::command::{
    Need, Outcome, Shell, Trouble, Visit, may_spread, meter, refuse_unread, say_if_estimated,
};
use crate::cores::spawn_beside;
use crate::count::{Count, Meter};
use crate::dialect::Provider;
use crate::input::Name;
use crate::line::counted;
use crate::models;
use crate::output::Stdout;
use crate::pairing::Pairs;
use crate::thinking::Signatures;
use crate::usage::Usage;
use line::Line;
use sarif::Sarif;

/// The verdict on one conversation.
#[derive(Serialize)]
struct Verdict {
    file: String,
    /// The line on which the conversation begins.
    line: usize,
    dialect: &'static str,
    encoding: Option<&'static str>,
    messages: usize,
    tokens: Option<usize>,
    window: usize,
    threshold: usize,
    /// `None` if the question was not asked, as with all members that depend on a question.
    needs_compaction: Option<bool>,
    /// Whether no finding about its size is a fault.
    fits: Option<bool>,
    valid: Option<bool>,
    findings: Vec<Line>,
}

/// Prints a line for each finding, or an object for each conversation.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Check) -> anyhow::Result<Outcome> {
    let judge = Judge::new(arguments)?;
    let mut shell = Shell::new(arguments.quiet);
    let mut out = Stdout::open();
    if arguments.only != Some(Question::Valid) {
        say_if_estimated(&judge.meter, &shell);
    }
    if guard(arguments, judge.window) == WindowGuard::Small {
        let window = counted(judge.window, "token");
        let least = SMALL_WINDOW / 1000;
        shell.say(format_args!("a window of {window} is small: agents want {least}k or more"));
    }
    let mut sarif = Sarif::default();
    let mut told = Tally::default();
    let mut is_faulty = false;
    let tell = |answer: Told<'_, Verdict>| {
        let (name, verdict) = match answer {
            Told::Answer(name, verdict) => (name, verdict),
            Told::End(_) => return Ok(()),
            Told::Trouble(name, reason) => {
                sarif.add_trouble(name, &reason);
                return Ok(());
            }
        };
        is_faulty |= verdict.findings.iter().any(Line::is_fault);
        if arguments.quiet {
            return Ok(());
        }
        if arguments.sarif {
            sarif.add(name, &verdict.findings);
        } else if arguments.json {
            out.line(&serde_json::to_string(&verdict)?)?;
        } else {
            write_findings(&mut out, name, &verdict, arguments.portable, &mut told)?;
        }
        Ok(())
    };
    ask_each(&arguments.reading, &mut shell, || Judge::new(arguments), tell)?;
    if is_faulty {
        shell.note(Outcome::No);
    }
    if arguments.sarif && !arguments.quiet {
        out.line(&sarif.finish(shell.outcome())?)?;
    } else if told != Tally::default() {
        writeln!(out, "{told}")?;
    }
    out.flush()?;
    Ok(shell.outcome())
}

/// Writes a line for each finding, and what the provider would say of it.
fn write_findings(
    out: &mut Stdout,
    file: &Name,
    verdict: &Verdict,
    of_many: bool,
    told: &mut Tally,
) -> anyhow::Result<()> {
    let mut before: Option<&Line> = None;
    for line in &verdict.findings {
        if !before.is_some_and(|before| before.is_about_the_same(line)) {
            let severity = if line.is_fault() { "" } else { "note: " };
            out.line(&format!("{file}:{}: {severity}{} [{}]", line.number, line.text, line.rule))?;
            told.add(line);
        }
        if let Some(error) = &line.provider_error {
            let provider = line.provider.filter(|_| of_many);
            let pieces = [Some(line.pointer.as_str()).filter(|it| !it.is_empty()), provider];
            let place: String = pieces.iter().flatten().flat_map(|piece| [piece, ": "]).collect();
            out.line(&format!("  {place}{error}"))?;
        } else if !line.pointer.is_empty() {
            out.line(&format!("  {}", line.pointer))?;
        }
        before = Some(line);
    }
    Ok(())
}

/// How many findings were reported.
#[derive(Default, PartialEq)]
struct Tally {
    faults: usize,
    notes: usize,
}

impl Tally {
    fn add(&mut self, line: &Line) {
        *if line.is_fault() { &mut self.faults } else { &mut self.notes } += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |number, name| (number > 0).then(|| counted(number, name));
        let both = [count(self.faults, "fault"), count(self.notes, "note")];
        f.write_str(&both.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Judges conversations.
struct Judge<'r> {
    arguments: &'r Check,
    meter: Meter,
    window: usize,
    threshold: usize,
    /// The window in tokens, if known; validity depends on it.
    known: Option<usize>,
}

/// Refuses flags that concern only a question that is not asked.
fn refuse_unread_flags(arguments: &Check) -> Result<(), Trouble> {
    let Some(only) = arguments.only else { return Ok(()) };
    let fits = only == Question::Fit;
    let flags = [
        ("--threshold", arguments.limits.threshold.is_some(), fits),
        ("--hard", arguments.hard.is_some(), fits),
        ("--usage", arguments.usage, fits),
        ("--for", arguments.provider.is_some(), !fits),
        ("--portable", arguments.portable, !fits),
    ];
    let reader = if fits { "--only fit" } else { "--only valid" };
    refuse_unread(&flags, reader, "ask both questions")
}

impl<'r> Judge<'r> {
    fn new(arguments: &'r Check) -> anyhow::Result<Self> {
        refuse_unread_flags(arguments)?;
        let need = match arguments.only {
            Some(Question::Valid) => Need::Nothing,
            _ => Need::Limits(&arguments.limits),
        };
        let (meter, model_window) = meter(&arguments.counting, need)?;
        let known = arguments.limits.window.or(model_window);
        let window = window(&arguments.limits, model_window)?;
        keep_within(window, "--hard", arguments.hard.filter(|_| known.is_some()))?;
        let threshold = arguments.limits.threshold.unwrap_or_default().within(window);
        Ok(Self { arguments, meter, window, threshold, known })
    }
}

impl Worker for Judge<'_> {
    type Answer = Verdict;
    /// Values that are no conversations are not checked, and a script that relies on the outcome must know.
    const PASSES_OVER: bool = false;

    /// Whether a conversation fits and is valid, as far as that is asked.
    fn answer(&mut self, visit: &Visit<'_, '_>, shell: &Shell) -> anyhow::Result<Verdict> {
        let Self { arguments, ref mut meter, window, threshold, known } = *self;
        meter.spread(may_spread(&arguments.reading, visit.is_one_of_many));
        let conversation = visit.conversation;
        let asks = |question| arguments.only.is_none_or(|only| only == question);
        let own = arguments.provider.unwrap_or(conversation.dialect.provider());
        let providers = if arguments.portable { PORTABLE } else { &[own] };
        let is_named = arguments.portable || arguments.provider.is_some();
        let waived = if is_named { &[] } else { waived(conversation) };
        let validity = || {
            if asks(Question::Valid) {
                let signatures = Signatures::of(conversation, arguments.counting.model());
                let shape = arguments.provider.and_then(|named| judge_shape(visit, named));
                let found = judge_validity(visit, providers, waived, signatures, known);
                shape.into_iter().chain(found).collect()
            } else {
                Vec::new()
            }
        };
        let tokens = || {
            if !asks(Question::Fit) {
                return None;
            }
            tokens_to_judge(arguments, visit, meter, threshold)
        };
        let (mut findings, tokens) = if meter.shares(conversation) {
            thread::scope(|scope| {
                let beside = spawn_beside(scope, validity);
                let tokens = tokens();
                let found = beside.map(|it| it.join().unwrap_or_else(|it| resume_unwind(it)));
                (found.unwrap_or_else(|_| validity()), tokens)
            })
        } else {
            (validity(), tokens())
        };
        let valid = asks(Question::Valid).then(|| !findings.iter().any(Line::is_fault));
        let mut fits = None;
        if asks(Question::Fit) {
            let sizes = judge_size(arguments, visit, tokens, window, threshold);
            fits = Some(!sizes.iter().any(Line::is_fault));
            findings.extend(sizes);
            if tokens.is_none_or(|tokens| tokens < threshold) {
                warn_of_model(arguments, visit, meter, shell);
            }
        }
        Ok(Verdict {
            file: visit.name.plain(),
            line: visit.first_line(),
            dialect: conversation.dialect.name(),
            encoding: meter.encoding().map(|encoding| encoding.name()),
            messages: conversation.messages.len(),
            tokens,
            window,
            threshold,
            needs_compaction: asks(Question::Fit)
                .then(|| tokens.is_some_and(|tokens| tokens >= threshold)),
            fits,
            valid,
            findings,
        })
    }
}

/// The finding that the provider, which the user named, does not read the file as it is written.
fn judge_shape(visit: &Visit<'_, '_>, provider: Provider) -> Option<Line> {
    // The rows of a data set are converted on the way.
    let value = misshapen(visit.conversation, provider).filter(|_| !visit.is_one_of_many)?;
    let place = locate(visit.document, &[Some((value, value))]).remove(0);
    Some(Line::of_shape(visit.conversation.dialect.name(), provider, &place, visit.lines))
}

/// The findings of several providers, in the order of the messages; equal findings of all providers are
/// merged. Breaches of rules in `waived` become notes.
fn judge_validity(
    visit: &Visit<'_, '_>,
    providers: &[Provider],
    waived: &[&'static Rule],
    signatures: Signatures,
    window: Option<usize>,
) -> Vec<Line> {
    let conversation = visit.conversation;
    let pairs = Pairs::of(&conversation.messages);
    let of_provider =
        |&provider: &Provider| findings_for(conversation, &pairs, provider, signatures, window);
    let mut all: Vec<Finding<'_>> = providers.iter().flat_map(of_provider).collect();
    for finding in all.iter_mut().filter(|finding| finding.rule.is_in(waived)) {
        finding.severity = Severity::Note;
    }
    let key = |finding: &Finding<'_>| {
        let at = finding.at.map_or(0, |at| at.source().as_ptr().addr());
        (finding.message, at, finding.rule.name)
    };
    if providers.len() > 1 {
        // If the same finding is a fault for one provider and a note for another, the fault comes first.
        all.sort_by_key(|finding| (key(finding), Reverse(finding.severity)));
        all.dedup_by(|later, first| key(later) == key(first) && later.provider_error.is_none());
    }
    let places: Vec<_> = all.iter().map(|finding| finding.place(conversation)).collect();
    let places = locate(visit.document, &places);
    all.iter().zip(&places).map(|(finding, place)| Line::of(finding, place, visit.lines)).collect()
}

/// The tokens of a conversation; `None` if it is under every limit and the exact count is not needed.
fn tokens_to_judge(
    arguments: &Check,
    visit: &Visit<'_, '_>,
    meter: &Meter,
    threshold: usize,
) -> Option<usize> {
    let limit = arguments.hard.map_or(threshold, |hard| threshold.min(hard.saturating_add(1)));
    let is_told = arguments.json || arguments.usage;
    let least = if is_told { 0 } else { limit };
    let count = meter.count_from(visit.conversation, least)?;
    Some(if arguments.usage { as_recorded(visit, &count) } else { count.tokens() })
}

/// The verdict on the window. A model's own window is never a fault, however small.
fn guard(arguments: &Check, window: usize) -> WindowGuard {
    match guard_window(window) {
        WindowGuard::TooSmall if arguments.limits.window.is_none() => WindowGuard::Small,
        guard => guard,
    }
}

/// The findings about the size of a conversation.
fn judge_size(
    arguments: &Check,
    visit: &Visit<'_, '_>,
    tokens: Option<usize>,
    window: usize,
    threshold: usize,
) -> Vec<Line> {
    let size = |limit, text| Line::of_size(limit, text, visit.first_line());
    let mut lines = Vec::new();
    if guard(arguments, window) == WindowGuard::TooSmall {
        let window = counted(window, "token");
        let text = format!(
            "a window of {window} is too small for any conversation: an agent needs {LEAST_WINDOW}"
        );
        lines.push(size(&limits::WINDOW, text));
    }
    let Some(tokens) = tokens else { return lines };
    let over = arguments.hard.and_then(|hard| over_hard_limit(tokens, hard));
    lines.extend(over.map(|text| size(&limits::HARD_LIMIT, text)));
    if tokens >= threshold {
        let text = format!("{tokens} tokens reach the threshold of {threshold}: needs compaction");
        lines.push(size(&limits::THRESHOLD, text));
    }
    lines
}

/// Warns if a conversation fits, but would not if counted for the model that it names.
fn warn_of_model(arguments: &Check, visit: &Visit<'_, '_>, meter: &Meter, shell: &Shell) {
    let counting = &arguments.counting;
    let is_asked = counting.model().is_some() || counting.encoding.is_some() || arguments.usage;
    let named = visit.conversation.models().find_map(|name| models::named(&name).ok());
    let Some(model) = named.filter(|_| !is_asked && !arguments.quiet) else { return };
    let window = arguments.limits.window.unwrap_or(model.window);
    let threshold = arguments.limits.threshold.unwrap_or_default().within(window);
    let mut own = Meter::of_model(model);
    own.spread(meter.shares(visit.conversation));
    if own.count_from(visit.conversation, threshold).is_some() {
        let (place, name) = (visit.place(), model.name());
        let would = format_args!("for {name}, which it names, it would reach {threshold}");
        let line = format_args!("{place}: fits as counted for no model; {would}");
        shell.warn_with_hint(line, Some(&format!("--model {name} lets that decide")));
    }
}

/// The count, corrected by the tokens that the provider billed for the newest recorded request.
fn as_recorded(visit: &Visit<'_, '_>, count: &Count) -> usize {
    let newest = Usage::of(visit.conversation, count).newest();
    newest
        .map_or(count.tokens(), |newest| corrected(count.tokens(), newest.counted, newest.recorded))
}
