//! What went wrong, told shortly.
//!
//! Responsible for what is kept of an error's line if there is no room for all of it: the name of one test and
//! what it said are worth more than the names of others and the marks around them.

use super::error::NAMED;
use super::lines::{Count, count_of, names_test};
use super::why::PROBLEMS;
use crate::line::clip;

/// The separator of failed tests, counts of failures and the error.
const NEXT: &str = "; ";
/// Stands for the left-out tests between the first ones and the error.
const OTHERS: &str = "; …; ";

/// Shortens an error to `most` bytes. Of the tests or counts at its beginning, those are kept that leave half
/// of the room for the error. A `no such file` is cut in the middle, because the missing file is as often named
/// at the end as before.
pub(crate) fn shorten(line: &str, most: usize) -> Box<str> {
    if line.len() <= most {
        return line.into();
    }
    if let Some((heads, said)) = headed(line) {
        let left = most.saturating_sub(NEXT.len() + said.len()).max(most / 2);
        let fits = |end: &usize| *end <= left;
        let ends = line[..heads].match_indices(NEXT).map(|(at, _)| at).chain([heads]);
        let whole = ends.filter(fits).last();
        let joint = if whole == Some(heads) { NEXT } else { OTHERS };
        let first = line.split(NEXT).next().unwrap_or(line);
        let heads = whole.map_or_else(|| clip(first, left), |end| line[..end].into());
        let left = most.saturating_sub(heads.len() + joint.len());
        return format!("{heads}{joint}{}", clip(said, left)).into();
    }
    if !line.to_ascii_lowercase().contains("no such file") {
        return clip(line, most);
    }
    let head = line.floor_char_boundary(most / 3);
    let foot = line.ceil_char_boundary(line.len() - (most - most / 3));
    format!("{}…{}", line[..head].trim_end(), line[foot..].trim_start()).into()
}

/// The end of the tests or counts at the beginning of a line, and the error behind them; `None` without either.
fn headed(line: &str) -> Option<(usize, &str)> {
    let mut heads = 0;
    while let Some((next, _)) = line[heads..].split_once(NEXT).filter(|(next, _)| is_heading(next))
    {
        heads += next.len() + NEXT.len();
    }
    let said = &line[heads..];
    (heads > 0 && !is_heading(said)).then_some((heads.saturating_sub(NEXT.len()), said))
}

/// Whether a piece of the line only names a test or counts something.
fn is_heading(piece: &str) -> bool {
    let is_count = || {
        let ends = piece.ends_with(')') || piece.ends_with(PROBLEMS);
        piece.starts_with(|c: char| c.is_ascii_digit()) && ends
    };
    names_test(piece) || !piece.contains(char::is_whitespace) || is_count()
}

/// An error without the marks of its tests and without tests that contain others of them. A count of a single
/// problem is replaced by its kind.
pub(crate) fn bare(line: &str) -> String {
    let pieces: Vec<&str> = line.split(NEXT).map(name).collect();
    let is_part = |other: &&str, name: &str| {
        other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
    };
    let is_whole = |(_, name): &(usize, &&str)| pieces.iter().any(|other| is_part(other, name));
    let told: Vec<&str> = pieces
        .iter()
        .enumerate()
        .filter(|piece| !is_whole(piece))
        .map(|(_, piece)| *piece)
        .collect();
    let Some((kind, [error, rest @ ..])) =
        told.split_first().and_then(|(first, rest)| Some((only_kind(first)?, rest)))
    else {
        return told.join(NEXT);
    };
    let mark = format!(" ({kind})");
    let error = error.strip_suffix(mark.as_str()).unwrap_or(error);
    let error = format!("{kind}: {error}");
    [&[error.as_str()], rest].concat().join(NEXT)
}

/// The names of the tests that an error is about; none if more may have failed than it names.
pub(crate) fn failed_tests(line: &str) -> Vec<&str> {
    let tests = line.split(NEXT).filter(|piece| names_test(piece)).map(name);
    let tests: Vec<&str> =
        tests.map(|test| test.split_once(" - ").map_or(test, |(test, _)| test)).collect();
    let number = |piece: &str| piece.split(' ').next()?.parse::<usize>().ok();
    let counts = line.split(NEXT).filter(|piece| count_of(piece) == Some(Count::Failed));
    let mut counts = counts.peekable();
    let are_all = match counts.peek() {
        Some(_) => counts.all(|piece| number(piece).is_some_and(|it| it <= tests.len())),
        None => tests.len() < NAMED,
    };
    if are_all { tests } else { Vec::new() }
}

/// The kind of problem in a count of one: `1 issues (kind: 1)`.
fn only_kind(count: &str) -> Option<&str> {
    let (count, kinds) = count.strip_suffix(": 1)")?.split_once(" (")?;
    let is_one = count.split(' ').next() == Some("1") && !kinds.contains(':');
    is_one.then_some(kinds)
}

/// The name of the test in a piece, without the mark of its failure and its duration; other pieces stay as they
/// are.
fn name(piece: &str) -> &str {
    const MARKS: &[&str] = &["--- FAIL: ", "FAILED ", "FAIL: ", "✗ ", "✘ ", "✕ ", "test "];
    if !names_test(piece) {
        return piece;
    }
    let name = MARKS.iter().find_map(|mark| piece.strip_prefix(mark)).unwrap_or(piece);
    let name = name.strip_suffix(" ... FAILED").unwrap_or(name);
    let is_time = |time: &str| {
        let unit = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        unit.len() < time.len() && matches!(unit.trim_start(), "s" | "ms")
    };
    let timed = name.strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
    timed.filter(|(_, time)| is_time(time)).map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_by_their_names() {
        for (line, wanted) in [
            ("--- FAIL: TestA (0.05s); a_test.go:3: got 1", "TestA; a_test.go:3: got 1"),
            ("--- FAIL: TestA (0.1s); --- FAIL: TestA/b (0.1s)", "TestA/b"),
            ("FAILED tests/a.py::test_b - KeyError: 'c'", "tests/a.py::test_b - KeyError: 'c'"),
            ("test a::b ... FAILED; 1 failed", "a::b; 1 failed"),
            ("✕ keeps the order (12 ms)", "keeps the order"),
            (
                "1 issues (goconst: 1); a.go:8:3: string has 4 (goconst)",
                "goconst: a.go:8:3: string has 4",
            ),
            (
                "2 issues (unused: 1, errcheck: 1); a.go:8:3: x",
                "2 issues (unused: 1, errcheck: 1); a.go:8:3: x",
            ),
            ("1 issues (goconst: 1)", "1 issues (goconst: 1)"),
            ("error: a; b", "error: a; b"),
        ] {
            assert_eq!(bare(line), wanted);
        }
    }

    #[test]
    fn tests_are_known_if_all_that_failed_are_named() {
        for (line, wanted) in [
            (
                "--- FAIL: TestLamp/lit (0.05s); --- FAIL: TestWick (0.00s); a.go:3: no",
                &["TestLamp/lit", "TestWick"][..],
            ),
            (
                "1 failed, 21 passed in 3.87s; FAILED a_test.py::one - AssertionError: no",
                &["a_test.py::one"],
            ),
            ("3 failed, 21 passed in 3.87s; FAILED a_test.py::one - AssertionError: no", &[]),
            ("a.go:3:1: undefined: lamp", &[]),
            ("--- FAIL: TestA (0.0s); --- FAIL: TestB (0.0s); --- FAIL: TestC (0.0s)", &[]),
            ("Tests: 12 failed, 5 passed; ✕ a", &[]),
        ] {
            assert_eq!(failed_tests(line), wanted, "{line}");
        }
    }

    #[test]
    fn what_a_test_said_outlives_the_names_of_others() {
        let line = "TestFirstOfAll; TestSecond; a_test.go:3: got 1, want 2";
        assert_eq!(&*shorten(line, 60), line);
        let short = shorten(line, 48);
        assert_eq!(&*short, "TestFirstOfAll; …; a_test.go:3: got 1, want 2");
        assert_eq!(&*shorten(&short, 40), "TestFirstOfAll; …; a_test.go:3: got 1,…");
        assert_eq!(&*shorten(&short, 24), "TestFirstOfA…; …; a_…");
        assert_eq!(&*shorten("TestFirst; TestSecond; TestThird", 20), "TestFirst; TestSecon…");
        let far = format!("ENOENT: no such file or directory, open '/{}z.rs'", "a/".repeat(60));
        assert!(shorten(&far, 100).ends_with("/z.rs'"), "{}", shorten(&far, 100));
    }
}
