//! The words by which test runners, builds and formatters say that they failed, whatever called them.
//!
//! Responsible for lines that hardly anything else prints. They decide if the exit status is that of a pipe or
//! is not told.

use super::error::tagless;
use super::foot::foot;
use super::lines::{Count, count_of};
use crate::begins::begins_with_any;

const BEGINNINGS: &[&str] = &[
    "FAILURE: Build failed",
    "Build FAILED",
    "BUILD FAILED",
    "TEST RUN FAILED",
    "ninja: build stopped:",
    "Failed to compile.",
    "error during build:",
    "Result: FAIL",
    "Exception in thread \"",
    "[error] Failed: Total ",
    "Diff in /",
    "** BUILD FAILED **",
    "** TEST FAILED **",
    "nox > Session tests failed",
    "│ Error: ",
    "-- Configuring incomplete, errors occurred!",
];
const ENDS: &[&str] = &[
    ": Some tests failed.", " fails locally.", "..Failed", "would be reformatted.",
    ": verification failed",
];
const WITHIN: &[&str] = &[
    "Code style issues found",
    "+ FullyQualifiedErrorId ",
    "because running scripts is disabled on this system",
    "is not recognized as the name of a cmdlet",
    "is not recognized as an internal or external command",
];

/// Words that say that all went well in the end.
const WELL: &[&str] = &["SUCCESS", "uccessful", "passed!", "..Passed", "All done", " reformatted."];

/// How many lines may follow the verdict.
const NEAR: usize = 12;

/// The last line in which a program says that it failed, unless a later line says that all went well.
pub(super) fn verdict(text: &str) -> Option<&str> {
    let lines = foot(text).lines().map(|line| (line, tagless(line.trim())));
    let lines = lines.rev().filter(|(_, line)| !line.is_empty());
    let mut is_traced = true;
    for (whole, line) in lines.take(NEAR) {
        if says_failed(line) {
            let is_thrown = line.starts_with("Exception in thread") || is_uncaught_in_ruby(line);
            return Some(line).filter(|_| is_traced || !is_thrown);
        }
        let is_well =
            count_of(line) == Some(Count::Passed) || counts_failed_hosts(line) == Some(false);
        if is_well || WELL.iter().any(|words| line.contains(words)) {
            return None;
        }
        // An uncaught error is only followed by its stack trace.
        let of_trace = begins_with_any(line, &["at ", "from ", "Caused by", "..."]);
        is_traced &= of_trace || whole.starts_with(char::is_whitespace);
    }
    None
}

fn says_failed(line: &str) -> bool {
    begins_with_any(line, BEGINNINGS)
        || ENDS.iter().any(|words| line.ends_with(words))
        || WITHIN.iter().any(|words| line.contains(words))
        // Turborepo names the tasks: `Failed:    web#test`.
        || line.starts_with("Failed: ") && line.contains('#')
        || is_uncaught_in_ruby(line)
        || is_of_compiler(line)
        || line.starts_with("nginx: ") && line.ends_with(" test failed")
        || counts_failed_hosts(line) == Some(true)
}

/// Whether a line is a compiler's error with its place: `a.c:3:1: error: expected ';'`, `a.ts(3,1): error
/// TS1005: ';' expected.`
fn is_of_compiler(line: &str) -> bool {
    const ERRORS: &[&str] =
        &[": error: ", ": fatal error: ", "): error TS", "): error CS", " - error TS"];
    let place = ERRORS.iter().find_map(|it| line.split_once(it));
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
            assert_eq!(verdict(&format!("warming up\n{line}\n{behind}")), Some(line.trim()));
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
            assert_eq!(verdict(line), None);
        }
    }
}
