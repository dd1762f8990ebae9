//! Tests that a run tells group by group, as cargo does of its binaries and Go of its packages.
//!
//! Responsible for summing them: no line of such a run counts all, and the last is often that of a group
//! without any. It relies on the caller for whether the run went well.

use super::cut::is_cut;
use crate::digest::calls::shell;
use crate::line::counted;

/// What passed in all groups of a run: `123 passed, 1 ignored`, `2 packages passed`; nothing where one failed.
pub(super) fn tally(text: &str, command: &str) -> Option<String> {
    let has_failed = |line: &str| FAILED.iter().any(|begin| line.trim_start().starts_with(begin));
    // Of several runs the sum is that of none.
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

/// What runs such groups.
const RUNS: &[&str] = &["cargo test", "go test"];

/// What is told where nothing was there to be run.
pub(super) const NONE_RUN: &str = "no tests to run";

/// How they begin to tell of a group that did not pass.
const FAILED: &[&str] = &["test result: FAILED", "FAIL\t", "--- FAIL: "];

/// How cargo begins to tell what passed in a binary.
const GROUP: &str = "test result: ok. ";

/// Whether a line is that of one group that passed.
pub(super) fn is_of_group(line: &str) -> bool {
    line.starts_with(GROUP)
}

/// The sum of cargo's binaries.
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
    // What was filtered out is of no interest where something ran.
    let others = if passed > 0 { &others[..1] } else { &others[..] };
    for what in others.iter().filter(|what| sum(what) > 0) {
        told.push(format!("{}{what}", sum(what)));
    }
    Some(told.join(", "))
}

/// The number of Go's packages, or of the tests where each is told; of what is cut nobody knows it.
fn of_go(text: &str, command: &str) -> Option<String> {
    let packages = || text.lines().filter(|line| line.starts_with("ok  \t"));
    let empty = packages().filter(|line| line.ends_with("[no tests to run]")).count();
    let passed = packages().count() - empty;
    if passed == 0 {
        return (empty > 0).then(|| NONE_RUN.to_owned());
    }
    let tests = text.lines().filter(|line| line.starts_with("--- PASS: ")).count();
    // Of packages that passed before no tests are named.
    let is_each = tests > 0 && passed == 1;
    let (count, what) = if is_each { (tests, "test") } else { (passed, "package") };
    (!is_cut(text, command)).then(|| format!("{} passed", counted(count, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
