//! What ran between a failure and its success and may have made the difference.
//!
//! Responsible for naming the last such command, with its message: one that brought what the error says is
//! missing (`` `pip install pyyaml` [33]``), or else a pull before a push, a build before a check. Only the
//! order is told, not a cause. It relies on the failed command having passed then.

use super::changes::changes_work;
use super::run::has_passed;
use crate::digest::calls::shell::git;
use crate::digest::calls::{Call, aim, commands, shell};

/// Programs that install, build or start what others need. Another program may run them: `uv pip install`.
const PROGRAMS: &[&str] = &[
    "apk", "apt", "apt-get", "brew", "bun", "bundle", "cargo", "choco", "composer", "conda", "dnf",
    "docker", "docker-compose", "dotnet", "gem", "go", "gradle", "make", "mvn", "npm", "pip",
    "pip3", "pnpm", "podman", "poetry", "rustup", "service", "systemctl", "uv", "winget", "yarn",
    "yum",
];

/// The verbs by which [`PROGRAMS`] install something.
const BRINGING: &[&str] = &["add", "ci", "get", "i", "install", "require", "sync"];
/// The verbs by which [`PROGRAMS`] build or start something.
const MAKING: &[&str] = &[
    "build", "codegen", "compile", "generate", "restart", "restore", "start", "tidy", "up",
    "update", "upgrade",
];

/// The verbs that change the state in which a git command fails.
const GIT: &[&str] = &[
    "apply", "cherry-pick", "clean", "fetch", "init", "merge", "pull", "read-tree", "rebase",
    "reset", "restore", "revert", "submodule", "update-index",
];

/// The texts before the name of what an error says is missing.
const LACKS: &[&str] = &[
    "No module named ",
    "Cannot find module ",
    "Cannot find package ",
    "cannot find package ",
    "no required module provides package ",
    "command not found: ",
    "Could not find a version that satisfies the requirement ",
    "no matching package named ",
];

/// The texts after the name of what an error says is missing.
const LACKING: &[&str] = &[": command not found", ": not found", " is not installed"];

/// Prefixes of errors that shells print; in other errors `not found` may mean anything.
const SHELLS: &[&str] = &["sh: ", "bash: ", "zsh: "];

/// The command that brought what the error `why` says is missing. If a file was edited, that may have
/// mended the failure instead, unless the command names what was missing.
pub(super) fn supplied(why: &str, calls: &[Call]) -> Option<String> {
    let missing = missing(why)?;
    let is_changed = calls.iter().any(changes_work);
    last(calls, |part| does(part, &[BRINGING]) && (!is_changed || names(part, missing)))
}

/// The command that may have prepared for `core`; `None` if a file was edited.
pub(super) fn prepared(core: &str, calls: &[Call]) -> Option<String> {
    if calls.iter().any(changes_work) {
        return None;
    }
    let is_git = shell::commands(core).iter().any(|part| git::verb(part).is_some());
    last(calls, |part| part != core && prepares(part, is_git))
}

/// The last part of a passed command that `is_wanted` accepts, with its message.
fn last(calls: &[Call], is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    calls.iter().rev().filter(|call| has_passed(call)).find_map(|call| {
        let parts = shell::commands(call.command.as_deref()?);
        let part = parts.into_iter().rfind(|part| is_wanted(part))?;
        Some(format!("`{}` [{}]", commands::named(shell::bare(part)), call.place.0))
    })
}

/// The name of what an error says is missing.
fn missing(why: &str) -> Option<&str> {
    let behind = LACKS.iter().find_map(|words| Some(why.split_once(words)?.1));
    let before = || {
        let (before, words) =
            LACKING.iter().find_map(|words| Some((why.split_once(words)?.0, *words)))?;
        let is_shells = words != LACKING[1] || SHELLS.iter().any(|shell| before.starts_with(shell));
        is_shells.then(|| before.rsplit([' ', ':']).next())?
    };
    let name = behind.map(|rest| rest.split(' ').next().unwrap_or(rest)).or_else(before)?;
    let name = name.trim_matches(|c: char| !c.is_alphanumeric() && c != '@');
    (!name.is_empty()).then_some(name)
}

/// Whether a command names what is missing: `pip install pyyaml` brings `yaml.reader`.
fn names(part: &str, missing: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
    let top = missing.split(['.', ':']).next().unwrap_or(missing);
    plain(part).contains(&plain(top))
}

/// Whether a command may make another one pass, which is one of git or not.
fn prepares(part: &str, is_git: bool) -> bool {
    let words = shell::words(part);
    if words.iter().any(|word| matches!(*word, "--dry-run" | "-n" | "--help" | "status")) {
        return false;
    }
    match git::verb(part) {
        Some(verb) => is_git && GIT.contains(&verb),
        None => does(part, &[BRINGING, MAKING]) && !aim::is_test(part),
    }
}

/// Whether a command runs one of [`PROGRAMS`] with one of these verbs: `build`, `build:lib`.
fn does(part: &str, verbs: &[&[&str]]) -> bool {
    let is_verb = |word: &str| {
        let verb = word.split(':').next().unwrap_or(word);
        verbs.iter().any(|verbs| verbs.contains(&verb))
    };
    let mut words = shell::words(part).into_iter();
    words.any(|word| PROGRAMS.contains(&word)) && words.any(is_verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_is_missing() {
        for (why, wanted) in [
            ("ModuleNotFoundError: No module named 'yaml.reader'", Some("yaml.reader")),
            ("Error: Cannot find module '@scope/left-pad'", Some("@scope/left-pad")),
            ("sh: 1: jq: not found", Some("jq")),
            ("zsh: command not found: jq", Some("jq")),
            ("bash: line 1: jq: command not found", Some("jq")),
            ("LookupError: user 7: not found", None),
            ("1 failed", None),
        ] {
            assert_eq!(missing(why), wanted, "{why}");
        }
        assert!(names("pip install PyYAML", "yaml.reader") && !names("pip install black", "yaml"));
    }

    #[test]
    fn knows_what_brings_something() {
        for part in [
            "pip install pyyaml",
            "sudo apt-get install -y jq",
            "python -m pip install -r requirements.txt",
            "uv pip install x",
            "rustup component add clippy",
            "npm --prefix web i",
        ] {
            assert!(does(part, &[BRINGING]) && prepares(part, false), "{part}");
        }
        for part in ["pip list", "npm run install-hooks", "git add a.py", "cargo build"] {
            assert!(!does(part, &[BRINGING]), "{part}");
        }
    }

    #[test]
    fn knows_what_may_make_another_pass() {
        for part in ["npm run build:lib", "docker compose up -d", "cargo build"] {
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
