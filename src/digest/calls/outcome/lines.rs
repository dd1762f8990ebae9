//! What a line of a program's output is: an error, a total, a test's name, a listing.
//!
//! Responsible for the words and marks that tell these apart. It relies on words that programs print,
//! not on one program's.

use std::sync::LazyLock;

use memchr::memmem;

use crate::begins::begins_with_any;
use crate::digest::text::common;
use crate::digest::text::cues::Cues;
use crate::line::{clip, is_number};

/// How many bytes of a commit's subject are told.
const SUBJECT: usize = 56;

/// Whether a line is packed code: long, and nearly without blanks.
pub(super) fn is_packed(line: &str) -> bool {
    const LONG: usize = 160;
    line.len() > LONG && line.bytes().filter(|byte| *byte == b' ').count() < line.len() / 25
}

const ERRORS: &[&str] = &[
    "error", "fail", "panic", "traceback", "fatal", "not found", "no such file", "denied",
    "not allowed", "cannot", "can't", "undefined", "exception", "unexpected", "unable to",
    "invalid", "✗", "✘", "❌",
];
const NEGATIONS: &[&str] = &["0 error", "no error", "0 fail", "without error", "0 warning"];
const TOTALS: &[&str] = &[
    "test result", "tests", "issues", "warnings", "errors", "finished", "built in", "compiled",
    "success", "pass", "fail", "ok", "files changed", "insertions",
];

/// What a test says that did not get what it expected.
const EXPECTATIONS: &[&str] = &["expect", "want", "should", "must", "assert", "not equal"];

static SIGNS: LazyLock<Cues> =
    LazyLock::new(|| Cues::new(&[ERRORS, NEGATIONS, TOTALS, EXPECTATIONS]));
const ERROR: u16 = 1;
const NEGATION: u16 = 2;
const TOTAL: u16 = 4;
const EXPECTATION: u16 = 8;

/// Whether a line says that something went wrong.
pub fn is_error_line(line: &str) -> bool {
    SIGNS.find(line) & (ERROR | NEGATION) == ERROR
}

/// Whether a line sums up a run: a number, and a word for how it went.
pub(super) fn is_total(line: &str) -> bool {
    line.len() <= 200
        && line.bytes().any(|byte| byte.is_ascii_digit())
        && !is_code(line)
        && !is_placed(line)
        && SIGNS.find(line) & TOTAL != 0
}

/// Whether a line says what a command has done: `added 57 packages in 3s`, `3 files changed`.
pub(super) fn sums_up(line: &str) -> bool {
    const DONE: &[&str] = &[
        "added", "built", "changed", "compiled", "created", "deleted", "done", "finished", "fixed",
        "formatted", "generated", "installed", "removed", "saved", "successfully", "updated",
        "wrote",
    ];
    const MOST_DIGITS: usize = 6;
    let is_short = line.len() <= 200 && line.bytes().any(|byte| byte.is_ascii_digit());
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_number = first.len() <= MOST_DIGITS && first.bytes().all(|byte| byte.is_ascii_digit());
    let says_done = || {
        DONE.iter().any(|word| first.eq_ignore_ascii_case(word))
            && line[first.len()..].starts_with(' ')
            || line.contains("Successfully ")
    };
    is_short && (says_done() || is_total(line) && (is_number || count_of(line).is_some()))
}

/// Whether a line is code, part of a change or of a listing of files, rather than of a report.
pub(super) fn is_code(line: &str) -> bool {
    is_listed(line)
        || line.ends_with(['{', '}', ';', ','])
        || line.starts_with(['+', '-', '@', '*', '/', '#'])
        || line.contains("return ")
}

/// Whether a line belongs to a long listing of files: it begins with the file's mode, `-rw-r--r--`.
pub(crate) fn is_listed(line: &str) -> bool {
    let mode = line.as_bytes();
    mode.len() > 10
        && b"-dlbcps".contains(&mode[0])
        && mode[1..10].iter().all(|byte| b"rwxsStT-".contains(byte))
        && !mode[1..10].iter().all(|byte| *byte == b'-')
}

/// How plainly a line of a failed run says what went wrong. The last variant is the plainest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Plainness {
    /// It says nothing about a failure.
    Silent,
    /// It says that something went wrong.
    Vague,
    /// It says what went wrong.
    Worded,
    /// It begins with the name of an error.
    Named,
    /// It names the place of the error.
    Placed,
    /// It names a failed test.
    Test,
}

/// Words of lines which tell that something failed but not what.
const VAGUE: &[&str] = &[
    "task failed", "exit status", "exit code", "command failed", "lifecycle", "Error Trace",
    "could not compile", "aborting due", "Traceback (most recent", "npm error command",
    "npm ERR! command",
];

/// Whether a line tells that something failed but not what.
pub(crate) fn is_vague(line: &str) -> bool {
    VAGUE.iter().any(|words| memmem::find(line.as_bytes(), words.as_bytes()).is_some())
}

/// Beginnings of the lines that name a test that failed.
const TESTS: &[&str] = &["--- FAIL", "FAILED ", "FAIL: ", "not ok ", "✗ ", "✘ ", "✕ "];

/// A commit as git reports it, without its branch: `[1a2b3c4] What was done`.
pub(crate) fn commit(line: &str) -> Option<String> {
    let (head, subject) = line.strip_prefix('[')?.split_once("] ")?;
    let (_, hash) = head.rsplit_once(' ')?;
    is_hash(hash).then(|| format!("[{hash}] {}", clip(subject, SUBJECT)))
}

/// Whether a word may be the hash of a commit, as git abbreviates it or whole.
pub(crate) fn is_hash(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a line reports an error with its place: `src/a.c:12:3: what is wrong there`.
pub(crate) fn names_place(line: &str) -> bool {
    let mut parts = line.splitn(4, ':');
    parts.next().is_some_and(|file| file.contains('.') && !file.contains(' '))
        && parts.next().is_some_and(is_number)
        && parts.next().is_some_and(is_number)
        && parts.next().is_some_and(|rest| {
            const REMARKS: &[&str] = &[" warning", " note:", " info:", " hint:", " remark:"];
            rest.starts_with(' ') && !begins_with_any(rest, REMARKS)
        })
}

/// Whether a line names a compiler's error: `error[E0308]: what is wrong`, `a.ts(3,5): error TS2304: what is
/// wrong`.
pub(crate) fn names_error(line: &str) -> bool {
    line.starts_with("error[")
        || line.starts_with("error: ")
        || line.contains("): error ")
        || line.contains(" - error TS")
}

pub(crate) fn names_test(line: &str) -> bool {
    let is_waived = || line.contains("# TODO") || line.contains("# SKIP");
    begins_with_any(line, TESTS) && !is_waived() || line.ends_with("... FAILED")
}

/// What the count in a line says of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Failed,
    Passed,
}

/// What a line counts: failures, as in `2 failed, 9 passed`, `15 issues:` and `Failures: 1`, or else successes,
/// as in `12 passed` and `0 errors`.
pub(super) fn count_of(line: &str) -> Option<Count> {
    /// Words and marks that may precede a number at the beginning of a line of totals.
    const COUNTS: &[&str] = &["Found", "found", "✖", "✗", "×", "ℹ", "#"];
    const HEADS: &[&str] =
        &["Failures:", "Errors:", "Failed:", "failures:", "errors:", "fail", "Fail:"];
    // Most lines have no number, and count nothing.
    if !line.bytes().any(|byte| byte.is_ascii_digit()) || is_passed(line) {
        return None;
    }
    let is_total = line.contains("passed") || line.contains(" with ");
    let words = line.split([' ', ',', ';', '(', ')', '=', '\t']).filter(|word| !word.is_empty());
    let (mut fails, mut has_problems, mut none_is_left, mut passes) = (false, false, false, false);
    let (mut count, mut leads, mut before) = (None, true, "");
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        // A word with a colon heads the number behind it: `requests: 10, failed: 0`.
        let is_number = |next: &&str| next.trim_end_matches('.').parse::<u32>().is_ok();
        let heads = word.ends_with(':') && words.peek().is_some_and(is_number);
        if let Some(number) = count.filter(|_| !heads) {
            match (word.trim_end_matches(['.', ':']), number) {
                ("failed" | "failures" | "failure" | "failing" | "fail", 1..) => fails = true,
                (
                    "issues" | "issue" | "problems" | "problem" | "errors" | "error" | "Error",
                    1..,
                ) => {
                    has_problems |= leads || is_total;
                }
                ("passed" | "passing" | "pass", _)
                | ("failed" | "failures" | "failing" | "fail", 0) => passes = true,
                ("remaining", 0) => none_is_left = true,
                ("issues" | "problems" | "errors", 0) => {
                    none_is_left |= word.starts_with("errors");
                    passes |= leads;
                }
                _ => {}
            }
        }
        // `✖ 1/3 failed`: the first number counts the failures.
        let part = word.split_once('/').filter(|_| leads && COUNTS.contains(&before));
        let number = part.map_or(word, |(part, _)| part);
        if let Ok(number) = number.trim_end_matches('.').parse::<u32>() {
            fails |= number > 0 && HEADS.contains(&before);
            let is_try = ["attempt", "retry"].iter().any(|word| before.eq_ignore_ascii_case(word));
            count = Some(number).filter(|_| !is_try);
        } else if !matches!(word, "test" | "tests") {
            leads = leads && count.is_none() && COUNTS.contains(&word);
            count = None;
        }
        before = word;
    }
    if fails || has_problems && !none_is_left {
        Some(Count::Failed)
    } else {
        passes.then_some(Count::Passed)
    }
}

/// Whether a line counts failures.
pub(super) fn counts_failures(line: &str) -> bool {
    count_of(line) == Some(Count::Failed)
}

/// Whether a line names one test that passed.
fn is_passed(line: &str) -> bool {
    const WELL: &[&str] = &["✓", "√", "✔", "ok ", "PASS", "--- PASS", "(pass) "];
    begins_with_any(line, WELL)
}

/// Whether a line says what went wrong or what was expected, and not only that something failed.
pub(super) fn says_what(line: &str) -> bool {
    SIGNS.find(line) & (ERROR | EXPECTATION) != 0
        && !line.starts_with("FAIL")
        && !counts_failures(line)
}

/// Whether a line begins with the name of an error: `Error: what is wrong`, `TypeError: what is wrong`.
pub(crate) fn is_headed(line: &str) -> bool {
    let (head, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    ["Error:", "error:", "ERROR:"].iter().any(|end| head.ends_with(end)) && !rest.is_empty()
}

/// Whether a line begins with a place: `src/a.rs:12:3: what is said there`.
fn is_placed(line: &str) -> bool {
    let place = line.split_whitespace().next().unwrap_or(line);
    let mut parts = place.split(':');
    let file = parts.next().and_then(|file| file.rsplit_once('.'));
    let is_file = file.is_some_and(|(_, extension)| common::is_extension(extension.as_bytes()));
    let is_numbered = parts.next().is_some_and(is_number);
    is_file && is_numbered && place.len() < line.len()
}

/// What a compiler says when it stops before it has reported everything.
pub(super) const GIVEN_UP: &str = "too many errors";

/// Whether a line names a place but no error: a package above its errors, the way by which a compiler came to a
/// place, or that it gives up.
fn says_no_error(line: &str) -> bool {
    const BESIDE: &[&str] = &[GIVEN_UP, "required from", "in expansion of", "in instantiation of"];
    let says = line.split_once(char::is_whitespace).map_or("", |(_, says)| says);
    let says = says.trim_start_matches([' ', ':']);
    says.starts_with("# ") || BESIDE.iter().any(|words| says.contains(words))
}

/// Whether a linter drew this line around its report: a rule behind a place, numbered lines of the file, or
/// marks below them.
fn is_drawn(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ']);
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_line = numbered.trim_start().strip_prefix('│');
    let is_mark = |rest: &str| rest.trim_matches([' ', '^', '~', '-', '─']).is_empty();
    line.ends_with("━━") || is_line.is_some_and(|rest| numbered.len() < line.len() || is_mark(rest))
}

/// Whether a line reports an error behind a cross: `× Expected a semicolon`. If it ends with a colon, the error
/// stands below it.
fn is_crossed(line: &str) -> bool {
    line.starts_with("× ") && !line.ends_with(':')
}

pub(super) fn plainness(line: &str) -> Plainness {
    if is_drawn(line) {
        return Plainness::Silent;
    }
    if names_test(line) {
        return Plainness::Test;
    }
    let is_place = is_placed(line) && !line.contains("warning");
    // Lines that a test logs begin with a place as well.
    let place = line.split_whitespace().next().unwrap_or(line);
    let has_column = place.split(':').nth(2).is_some_and(|part| !part.is_empty());
    let is_log = || !has_column && place.to_ascii_lowercase().contains("test") && !says_what(line);
    if is_place && says_no_error(line.trim_start()) {
        Plainness::Vague
    } else if is_place && !is_log() {
        Plainness::Placed
    } else if is_headed(line) && !is_vague(line) {
        // `KeyError` begins with no word of `ERRORS`.
        Plainness::Named
    } else if !is_error_line(line) && !is_crossed(line) || line.len() <= 8 || is_well(line) {
        // A test that passed may be named after an error.
        Plainness::Silent
    } else if is_vague(line) {
        Plainness::Vague
    } else {
        Plainness::Worded
    }
}

/// Whether a line says that one test or package is fine, or has only begun.
pub(crate) fn is_well(line: &str) -> bool {
    const BEGUN: &[&str] = &["=== RUN", "=== CONT", "=== PAUSE", "=== NAME"];
    is_passed(line)
        || begins_with_any(line, BEGUN)
        || line.starts_with("ok\t")
        || line.ends_with(" ok") && !line.ends_with("not ok")
        || line.ends_with("[no test files]")
        // pytest -v: `tests/test_a.py::test_b PASSED [ 22%]`
        || line.contains("::") && line.contains(" PASSED")
}

/// Whether a line of a check adds nothing to its outcome: what passed, and what it ran with.
pub(crate) fn is_of_course(line: &str) -> bool {
    const HEADERS: &[&str] = &["rootdir: ", "cachedir: ", "plugins: ", "collecting ... "];
    is_well(line) || begins_with_any(line, HEADERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_counts_of_what_went_wrong() {
        for line in [
            "test result: FAILED. 12 passed; 1 failed; 0 ignored",
            "===== 2 failed, 9 passed in 1.2s =====",
            "Tests:       1 failed, 20 passed, 21 total",
            "15 issues:",
            "Found 3 errors in 2 files (checked 9 source files)",
            "✖ 12 problems (3 errors, 9 warnings)",
            "Tests run: 12, Failures: 2, Errors: 0",
            "=== 9 passed, 1 error in 0.12s ===",
            "webpack 5.1 compiled with 1 error in 12 ms",
            "90% tests passed, 1 tests failed out of 10",
            "# fail 2",
            "Failed: 2",
            "Found 10 errors in 2 files.",
            "✖ 20 problems (20 errors, 0 warnings)",
            "Found 10 errors (0 fixed, 10 remaining).",
            "2 failed, 0 errors",
            "✖ 1/3 failed",
            "1 Error(s)",
            "Fail:               1",
        ] {
            assert!(counts_failures(line), "{line}");
        }
        for line in [
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            "0 issues.",
            "9 passed in 1.2s",
            "Showing 15 of 15 open issues in a/b",
            "Tests run: 12, Failures: 0, Errors: 0",
            "3 warnings",
            "✖ 12 problems (0 errors, 12 warnings)",
            "Found 3 errors (3 fixed, 0 remaining).",
            "✓ gives up after 3 failures (5 ms)",
            "Attempt 1 failed, retrying in 1s",
            "# fail 0",
            "Shard 1/2 failed: 0, passed: 12",
        ] {
            assert!(!counts_failures(line), "{line}");
        }
        for line in ["12 passed", "0 fail", "Found 0 errors", "3 tests passed, 0 failed"] {
            assert_eq!(count_of(line), Some(Count::Passed), "{line}");
        }
        for line in ["3 warnings", "✓ gives up after 3 failures (5 ms)", "passed on"] {
            assert_eq!(count_of(line), None, "{line}");
        }
    }
}
