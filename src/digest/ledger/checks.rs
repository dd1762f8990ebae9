//! The last checks, and the changes made after them.
//!
//! Responsible for one line of the current state: which tests and builds ran last, how they ended, which
//! files were changed after each, and which command moved the work to another state.

use std::fmt::Write;

use super::errors::changes::edited;
use crate::begins::begins_with_any;
use crate::digest::calls::Call;
use crate::digest::calls::shell::git;
use crate::digest::calls::steps::{CommandStep, steps};
use crate::digest::calls::{aim, commands, outcome};
use crate::digest::text::labels::{self, ARROW, MOVED, NOT_RUN};

/// How many checks are named at most.
pub(crate) const CHECKS: usize = 3;
/// How many files are named at most.
const FILES: usize = 5;

/// The text before the files that were changed after a check.
const CHANGED: &str = ", then changed ";

/// Returns the line of the last `most` checks, from the calls or else from the `earlier` line; `None` if
/// nothing was checked. `before` is added to the label and says that the work goes on after the line.
pub(crate) fn checks(
    all: &[Call],
    most: usize,
    earlier: Option<&str>,
    (before, home): (&str, &str),
) -> Option<String> {
    let mut last: Vec<usize> = Vec::new();
    let mut known: Vec<CommandStep> = Vec::new();
    let mut is_among_others = false;
    for (at, call) in all.iter().enumerate().rev() {
        let Some(command) = call.command.as_deref().filter(|_| !call.outcome.never_ran()) else {
            continue;
        };
        let is_check = aim::is_check(command) && !git::is_elsewhere(command);
        let is_check = is_check && !is_missing(call.outcome.line.as_deref().unwrap_or_default());
        let mut checks = if is_check { steps(command, &call.within, home) } else { Vec::new() };
        checks.retain(|step| step.is_check);
        // A check that a later, wider one covers says no more, nor one whose failed tests ran again.
        let line = call.outcome.line.as_deref().filter(|_| call.outcome.failed);
        let tests = line.map_or(Vec::new(), outcome::failed_tests);
        let is_known = |check: &CommandStep| {
            known.iter().any(|later| later.covers(check) || later.selects(&tests, check))
        };
        if !checks.iter().all(is_known) {
            is_among_others |= checks.len() > 1;
            last.push(at);
            known.extend(checks);
        } else if !checks.is_empty() && is_among_others {
            // Later calls ran several checks at once: what ran before them says little by now.
            break;
        }
        if last.len() == most {
            break;
        }
    }
    let Some(&first) = last.last() else {
        let (since, label) = (since(all, false), labels::CHECKS);
        let told = earlier?.split_once(label)?.1;
        let told = told.strip_prefix(labels::BEFORE).unwrap_or(told);
        return Some(format!("- {label}{before}{told}{since}"));
    };
    let mut line = format!("- {}{before}: ", labels::CHECKS);
    let mut behind = first;
    let mut has_failed = false;
    while let Some(at) = last.pop() {
        let between = since(&all[behind..at], has_failed && before.is_empty());
        let joint = if at == first { "" } else { "; " };
        let call = &all[at];
        let command = call.command.as_deref().unwrap_or_default();
        let within = call.within.told();
        // If the folder is unknown, the command is named with its `cd`, provided that still shows what ran.
        let is_shown = || commands::is_shown(command, aim::core_range(command).start);
        let is_core = within.is_some() || call.within.is_here() || !is_shown();
        let named = commands::named(if is_core { aim::core(command) } else { command });
        let within = within.map_or(String::new(), |within| format!(" in {within}"));
        let outcome = call.ending();
        let _ =
            write!(line, "{between}{joint}`{named}`{within}{ARROW}{outcome} [{}]", call.place.0);
        behind = at + 1;
        has_failed = call.outcome.failed;
    }
    line.push_str(&since(&all[behind..], has_failed && before.is_empty()));
    Some(line)
}

/// Tells what followed a check that did not run again: which files changed, and which command moved the
/// work to another state.
pub(super) fn since(calls: &[Call], has_failed: bool) -> String {
    let moved = calls.iter().enumerate().rev().find_map(|(at, call)| {
        let line = call.outcome.line.as_deref().unwrap_or_default();
        let is_still = line.contains("up to date");
        // A merge that stops on conflicts has begun: it moves the work too.
        let goes = call.outcome.went_well() && !is_still || outcome::is_in_conflict(line);
        let part = call.command.as_deref().filter(|_| goes).and_then(git::moves)?;
        Some((at, format!("{MOVED}`{}` [{}]", commands::named(part), call.place.0)))
    });
    let mut told = match moved {
        Some((at, moved)) => [changed(&calls[..at]), moved, changed(&calls[at + 1..])].concat(),
        None => changed(calls),
    };
    if has_failed && !told.is_empty() {
        told.push_str(NOT_RUN);
    }
    told
}

/// Whether the runner says that the check does not exist: mise, npm, just, make.
fn is_missing(why: &str) -> bool {
    const SAID: &[&str] = &[
        "mise ERROR no task ",
        "npm error Missing script:",
        "npm ERR! Missing script:",
        "error: Justfile does not contain recipe",
        "make: *** No rule to make target",
    ];
    begins_with_any(why, SAID)
}

/// The text that names the files which these calls changed; empty if there are none.
fn changed(calls: &[Call]) -> String {
    some_of(&edited(calls, &|_| true)).map_or(String::new(), |files| format!("{CHANGED}{files}"))
}

/// The text between the names of files and the count of the others.
const AND: &str = " and ";

/// Names the first of these files and counts the others; `None` if there are no files.
pub(crate) fn some_of(files: &[&str]) -> Option<String> {
    let more = files.len().saturating_sub(FILES);
    let mut told = files[..files.len() - more].join(", ");
    if more > 0 {
        let _ = write!(told, "{AND}{more} more");
    }
    (!files.is_empty()).then_some(told)
}
