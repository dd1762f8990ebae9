//! Failures, and what fixed them.
//!
//! Responsible for telling a failure that was followed by a success of the same command, with the
//! changes between the two, from one that is still open. A search that found nothing is none.

use std::collections::HashSet;

use super::calls::{Call, Deed, clip};
use super::ledger::Ledger;
use super::{commands, shell, units, write};

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
/// What stands before the changes that another command's success followed.
const THEN: &str = " → then ";

/// How little the line of a failure tells of the work: what an edit fixed least, then tests that
/// still fail and tools; last what was tried in passing.
pub(super) fn idleness(line: &str) -> u8 {
    if line.contains(FIXED) || line.contains(THEN) {
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

/// Every failure that says something, in order; a command's repeated failures as one. `goes_on`:
/// whether calls behind these stay visible.
pub(super) fn failures(calls: &[Call], ledger: &Ledger, goes_on: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut done: HashSet<&str> = HashSet::new();
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
            let is_looking = is_looking(text) && !call.outcome.is_masked;
            if is_looking || !done.insert(shell::core(text)) {
                continue;
            }
            let flat: String = ledger.commands[number as usize].text.chars().take(60).collect();
            format!("`{flat}`")
        } else if retried(&calls[at + 1..], call) {
            // A tool that refused and then did it is no news.
            continue;
        } else {
            let file = call.touches.first().map(|touch| ledger.relative(&touch.path));
            format!("{} {}", call.tool, file.unwrap_or_default()).trim_end().to_owned()
        };
        let why = units::without_marks(line);
        let end = call.command.as_deref().map(|command| ending(&calls[at + 1..], command, goes_on));
        let end = end.unwrap_or_default();
        found.push(format!("- [{}] {what}{}{why}{end}", call.place.0, write::FAILED));
    }
    found
}

/// What followed when a command had failed: the run of it that passed, and what was changed before;
/// where there is none, the test that passed after a change.
fn ending(later: &[Call], command: &str, goes_on: bool) -> String {
    let later = &later[..later.len().min(FAR)];
    let succeeds = |call: &Call, wanted: &dyn Fn(&str) -> bool| {
        call.command.as_deref().is_some_and(|command| wanted(shell::core(command)))
            && call.result.is_some()
            && !call.outcome.failed
    };
    // What else was edited meanwhile did not mend a command that only looks.
    let is_check = commands::is_check(command);
    let edits =
        |until: usize| if is_check { changes(&later[..until]).join("; ") } else { String::new() };
    let passed = |until: usize| format!("{PASSED} [{}]", later[until].place.0);
    let is_same = |other: &str| other == shell::core(command);
    if let Some(until) = later.iter().position(|call| succeeds(call, &is_same)) {
        let edits = edits(until);
        let by = if edits.is_empty() { "" } else { FIXED };
        return format!("{by}{edits}{}", passed(until));
    }
    let mends = |call: &Call| call.deed.changes() && !call.outcome.failed;
    let change = later.iter().position(mends).filter(|_| is_check).unwrap_or(later.len());
    let test = later[change..].iter().position(|call| succeeds(call, &commands::is_test));
    match test.map(|n| change + n) {
        Some(until) => {
            let test = later[until].command.as_deref().map_or("", shell::core);
            let test: String = test.chars().take(commands::COMMAND_KEY).collect();
            format!("{THEN}{}; `{test}`{}", edits(until), passed(until))
        }
        None if goes_on => String::new(),
        None => LEFT.to_owned(),
    }
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
