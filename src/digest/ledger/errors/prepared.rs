//! What ran between a failure and its success where nothing was edited.
//!
//! Responsible for the command that may have made the difference: a pull before a push, a build before a check. Only
//! the order is told.

use super::changes::is_edit;
use super::run::has_passed;
use crate::digest::calls::shell::git;
use crate::digest::calls::{Call, aim, commands, shell};

/// How many calls before the success it stands at most.
const NEAR: usize = 6;

/// Programs that change what others find.
const CHANGING: &[&str] = &[
    "apt", "apt-get", "brew", "bun", "bundle", "cargo", "chmod", "chown", "composer", "conda",
    "cp", "docker", "docker-compose", "gem", "go", "kill", "kubectl", "ln", "make", "mkdir", "mv",
    "npm", "pip", "pip3", "pkill", "pnpm", "podman", "poetry", "rm", "service", "systemctl",
    "touch", "unzip", "uv", "yarn",
];

/// What git does that changes it.
const GIT: &[&str] = &[
    "add", "am", "apply", "cherry-pick", "clean", "clone", "commit", "config", "fetch", "init",
    "lfs", "merge", "pull", "push", "read-tree", "rebase", "reset", "restore", "revert", "rm",
    "submodule", "update-index", "worktree",
];

/// The last such command before the end of these calls, which follow a failed run of `core`: with its message,
/// `` `git pull --rebase` [173]``. Nothing where a file was edited.
pub(super) fn prepared(core: &str, calls: &[Call]) -> Option<String> {
    let edits = |call: &Call| call.touches.iter().any(|touch| is_edit(call, touch));
    let last_failure = calls.iter().rposition(|call| call.outcome.failed).map_or(0, |at| at + 1);
    let near = &calls[last_failure.max(calls.len().saturating_sub(NEAR))..];
    if near.iter().any(edits) {
        return None;
    }
    near.iter().rev().filter(|call| has_passed(call)).find_map(|call| {
        let parts = shell::commands(call.command.as_deref()?);
        let prepares = |part: &&str| *part != core && changes_what_is_there(part);
        let part = parts.into_iter().rfind(prepares)?;
        Some(format!("`{}` [{}]", commands::named(part.trim_end_matches(" 2>&1")), call.place.0))
    })
}

fn changes_what_is_there(part: &str) -> bool {
    let words = shell::words(part);
    let program = words.first().copied().unwrap_or_default();
    match git::verb(part) {
        Some(verb) => GIT.contains(&verb),
        None => CHANGING.contains(&program) && !aim::is_test(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_changes_what_others_find() {
        for part in ["git pull --rebase", "npm run build", "mkdir -p out", "docker compose up -d"] {
            assert!(changes_what_is_there(part), "{part}");
        }
        for other in [
            "git status", "npm test", "cat out", "git stash pop", "git count-objects", "cargo test",
        ] {
            assert!(!changes_what_is_there(other), "{other}");
        }
    }
}
