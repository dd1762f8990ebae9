//! A command of the ledger: how its runs ended, and the line that says so.
//!
//! Responsible for writing that line and for reading it back from an earlier digest.

use std::fmt::Write;

use super::point::Point;
use super::shell;
use crate::line::on_one_line;

/// How many characters of a command tell it from others.
const COMMAND_KEY: usize = 60;

/// What tells a command from others: its beginning, on one line.
pub(super) fn key(command: &str) -> String {
    let key: String = on_one_line(command).chars().take(COMMAND_KEY).collect();
    key.trim_end().to_owned()
}

const BUILDS: &[&str] = &["lint", "build", "tsc", "vet", "clippy"];
const TESTS: &[&str] = &["test", "tests", "check", "verify", "ci", "pytest", "jest", "vitest"];

/// Programs that move files, packages and commits about, or ask other machines.
const MOVING: &[&str] = &[
    "git", "gh", "curl", "cd", "mkdir", "touch", "rm", "cp", "mv", "pip", "pip3", "kubectl",
    "docker", "for", "sleep", "brew", "apt",
];

/// Whether a command tests or builds: how it ends says how the work is.
pub(super) fn is_check(command: &str) -> bool {
    tests_or_builds(shell::core(command))
}

/// Whether a command tests: what it passes with is well.
pub(super) fn is_test(command: &str) -> bool {
    has_word(shell::core(command), TESTS)
}

/// The same as [`is_check`], of a part of a command.
pub(super) fn tests_or_builds(part: &str) -> bool {
    has_word(part, BUILDS) || has_word(part, TESTS)
}

/// Whether one of `words` stands in the program or an argument that is no path.
fn has_word(command: &str, words: &[&str]) -> bool {
    let mut arguments = command.split_whitespace().skip_while(|word| word.contains('='));
    let Some(program) = arguments.next() else { return false };
    let of =
        |word: &str| word.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_install = |word: &str| matches!(word, "ci" | "install" | "add" | "i");
    let is_path = |word: &str| word.contains(['/', '.', '\\', '"', '\'']);
    !MOVING.contains(&name)
        && !shell::only_looks(name)
        && !arguments.clone().next().is_some_and(is_install)
        && (of(name) || arguments.any(|word| !is_path(word) && of(word)))
}

/// A command, and how its runs ended.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) text: Box<str>,
    pub(super) times: u32,
    /// The run that failed last before the last run.
    pub(super) failed: Option<Point>,
    pub(super) last: Point,
    /// How the last run ended; `None` where there is no answer.
    pub(super) outcome: Option<Box<str>>,
}

impl Command {
    /// The command with its outcome.
    pub(super) fn heading(&self) -> String {
        let short: String =
            if self.is_short() { self.text.to_string() } else { format!("{}…", key(&self.text)) };
        let mut line = format!("$ {short}");
        if self.times > 1 {
            let _ = write!(line, " ×{}", self.times);
        }
        line.push_str(" → ");
        let outcome = self.outcome.as_deref().unwrap_or("no answer yet");
        if let Some(failed) = self.failed.filter(|_| !outcome.starts_with("failed")) {
            let _ = write!(line, "failed [{failed}], then ");
        }
        let _ = write!(line, "{outcome} [{}]", self.last);
        line
    }

    /// Whether it made a commit, of which its outcome tells.
    pub(super) fn committed(&self) -> bool {
        self.outcome.as_deref().is_some_and(|outcome| outcome.starts_with("ok: ["))
    }

    /// Whether its heading has all of it.
    pub(super) fn is_short(&self) -> bool {
        self.text.chars().count() <= COMMAND_KEY + 30
    }

    /// Whether its outcome says how the work is: a test, a build, or something that failed.
    pub(super) fn is_verdict(&self) -> bool {
        let outcome = self.outcome.as_deref().unwrap_or_default();
        self.failed.is_some() || outcome.starts_with("failed") || is_check(&self.text)
    }

    /// Reads a heading back.
    pub(super) fn parse(line: &str, generation: u32) -> Option<Self> {
        let (text, rest) = line.strip_prefix("$ ")?.split_once(" → ")?;
        let (text, times) = match text.rsplit_once(" ×") {
            Some((text, times)) if times.bytes().all(|byte| byte.is_ascii_digit()) => (text, times),
            _ => (text, "1"),
        };
        let (outcome, last) = rest.strip_suffix(']')?.rsplit_once(" [")?;
        let before = outcome.strip_prefix("failed [").and_then(|rest| rest.split_once("], then "));
        let (failed, outcome) = match before {
            Some((failed, outcome)) => (Point::parse(failed, generation), outcome),
            None => (None, outcome),
        };
        Some(Self {
            text: text.trim_end_matches('…').into(),
            times: times.parse().unwrap_or(1),
            failed,
            last: Point::parse(last, generation)?,
            outcome: (outcome != "no answer yet").then(|| outcome.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_makes_no_test() {
        for command in
            ["cargo test", "cd a && npm run test:ci", "./run_tests.sh a", "python -m pytest x"]
        {
            assert!(is_test(command), "{command}");
        }
        for command in [
            "wc -l a/test.rs",
            "grep -c '\\btest' a",
            "cat tests/a",
            "make all",
            "git add tests",
            "npm ci",
            "pip install pytest",
        ] {
            assert!(!is_test(command), "{command}");
        }
    }

    #[test]
    fn a_command_reads_back_as_it_was_written() {
        let command = Command {
            text: "cargo test".into(),
            times: 2,
            failed: Some(Point::now(3)),
            last: Point::now(7),
            outcome: Some("ok: 12 passed".into()),
        };
        assert_eq!(command.heading(), "$ cargo test ×2 → failed [3], then ok: 12 passed [7]");
        let back = Command::parse(&command.heading(), 1).unwrap();
        assert_eq!(back.heading(), "$ cargo test ×2 → failed [1.3], then ok: 12 passed [1.7]");
    }
}
