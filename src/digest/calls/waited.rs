//! The end of a process that a later call waited for, or that the agent noted in the user's role.
//!
//! Responsible for telling it of the call that started the process.

use std::collections::HashMap;

use super::outcome::{LONGEST, Outcome, Unended, first_error, is_error_line, judge, shorten};
use super::{Call, said};
use crate::conversation::{Conversation, Origin, Part, Place};

/// Tells of each command that went on how it ended, where a later call waited for its process.
pub(super) fn conclude(conversation: &Conversation<'_>, calls: &mut [Call]) {
    let text = |(message, part): Place| said(&conversation.messages[message].parts[part]);
    let error = |text: &str| first_error(text).filter(|line| is_error_line(line));
    // What each process said that went wrong, by the call that started it.
    let mut errors: HashMap<usize, String> = HashMap::new();
    let mut open: HashMap<Box<str>, usize> = HashMap::new();
    for at in 0..calls.len() {
        if let Some(Unended::Running(process)) = &calls[at].outcome.unended
            && calls[at].process.is_none()
        {
            open.insert(process.clone(), at);
            errors.extend(calls[at].result.and_then(|result| Some((at, error(&text(result))?))));
        }
        let waited = calls[at].process.as_ref().and_then(|process| open.get(process));
        let (Some(&started), Some(result)) = (waited, calls[at].result) else { continue };
        let answer: &Part<'_> = &conversation.messages[result.0].parts[result.1];
        let tool = calls[at].tool.to_ascii_lowercase();
        errors.extend(error(&text(result)).map(|error| (started, error)));
        calls[started].outcome = if tool.contains("kill") || tool.contains("stop") {
            // What can't be killed had ended before.
            let said = text(result).to_ascii_lowercase();
            let unended = (!answer.is_error).then_some(Unended::Interrupted);
            let failed = answer.is_error && said.contains("failed");
            Outcome { failed, unended, ..Outcome::default() }
        } else {
            judge(answer, calls[started].results())
        };
        let outcome = &mut calls[started].outcome;
        let is_running = outcome.is_running();
        let says_why = outcome.line.as_deref().is_some_and(is_error_line);
        if let Some(error) = errors.get(&started)
            && (is_running || outcome.failed && !says_why)
        {
            outcome.line = Some(shorten(error, LONGEST));
            outcome.is_total = true;
        }
        if !calls[started].outcome.is_running() {
            open.retain(|_, other| *other != started);
        }
        // What it failed with is told of the command.
        calls[at].outcome = Outcome::default();
    }
    heed_notes(conversation, calls);
}

/// Tells the same where a note of the agent's says how a process ended.
fn heed_notes(conversation: &Conversation<'_>, calls: &mut [Call]) {
    let messages = conversation.messages.iter().enumerate();
    let notes = messages.filter(|(_, message)| message.origin == Origin::Injected);
    let notes = notes.map(|(at, message)| (at, message.text()));
    let notes: Vec<_> = notes.filter(|(_, text)| text.contains("<task-notification>")).collect();
    for call in calls {
        let Some(Unended::Running(process)) = &call.outcome.unended else { continue };
        let id = format!("<task-id>{process}</task-id>");
        let behind = notes.iter().filter(|(at, text)| *at > call.place.0 && text.contains(&id));
        if let Some(outcome) = behind.rev().find_map(|(_, text)| noted(text)) {
            call.outcome = outcome;
        }
    }
}

/// How a process ended, as a note says it; none that only tells of something on the way.
fn noted(note: &str) -> Option<Outcome> {
    let (_, behind) = note.split_once("<status>")?;
    let (word, _) = behind.split_once("</status>")?;
    let code = note.split_once("exit code ").map(|(_, code)| code);
    let code = code.and_then(|code| code.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    let failed = word == "failed" || code.is_some_and(|code: i32| code != 0);
    let unended = ["killed", "stopped"].contains(&word).then_some(Unended::Interrupted);
    Some(Outcome { status: code, failed, unended, ..Outcome::default() })
}
