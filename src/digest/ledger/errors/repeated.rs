//! Failures that several digests tell.
//!
//! Responsible for one line for one failure: the same tests of the same command that are open, or that ended
//! together. The newest line stays, unless an earlier one says more of it. Failures of one digest are told apart
//! where they are found.

use std::collections::HashMap;

use super::{AGAIN, ALSO, AT_LAST, DIAGNOSIS, Failure, OTHERWISE, PASSED};
use super::{command_of, idleness, is_open, why_of};
use crate::digest::text::labels::{ARROW, FAILED};
use crate::verbatim::pointer;

/// What two lines of one failure share: the command, the tests, and the message in which they ended.
type Key<'l> = (&'l str, Vec<&'l str>, &'l str);

/// The failures in their order, each once; the first `old` are of earlier digests.
pub(crate) fn once(mut found: Vec<Failure>, old: usize) -> Vec<Failure> {
    let lines: Vec<String> = found.iter().map(|failure| failure.line.clone()).collect();
    let mut newest: HashMap<Key<'_>, usize> = HashMap::new();
    let mut is_told = vec![true; found.len()];
    for (at, line) in lines.iter().enumerate().rev() {
        let Some(key) = key(line) else { continue };
        match newest.get(&key) {
            Some(&kept) if at < old => {
                is_told[at] = false;
                let earlier = std::mem::take(&mut found[at]);
                let later = &mut found[kept];
                if says_more(&earlier.line, &later.line) {
                    *later = earlier;
                } else {
                    later.line = also(&later.line, &earlier.line);
                }
            }
            Some(_) => {}
            None => drop(newest.insert(key, at)),
        }
    }
    let mut is_told = is_told.into_iter();
    found.retain(|_| is_told.next().unwrap_or(true));
    found
}

/// A line that says once that the failure came again: the last time.
pub(super) fn came_again_once(line: &str) -> String {
    let mut pieces: Vec<&str> = line.split(AGAIN.trim_end()).collect();
    let is_bare =
        |piece: &str| pointer(piece.trim_start()).is_some_and(|it| it.len() + 3 == piece.len());
    let last = pieces.len() - 1;
    let mut at = 0;
    pieces.retain(|piece| {
        at += 1;
        at == 1 || at > last || !is_bare(piece)
    });
    pieces.join(AGAIN.trim_end())
}

/// The key of a line; `None` if it does not name all tests that failed, or tells of several failures.
fn key(line: &str) -> Option<Key<'_>> {
    let end = match line.rsplit_once(PASSED) {
        Some((_, end)) => end,
        None if is_open(line) => "",
        None => return None,
    };
    let why = why_of(line);
    let tests = tests(why.split_once(ALSO).map_or(why, |(why, _)| why));
    let is_one = ![AT_LAST, OTHERWISE].iter().any(|mark| line.contains(mark));
    Some((command_of(line).filter(|_| is_one && !tests.is_empty())?, tests, end))
}

/// The tests that an error of a digest names, without the marks of its log; none if it does not name as many as
/// failed.
fn tests(why: &str) -> Vec<&str> {
    let pieces = why.split("; ").map(|piece| piece.split_once(" - ").map_or(piece, |(it, _)| it));
    let is_test = |piece: &&str| piece.contains("::") && !piece.contains([' ', '…']);
    let tests: Vec<&str> = pieces.filter(is_test).collect();
    let words: Vec<&str> = why.split([' ', ',', ';']).collect();
    let failed = words.windows(2).find(|pair| pair[1] == "failed").map(|pair| pair[0].parse());
    if failed == Some(Ok(tests.len())) { tests } else { Vec::new() }
}

/// Whether an earlier line of a failure says why it came or what mended it, where the later one does not.
fn says_more(earlier: &str, later: &str) -> bool {
    let is_current = || {
        let place = later.strip_prefix("- ").and_then(pointer).map(|place| format!("[{place}]"));
        place.is_some_and(|place| earlier.ends_with(&place))
    };
    let is_said = |line: &str| line.contains(DIAGNOSIS);
    match idleness(earlier).cmp(&idleness(later)) {
        std::cmp::Ordering::Less => earlier.contains(PASSED),
        std::cmp::Ordering::Equal => is_said(earlier) && !is_said(later) && is_current(),
        std::cmp::Ordering::Greater => false,
    }
}

/// The later line with the message of the earlier one, unless it names another already.
fn also(later: &str, earlier: &str) -> String {
    let place = earlier.strip_prefix("- ").and_then(pointer);
    let begin = later.find(FAILED).map_or(later.len(), |at| at + FAILED.len());
    let end = later[begin..].find(ARROW).map_or(later.len(), |at| begin + at);
    match place {
        Some(place) if !later[..end].contains(ALSO) => {
            format!("{}{ALSO}{place}]{}", &later[..end], &later[end..])
        }
        _ => later.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str], old: usize) -> Vec<String> {
        let failure = |line: &&str| Failure { line: (*line).to_owned(), told: Vec::new() };
        let found = once(lines.iter().map(failure).collect(), old);
        found.into_iter().map(|failure| failure.line).collect()
    }

    #[test]
    fn one_failure_of_several_digests_is_told_once_with_its_newest_state() {
        let line = |place: &str, rest: &str| {
            format!(
                "- [{place}] `pytest a.py` failed: 1 failed; a.py::test_lit - assert 1 == 2{rest}"
            )
        };
        let (first, second) = (line("1.5", " → failed again [2.9]"), line("2.7", ""));
        let third = line("31", " → then editing a.py");
        let lines = [&*first, &second, &third];
        assert_eq!(told(&lines, 2), [line("31", ", also [2.7] → then editing a.py")]);
        // Two of one digest are two.
        assert_eq!(told(&lines, 0), lines);
        let (said, again) =
            (line("1.5", " → said [1.6] It is dark. → failed again [31]"), line("31", ""));
        assert_eq!(told(&[&said, &again], 1), [said]);
        let (fixed, idle) =
            (line("1.5", " → fixed by editing a.py → passed [9]"), line("1.7", " → passed [9]"));
        assert_eq!(told(&[&fixed, &idle], 2), [&*fixed]);
    }

    #[test]
    fn failures_of_other_tests_commands_or_ends_are_others() {
        let lines = [
            "- [1.1] `pytest a.py` failed: 1 failed; a.py::test_lit - no",
            "- [1.2] `pytest a.py` failed: 1 failed; a.py::test_dark - no",
            "- [1.3] `pytest b.py` failed: 1 failed; a.py::test_lit - no",
            "- [1.4] `pytest a.py` failed: 2 failed; a.py::test_lit - no",
            "- [1.5] `pytest a.py` failed: 1 failed; a.py::test_lit - no → passed [7]",
            "- [1.6] `pytest a.py` failed: 1 failed; a.py::test_lit - no → passed [9]",
            "- [1.7] `pytest a.py` failed: 1 failed; a.py::test_l…",
            "- [1.8] `pytest a.py` failed: 1 failed; a.py::test_l…",
        ];
        assert_eq!(told(&lines, lines.len()), lines);
    }

    #[test]
    fn a_failure_that_comes_again_and_again_names_the_last_time() {
        for (line, wanted) in [
            ("a → failed again [1.2] → failed again [3]", "a → failed again [3]"),
            (
                "a → failed again [1.2] → failed again [3] → passed [4]",
                "a → failed again [3] → passed [4]",
            ),
            (
                "a → failed again [1.2]: b → failed again [3]",
                "a → failed again [1.2]: b → failed again [3]",
            ),
            ("a → failed again [3]", "a → failed again [3]"),
        ] {
            assert_eq!(came_again_once(line), wanted);
        }
    }
}
