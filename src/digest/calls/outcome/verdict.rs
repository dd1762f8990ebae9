//! The words in which runners, builds and formatters say that they failed, whatever called them.
//!
//! Responsible for lines that hardly anything else prints. They decide where the exit status is that of a pipe, or
//! is not told.

use super::error::tagless;
use super::foot::foot;

const BEGINNINGS: &[&str] = &[
    "FAILURE: Build failed", "Build FAILED", "BUILD FAILED", "TEST RUN FAILED",
    "ninja: build stopped:", "Failed to compile", "error during build:", "Oh no! ", "Result: FAIL",
    "Exception in thread \"", "[error] Failed: Total ", "Diff in /", "** BUILD FAILED **",
    "** TEST FAILED **",
];
const ENDS: &[&str] = &[
    "Some tests failed.", " tests failed.", " fails locally.", "..Failed", "would be reformatted.",
];
const WITHIN: &[&str] = &["Code style issues found", " tests failed locally"];

/// The last line in which something says so.
pub(super) fn verdict(text: &str) -> Option<&str> {
    let lines = foot(text).lines().rev().map(|line| tagless(line.trim()));
    lines.into_iter().find(|line| says_failed(line))
}

fn says_failed(line: &str) -> bool {
    BEGINNINGS.iter().any(|words| line.starts_with(words))
        || ENDS.iter().any(|words| line.ends_with(words))
        || WITHIN.iter().any(|words| line.contains(words))
        || is_uncaught_in_ruby(line)
        || counts_failed_hosts(line)
}

/// ``a.rb:1:in `<main>': undefined local variable (NameError)``
fn is_uncaught_in_ruby(line: &str) -> bool {
    (line.contains(":in `") || line.contains(":in '")) && line.ends_with("Error)")
}

/// `host : ok=3 changed=1 unreachable=0 failed=1`
fn counts_failed_hosts(line: &str) -> bool {
    let count = |name: &str| {
        let number = line.split_once(name)?.1.split(' ').next()?;
        number.parse::<u32>().ok()
    };
    count(" unreachable=").zip(count(" failed=")).is_some_and(|(away, failed)| away + failed > 0)
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
        ] {
            assert_eq!(verdict(&format!("warming up\n{line}\nbye")), Some(line));
        }
        for line in [
            "Build succeeded.",
            "no tests failed",
            "black................................Passed",
            "localhost : ok=3 changed=1 unreachable=0 failed=0 skipped=0",
            "a diff in /tmp",
        ] {
            assert_eq!(verdict(line), None);
        }
    }
}
