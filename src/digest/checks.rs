//! The last checks, and what was changed behind them.
//!
//! Responsible for one line of where the work stands: which tests and builds ran last, how they ended,
//! and which files were changed behind each of them.

use std::fmt::Write;

use super::calls::Call;
use super::errors::changes::edited;
use super::{commands, labels, outcome, shell};

/// How many checks are named, and how many files.
const CHECKS: usize = 3;
const FILES: usize = 5;

/// What stands before the files that were changed behind a check.
const CHANGED: &str = ", then changed ";

/// The line, if anything was checked, now or in what an `earlier` line tells of. `before` says that the
/// work goes on behind it.
pub(super) fn checks(all: &[Call], earlier: Option<&str>, before: &str) -> Option<String> {
    let mut last: Vec<usize> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for (at, call) in all.iter().enumerate().rev() {
        let Some(command) = call.command.as_deref().filter(|_| !call.outcome.never_ran()) else {
            continue;
        };
        if commands::is_check(command) && !commands::is_elsewhere(command) {
            let identity = commands::identity(command);
            if !known.contains(&identity) {
                last.push(at);
                known.push(identity);
            }
        }
        if last.len() == CHECKS {
            break;
        }
    }
    let Some(&first) = last.last() else {
        let changed = changed(all);
        return earlier.map(|line| format!("{line}{changed}"));
    };
    let mut line = format!("- {}{before}: ", labels::CHECKS);
    let mut behind = first;
    while let Some(at) = last.pop() {
        let between = changed(&all[behind..at]);
        let joint = if at == first { "" } else { "; " };
        let call = &all[at];
        let named = commands::named(shell::core(call.command.as_deref().unwrap_or_default()));
        let outcome = outcome::ending(call);
        let _ = write!(line, "{between}{joint}`{named}` → {outcome} [{}]", call.place.0);
        behind = at + 1;
    }
    line.push_str(&changed(&all[behind..]));
    Some(line)
}

/// The files that these calls changed.
fn changed(calls: &[Call]) -> String {
    let changed = edited(calls, &|_| true);
    let more = changed.len().saturating_sub(FILES);
    let mut told = String::new();
    if !changed.is_empty() {
        told = format!("{CHANGED}{}", changed[..changed.len() - more].join(", "));
    }
    if more > 0 {
        let _ = write!(told, " and {more} more");
    }
    told
}
