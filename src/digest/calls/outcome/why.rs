//! Why a call failed, in one line.
//!
//! Responsible for the order in which reasons are told: the files in conflict, the count of failures, the
//! error.

use std::borrow::Cow;

use super::cut::is_cut;
use super::error::{first_error, tagless, without_command, without_folders};
use super::failing::{conflicts, failures_counted};
use super::frame::without_rules;
use super::giving_up::last_word;
use super::lines::{GIVEN_UP, Plainness, is_error_line, names_place, plainness};
use crate::digest::calls::aim;

/// The reason of a failure in the result of a call; `None` if it tells none. For commands, conflicts and counts
/// come before the error.
pub(super) fn why(text: &str, command: Option<&str>) -> Option<String> {
    let of_command = command.is_some();
    let text: &str = &command.map_or(Cow::Borrowed(text), |it| without_command(text, it));
    conflicts(text).filter(|_| of_command).or_else(|| {
        let counted = |command| {
            let count = failures_counted(text).map(|count| without_rules(&count).to_owned());
            count.or_else(|| problems_placed(text, command).filter(|_| aim::is_check(command)))
        };
        let count = command.and_then(counted);
        let is_more = |error: &String| !count.as_ref().is_some_and(|count| count.contains(error));
        let vague = |line: &String| !is_error_line(line);
        let error = first_error(text);
        let gave_up = last_word(text).filter(|_| error.as_ref().is_some_and(vague));
        let error = gave_up.map(str::to_owned).or(error).filter(is_more);
        let error = error.map(|error| without_folders(&error).to_owned());
        let told: Vec<String> = count.into_iter().chain(error).collect();
        (!told.is_empty()).then(|| told.join("; "))
    })
}

/// The end of a count that we made ourselves.
pub(super) const PROBLEMS: &str = " problems";

/// A count of the lines that name a place and its problem, if there are several: a cut output has lost its
/// total.
fn problems_placed(text: &str, command: &str) -> Option<String> {
    let is_problem = |line: &&str| names_place(line) && plainness(line) == Plainness::Placed;
    let count = text.lines().map(|line| tagless(line.trim())).filter(is_problem).count();
    let more =
        if count > 1 && (text.contains(GIVEN_UP) || is_cut(text, command)) { "+" } else { "" };
    (count > 1).then(|| format!("{count}{more}{PROBLEMS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_counted_where_nothing_counts_them() {
        let lint = "oil/a.go:3:1: string has 3 occurrences (goconst)\n\ta()\noil/b.go:9:2: G306: 0600 or less (gosec)";
        let told = |text: &str| why(text, Some("lint ./oil | head -30"));
        assert_eq!(
            told(lint).as_deref(),
            Some("2+ problems; a.go:3:1: string has 3 occurrences (goconst)")
        );
        assert_eq!(
            told(&format!("{lint}\n5 issues:")).as_deref(),
            Some("5 issues; a.go:3:1: string has 3 occurrences (goconst)")
        );
        let built = "a.cpp:12:5:   required from here\na.cpp:9:1: error: no b\n./a.go:20:2: too many errors";
        assert_eq!(why(built, Some("make")).as_deref(), Some("a.cpp:9:1: error: no b"));
        let one = "oil/a.go:3:1: undefined: b";
        assert_eq!(told(one).as_deref(), Some("a.go:3:1: undefined: b"));
    }
}
