//! A call that came to no end of its own: refused, stopped by the user, or still running.
//!
//! Responsible for the words with which agents answer for such a call, and for the end of a process
//! that a later call waited for. None of these is a failure of the work, and none is a success.

use std::collections::HashMap;

use super::{Outcome, judge};
use crate::conversation::{Conversation, Part};
use crate::digest::calls::Call;
use crate::pairing::Place;

/// Why a call has no end of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::digest) enum Unended {
    /// The user did not let it happen.
    Rejected,
    /// The user stopped it.
    Interrupted,
    /// The process with this number goes on.
    Running(Box<str>),
}

/// How many of the first lines of a result tell of its process.
const FRAME: usize = 4;

/// Why a call with this result has no end of its own.
pub(super) fn unended(text: &str) -> Option<Unended> {
    const REFUSALS: &[&str] = &[
        "doesn't want to proceed",
        "doesn't want to take this action",
        "rejected by user",
        "user rejected",
    ];
    let head = &text[..text.floor_char_boundary(400)];
    if REFUSALS.iter().any(|words| head.contains(words)) {
        Some(Unended::Rejected)
    } else if is_interrupted(text) {
        Some(Unended::Interrupted)
    } else {
        head.lines().take(FRAME).find_map(process).map(Unended::Running)
    }
}

/// Whether the first or the last line says that the user stopped the call.
fn is_interrupted(text: &str) -> bool {
    const WHOLE: &[&str] =
        &["aborted", "Command aborted", "Operation aborted", "Tool execution aborted"];
    const BEGINNINGS: &[&str] = &[
        "aborted by user",
        "User aborted",
        "Command was cancelled by user",
        "Command was aborted",
        "<error>Command was aborted",
    ];
    let is_stop = |line: &str| {
        let line = line.trim();
        WHOLE.contains(&line) || BEGINNINGS.iter().any(|words| line.starts_with(words))
    };
    // Before the words stands how long it took.
    let mut first = text.lines().filter(|line| !super::is_frame(line));
    first.next().is_some_and(is_stop) || text.lines().next_back().is_some_and(is_stop)
}

/// The process that a line says to go on; nothing is its number where the line names none.
fn process(line: &str) -> Option<Box<str>> {
    const WORDS: &[&str] =
        &["Process running with session ID ", "Command running in background with ID: "];
    if line == "<status>running</status>" {
        return Some("".into());
    }
    let rest = WORDS.iter().find_map(|words| line.strip_prefix(words))?;
    let number = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!number.is_empty()).then(|| number.into())
}

/// Tells of each command that went on how it ended, where a later call waited for its process.
pub(in crate::digest) fn conclude(conversation: &Conversation<'_>, calls: &mut [Call]) {
    let text = |(message, part): Place| conversation.messages[message].parts[part].text();
    let error = |text: &str| super::first_error(text).filter(|line| super::is_error_line(line));
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
            Outcome { unended: Some(Unended::Interrupted), ..Outcome::default() }
        } else {
            judge(answer, calls[started].command.as_deref())
        };
        let outcome = &mut calls[started].outcome;
        let is_running = matches!(outcome.unended, Some(Unended::Running(_)));
        let says_why = outcome.line.as_deref().is_some_and(super::is_error_line);
        if let Some(error) = errors.get(&started)
            && (is_running || outcome.failed && !says_why)
        {
            outcome.line = Some(super::shorten(error, super::LONGEST));
            outcome.is_total = true;
        }
        if !matches!(calls[started].outcome.unended, Some(Unended::Running(_))) {
            open.retain(|_, other| *other != started);
        }
        // What it failed with is told of the command.
        calls[at].outcome = Outcome::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_has_no_end() {
        for (text, wanted) in [
            ("The user doesn't want to proceed with this tool use.", Unended::Rejected),
            ("aborted by user after 33.4s", Unended::Interrupted),
            ("aborted", Unended::Interrupted),
            ("Wall time: 3.2 seconds\naborted by user", Unended::Interrupted),
            ("compiling a\n\nCommand aborted", Unended::Interrupted),
            (
                "Chunk ID: 89\nWall time: 1.0 seconds\nProcess running with session ID 24629\nOutput:\n",
                Unended::Running("24629".into()),
            ),
            (
                "<retrieval_status>success</retrieval_status>\n\n<status>running</status>\n\nx",
                Unended::Running("".into()),
            ),
            (
                "Command running in background with ID: b7_x. Output is written to /tmp/b7_x",
                Unended::Running("b7_x".into()),
            ),
        ] {
            assert_eq!(unended(text), Some(wanted), "{text}");
        }
        for text in [
            "",
            "Process exited with code 0\nOutput:\naborted the merge",
            "the transaction was aborted\nretrying",
            "a\nb\nc\nd\nProcess running with session ID 1",
        ] {
            assert_eq!(unended(text), None, "{text}");
        }
    }
}
