//! What a successful command says it has done.
//!
//! Responsible for the line of its output that tells it: a short answer as a whole, totals, an address, the
//! last line. It relies on the caller for whether the command failed.

use super::ended::MOST_TOLD;
use super::error::tagless;
use super::failing::names_failure;
use super::foot::foot;
use super::frame::{is_frame, is_rule, says_nothing};
use super::lines::{commit, count_of, counts_failures, is_packed, is_total, is_well, sums_up};
use super::tally::{NONE_RUN, is_of_group, tally};
use super::{aim, repository, shell};
use crate::digest::calls::shell::NOTHING_FOUND;

/// The most lines, and the most bytes, of an answer that is told as a whole.
const FEW: usize = 3;
const SHORT: usize = 48;

/// The whole output of a command that is no check, if it is short: the command was run for it.
pub(super) fn answer(text: &str, command: &str) -> Option<String> {
    if aim::is_check(command) {
        return None;
    }
    let lines = text.lines().map(|line| tagless(line.trim()));
    let told: Vec<&str> = lines.filter(|line| !says_nothing(line) && !is_frame(line)).collect();
    let told =
        if shell::COUNTING.ends(command) { &told[told.len().saturating_sub(1)..] } else { &told };
    if told.is_empty() {
        let found = if shell::FINDING.ends(command) { NOTHING_FOUND } else { "(nothing)" };
        // A line like `---` divides nothing here: it may be what was searched for. Some searches are silent by
        // request.
        let is_empty = !text.lines().any(|line| is_rule(tagless(line.trim())));
        let is_known = is_empty && shell::does_nothing(command) && !shell::finds_silently(command);
        return is_known.then(|| found.to_owned());
    }
    let is_short =
        told.len() <= FEW && told.iter().map(|line| line.len() + 2).sum::<usize>() <= SHORT;
    // Data may show the failure of another run.
    let is_other =
        |line: &&str| line.starts_with(['[', '{']) || counts_failures(line) || names_failure(line);
    (is_short && !told.iter().any(is_other)).then(|| told.join(", "))
}

/// What a successful command came to, and whether that tells what it has done: what it made, its answer, its
/// totals, or else its last line.
pub(super) fn came_to(text: &str, command: &str) -> (Option<String>, bool) {
    let of_git = command.contains("git ");
    let commit = || text.lines().map(str::trim).find_map(commit).filter(|_| of_git);
    let made = || address(text).filter(|_| !shell::shows_data(command));
    let said = commit().or_else(made).or_else(|| answer(text, command));
    if let Some(said) = said.or_else(|| repository::told(text, command)) {
        return (Some(said), true);
    }
    let is_check = aim::is_check(command);
    let is_told = !shell::ends_showing(command);
    let line = totals(text, is_check).filter(|_| is_told);
    if line.is_some_and(|line| counts_failures(line) || names_failure(line)) {
        return (None, false);
    }
    let tally = (is_check && is_told).then(|| tally(text, command)).flatten();
    // Beside the sum, a line is only told if it counts something else.
    let counts = |line: &&str| count_of(line).is_some() && !is_of_group(line);
    let line = line.filter(|line| tally.is_none() || counts(line));
    let tally = tally.filter(|tally| line.is_none() || tally != NONE_RUN);
    let line = if tally.is_some() { line.map(|line| line.trim_end_matches('.')) } else { line };
    match [line, tally.as_deref()].into_iter().flatten().collect::<Vec<_>>().as_slice() {
        [] => (last_line(text).map(str::to_owned), false),
        told => (Some(told.join("; ")), true),
    }
}

/// The address that a command prints last, such as that of a merge request it made.
pub(super) fn address(text: &str) -> Option<String> {
    let line = text.lines().next_back()?.trim();
    let is_address = line.starts_with("https://") && !line.contains(' ') && line.len() <= MOST_TOLD;
    is_address.then(|| line.to_owned())
}

/// Within how many last lines a command that is no check tells what it has done.
const FOOT: usize = 5;

/// The last line of totals near the end; for a check, preferably one that counts, and none about a single
/// package. Any other command logs lines that look like totals, so it has to tell them at its very end.
pub(super) fn totals(text: &str, is_check: bool) -> Option<&str> {
    let lines = foot(text).lines().rev().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !is_frame(line));
    if !is_check {
        return lines.take(FOOT).find(|line| sums_up(line));
    }
    let totals = lines.filter(|line| is_total(line) && !is_well(line));
    totals.clone().find(|line| count_of(line).is_some()).or_else(|| totals.clone().next())
}

pub(super) fn last_line(text: &str) -> Option<&str> {
    let says = |line: &&str| {
        let has_words = line.contains(char::is_alphanumeric);
        has_words && !says_nothing(line) && !is_frame(line) && !is_packed(line)
    };
    text.lines().rev().map(|line| tagless(line.trim())).find(says)
}
