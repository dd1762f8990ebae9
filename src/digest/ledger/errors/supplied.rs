//! What was installed for a command that failed for want of it.
//!
//! Responsible for telling an error of something missing from others, and for the command that brought it: what
//! was edited meanwhile did not. It relies on the command having passed then.

use super::changes::changes_work;
use super::run::has_passed;
use crate::digest::calls::Call;
use crate::digest::calls::{commands, shell};

/// What stands before the name of what an error lacks.
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

/// What stands behind it.
const LACKING: &[&str] = &[": command not found", ": not found", " is not installed"];

/// What shells say is missing; of others it may be anything.
const SHELLS: &[&str] = &["sh: ", "bash: ", "zsh: "];

/// Programs that install, which may be run by another (`uv pip install`), and the words that say so.
const INSTALLERS: &[&str] = &[
    "pip", "pip3", "uv", "poetry", "conda", "npm", "pnpm", "yarn", "bun", "apt", "apt-get", "apk",
    "dnf", "yum", "brew", "winget", "choco", "cargo", "rustup", "go", "gem", "bundle", "composer",
    "dotnet",
];
const INSTALLING: &[&str] = &["install", "add", "i", "ci", "sync", "get", "require"];

/// The last command that brought what an error lacks, with its message: `` `pip install pyyaml` [33]``. What else
/// was changed may have mended it, unless the command names what was missing.
pub(super) fn supplied(why: &str, calls: &[Call]) -> Option<String> {
    let missing = missing(why)?;
    let is_changed = calls.iter().any(changes_work);
    calls.iter().rev().filter(|call| has_passed(call)).find_map(|call| {
        let parts = shell::commands(call.command.as_deref()?);
        let brings = |part: &&str| installs(part) && (!is_changed || names(part, missing));
        let part = parts.into_iter().rfind(brings)?;
        Some(format!("`{}` [{}]", commands::named(part), call.place.0))
    })
}

/// What an error says to be missing.
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

/// Whether a command installs something.
fn installs(part: &str) -> bool {
    let mut words = shell::words(part).into_iter();
    words.any(|word| INSTALLERS.contains(&word)) && words.any(|word| INSTALLING.contains(&word))
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
    fn knows_what_installs() {
        for part in [
            "pip install pyyaml",
            "sudo apt-get install -y jq",
            "python -m pip install -r requirements.txt",
            "uv pip install x",
            "rustup component add clippy",
            "npm --prefix web i",
        ] {
            assert!(installs(part), "{part}");
        }
        for part in ["pip list", "npm run install-hooks", "git add a.py", "cargo build"] {
            assert!(!installs(part), "{part}");
        }
    }
}
