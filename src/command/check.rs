//! `ctx check`: does it fit, is it valid?

use std::io::Write;

use serde::Serialize;

use crate::check::{Finding, Location, Severity, findings, locate};
use crate::cli::{Check, Question};
use crate::command::{Outcome, Shell, Visit, WINDOW, meter, read_each};
use crate::output::Stdout;
use crate::pairing::Pairs;

/// A window under so many tokens is too small to recommend (seed 004).
const LEAST_WINDOW: usize = 16_000;
/// A window under so many tokens is worth a warning (seed 004).
const SMALL_WINDOW: usize = 32_000;

/// A finding, as `--json` prints it.
#[derive(Serialize)]
#[allow(clippy::struct_field_names, reason = "a line has a line")]
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
    let mut out = Stdout::lock();
    if (LEAST_WINDOW..SMALL_WINDOW).contains(&window) {
        shell.say(format_args!("a window of {window} tokens is small: agents want 32k or more"));
    }
    let mut found = 0;
    read_each(
        &arguments.reading,
        &mut shell,
        &mut |visit, shell| {
            let conversation = visit.conversation;
            let mut lines = Vec::new();
            if asks(Question::Valid) {
                let provider =
                    arguments.provider.map_or(conversation.dialect.provider(), Into::into);
                let pairs = Pairs::of(&conversation.messages);
                let findings = findings(conversation, &pairs, provider);
                let places: Vec<_> = findings.iter().map(|f| f.place(conversation)).collect();
                let places = locate(visit.document, &places);
                lines.extend(findings.iter().zip(&places).map(|(f, place)| line(visit, f, place)));
            }
            let valid = lines.iter().all(|line| line.severity == Severity::Note.name());
            let tokens = asks(Question::Fit).then(|| meter.count(conversation).tokens());
            let needs_compaction = tokens.is_some_and(|tokens| tokens >= threshold);
            let size = |rule, text| Line {
                rule,
                severity: Severity::Fault.name(),
                message: None,
                line: 1,
                pointer: String::new(),
                call_id: None,
                text,
                provider: None,
                provider_error: None,
            };
            if let Some(tokens) = tokens {
                if window < LEAST_WINDOW {
                    lines.push(size("window", format!("a window of {window} tokens is too small")));
                }
                if let Some(hard) = arguments.hard.filter(|hard| tokens > *hard) {
                    lines.push(size(
                        "hard-limit",
                        format!("{tokens} tokens, more than the limit of {hard}"),
                    ));
                }
                if needs_compaction {
                    let text = format!(
                        "{tokens} tokens reach the threshold of {threshold}: needs compaction"
                    );
                    lines.push(size("threshold", text));
                }
            }
            if lines.iter().any(|line| line.severity == Severity::Fault.name()) {
                shell.note(Outcome::No);
            }
            found += lines.len();
            if arguments.quiet {
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
            for line in lines {
                let severity = if line.severity == Severity::Note.name() { "note: " } else { "" };
                let (name, number) = (visit.name, line.line);
                out.line(&format!("{name}:{number}: {severity}{} [{}]", line.text, line.rule))?;
                if let Some(error) = &line.provider_error {
                    out.line(&format!("  {}: {error}", line.pointer))?;
                }
            }
            Ok(())
        },
        |_, _| Ok(()),
    );
    if found > 0 && !arguments.quiet && !arguments.json {
        let plural = if found == 1 { "" } else { "s" };
        writeln!(out, "{found} finding{plural}")?;
    }
    out.flush()?;
    Ok(shell.outcome())
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
