//! Sums up the tests of a run that reports them group by group, as cargo does for binaries and Go for packages.
//!
//! Responsible for the sum: no line of such a run counts everything, and the last one often belongs to an empty
//! group. It relies on the caller for whether the run went well.

use super::cut::is_cut;
use crate::digest::calls::shell;
use crate::line::counted;

/// What passed in all groups of a run: `123 passed, 1 ignored`, `2 packages passed`. `None` if a group failed.
pub(super) fn tally(text: &str, command: &str) -> Option<String> {
    let has_failed = |line: &str| FAILED.iter().any(|begin| line.trim_start().starts_with(begin));
    // A sum over several runs would be true of none of them.
    let loops = |part: &shell::Part<'_>| matches!(part.program().0, "for" | "while");
    let runs_again = || {
        RUNS.iter().any(|run| command.matches(run).count() > 1)
            || shell::parts(command).iter().any(loops)
    };
    if runs_again() || text.lines().any(has_failed) {
        return None;
    }
    of_cargo(text, command).or_else(|| of_go(text, command))
}

/// Commands that report group by group.
const RUNS: &[&str] = &["cargo test", "go test"];

/// What is told if there was nothing to run.
pub(super) const NONE_RUN: &str = "no tests to run";

/// Whether totals say that no test ran, so that nothing passed: `0 passed, 4 ignored`, `4 skipped in 0.1s`.
pub(crate) fn ran_none(totals: &str) -> bool {
    const PASSED: &[&str] = &["passed", "passing", "pass", "passed."];
    let words = totals.split([' ', ',', ';']).filter(|word| !word.is_empty());
    let (mut before, mut passed, mut left_out) = ("", None, false);
    for word in words {
        if let Ok(count) = before.parse::<u32>() {
            passed = PASSED.contains(&word).then_some(count).max(passed);
            left_out |= count > 0 && matches!(word, "skipped" | "ignored" | "deselected");
        }
        before = word;
    }
    totals == NONE_RUN || passed.map_or(left_out, |count| count == 0)
}

/// The beginnings of lines that report a failed group.
const FAILED: &[&str] = &["test result: FAILED", "FAIL\t", "--- FAIL: "];

/// The beginning of cargo's line for a binary that passed.
const GROUP: &str = "test result: ok. ";

/// Whether a line reports one group that passed.
pub(super) fn is_of_group(line: &str) -> bool {
    line.starts_with(GROUP)
}

/// The sum over cargo's binaries.
fn of_cargo(text: &str, command: &str) -> Option<String> {
    let groups: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix(GROUP)).collect();
    if groups.is_empty() {
        return None;
    }
    let sum = |what: &str| -> u64 {
        let counts = groups.iter().flat_map(|group| group.split("; "));
        counts
            .filter_map(|count| count.strip_suffix(what)?.parse::<u32>().ok())
            .map(u64::from)
            .sum()
    };
    let (passed, others) = (sum(" passed"), [" ignored", " filtered out"]);
    let more = if is_cut(text, command) { "+" } else { "" };
    let mut told = vec![format!("{passed}{more} passed")];
    // If something ran, what was filtered out is of no interest.
    let others = if passed > 0 { &others[..1] } else { &others[..] };
    for what in others.iter().filter(|what| sum(what) > 0) {
        told.push(format!("{}{what}", sum(what)));
    }
    Some(told.join(", "))
}

/// The number of Go's packages that passed, or of the tests if each is listed; `None` if the output is cut.
fn of_go(text: &str, command: &str) -> Option<String> {
    let packages = || text.lines().filter(|line| line.starts_with("ok  \t"));
    let empty = packages().filter(|line| line.ends_with("[no tests to run]")).count();
    let passed = packages().count() - empty;
    if passed == 0 {
        return (empty > 0).then(|| NONE_RUN.to_owned());
    }
    let tests = text.lines().filter(|line| line.starts_with("--- PASS: ")).count();
    // The tests are only counted for a single package, because a cached package lists none.
    let is_each = tests > 0 && passed == 1;
    let (count, what) = if is_each { (tests, "test") } else { (passed, "package") };
    (!is_cut(text, command)).then(|| format!("{} passed", counted(count, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_test_may_have_run() {
        for totals in [
            NONE_RUN,
            "0 passed, 4 ignored",
            "test result: ok. 0 passed; 0 failed; 4 ignored",
            "4 skipped in 0.1s",
            "Tests: 4 skipped, 4 total",
            "0 passing (2ms)",
        ] {
            assert!(ran_none(totals), "{totals}");
        }
        for totals in ["3 passed, 1 skipped in 0.1s", "0 issues.", "12 passed", "2 packages passed"]
        {
            assert!(!ran_none(totals), "{totals}");
        }
    }

    #[test]
    fn groups_are_summed() {
        let group = |passed, ignored, filtered| {
            format!(
                "test result: ok. {passed} passed; 0 failed; {ignored} ignored; 0 measured; {filtered} filtered out; \
                 finished in 0.00s\n"
            )
        };
        let told = |text: &str, command| tally(text, command).unwrap_or_default();
        let all =
            format!("running 2 tests\n{}\n{}{}", group(120, 1, 0), group(3, 0, 9), group(0, 0, 0));
        assert_eq!(told(&all, "cargo test"), "123 passed, 1 ignored");
        assert_eq!(told(&all, "cargo test 2>&1 | tail -40"), "123+ passed, 1 ignored");
        assert_eq!(told(&group(0, 0, 45), "cargo test lamp"), "0 passed, 45 filtered out");
        let packages =
            "?   \tlamp\t[no test files]\nok  \tlamp/oil\t0.4s\nok  \tlamp/wick\t(cached)\n";
        assert_eq!(told(packages, "go test ./..."), "2 packages passed");
        assert_eq!(told(packages, "make test | tail -5"), "");
        assert_eq!(told(packages, "go test ./oil && go test ./wick"), "");
        let each = "--- PASS: TestA (0.02s)\n    --- PASS: TestA/b (0.02s)\n--- PASS: TestC (0.01s)\nPASS\n\
                    ok  \tlamp/oil\t0.4s\n";
        assert_eq!(told(each, "go test -v ./oil"), "2 tests passed");
        let none = "ok  \tlamp/oil\t0.4s [no tests to run]\n";
        assert_eq!(told(none, "go test -run TestX ./oil"), "no tests to run");
        let cut = format!("{}…1234 tokens truncated…\n{}", group(3, 0, 0), group(4, 0, 0));
        assert_eq!(told(&cut, "cargo test"), "7+ passed");
        let failed = "test result: FAILED. 1 passed; 2 failed; 0 ignored\n";
        for text in [
            "ok then",
            "12 passed",
            "",
            &format!("{failed}{all}"),
            &format!("{packages}FAIL\tlamp/a\n"),
        ] {
            assert_eq!(tally(text, "go test"), None, "{text}");
        }
    }
}
