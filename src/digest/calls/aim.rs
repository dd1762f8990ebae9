//! What a command is run for: the part that does it, and whether that tests or builds.
//!
//! Responsible for deciding that by the words of the program and its arguments, for any tool.

use std::ops::Range;
use std::sync::LazyLock;

use super::shell::{self, Joint, MOVING, PREPARING, Part, WATCHING, assigns, parts, redirection};
use crate::begins::begins_with_any;
use crate::digest::files::paths;
use crate::digest::text::cues::Cues;
use crate::span::span_in;

const BUILDS: &[&str] = &[
    "lint", "build", "tsc", "tsgo", "typecheck", "vet", "clippy", "eslint", "mypy", "ruff",
    "pyright", "flake8", "pylint", "rubocop", "shellcheck", "stylelint", "phpstan", "psalm",
    "xcodebuild", "javac",
];
const TESTS: &[&str] = &[
    "test", "tests", "check", "verify", "ci", "pytest", "jest", "vitest", "unittest", "rspec",
    "mocha", "phpunit", "ctest", "tox", "nextest", "cypress", "ava", "playwright", "tap", "prove",
    "nox", "gotestsum", "bats", "karma",
];

static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[BUILDS, TESTS]));

/// Whether a command tests or builds, so that its outcome tells the state of the work.
pub(crate) fn is_check(command: &str) -> bool {
    check(command).is_some()
}

/// Whether a command tests, so that whatever it passes with works.
pub(crate) fn is_test(command: &str) -> bool {
    has_word(core(command), |word| TESTS.contains(&word))
}

/// Whether a part of a command tests or builds.
pub(crate) fn tests_or_builds(part: &str) -> bool {
    says_check(part) && has_word(part, says_aim)
}

/// Whether a word may mark a part as a test or a build.
pub(crate) fn is_cue(word: &str) -> bool {
    word.split(|c: char| !c.is_alphanumeric()).any(says_aim)
}

fn says_aim(piece: &str) -> bool {
    BUILDS.contains(&piece) || TESTS.contains(&piece)
}

/// Whether a text has any word of a test or a build. Most have none, so this check saves time.
fn says_check(text: &str) -> bool {
    CUES.find(text) != 0
}

/// Whether a command runs a check whose exit status may be hidden: by a pipe, or by a later command of a list.
pub(crate) fn masks_status(command: &str) -> bool {
    let (core, is_check) = find_core(command);
    (is_check || tests_or_builds(&command[core])) && hides_status(command)
}

/// Whether the exit status of a command may belong to another program than the first.
fn hides_status(command: &str) -> bool {
    let hides = |before: &[Part<'_>]| before.iter().any(|part| part.joint != Joint::And);
    parts(command).split_last().is_some_and(|(_, before)| hides(before))
}

/// Whether a command that works on local code may have failed despite this status: there is none, or it may
/// belong to another program.
pub(crate) fn may_hide(command: &str, status: Option<i32>) -> bool {
    let words = shell::words(&command[program_start(command)..]);
    // What runs in a container, or while one is built, may be anything.
    let runs_inside = || words.iter().any(|word| matches!(*word, "exec" | "run" | "build"));
    let moves = words.first().is_some_and(|program| match paths::name(program) {
        "docker" | "kubectl" => !runs_inside(),
        program => MOVING.has(program),
    });
    !moves && (status.is_none() || hides_status(command))
}

/// Whether a command runs a script by its path, which may run anything.
pub(crate) fn runs_script(command: &str) -> bool {
    const SHELLS: &[&str] = &["bash", "sh", "zsh"];
    const INSTALLED: &[&str] = &["/usr/", "/bin/", "/opt/"];
    let words = shell::words(&command[program_start(command)..]);
    let mut words = words.into_iter().map(shell::unquoted);
    let program = words.next().unwrap_or_default();
    let is_installed = begins_with_any(program, INSTALLED);
    program.contains('/') && !is_installed
        || SHELLS.contains(&program) && words.next().is_some_and(|word| !word.starts_with('-'))
}

/// What a command runs: its first check or else its first list, without what prepares for it and
/// without what its output goes through.
pub(crate) fn core(command: &str) -> &str {
    &command[core_range(command)]
}

/// The range of the check that a command runs. `None` without a check, or if it is the condition of a branch:
/// its outcome is not known.
pub(crate) fn check(command: &str) -> Option<Range<usize>> {
    let (core, is_check) = says_check(command).then(|| find_core(command))?;
    is_check.then_some(core)
}

/// The range of the core of a command.
pub(crate) fn core_range(command: &str) -> Range<usize> {
    find_core(command).0
}

/// The range of the core of a command, and whether it is a check.
fn find_core(command: &str) -> (Range<usize>, bool) {
    let parts = parts(command);
    let may_check = says_check(command);
    let tests_or_builds = |part: &str| may_check && tests_or_builds(part);
    let mut first = None;
    for list in parts.split_inclusive(|part| part.joint == Joint::End) {
        let is_before =
            |part: &&Part<'_>| PREPARING.has(part.program().0) || only_assigns(part.text);
        let at = list.iter().take_while(is_before).count();
        let Some(start) = list.get(at).map(|part| part.range.start) else { continue };
        let (range, is_branch) = condition(command, start..end_of_chain(&list[at..]));
        if tests_or_builds(&command[range.clone()]) {
            return (range, !is_branch);
        }
        let checks = |part: &Part<'_>| tests_or_builds(part.text);
        if let Some(behind) = list[at..].iter().position(checks) {
            let from = &list[at + behind..];
            let range = from[0].range.start..end_of_chain(from);
            let (range, is_branch) = condition(command, range);
            let is_check = !is_branch && tests_or_builds(&command[range.clone()]);
            return (range, is_check);
        }
        first = first.or(Some(range));
    }
    if let Some(range) = first.filter(|range| !range.is_empty()) {
        return (range, false);
    }
    let whole = command.len() - command.trim_start().len()..command.trim_end().len();
    let is_check = tests_or_builds(&command[whole.clone()]);
    (whole, is_check)
}

/// A part of a command without a leading `if`, `elif`, `while` or `until`, and whether it has one.
fn condition(command: &str, range: Range<usize>) -> (Range<usize>, bool) {
    const WORDS: &[&str] = &["if ", "elif ", "while ", "until "];
    let text = &command[range.clone()];
    match WORDS.iter().find(|word| text.starts_with(**word)) {
        Some(word) => {
            let rest = text[word.len()..].trim_start().trim_start_matches("! ");
            (range.end - rest.len()..range.end, true)
        }
        None => (range, false),
    }
}

/// Whether a part only assigns variables.
fn only_assigns(part: &str) -> bool {
    assigns(part) && shell::words(part).into_iter().all(assigns)
}

/// Where the program of a command begins: behind assigned variables, and behind programs that only run another
/// one.
pub(crate) fn program_start(command: &str) -> usize {
    let core = core_range(command);
    let text = &command[core.clone()];
    let words = shell::words(text);
    let word = shell::unwrapped(shell::unopened(&words)).first();
    let at = word.map_or(0, |word| span_in(text, word).start);
    core.start + at
}

/// The variables that a command sets for its program, without their values: `LAMP=… `.
pub(crate) fn given(command: &str) -> String {
    let core = core_range(command).start;
    let words = shell::words(&command[core..program_start(command)]).into_iter();
    let names = words.filter_map(|word| Some(word.split_once('=').filter(|_| assigns(word))?.0));
    names.flat_map(|name| [name, "=… "]).collect()
}

/// Where a chain of commands ends: before a pipe, or where output is redirected.
fn end_of_chain(list: &[Part<'_>]) -> usize {
    let mut end = 0;
    for part in list {
        if let Some(at) = redirection(part.text) {
            return part.range.start + part.text[..at].trim_end().len();
        }
        end = part.range.end;
        if part.joint != Joint::And {
            break;
        }
    }
    end
}

/// Whether `is` holds for a word of the program's name or of an argument that is no path.
fn has_word(command: &str, is: impl Fn(&str) -> bool) -> bool {
    let words = shell::words(command);
    let [program, arguments @ ..] = shell::unwrapped(shell::unopened(&words)) else {
        return false;
    };
    let of = |word: &str| word.split(|c: char| !c.is_alphanumeric()).any(&is);
    let name = paths::name(program);
    // Behind these words stand names of packages.
    let is_install = |word: &&str| matches!(*word, "install" | "add" | "uninstall" | "remove");
    let is_short = |word: &&str| matches!(*word, "ci" | "i");
    let is_path = |word: &str| word.contains(['/', '.', '\\', '"', '\'']);
    !MOVING.has(name)
        && !WATCHING.has(name)
        && !arguments.first().is_some_and(is_short)
        && (of(name) || {
            // The word behind a long option is its value.
            let mut is_value = false;
            arguments.iter().take_while(|word| !is_install(word)).any(|word| {
                let is_own = !std::mem::replace(&mut is_value, word.starts_with("--"));
                is_own && !is_path(word) && of(word)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_a_command_runs() {
        for command in [
            "make test",
            "make test 2>&1 | tail -5",
            "cd a && make test ; echo $?",
            "set -e; cd a; make test > log 2>&1",
            "echo == tests && make test | tail",
            "# look first\nls -la\nmake test | tail",
        ] {
            assert_eq!(core(command), "make test", "{command}");
        }
        assert_eq!(core("set -e; ls"), "ls");
        for command in ["make test 2>&1 | tail -5", "cargo test | tail -5; echo done"] {
            assert!(masks_status(command), "{command}");
        }
        for command in [
            "make test",
            "git log tests | head",
            "cat test.log | tail",
            "make | tee log",
            "cat > f <<E\ncargo test | tail\nE",
            "git commit -m test; ls",
            "npm ci | tail",
            "uv pip install pytest | tail",
            "python -m pip install pytest | tail",
            "npm install --save-dev jest; ls",
            "poetry add pytest | tail",
            "psql -d app_test | tail",
            "pip install pytest | tail",
        ] {
            assert!(!masks_status(command), "{command}");
        }
    }

    #[test]
    fn what_a_branch_goes_by_is_no_check_that_ended_somehow() {
        let command = "if make check; then echo good; else echo BAD; fi";
        assert_eq!(core(command), "make check");
        assert!(!is_check(command) && masks_status(command));
        assert_eq!(core("cd a && if ! npm test; then echo BAD; fi"), "npm test");
    }

    #[test]
    fn a_program_stands_behind_what_it_is_given() {
        for (command, wanted) in [
            ("A=1 # why\nB=\"x y\"\nuv run a.py --all", "uv run a.py --all"),
            ("cd /a && PYTHONPATH=/b:/c python a.py", "python a.py"),
            ("export A=1; source b.sh; timeout 60 node a.js", "node a.js"),
            ("timeout -k 5 60s env A=1 ./a.sh", "./a.sh"),
            ("# first\nsudo make install", "make install"),
            ("A=1", "A=1"),
        ] {
            assert_eq!(&command[program_start(command)..], wanted, "{command}");
        }
        assert_eq!(core("A=1\n./run.sh"), "./run.sh");
        assert_eq!(core("A=1 ./run.sh"), "A=1 ./run.sh");
    }

    #[test]
    fn what_is_quoted_parts_no_command() {
        assert_eq!(core("cd a && grep -n \"a\\|b\" f | head"), "grep -n \"a\\|b\" f");
        assert!(!masks_status("cargo test 'a|b'"));
        assert_eq!(core("cat > f <<'E'\na; b\nE\ncd x && make test | tail"), "make test");
    }

    #[test]
    fn a_path_makes_no_test() {
        for command in
            ["cargo test", "cd a && npm run test:ci", "./run_tests.sh a", "python -m pytest x"]
        {
            assert!(is_test(command), "{command}");
        }
        for command in [
            "wc -l a/test.rs", "grep -c '\\btest' a", "cat tests/a", "make all", "git add tests",
            "npm ci", "pip install pytest", "uv pip install pytest", "command -v pytest",
            "psql -d app_test -c 'select 1'",
        ] {
            assert!(!is_test(command), "{command}");
        }
    }
}
