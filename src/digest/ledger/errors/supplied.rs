//! What was installed for a command that failed for want of it.
//!
//! Responsible for telling an error of something missing from others, and for the command that brought it: what
//! was edited meanwhile did not. It relies on the command having passed then.

use super::run::has_passed;
use crate::digest::calls::Call;
use crate::digest::calls::{commands, shell};

/// What an error says of what it lacks.
const LACKS: &[&str] = &[
    "No module named",
    "Cannot find module",
    "Cannot find package",
    "Can't find package",
    "cannot find package",
    "no required module provides package",
    "package not found",
    "command not found",
    ": not found",
    "is not recognized as",
    "is not installed",
    "cannot open shared object file",
    "Could not find a version",
    "no matching package",
];

/// Programs that install, each with the word that says so; they may be run by another (`uv pip install`).
const INSTALLERS: &[[&str; 2]] = &[
    ["pip", "install"],
    ["pip3", "install"],
    ["uv", "add"],
    ["uv", "sync"],
    ["poetry", "add"],
    ["poetry", "install"],
    ["conda", "install"],
    ["npm", "install"],
    ["npm", "i"],
    ["npm", "ci"],
    ["pnpm", "install"],
    ["pnpm", "i"],
    ["pnpm", "add"],
    ["yarn", "install"],
    ["yarn", "add"],
    ["bun", "install"],
    ["bun", "add"],
    ["apt", "install"],
    ["apt-get", "install"],
    ["apk", "add"],
    ["dnf", "install"],
    ["yum", "install"],
    ["brew", "install"],
    ["winget", "install"],
    ["choco", "install"],
    ["cargo", "add"],
    ["cargo", "install"],
    ["rustup", "add"],
    ["go", "get"],
    ["go", "install"],
    ["gem", "install"],
    ["bundle", "install"],
    ["composer", "require"],
    ["composer", "install"],
    ["dotnet", "add"],
];

/// The last command that brought what an error lacks, with its message: `` `pip install pyyaml` [33]``.
pub(super) fn supplied(why: &str, calls: &[Call]) -> Option<String> {
    if !LACKS.iter().any(|words| why.contains(words)) {
        return None;
    }
    calls.iter().rev().filter(|call| has_passed(call)).find_map(|call| {
        let parts = shell::commands(call.command.as_deref()?);
        let part = parts.into_iter().rfind(|part| installs(part))?;
        Some(format!("`{}` [{}]", commands::named(part), call.place.0))
    })
}

/// Whether a command installs something.
fn installs(part: &str) -> bool {
    let words = shell::words(part);
    INSTALLERS.iter().any(|[program, verb]| {
        let at = words.iter().position(|word| word == program);
        at.is_some_and(|at| words[at + 1..].iter().any(|word| word == verb))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
