//! What ran between a failure and its success where nothing was edited.
//!
//! Responsible for the command that may have made the difference: a pull before a push, a build before a check. Only
//! the order is told.

use super::changes::changes_work;
use super::run::has_passed;
use crate::digest::calls::shell::git;
use crate::digest::calls::{Call, aim, commands, shell};

/// Programs that bring, build or start what others need, and with which words.
const PROGRAMS: &[&str] = &[
    "apt", "apt-get", "brew", "bun", "bundle", "cargo", "composer", "conda", "docker",
    "docker-compose", "gem", "go", "gradle", "make", "mvn", "npm", "pip", "pip3", "pnpm", "podman",
    "poetry", "service", "systemctl", "uv", "yarn",
];
const VERBS: &[&str] = &[
    "add", "build", "ci", "codegen", "compile", "generate", "i", "install", "restart", "restore",
    "start", "sync", "tidy", "up", "update", "upgrade",
];

/// What changes the state in which git fails.
const GIT: &[&str] = &[
    "apply", "cherry-pick", "clean", "fetch", "init", "merge", "pull", "read-tree", "rebase",
    "reset", "restore", "revert", "submodule", "update-index",
];

/// The last such command before the end of these calls, which follow a failed run of `core`: with its message,
/// `` `git pull --rebase` [173]``. Nothing where a file was edited.
pub(super) fn prepared(core: &str, calls: &[Call]) -> Option<String> {
    if calls.iter().any(changes_work) {
        return None;
    }
    let is_git = shell::commands(core).iter().any(|part| git::verb(part).is_some());
    calls.iter().rev().filter(|call| has_passed(call)).find_map(|call| {
        let parts = shell::commands(call.command.as_deref()?);
        let part = parts.into_iter().rfind(|part| *part != core && prepares(part, is_git))?;
        Some(format!("`{}` [{}]", commands::named(shell::bare(part)), call.place.0))
    })
}

/// Whether a command may make another one pass, of git or not.
fn prepares(part: &str, is_git: bool) -> bool {
    let words = shell::words(part);
    if words.iter().any(|word| matches!(*word, "--dry-run" | "-n" | "--help" | "status")) {
        return false;
    }
    if let Some(verb) = git::verb(part) {
        return is_git && GIT.contains(&verb);
    }
    words.first().is_some_and(|program| PROGRAMS.contains(program))
        && words.iter().skip(1).any(|word| is_verb(word))
        && !aim::is_test(part)
}

/// `build`, `build:lib`
fn is_verb(word: &str) -> bool {
    VERBS.contains(&word.split(':').next().unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_may_make_another_pass() {
        for part in ["npm run build:lib", "pip install a", "docker compose up -d", "cargo build"] {
            assert!(prepares(part, false), "{part}");
        }
        assert!(prepares("git pull --rebase", true) && !prepares("git pull --rebase", false));
        for other in [
            "git status", "git stash pop", "git fetch --dry-run", "npm test", "npm ls",
            "docker ps", "cat out", "cargo --version", "mkdir -p out", "cargo test",
            "git commit -m up",
        ] {
            assert!(!prepares(other, true), "{other}");
        }
    }
}
