//! `ctx check`: does it fit, is it valid?

mod sarif;

use std::io::Write;

use clap::ValueEnum as _;
use serde::Serialize;

use crate::check::{Finding, Location, Severity, findings, locate};
use crate::cli::{Check, ProviderName, Question};
use crate::command::{Outcome, Shell, Visit, WINDOW, meter, read_each};
use crate::conversation::Conversation;
use crate::count::Meter;
use crate::dialect::Provider;
use crate::output::Stdout;
use crate::pairing::Pairs;
use crate::usage::Usage;

/// A window under so many tokens is too small to recommend (seed 004).
const LEAST_WINDOW: usize = 16_000;
/// A window under so many tokens is worth a warning (seed 004).
const SMALL_WINDOW: usize = 32_000;

/// A finding, as `--json` prints it.
#[derive(Serialize)]
struct Line {
    rule: &'static str,
    severity: &'static str,
    message: Option<usize>,
    line: usize,
    pointer: String,
    call_id: Option<String>,
    text: String,
    provider: Option<&'static str>,
    provider_error: Option<String>,
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

/// Prints a line for each finding, an object for each conversation, or one SARIF log.
///
/// # Errors
///
/// The model is unknown, or standard output can't be written.
pub fn run(arguments: &Check) -> anyhow::Result<Outcome> {
    let (meter, model_window) = meter(&arguments.counting)?;
    let window = arguments.limits.window.or(model_window).unwrap_or(WINDOW);
    let threshold = arguments.limits.threshold.unwrap_or_default().within(window);
    let judge = Judge { arguments, meter, window, threshold };
    let mut shell = Shell::default();
    let mut out = Stdout::lock();
    if (LEAST_WINDOW..SMALL_WINDOW).contains(&window) {
        shell.say(format_args!("a window of {window} tokens is small: agents want 32k or more"));
    }
    let mut found = 0;
    let mut results = Vec::new();
    read_each(
        &arguments.reading,
        &mut shell,
        &mut |visit, shell| {
            let verdict = judge.verdict(visit);
            if verdict.findings.iter().any(|line| line.severity == Severity::Fault.name()) {
                shell.note(Outcome::No);
            }
            found += verdict.findings.len();
            if arguments.quiet {
                return Ok(());
            }
            if arguments.sarif {
                results.extend(verdict.findings.iter().map(|line| sarif::result(&verdict, line)));
            } else if arguments.json {
                out.line(&serde_json::to_string(&verdict)?)?;
            } else {
                for line in &verdict.findings {
                    out.line(&line.text(&verdict.file))?;
                }
            }
            Ok(())
        },
        |_, _| Ok(()),
    );
    if arguments.sarif && !arguments.quiet {
        out.line(&sarif::log(&results))?;
    } else if found > 0 && !arguments.quiet && !arguments.json {
        let plural = if found == 1 { "" } else { "s" };
        out.line(&format!("{found} finding{plural}"))?;
    }
    out.flush()?;
    Ok(shell.outcome())
}

/// What the arguments ask of every conversation.
struct Judge<'r> {
    arguments: &'r Check,
    meter: Meter,
    window: usize,
    threshold: usize,
}

impl Judge<'_> {
    fn asks(&self, question: Question) -> bool {
        self.arguments.only.is_none_or(|only| only == question)
    }

    fn verdict(&self, visit: &Visit<'_, '_>) -> Verdict {
        let conversation = visit.conversation;
        let mut findings = Vec::new();
        if self.asks(Question::Valid) {
            self.judge_validity(visit, &mut findings);
        }
        let valid = findings.iter().all(|line| line.severity == Severity::Note.name());
        let tokens = if self.asks(Question::Fit) { self.tokens(conversation) } else { None };
        if self.asks(Question::Fit) {
            self.judge_size(tokens, &mut findings);
        }
        Verdict {
            file: visit.name.to_string(),
            dialect: conversation.dialect.name(),
            encoding: self.meter.encoding().map(|encoding| encoding.name()),
            messages: conversation.messages.len(),
            tokens,
            window: self.window,
            threshold: self.threshold,
            needs_compaction: tokens.is_some_and(|tokens| tokens >= self.threshold),
            valid,
            findings,
        }
    }

    /// What breaks the rules of the provider, or of every provider.
    fn judge_validity(&self, visit: &Visit<'_, '_>, lines: &mut Vec<Line>) {
        let conversation = visit.conversation;
        let pairs = Pairs::of(&conversation.messages);
        let own = self.arguments.provider.map_or(conversation.dialect.provider(), Into::into);
        let providers: Vec<Provider> = if self.arguments.portable {
            ProviderName::value_variants().iter().map(|name| (*name).into()).collect()
        } else {
            vec![own]
        };
        for provider in providers {
            let findings = findings(conversation, &pairs, provider);
            let places: Vec<_> = findings.iter().map(|f| f.place(conversation)).collect();
            let places = locate(visit.document, &places);
            lines.extend(findings.iter().zip(&places).map(|(f, place)| line(visit, f, place)));
        }
    }

    /// What it counts, or `None` where it is surely under every limit and nobody asks how far.
    fn tokens(&self, conversation: &Conversation<'_>) -> Option<usize> {
        let limit = self.arguments.hard.map_or(self.threshold, |hard| self.threshold.min(hard + 1));
        let is_told = self.arguments.json || self.arguments.usage;
        if !is_told && !self.meter.reaches(conversation, limit) {
            return None;
        }
        let count = self.meter.count(conversation);
        let tokens = count.tokens();
        let newest = Usage::of(conversation, &count).newest().filter(|_| self.arguments.usage);
        // What the provider counted last, and what came after that.
        Some(
            newest.map_or(tokens, |newest| newest.recorded + tokens.saturating_sub(newest.counted)),
        )
    }

    fn judge_size(&self, tokens: Option<usize>, lines: &mut Vec<Line>) {
        let (window, threshold) = (self.window, self.threshold);
        if window < LEAST_WINDOW {
            lines
                .push(Line::of_size("window", format!("a window of {window} tokens is too small")));
        }
        let Some(tokens) = tokens else { return };
        if let Some(hard) = self.arguments.hard.filter(|hard| tokens > *hard) {
            let text = format!("{tokens} tokens, more than the limit of {hard}");
            lines.push(Line::of_size("hard-limit", text));
        }
        if tokens >= threshold {
            let text =
                format!("{tokens} tokens reach the threshold of {threshold}: needs compaction");
            lines.push(Line::of_size("threshold", text));
        }
    }
}

impl Line {
    /// A finding about the size of the whole conversation.
    fn of_size(rule: &'static str, text: String) -> Self {
        Self {
            rule,
            severity: Severity::Fault.name(),
            message: None,
            line: 1,
            pointer: String::new(),
            call_id: None,
            text,
            provider: None,
            provider_error: None,
        }
    }

    /// As compilers print it: the place, what is wrong, the rule; then what the provider says.
    fn text(&self, file: &str) -> String {
        let note = if self.severity == Severity::Note.name() { "note: " } else { "" };
        let (line, text, rule) = (self.line, &self.text, self.rule);
        let mut out = format!("{file}:{line}: {note}{text} [{rule}]");
        if let Some(error) = &self.provider_error {
            out.push_str(&format!("\n  {}: {error}", self.pointer));
        }
        out
    }
}

fn line(visit: &Visit<'_, '_>, finding: &Finding<'_>, place: &Location) -> Line {
    Line {
        rule: finding.rule.name,
        severity: finding.severity.name(),
        message: finding.message,
        line: visit.lines + place.line,
        pointer: place.pointer.clone(),
        call_id: finding.call_id.clone(),
        text: finding.text.clone(),
        provider: Some(finding.provider.name()),
        provider_error: finding.provider_error.clone(),
    }
}
