//! The last checks, and what was changed behind them.
//!
//! Responsible for one line of where the work stands: which tests and builds ran last, how they ended,
//! and which files nothing has checked since.

use std::fmt::Write;

use super::calls::Call;
use super::errors::changes::edited;
use super::{commands, labels, outcome, shell};

/// How many checks are named, and how many files.
const CHECKS: usize = 3;
const FILES: usize = 5;

/// The line, if anything was checked.
pub(super) fn checks(all: &[Call]) -> Option<String> {
    let mut known: Vec<String> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    let mut last = None;
    for (at, call) in all.iter().enumerate().rev() {
        let Some(command) = call.command.as_deref().filter(|_| !call.outcome.never_ran()) else {
            continue;
        };
        let identity = commands::identity(command);
        if !commands::is_check(command) || known.contains(&identity) {
            continue;
        }
        last = last.or(Some(at));
        let named = commands::named(shell::core(command));
        let outcome = outcome::phrase(&call.outcome);
        told.push(format!("`{named}` → {outcome} [{}]", call.place.0));
        known.push(identity);
        if told.len() == CHECKS {
            break;
        }
    }
    told.reverse();
    let changed = edited(&all[last? + 1..], &|_| true);
    let mut line = format!("- {}: {}", labels::CHECKS, told.join("; "));
    if !changed.is_empty() {
        let more = changed.len().saturating_sub(FILES);
        line.push_str("; changed since: ");
        line.push_str(&changed[..changed.len() - more].join(", "));
        if more > 0 {
            let _ = write!(line, " and {more} more");
        }
    }
    Some(line)
}
