//! What a command is run for: whether it tests or builds.
//!
//! Responsible for telling that by the words of the program and its arguments, for any tool.

use std::sync::LazyLock;

use crate::digest::cues::Cues;
use crate::digest::shell;

const BUILDS: &[&str] = &["lint", "build", "tsc", "vet", "clippy", "eslint", "mypy", "ruff"];
const TESTS: &[&str] = &[
    "test", "tests", "check", "verify", "ci", "pytest", "jest", "vitest", "unittest", "rspec",
    "mocha", "phpunit", "ctest", "tox",
];

static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[BUILDS, TESTS]));

/// Programs that move files, packages and commits about, or ask other machines.
const MOVING: &[&str] = &[
    "git", "gh", "curl", "cd", "mkdir", "touch", "rm", "cp", "mv", "pip", "pip3", "kubectl",
    "docker", "for", "sleep", "brew", "apt", "tar", "zip", "createdb", "dropdb",
];

/// What a shell reads before a command.
const KEYWORDS: &[&str] = &["do", "if", "then", "else", "while", "until", "time", "!", "{", "("];

/// Whether a command tests or builds: how it ends says how the work is.
pub(in crate::digest) fn is_check(command: &str) -> bool {
    tests_or_builds(shell::core(command))
}

/// Whether a command tests: what it passes with is well.
pub(in crate::digest) fn is_test(command: &str) -> bool {
    has_word(shell::core(command), |word| TESTS.contains(&word))
}

/// The same as [`is_check`], of a part of a command.
pub(in crate::digest) fn tests_or_builds(part: &str) -> bool {
    // Mostly there is no such word anywhere.
    CUES.find(part) != 0 && has_word(part, |word| BUILDS.contains(&word) || TESTS.contains(&word))
}

/// Whether a word that `is` wanted stands in the program or an argument that is no path.
fn has_word(command: &str, is: impl Fn(&str) -> bool) -> bool {
    let arguments = shell::words(command).into_iter();
    let is_before = |word: &&str| word.contains('=') || KEYWORDS.contains(word);
    let mut arguments = arguments.skip_while(is_before);
    let Some(program) = arguments.next() else { return false };
    let of = |word: &str| word.split(|c: char| !c.is_alphanumeric()).any(&is);
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_install = |word: &str| matches!(word, "ci" | "install" | "add" | "i");
    let is_path = |word: &str| word.contains(['/', '.', '\\', '"', '\'']);
    !MOVING.contains(&name)
        && !shell::only_looks(name)
        && !arguments.clone().next().is_some_and(is_install)
        && (of(name) || {
            // What stands behind a long option is its value.
            let mut is_value = false;
            arguments.any(|word| {
                let is_own = !std::mem::replace(&mut is_value, word.starts_with("--"));
                is_own && !is_path(word) && of(word)
            })
        })
}
