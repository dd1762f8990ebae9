//! The words by which test runners, builds and formatters say that they failed, whatever called them.
//!
//! Responsible for lines that hardly anything else prints. They decide if the exit status is that of a pipe or
//! is not told.

use super::error::tagless;
use super::errors::begins_with_error;
use super::foot::foot;
use super::lines::{Count, count_of, counts_failures};
use crate::begins::begins_with_any;

/// Where the words stand in a line.
enum Words {
    Begin(&'static str),
    End(&'static str),
    Within(&'static str),
}
use Words::{Begin, End, Within};

/// The words by which programs say that they failed.
const FAILED: &[Words] = &[
    // Tests: cargo, Go, GoogleTest, unittest and nose, PHPUnit, prove, .NET, sbt, Dart, nox, tox, bazel, Xcode.
    Begin("test result: FAILED"),
    Begin("FAIL\t"),
    Begin("--- FAIL: "),
    Begin("[  FAILED  ] "),
    End(" FAILED TEST"),
    End(" FAILED TESTS"),
    Begin("FAILED ("),
    Begin("FAILURES!"),
    Begin("ERRORS!"),
    Begin("Result: FAIL"),
    Begin("TEST RUN FAILED"),
    Begin("[error] Failed: Total "),
    End(": Some tests failed."),
    Begin("nox > Session tests failed"),
    Begin("evaluation failed :("),
    End(" fails locally."),
    Begin("** TEST FAILED **"),
    // The coverage of tests: pytest, coverage.py, Jest.
    Begin("FAIL Required test coverage of "),
    Begin("Coverage failure: total of "),
    Begin("Jest: \"global\" coverage threshold for "),
    // Builds: Gradle, MSBuild, Ant, Xcode, ninja, webpack, Next.js, Vite, Yarn, pnpm, Rake, CMake, LaTeX.
    Begin("FAILURE: Build failed"),
    Begin("Build FAILED"),
    Begin("BUILD FAILED"),
    Begin("** BUILD FAILED **"),
    Begin("ninja: build stopped:"),
    Begin("Failed to compile."),
    Begin("> Build error occurred"),
    Begin("error during build:"),
    Begin("error Command failed with exit code "),
    Begin("ERR_PNPM_"),
    Begin("rake aborted!"),
    Begin("CMake Error"),
    Begin("-- Configuring incomplete, errors occurred!"),
    Begin("! LaTeX Error: "),
    Begin("! Undefined control sequence."),
    Within("Fatal error occurred, no output PDF file produced!"),
    // What runs in a container's build; a patch.
    Within(" did not complete successfully: exit code: "),
    Within(" FAILED -- saving rejects to file "),
    // Formatters and linters: rustfmt, Black, Prettier, ShellCheck, Flutter, pre-commit.
    Begin("Diff in "),
    End("would be reformatted."),
    Begin("Oh no! "),
    Within("Code style issues found"),
    Begin("^-- SC"),
    Within(" issues found. (ran in "),
    End("..Failed"),
    End(": verification failed"),
    // Uncaught errors: Java, Perl, Elixir, PHP, Rust.
    Begin("Exception in thread \""),
    Begin("BEGIN failed--compilation aborted"),
    Begin("Can't locate "),
    End("aborted due to compilation errors."),
    Begin("** ("),
    Begin("PHP Fatal error: "),
    Begin("PHP Parse error: "),
    Begin("note: run with `RUST_BACKTRACE="),
    // Terraform, PowerShell, the prompt of Windows.
    Begin("│ Error: "),
    Within("+ FullyQualifiedErrorId "),
    Within("because running scripts is disabled on this system"),
    Within("is not recognized as the name of a cmdlet"),
    Within("is not recognized as an internal or external command"),
];

/// Words that say that all went well in the end.
const WELL: &[&str] = &["SUCCESS", "uccessful", "passed!", "..Passed", "All done", " reformatted."];

/// How many lines may follow the verdict.
const NEAR: usize = 12;

/// The last line in which a program says that it failed, unless a later line says that all went well. Counts of
/// failed tests only tell something if the program `may_test`: others may count the tests of another run.
pub(super) fn verdict(text: &str, may_test: bool) -> Option<&str> {
    let lines = foot(text).lines().map(|line| (line, tagless(line.trim())));
    let lines = lines.rev().filter(|(_, line)| !line.is_empty());
    let (mut is_traced, mut has_passed) = (true, false);
    let fails = |line| may_test && counts_failed_tests(line);
    for (behind, (whole, line)) in lines.take(NEAR).enumerate() {
        let count = count_of(line);
        if has_passed && count != Some(Count::Passed) {
            // Jest and Vitest count `Test Suites:` or `Test Files` before the tests.
            return Some(line).filter(|line| line.starts_with("Test ") && fails(line));
        }
        if says_failed(line) || fails(line) || behind == 0 && line == "FAIL" {
            const THROWN: &[&str] = &["Exception in thread", "note: run with `RUST_BACKTRACE="];
            let is_thrown = begins_with_any(line, THROWN) || is_uncaught_in_ruby(line);
            return Some(line).filter(|_| is_traced || !is_thrown);
        }
        if counts_failed_hosts(line) == Some(false) || WELL.iter().any(|words| line.contains(words))
        {
            return None;
        }
        has_passed = count == Some(Count::Passed);
        // An uncaught error is only followed by its stack trace.
        let of_trace = begins_with_any(line, &["at ", "from ", "Caused by", "..."]);
        is_traced &= of_trace || whole.starts_with(char::is_whitespace);
    }
    None
}

fn says_failed(line: &str) -> bool {
    let has = |words: &Words| match words {
        Begin(words) => line.starts_with(words),
        End(words) => line.ends_with(words),
        Within(words) => line.contains(words),
    };
    FAILED.iter().any(has)
        // Turborepo names the tasks: `Failed:    web#test`.
        || line.starts_with("Failed: ") && line.contains('#')
        || is_uncaught_in_ruby(line)
        || is_of_compiler(line)
        || line.starts_with("nginx: ") && line.ends_with(" test failed")
        || is_version_of_node(line)
        || counts_failed_hosts(line) == Some(true)
}

/// Whether a line counts failures among tests: `10 examples, 2 failures`, `1 failed, 3 passed in 0.2s`.
fn counts_failed_tests(line: &str) -> bool {
    const TESTS: &[&str] =
        &["test", "example", "assertion", "spec", "passed", "passing", "unexpected"];
    let lowered = line.to_ascii_lowercase();
    counts_failures(line) && TESTS.iter().any(|word| lowered.contains(word))
}

/// Whether a line is the version that Node prints below an uncaught error: `Node.js v20.1.0`.
fn is_version_of_node(line: &str) -> bool {
    let version = line.strip_prefix("Node.js v");
    version.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// Whether a line is a compiler's error with its place: `a.c:3:1: error: expected ';'`, `a.ts(3,1): error
/// TS1005: ';' expected.`
fn is_of_compiler(line: &str) -> bool {
    const CODES: &[&str] = &["): error TS", "): error CS", " - error TS"];
    let is_error = |said: &str| begins_with_error(said) || said.starts_with("fatal error: ");
    let place = line.split_once(": ").filter(|(_, said)| is_error(said));
    let place = place.or_else(|| CODES.iter().find_map(|it| line.split_once(it)));
    place.is_some_and(|(place, _)| {
        let mut pieces = place.rsplit([':', '(', ',']);
        let numbers = pieces.by_ref().take(2).filter(|it| it.parse::<u32>().is_ok()).count();
        numbers == 2 && pieces.next().is_some_and(|file| file.contains('.') && !file.contains(' '))
    })
}

/// Whether a line is an uncaught error of Ruby: ``a.rb:1:in `<main>': undefined local variable (NameError)``.
fn is_uncaught_in_ruby(line: &str) -> bool {
    (line.contains(":in `") || line.contains(":in '")) && line.ends_with("Error)")
}

/// Whether a line of Ansible counts failures, `host : ok=3 changed=1 unreachable=0 failed=1`; `None` for any
/// other line.
fn counts_failed_hosts(line: &str) -> Option<bool> {
    let count = |name: &str| {
        let number = line.split_once(name)?.1.split(' ').next()?;
        number.parse::<u32>().ok()
    };
    let (away, failed) = count(" unreachable=").zip(count(" failed="))?;
    Some(away > 0 || failed > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_say_that_they_failed() {
        for line in [
            "FAILURE: Build failed with an exception.",
            "Build FAILED.",
            "ninja: build stopped: subcommand failed.",
            "00:03 +4 -1: Some tests failed.",
            "nox > Session tests failed.",
            "black................................Failed",
            "Code style issues found in the above file. Run Prettier with --write to fix.",
            "Executed 1 out of 1 test: 1 fails locally.",
            "a.rb:1:in `<main>': undefined local variable (NameError)",
            "localhost : ok=3 changed=1 unreachable=0 failed=1 skipped=0",
            "a.c:3:1: error: expected ';' before 'return'",
            "src/a.ts(3,1): error TS1005: ';' expected.",
            "src/a.ts:3:1 - error TS1005: ';' expected.",
            "│ Error: creating S3 Bucket (x): BucketAlreadyExists",
            "nginx: configuration file /etc/nginx/nginx.conf test failed",
            "    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell",
        ] {
            let behind = if line.contains("Error)") { "" } else { "bye" };
            assert_eq!(verdict(&format!("warming up\n{line}\n{behind}"), true), Some(line.trim()));
        }
        for line in [
            "Build succeeded.",
            "no tests failed",
            "black................................Passed",
            "localhost : ok=3 changed=1 unreachable=0 failed=0 skipped=0",
            "a diff in /tmp",
            "100% tests passed, 0 tests failed.",
            "00:03 +4 -1: Some tests failed.\nattempt 2\n12 passed",
            "black......Failed\nblack......Passed",
            "Failed to compile once, retrying",
            "Exception in thread \"worker-1\" x\nall 30 jobs done",
        ] {
            assert_eq!(verdict(line, true), None);
        }
    }

    #[test]
    fn whatever_runs_tests_is_believed_that_they_failed() {
        for text in [
            "running 3 tests\ntest result: FAILED. 2 passed; 1 failed",
            "FAIL: test_a (a.T)\n\nRan 2 tests in 0.1s\n\nFAILED (failures=1)",
            "--- FAIL: TestA (0.0s)\nFAIL",
            "Tests: 1 failed, 5 passed",
            "Test Suites: 1 failed, 2 total\nTests: 5 passed, 5 total",
            "Tests: 3, Assertions: 5, Failures: 1.",
            "== 1 failed, 5 passed in 0.3s ==\nsaved the log",
        ] {
            assert!(verdict(text, true).is_some(), "{text}");
        }
        for text in [
            "3 failed logins since noon",
            "a.go:42:24: cannot use x",
            "[ERROR] the peer hung up\nlistening",
            "found 2 errors in the log",
            "Tests: 6 passed",
            "alice: 12 passed, 1 failed\nbob: 13 passed, 0 failed",
            "suite a: 2 failed, again\nDONE",
            "FAIL open is off\nservice up",
            "FAIL\n1\n2\n3\n4",
        ] {
            assert_eq!(verdict(text, true), None, "{text}");
        }
        assert_eq!(verdict("of 12 builds: 3 failed, 9 passed", false), None);
    }
}
