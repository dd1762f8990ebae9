//! Whether a run says of itself that it failed, where no exit status does.
//!
//! Responsible for programs that give up and for checks whose status a pipe hides: their counts of what
//! went wrong, the tests, packages and places that they name.

use std::ops::Range;

use super::NEAR;
use super::error::tagless;
use super::lines::{Count, count_of, is_code, names_error, names_place, names_test};

/// How many lines a program writes at most that gives up in the first.
const SHORT: usize = 5;

/// Whether a command gives up without an exit status: in its last line, in the first of few, or where
/// nothing follows on what a program was thrown out with.
pub(super) fn gives_up(text: &str) -> bool {
    is_thrown(text) || last_word(text).is_some()
}

/// The line in which it does, but of what it was thrown out with.
pub(super) fn last_word(text: &str) -> Option<&str> {
    let is_short = text.lines().nth(SHORT).is_none();
    let first = text.lines().next().filter(|_| is_short);
    let mut lines = first.into_iter().chain(text.lines().next_back()).map(str::trim_end);
    lines.find(|line| gives_up_in(tagless(line)))
}

/// What Python begins with where nobody caught an error.
const HEAD: &str = "Traceback (most recent call last):";

/// Whether a text ends with what Python says when nobody caught an error.
fn is_thrown(text: &str) -> bool {
    let foot = foot(text);
    let Some(at) = foot.rfind(HEAD).filter(|&at| at == 0 || foot[..at].ends_with('\n')) else {
        return false;
    };
    let mut behind = foot[at..].lines().skip(1);
    // The frames are indented; the error is not, and only what it lists is behind it. Who logs an
    // error goes on.
    let error = behind.find(|line| !line.starts_with(char::is_whitespace) && !line.is_empty());
    error.is_some() && behind.all(|line| line.trim().is_empty() || line.starts_with("  "))
}

/// Whether a line begins as programs do that give up.
fn gives_up_in(line: &str) -> bool {
    const SHELLS: &[&str] = &["bash: ", "-bash: ", "sh: ", "-sh: ", "zsh: ", "/bin/sh: "];
    const REASONS: &[&str] = &["not found", "No such file or directory", "Permission denied"];
    // What is said of a program that was stopped, or could not do what it was for.
    const STOPPED: &[&str] =
        &["Killed", "Aborted", "Terminated", "Segmentation fault", "Bus error"];
    const UNDONE: &[&str] = &[
        "curl: (", "Error from server", "Automatic merge failed", "command timed out",
        "Command timed out", "Some tests failed",
    ];
    // What a program says that has nothing to run.
    const NOTHING: &[&str] = &["can't open file ", "cannot open ", "No module named "];
    let starts_with = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let of_make = || {
        let rest = line
            .strip_prefix("make")?
            .trim_start_matches(|c: char| "[]".contains(c) || c.is_ascii_digit());
        rest.strip_prefix(": *** ")
    };
    starts_with(&["fatal: ", "npm ERR! ", "npm error ", "error: ", "Error: ", "ERROR: "])
        || starts_with(UNDONE)
        || STOPPED.contains(&line.trim_end_matches(" (core dumped)"))
        || of_make().is_some()
        || line.split_once(": ").is_some_and(|(program, why)| {
            !program.contains(' ') && NOTHING.iter().any(|words| why.starts_with(words))
        })
        || starts_with(SHELLS)
            && (REASONS.iter().any(|reason| line.ends_with(reason))
                || line.contains(": command not found: "))
        || goes_nowhere(line)
}

/// Whether a shell says that it could not go to a folder.
pub(crate) fn goes_nowhere(line: &str) -> bool {
    const REASONS: &[&str] =
        &["no such file", "not a directory", "can't cd to", "permission denied"];
    let of_shell = || {
        let (before, why) = line.split_once("cd:")?;
        let is_shell = before.is_empty()
            || before.ends_with(": ")
            || before.ends_with(':') && !before.contains(' ');
        let why = why.to_ascii_lowercase();
        (is_shell && REASONS.iter().any(|reason| why.contains(reason))).then_some(())
    };
    of_shell().is_some()
}

/// How many kinds of what a count heads are told with it.
const KINDS: usize = 8;

/// The longest line that counts.
const LONGEST: usize = 120;

/// The last lines together that count how a run went.
struct Counted<'l> {
    /// Where they stand among the lines near its end.
    place: Range<usize>,
    /// The last of them that counts what went wrong, or else the last total of a suite before them that
    /// does.
    failing: Option<&'l str>,
}

fn counted<'l>(lines: &[&'l str]) -> Option<Counted<'l>> {
    let may_count = |line: &str| line.len() <= LONGEST && !is_code(line);
    let count = |line: &str| may_count(line).then(|| count_of(line)).flatten();
    let last = lines.iter().rposition(|line| count(line).is_some())?;
    let before = lines[..last].iter().rposition(|line| count(line).is_none());
    let first = before.map_or(0, |at| at + 1);
    let fails = |line: &&&str| count(line) == Some(Count::Failed);
    let is_suite =
        |line: &&&str| (line.contains("passed") || line.ends_with(" failing")) && fails(line);
    let failing = lines[first..=last].iter().rfind(fails);
    let failing = failing.or_else(|| lines[..first].iter().rfind(is_suite)).copied();
    Some(Counted { place: first..last + 1, failing })
}

/// The end of a text.
pub(super) fn foot(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR))..]
}

/// The lines near the end of a run.
fn last_lines(text: &str) -> Vec<&str> {
    foot(text).lines().map(|line| tagless(line.trim())).collect()
}

/// The last line near the end that counts what went wrong, with the kinds that it heads; the last one
/// that counts decides.
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

/// What stands before the number of files in conflict.
const CONFLICTS: &str = "conflicts in ";
/// How many of them are named.
const IN_CONFLICT: usize = 8;

/// The files that a merge left in conflict, as git names them: `conflicts in 2 (a.rs, b.rs)`.
pub(super) fn conflicts(text: &str) -> Option<String> {
    let of = |line: &str| {
        let (_, what) = line.trim().strip_prefix("CONFLICT (")?.split_once("): ")?;
        let file = what.strip_prefix("Merge conflict in ").or_else(|| what.split(' ').next())?;
        Some(file.rsplit('/').next().unwrap_or(file).to_owned())
    };
    let files: Vec<String> = text.lines().filter_map(of).collect();
    let named = &files[..files.len().min(IN_CONFLICT)];
    (!files.is_empty()).then(|| format!("{CONFLICTS}{} ({})", files.len(), named.join(", ")))
}

/// Whether a failure is that of a merge which stopped on conflicts.
pub(crate) fn is_in_conflict(why: &str) -> bool {
    why.starts_with(CONFLICTS)
}

/// Whether the end of a run says that something of it failed: a count, a test, a package, an error
/// with its place.
pub(super) fn tells_failures(text: &str) -> bool {
    let lines = last_lines(text);
    are_failures(&lines, counted(&lines).as_ref())
}

fn are_failures(lines: &[&str], counted: Option<&Counted<'_>>) -> bool {
    let Some(Counted { place, failing }) = counted else {
        return lines.iter().any(|line| names_failure(line));
    };
    // What is said before all has passed did not stop it, and no test that failed is left.
    let is_left = |line: &&str| names_failure(line) && !names_place(line) && !names_error(line);
    failing.is_some()
        || lines[..place.start].iter().any(is_left)
        || lines[place.end..].iter().any(|line| names_failure(line))
}

/// Whether only a check can have said this, which so has run: a count, a test, a place in what it reads,
/// or that it took too long.
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

/// Whether a run ends with a count of what passed, and says of nothing that it failed.
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

/// Whether a line says of a test, a package, a build or a place that it failed.
pub(super) fn names_failure(line: &str) -> bool {
    const BUILDS: &[&str] = &[
        "BUILD FAILED", "BUILD FAILURE", "FAILED **", "test result: FAILED", "FAILED (",
        "FAILURES!", "FAIL code ",
    ];
    line == "FAIL"
        || ["FAIL\t", "FAIL ", "ERROR in ", "[ERROR] "].iter().any(|word| line.starts_with(word))
        || BUILDS.iter().any(|words| line.contains(words))
        || names_test(line)
        || names_place(line)
        || names_error(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_who_gives_up() {
        for text in [
            "fatal: not a git repository (or any of the parent directories): .git",
            "cc -c a.c\nmake: *** [all] Error 2",
            "make[1]: *** [Makefile:3: all] Error 1\n",
            "bash: foo: command not found",
            "/bin/sh: 1: foo: not found",
            "zsh: command not found: foo",
            "python3: can't open file '/w/a.py': [Errno 2] No such file or directory",
            "/usr/bin/python3: No module named pytest",
            "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
            "loading\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'alpha_key'",
            "loading\nTraceback (most recent call last):\n  File \"a.py\", line 3\nInvalid: 2 errors\n  alpha_key\n",
            "uploading\nerror: deploy failed with code 7",
            "<system>ERROR: Shell blocked by hook</system>",
            "loading\nSegmentation fault (core dumped)",
            "Killed",
            "curl: (22) The requested URL returned error: 500",
            "bash: line 1: cd: web: No such file or directory",
            "(eval):cd:1: no such file or directory: web",
            "sh: 1: cd: can't cd to web",
        ] {
            assert!(gives_up(text), "{text}");
        }
        for text in [
            "",
            "ok",
            "error handling is tested\n12 passed",
            "  error: string,",
            "bash: line editing is enabled",
            "Killed 3 of 4",
            "make: Nothing to be done for 'all'.",
            "note that a.py: cannot open the log twice",
            "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'\n1\n2\n3\n4\n5\n6",
            "start\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'a'\nINFO rebuilt the cache",
            "fatal: no upstream\na\nb\nc\nd\ne\n12 passed",
        ] {
            assert!(!gives_up(text), "{text}");
        }
    }

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
            "[lint:go] 1 issues:\n[lint:go] finished in 2s\n[lint:go] ERROR task failed",
        ] {
            assert!(tells_failures(text), "{text}");
        }
        for text in [
            "a.go:12: logged",
            "a.c:1:2: warning: unused",
            "ok  \ta/b\t0.1s",
            "no error: fine",
            "a.c:10:3: note: declared here",
            "not ok 3 - later # TODO",
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
