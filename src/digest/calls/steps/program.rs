//! The program of a check, however it is started.
//!
//! Responsible for leaving out what limits, measures or hosts a check, and for naming an interpreter alike. What
//! may change which tests run stays: an unknown variable, a flag, another user.

use crate::digest::calls::shell::{assigns, hosted, python, unquoted, wrapped};
use crate::digest::files::paths::name;

/// The words of a check from its program on, behind the variables that matter.
#[derive(Debug)]
pub(super) struct Program<'c> {
    /// The variables, then the program, then its arguments.
    pub(super) words: Vec<&'c str>,
    /// The index of the program among the words.
    pub(super) at: usize,
    /// The version of an interpreter: `3.12` of `python3.12`.
    pub(super) version: Option<&'c str>,
}

impl<'c> Program<'c> {
    pub(super) fn of(words: &[&'c str]) -> Self {
        let (mut kept, mut rest) = (Vec::new(), words);
        while let [word, behind @ ..] = rest {
            rest = match behind {
                _ if assigns(word) => {
                    kept.extend((!is_idle(word)).then_some(*word));
                    behind
                }
                // Another user may find other tests, and what `nohup` runs may go on behind its command.
                _ if matches!(*word, "sudo" | "nohup") => break,
                // A flag of these may take variables away.
                [flag, ..] if matches!(*word, "env" | "exec") && flag.starts_with('-') => break,
                _ => match hosted(rest).or_else(|| wrapped(rest)) {
                    Some(inner) => inner,
                    None => break,
                },
            };
            // Whatever these words are, they start no known program.
            if !begins_plainly(rest) {
                let words = words.to_vec();
                let at = words.iter().take_while(|word| assigns(word)).count();
                return Self { words, at, version: None };
            }
        }
        let at = kept.len();
        let (program, version) = interpreted(rest);
        Self { words: [kept, program].concat(), at, version }
    }
}

fn begins_plainly(words: &[&str]) -> bool {
    words.first().is_some_and(|word| !word.starts_with('-'))
}

/// The words of a program without the folder that it is installed in, and without the interpreter of a module.
fn interpreted<'c>(words: &[&'c str]) -> (Vec<&'c str>, Option<&'c str>) {
    const INSTALLED: &[&str] = &["venv/bin/", "node_modules/.bin/", "vendor/bin/"];
    let [program, arguments @ ..] = words else { return (words.to_vec(), None) };
    let bare = unquoted(program);
    let version = python(name(bare));
    // Another folder has packages of its own.
    let local = bare.strip_prefix("./").unwrap_or(bare);
    let local = local.strip_prefix('.').unwrap_or(local);
    let is_installed = INSTALLED.iter().any(|folder| local.starts_with(folder));
    let version = version.filter(|_| is_installed || !bare.contains('/'));
    let program = match version {
        Some(_) => "python",
        None if is_installed => name(bare),
        None => program,
    };
    let words = match arguments {
        ["-m", module @ ..] if version.is_some() && begins_plainly(module) => module.to_vec(),
        _ => [&[program], arguments].concat(),
    };
    (words, version.filter(|version| version.contains('.')))
}

/// Whether a variable only says how a check prints, how much it may use, or where its own code lies.
fn is_idle(assigned: &str) -> bool {
    const NAMES: &[&str] = &[
        "RUST_BACKTRACE", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM",
        "COLUMNS", "CARGO_TERM_COLOR", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "CARGO_BUILD_JOBS",
        "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "GOCACHE",
    ];
    let (name, value) = assigned.split_once('=').unwrap_or((assigned, ""));
    let is_own = |path: &str| matches!(path, "." | "./" | "src" | "./src" | "$PWD" | "$PYTHONPATH");
    NAMES.contains(&name)
        || matches!(name, "PYTHONPATH" | "MYPYPATH") && unquoted(value).split(':').all(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_the_same_however_it_is_started() {
        for (command, wanted) in [
            ("timeout -k 5 60s python3 -m pytest -q", "pytest -q"),
            ("PYTHONPATH=.:src time env RUST_BACKTRACE=1 pytest", "pytest"),
            ("uv run --frozen nice -n 5 python -m pytest a", "pytest a"),
            ("./.venv/bin/python3.12 -m pytest", "pytest"),
            ("npx --yes node_modules/.bin/jest a", "jest a"),
            ("bundle exec rspec", "rspec"),
            ("python3 run_tests.py", "python run_tests.py"),
            ("SLOW=1 python -m pytest", "SLOW=1 pytest"),
            ("PYTHONPATH=/other pytest", "PYTHONPATH=/other pytest"),
            ("PYTHONPATH=../b pytest", "PYTHONPATH=../b pytest"),
            ("env -u A pytest", "env -u A pytest"),
            ("uv run --package b pytest", "uv run --package b pytest"),
            ("sudo pytest", "sudo pytest"),
            ("nohup pytest", "nohup pytest"),
            ("poetry run", "poetry run"),
        ] {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(Program::of(&words).words.join(" "), wanted, "{command}");
        }
        assert_eq!(Program::of(&["python3.12", "-m", "pytest"]).version, Some("3.12"));
        assert_eq!(Program::of(&["A=1", "python3", "a.py"]).at, 1);
    }
}
