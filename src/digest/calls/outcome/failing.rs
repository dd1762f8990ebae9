//! Whether a run says of itself that it failed, where no exit status does.
//!
//! Responsible for checks whose status a pipe hides: their counts of failures, and the tests, packages and
//! places that they name.

use std::ops::Range;

use super::error::tagless;
use super::foot::foot;
use super::giving_up::{HEAD, gives_up_in};
use super::lines::{Count, count_of, is_code, names_error, names_place, names_test};
use crate::begins::begins_with_any;
use crate::digest::files::paths;

/// How many kinds of problems are told with a count.
const KINDS: usize = 8;

/// The longest line that counts.
const LONGEST: usize = 120;

/// The last block of lines that count how a run went.
struct Counted<'l> {
    /// Where the block stands among the lines near the end.
    place: Range<usize>,
    /// The last line of the block that counts failures, or else the last total of a suite before the block that
    /// does.
    failing: Option<&'l str>,
}

fn counted<'l>(lines: &[&'l str]) -> Option<Counted<'l>> {
    let may_count = |line: &str| line.len() <= LONGEST && (!is_code(line) || is_of_tap(line));
    let count = |line: &str| may_count(line).then(|| count_of(line)).flatten();
    let last = lines.iter().rposition(|line| count(line).is_some())?;
    let before = lines[..last].iter().rposition(|line| count(line).is_none());
    let first = before.map_or(0, |at| at + 1);
    let fails = |line: &&&str| count(line) == Some(Count::Failed);
    let fails_in_suite = |line: &&&str| is_of_suite(line) && fails(line);
    let failing = lines[first..=last].iter().rfind(fails);
    let failing = failing.or_else(|| lines[..first].iter().rfind(fails_in_suite));
    // Playwright lists the failed tests between its own counts.
    let is_timed = |line: &str| line.contains(" passed (") && line.ends_with(')');
    let before = &lines[..if is_timed(lines[last]) { first } else { 0 }];
    let failing = failing.or_else(|| before.iter().rfind(|line| counts_alone(line))).copied();
    Some(Counted { place: first..last + 1, failing })
}

/// Whether a line that counts failures is the total of a test suite.
fn is_of_suite(line: &str) -> bool {
    line.contains("passed") || line.ends_with(" failing")
}

/// Whether a line is nothing but a count of failures: `1 failed`.
fn counts_alone(line: &str) -> bool {
    line.strip_suffix(" failed").is_some_and(|number| number.parse().is_ok_and(|it: u32| it > 0))
}

/// Whether a line is a count of TAP: `# fail 1`, `# failed 1 of 3 tests`.
fn is_of_tap(line: &str) -> bool {
    let mut words = line.strip_prefix("# ").into_iter().flat_map(|line| line.split(' '));
    matches!(words.next(), Some("fail" | "failed" | "pass" | "passed"))
        && words.next().is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The lines near the end of a run.
fn last_lines(text: &str) -> Vec<&str> {
    foot(text).lines().map(|line| tagless(line.trim())).collect()
}

/// The last line near the end that counts failures, with the kinds listed below it. `None` if the last block of
/// counts has no failures.
pub(super) fn failures_counted(text: &str) -> Option<String> {
    let lines = last_lines(text);
    let Counted { place, failing } = counted(&lines)?;
    let line = failing?;
    let Some(count) = line.strip_suffix(':') else { return Some(line.to_owned()) };
    let kinds = lines[place.end..].iter().map_while(|line| line.strip_prefix("* "));
    let kinds: Vec<&str> = kinds.take(KINDS).collect();
    Some(if kinds.is_empty() {
        count.to_owned()
    } else {
        format!("{count} ({})", kinds.join(", "))
    })
}

/// The last line near the end that counts failures.
pub(super) fn failing_total(text: &str) -> Option<&str> {
    counted(&last_lines(text))?.failing
}

/// The text before the number of files in conflict.
const CONFLICTS: &str = "conflicts in ";
/// How many files in conflict are named.
const IN_CONFLICT: usize = 8;

/// The files that a merge left in conflict, as git names them: `conflicts in 2 (a.rs, b.rs)`.
pub(super) fn conflicts(text: &str) -> Option<String> {
    let of = |line: &str| {
        let (_, what) = line.trim().strip_prefix("CONFLICT (")?.split_once("): ")?;
        let file = what.strip_prefix("Merge conflict in ").or_else(|| what.split(' ').next())?;
        Some(paths::name(file).to_owned())
    };
    let files: Vec<String> = text.lines().filter_map(of).collect();
    let named = &files[..files.len().min(IN_CONFLICT)];
    (!files.is_empty()).then(|| format!("{CONFLICTS}{} ({})", files.len(), named.join(", ")))
}

/// Whether git says that something was refused or could not be done.
pub(super) fn stops(text: &str) -> bool {
    const STOPS: &[&str] = &["! [", "error: failed to push", "error: could not apply"];
    text.lines().map(str::trim).any(|line| begins_with_any(line, STOPS))
}

/// Whether the reason of a failure is a merge that stopped on conflicts.
pub(crate) fn is_in_conflict(why: &str) -> bool {
    why.starts_with(CONFLICTS)
}

/// Whether the end of a run says that something failed: a count, a test, a package, an error with its place.
pub(super) fn tells_failures(text: &str) -> bool {
    let lines = last_lines(text);
    are_failures(&lines, counted(&lines).as_ref())
}

fn are_failures(lines: &[&str], counted: Option<&Counted<'_>>) -> bool {
    let Some(Counted { place, failing }) = counted else {
        return lines.iter().any(|line| names_failure(line));
    };
    // Errors before a count of successes did not stop the run; only a failed test still counts.
    let is_left = |line: &&str| names_failure(line) && !names_place(line) && !names_error(line);
    failing.is_some()
        || lines[..place.start].iter().any(is_left)
        || lines[place.end..].iter().any(|line| names_failure(line))
}

/// Whether a text can only come from a check, which therefore ran: a count, a test, a place in a file that it
/// reads, or a timeout.
pub(crate) fn is_of_check(text: &str) -> bool {
    let tells = |line: &str| {
        count_of(line).is_some()
            || names_test(line)
            || names_place(line)
            || names_error(line) && !line.starts_with("error: ")
            || line.starts_with("--> ")
            || line.to_ascii_lowercase().starts_with("command timed out")
    };
    last_lines(text).into_iter().flat_map(|line| line.split("; ")).any(tells)
}

/// Whether a run ends with a count of what passed and reports no failure.
pub(super) fn ends_well(text: &str) -> bool {
    let lines = last_lines(text);
    let counted = counted(&lines);
    counted.as_ref().is_some_and(|Counted { place, .. }| {
        let stops = |line: &&str| gives_up_in(line) || line.starts_with(HEAD);
        !are_failures(&lines, counted.as_ref()) && !lines[place.end..].iter().any(stops)
    })
}

/// Whether the end of a text counts how a run went.
pub(super) fn has_count(text: &str) -> bool {
    counted(&last_lines(text)).is_some()
}

/// Whether a line says that a test, a package, a build or a place failed.
pub(super) fn names_failure(line: &str) -> bool {
    const BUILDS: &[&str] = &[
        "BUILD FAILED", "BUILD FAILURE", "FAILED **", "test result: FAILED", "FAILED (",
        "FAILURES!", "FAIL code ",
    ];
    // npm reports a failed script so, and other packages may follow.
    const BEGINNINGS: &[&str] =
        &["FAIL\t", "FAIL ", "ERROR in ", "[ERROR] ", "npm error ", "npm ERR! "];
    line == "FAIL"
        || begins_with_any(line, BEGINNINGS)
        || BUILDS.iter().any(|words| line.contains(words))
        || names_test(line)
        || names_place(line)
        || names_error(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_a_pipe_hides() {
        for text in [
            "vet: checking\na/b.go:42:24: cannot use x as string",
            "error[E0308]: mismatched types\n --> src/a.rs:3:4",
            "src/a.ts(3,5): error TS2304: Cannot find name 'a'.",
            "=== RUN TestA\n--- FAIL: TestA (0.0s)\nFAIL",
            "FAIL src/a.test.ts",
            "a.ts:3:5 - error TS2304: Cannot find name",
            "> Task :test FAILED\nBUILD FAILED in 12s",
            "[ERROR] a.java:[3,4] cannot find symbol",
            "npm error command sh -c tsgo --noEmit\n\n> b@1.0.0 check\n> tsc --noEmit",
            "[lint:go] 1 issues:\n[lint:go] finished in 2s\n[lint:go] ERROR task failed",
        ] {
            assert!(tells_failures(text), "{text}");
        }
        for text in [
            "a.go:12: logged", "a.c:1:2: warning: unused", "ok  \ta/b\t0.1s", "no error: fine",
            "a.c:10:3: note: declared here", "not ok 3 - later # TODO",
        ] {
            assert!(!tells_failures(text), "{text}");
        }
        assert_eq!(
            failures_counted("2 issues:\n* errcheck: 1\n* unused: 1\n").as_deref(),
            Some("2 issues (errcheck: 1, unused: 1)")
        );
    }

    #[test]
    fn the_last_lines_that_count_decide() {
        for text in [
            "error: bad option --foo\n\nTests: 12 passed, 12 total",
            "(pass) handles 2 failed logins [0.1ms]\n\n 12 pass\n 0 fail",
            "attempt: 2 failed\nagain\ntest result: ok. 3 passed; 0 failed; 0 ignored",
            "a.ts:3:5 - error TS2304: in a fixture\n  12 passing (3s)",
        ] {
            assert!(ends_well(text) && !tells_failures(text), "{text}");
            assert_eq!(failures_counted(text), None, "{text}");
        }
        for text in [
            "Test Suites: 1 failed, 1 total\nTests:       20 passed, 20 total",
            "  12 passing (3s)\n  2 failing",
            "FAIL src/a.test.ts\n\nTests: 12 passed, 12 total",
            "test result: FAILED. 1 passed; 2 failed\nrunning\ntest result: ok. 3 passed; 0 failed",
            "✖ 12 problems (3 errors, 9 warnings)\n  0 errors and 2 warnings potentially fixable",
            "== 2 failed, 3 passed in 1s ==\nsecond suite\n== 10 passed in 2s ==",
            " Tests  1 failed | 5 passed (6)\n Duration  1s\n\n Tests  10 passed (10)",
            "  5 passing (1s)\n  1 pending\n  2 failing\n\n  1) a\n\n  10 passing (2s)",
            "12 passed\nerror: deploy failed with code 7",
            "Failures: 2\nErrors: 0",
            "12 passed\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'",
        ] {
            assert!(!ends_well(text), "{text}");
        }
    }

    #[test]
    fn the_suite_that_failed_is_told() {
        let text = "  5 passing (1s)\n  2 failing\n\n  1) a\n\n  10 passing (2s)";
        assert_eq!(failures_counted(text).as_deref(), Some("2 failing"));
    }

    #[test]
    fn names_what_is_in_conflict() {
        let merge = "Auto-merging src/a.rs\nCONFLICT (content): Merge conflict in src/a.rs\n\
                     CONFLICT (modify/delete): b.rs deleted in main and modified in HEAD.\n\
                     Automatic merge failed; fix conflicts and then commit the result.";
        assert_eq!(conflicts(merge).as_deref(), Some("conflicts in 2 (a.rs, b.rs)"));
        assert_eq!(conflicts("no CONFLICT (content): here"), None);
    }
}
