//! Failures, and what fixed them.
//!
//! Responsible for telling a failure that was followed by a success of the same command, with the
//! changes between the two, from one that is still open. A search that found nothing is none.

use std::fmt::Write;

use super::calls::{Call, Deed, clip};
use super::ledger::Ledger;
use super::{commands, units, write};

/// How many calls later a failure's end is looked for.
const FAR: usize = 400;

/// How much of a change is told, in bytes.
const LONGEST: usize = 120;

/// How many changes between a failure and its end are named.
const CHANGES: usize = 3;

/// What ends the line of a failure that was fixed.
const PASSED: &str = " → passed";
/// What stands before the changes that fixed it.
const FIXED: &str = " → fixed by ";
/// What ends the line of one that was left.
const LEFT: &str = " → not run again";

/// How little the line of a failure tells of the work: what an edit fixed least, then tests that
/// still fail and tools; last what was tried in passing.
pub(super) fn idleness(line: &str) -> u8 {
    if line.contains(FIXED) {
        return 0;
    }
    let is_check = line.split('`').nth(1).is_some_and(commands::is_check);
    match (is_check, line.contains(PASSED) || line.ends_with(LEFT)) {
        (true, _) => 1,
        (_, false) => 2,
        _ => 3,
    }
}

/// Commands whose failure only says that there is nothing.
const LOOKING: &[&str] = &[
    "grep", "rg", "ls", "find", "which", "test", "cat", "head", "tail", "diff", "command", "pgrep",
    "stat",
];

/// Every failure that says something, in order; a command's repeated failures as one.
pub(super) fn failures(calls: &[Call], ledger: &Ledger) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut done = vec![false; ledger.commands.len()];
    for (at, call) in calls.iter().enumerate() {
        // Looking for what is not there is no failure of the work.
        if !call.outcome.failed || matches!(call.deed, Deed::Read | Deed::Searched) {
            continue;
        }
        let Some(line) = call.outcome.line.as_deref().filter(|line| says_why(line)) else {
            continue;
        };
        #[allow(clippy::cast_possible_truncation, reason = "calls are far fewer than 2^32")]
        let command = ledger.command_of(at as u32);
        let what = if let (Some(text), Some(number)) = (&call.command, command) {
            if done[number as usize] || is_looking(text) {
                continue;
            }
            done[number as usize] = true;
            let flat: String = ledger.commands[number as usize].text.chars().take(60).collect();
            format!("`{flat}`")
        } else if retried(&calls[at + 1..], call) {
            // A tool that refused and then did it is no news.
            continue;
        } else {
            let file = call.touches.first().map(|touch| ledger.relative(&touch.path));
            format!("{} {}", call.tool, file.unwrap_or_default()).trim_end().to_owned()
        };
        let mut text =
            format!("- [{}] {what}{}{}", call.place.0, write::FAILED, units::without_marks(line));
        let end = command.and_then(|number| {
            let mut later = calls[at + 1..].iter().take(FAR).enumerate();
            #[allow(clippy::cast_possible_truncation, reason = "calls are far fewer than 2^32")]
            later.find(|(n, next)| {
                ledger.command_of((at + 1 + n) as u32) == Some(number)
                    && next.result.is_some()
                    && !next.outcome.failed
            })
        });
        let until = end.map_or(calls.len().min(at + 1 + FAR), |(n, _)| at + 1 + n);
        let fixes = changes(&calls[at + 1..until]);
        if let Some((_, success)) = end {
            // What else was edited meanwhile did not mend a command that only looks.
            if !fixes.is_empty() && call.command.as_deref().is_none_or(commands::is_check) {
                let _ = write!(text, "{FIXED}{}", fixes.join("; "));
            }
            let _ = write!(text, "{PASSED} [{}]", success.place.0);
        } else if command.is_some() {
            text.push_str(LEFT);
        }
        found.push(text);
    }
    found
}

/// Whether a line of a failed call tells anything: not a rule, nor that another call failed.
fn says_why(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric) && !line.contains("Sibling tool call errored")
}

fn is_looking(command: &str) -> bool {
    let last = command.rsplit(['|', ';', '&', '\n']).next().unwrap_or(command);
    let name = last.split_whitespace().next().unwrap_or("");
    LOOKING.contains(&name)
}

fn retried(later: &[Call], failed: &Call) -> bool {
    later.iter().take(12).any(|call| {
        !call.outcome.failed
            && call.deed == failed.deed
            && call.touches.first().map(|touch| &touch.path)
                == failed.touches.first().map(|touch| &touch.path)
    })
}

/// The changes of these calls, one a file, the first ones.
fn changes(calls: &[Call]) -> Vec<String> {
    let mut files: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for call in calls.iter().filter(|call| call.deed.changes() && !call.outcome.failed) {
        for touch in call.touches.iter().filter(|touch| touch.deed != Deed::Read) {
            let path = touch.path.as_ref();
            if files.contains(&path) || found.len() == CHANGES {
                continue;
            }
            files.push(path);
            let name = path.rsplit('/').next().unwrap_or(path);
            found.push(match call.change.as_deref().filter(|_| found.is_empty()) {
                Some(change) => format!("editing {name}: {}", clip(change, LONGEST)),
                None => format!("editing {name}"),
            });
        }
    }
    found
}
