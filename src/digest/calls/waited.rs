//! The end of a process that a later call waited for.
//!
//! Responsible for telling it of the call that started the process.

use std::collections::HashMap;

use super::outcome::{LONGEST, Outcome, Unended, first_error, is_error_line, judge, shorten};
use super::{Call, said};
use crate::conversation::{Conversation, Part, Place};

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
}
