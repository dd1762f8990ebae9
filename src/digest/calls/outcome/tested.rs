//! Totals of tests that a tool reports beside something else.
//!
//! Responsible for recognising them beyond doubt: a line with only numbers and words that count tests.

use super::error::first_error;
use super::foot::foot;
use super::short::shorten;
use super::{LONGEST, lines};
use crate::span::span_in;

/// The words of totals: those that count, and those that may stand beside them.
const COUNTED: &[&str] = &["passed", "failed", "errors", "error", "skipped"];
const BESIDE: &[&str] = &[
    "tests", "test", "xfailed", "xpassed", "warnings", "warning", "deselected", "ignored", "total",
    "in",
];

/// Whether all tests passed whose totals a text has, and what it says of them; `None` without totals.
pub(crate) fn tested(text: &str) -> Option<(bool, Box<str>)> {
    let totals = foot(text).lines().rev().map(str::trim).find(|line| are_totals(line))?;
    let totals_bare = totals.trim_matches(['=', ' ', '.']);
    if !lines::counts_failures(totals) {
        return Some((true, totals_bare.into()));
    }
    let names = |line: &&str| bare(line).starts_with("FAILED ");
    let before = &text[..span_in(text, totals).start];
    let first = before.lines().find(names);
    let name = first.map(|line| bare(line).trim_start_matches("FAILED "));
    let why = first.and_then(|line| first_error(&before[span_in(before, line).end..]));
    let told = [Some(totals_bare.to_owned()), name.map(str::to_owned), why];
    let told: Vec<String> = told.into_iter().flatten().collect();
    Some((false, shorten(&told.join("; "), LONGEST)))
}

/// A line without the mark of a list.
fn bare(line: &str) -> &str {
    line.trim().trim_start_matches(['*', '-']).trim_start()
}

fn are_totals(line: &str) -> bool {
    let line = line.trim_matches(['=', ' ']);
    let words = || line.split([' ', ',', '.', ';']).filter(|word| !word.is_empty());
    let is_number_or_time =
        |word: &str| word.trim_end_matches('s').bytes().all(|byte| byte.is_ascii_digit());
    let is_known = |word: &str| COUNTED.contains(&word) || BESIDE.contains(&word);
    line.starts_with(|c: char| c.is_ascii_digit())
        && words().filter(|word| COUNTED.contains(word)).count() > 1
        && words().all(|word| is_number_or_time(word) || is_known(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_known_beyond_doubt() {
        let text = "The file was edited.\n 3\tpass\nRunning 5 tests:\n * FAILED a_test.py T.test_b\n\
                    Traceback (most recent call last):\nAssertionError: 1 != 2\n\n3 passed. 2 failed. 0 errors.\n</x>";
        let (passed, line) = tested(text).unwrap();
        assert_eq!(
            (passed, &*line),
            (false, "3 passed. 2 failed. 0 errors; a_test.py T.test_b; AssertionError: 1 != 2")
        );
        assert!(tested("5 passed. 0 failed.").unwrap().0);
        assert!(!tested("== 1 failed, 2 passed in 0.12s ==").unwrap().0);
        for text in ["12\t3 passed, 2 failed to load", "3 passed", "if 3 passed and 2 failed", ""] {
            assert_eq!(tested(text), None, "{text}");
        }
    }
}
