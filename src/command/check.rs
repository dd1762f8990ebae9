//! `ctx check`: does it fit, is it valid?

use std::io::Write;

use serde::Serialize;

use crate::check::limits::{WindowGuard, corrected, guard_window, over_hard_limit};
use crate::check::{Finding, Location, PORTABLE, Severity, findings, locate};
use crate::cli::{Check, Question};
use crate::command::sarif::Sarif;
use crate::command::{Outcome, Shell, Visit, WINDOW, meter, read_each};
use crate::count::{Count, Meter};
use crate::dialect::Provider;
use crate::output::Stdout;
use crate::pairing::Pairs;
use crate::usage::Usage;

/// A finding, as `--json` prints it.
#[derive(Serialize)]
pub(super) struct Line {
    pub(super) rule: &'static str,
    pub(super) severity: &'static str,
    message: Option<usize>,
    #[serde(rename = "line")]
    pub(super) number: usize,
    pub(super) pointer: String,
    call_id: Option<String>,
    pub(super) text: String,
    provider: Option<&'static str>,
    pub(super) provider_error: Option<String>,
}

/// What is said of one conversation.
#[derive(Serialize)]
struct Verdict {
    file: String,
    dialect: &'static str,
    encoding: Option<&'static str>,
    messages: usize,
    tokens: Option<usize>,
    window: usize,
    threshold: usize,
    needs_compaction: bool,
    valid: bool,
    findings: Vec<Line>,
}

/// Prints a line for each finding, or an object for each conversation.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Check) -> anyhow::Result<Outcome> {
    let (meter, model_window) = meter(&arguments.counting)?;
    let window = arguments.limits.window.or(model_window).unwrap_or(WINDOW);
    let threshold = arguments.limits.threshold.unwrap_or_default().within(window);
    let asks = |question| arguments.only.is_none_or(|only| only == question);
    let mut shell = Shell::default();
    let mut out = Stdout::open();
    if guard_window(window) == WindowGuard::Small {
        shell.say(format_args!("a window of {window} tokens is small: agents want 32k or more"));
    }
    let mut sarif = Sarif::default();
    let mut found = 0;
    read_each(
        &arguments.reading,
        &mut shell,
        &mut |visit, shell| {
            let conversation = visit.conversation;
            let mut lines = Vec::new();
            if asks(Question::Valid) {
                let own = arguments.provider.map_or(conversation.dialect.provider(), Into::into);
                let providers = if arguments.portable { PORTABLE } else { &[own] };
                lines = judge(visit, providers);
            }
            let valid = lines.iter().all(|line| line.severity == Severity::Note.name());
            let tokens = if asks(Question::Fit) {
                tokens_to_judge(arguments, visit, &meter, threshold)
            } else {
                None
            };
            let needs_compaction = tokens.is_some_and(|tokens| tokens >= threshold);
            if asks(Question::Fit) {
                lines.extend(judge_size(arguments, tokens, window, threshold));
            }
            if lines.iter().any(|line| line.severity == Severity::Fault.name()) {
                shell.note(Outcome::No);
            }
            let said = |at: &usize| *at == 0 || !lines[at - 1].is_about_the_same(&lines[*at]);
            found += (0..lines.len()).filter(said).count();
            if arguments.quiet {
                return Ok(());
            }
            if arguments.sarif {
                sarif.add(&visit.name.to_string(), &lines);
                return Ok(());
            }
            if arguments.json {
                let verdict = Verdict {
                    file: visit.name.to_string(),
                    dialect: conversation.dialect.name(),
                    encoding: meter.encoding().map(|encoding| encoding.name()),
                    messages: conversation.messages.len(),
                    tokens,
                    window,
                    threshold,
                    needs_compaction,
                    valid,
                    findings: lines,
                };
                out.line(&serde_json::to_string(&verdict)?)?;
                return Ok(());
            }
            for (at, line) in lines.iter().enumerate() {
                let severity = if line.severity == Severity::Note.name() { "note: " } else { "" };
                let (name, number) = (visit.name, line.number);
                let is_new = at == 0 || !lines[at - 1].is_about_the_same(line);
                if is_new {
                    out.line(&format!("{name}:{number}: {severity}{} [{}]", line.text, line.rule))?;
                }
                if let Some(error) = &line.provider_error {
                    out.line(&format!("  {}: {error}", line.pointer))?;
                }
            }
            Ok(())
        },
        |_, _| Ok(()),
    );
    if arguments.sarif && !arguments.quiet {
        out.line(&sarif.finish()?)?;
    } else if found > 0 && !arguments.quiet && !arguments.json {
        let plural = if found == 1 { "" } else { "s" };
        writeln!(out, "{found} finding{plural}")?;
    }
    out.flush()?;
    Ok(shell.outcome())
}

/// What some providers find, in the order of the messages; what all say alike is said once.
fn judge(visit: &Visit<'_, '_>, providers: &[Provider]) -> Vec<Line> {
    let conversation = visit.conversation;
    let pairs = Pairs::of(&conversation.messages);
    let of_provider = |&provider: &Provider| findings(conversation, &pairs, provider);
    let mut all: Vec<Finding<'_>> = providers.iter().flat_map(of_provider).collect();
    let key = |finding: &Finding<'_>| {
        let at = finding.at.map_or(0, |at| at.source().as_ptr().addr());
        (finding.message, at, finding.rule.name)
    };
    if providers.len() > 1 {
        all.sort_by_key(key);
        all.dedup_by(|later, first| key(later) == key(first) && later.provider_error.is_none());
    }
    let places: Vec<_> = all.iter().map(|finding| finding.place(conversation)).collect();
    let places = locate(visit.document, &places);
    all.iter().zip(&places).map(|(finding, place)| line(visit, finding, place)).collect()
}

/// What a conversation counts; `None` where it is surely under every limit and nobody asks how far.
fn tokens_to_judge(
    arguments: &Check,
    visit: &Visit<'_, '_>,
    meter: &Meter,
    threshold: usize,
) -> Option<usize> {
    let limit = arguments.hard.map_or(threshold, |hard| threshold.min(hard + 1));
    let is_told = arguments.json || arguments.usage;
    if !is_told && !meter.reaches(visit.conversation, limit) {
        return None;
    }
    let count = meter.count(visit.conversation);
    Some(if arguments.usage { as_recorded(visit, &count) } else { count.tokens() })
}

/// What is wrong with the size.
fn judge_size(
    arguments: &Check,
    tokens: Option<usize>,
    window: usize,
    threshold: usize,
) -> Vec<Line> {
    let size = |rule, text| Line {
        rule,
        severity: Severity::Fault.name(),
        message: None,
        number: 1,
        pointer: String::new(),
        call_id: None,
        text,
        provider: None,
        provider_error: None,
    };
    let mut lines = Vec::new();
    if guard_window(window) == WindowGuard::TooSmall {
        lines.push(size("window", format!("a window of {window} tokens is too small")));
    }
    let Some(tokens) = tokens else { return lines };
    let over = arguments.hard.and_then(|hard| over_hard_limit(tokens, hard));
    lines.extend(over.map(|text| size("hard-limit", text)));
    if tokens >= threshold {
        let text = format!("{tokens} tokens reach the threshold of {threshold}: needs compaction");
        lines.push(size("threshold", text));
    }
    lines
}

/// The count, corrected by what the provider billed for the newest request that the log records.
fn as_recorded(visit: &Visit<'_, '_>, count: &Count) -> usize {
    let newest = Usage::of(visit.conversation, count).newest();
    newest
        .map_or(count.tokens(), |newest| corrected(count.tokens(), newest.counted, newest.recorded))
}

impl Line {
    /// Whether two findings are the same, told by two providers.
    fn is_about_the_same(&self, other: &Self) -> bool {
        (self.rule, self.number, &self.pointer, &self.text)
            == (other.rule, other.number, &other.pointer, &other.text)
    }
}

fn line(visit: &Visit<'_, '_>, finding: &Finding<'_>, place: &Location) -> Line {
    Line {
        rule: finding.rule.name,
        severity: finding.severity.name(),
        message: finding.message,
        number: visit.lines + place.line,
        pointer: place.pointer.clone(),
        call_id: finding.call_id.clone(),
        text: finding.text.clone(),
        provider: Some(finding.provider.name()),
        provider_error: finding.provider_error.clone(),
    }
}
