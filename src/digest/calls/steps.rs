//! What a command does step by step, each known again in other commands.
//!
//! Responsible for telling whether one command ran what another one did, alone or among others: a check is the
//! same whatever it prints, and wider where it picks nothing of what the other one picks. It relies on the caller
//! for how the commands ended.

use super::shell::{self, Joint};
use super::{aim, commands};
use crate::digest::files::paths;
use crate::line::on_one_line;

/// A simple command, without what its output goes through.
#[derive(Debug)]
pub(crate) struct Step {
    /// All of it on one line.
    pub(crate) text: String,
    /// What it runs and where; of a check without the words that say what it prints, and those that pick.
    run: String,
    /// The words of a check that pick from all that it checks.
    picks: Vec<String>,
    pub(crate) is_check: bool,
    /// Whether it went well if its command did. Of a check its own words say so.
    pub(crate) is_told: bool,
}

/// The steps of a command that runs in a folder: of a check from that on, without what only looks or prepares.
/// What runs on other code than that at hand is one, and so is what reads a text that stands with it.
pub(crate) fn steps(command: &str, within: &str) -> Vec<Step> {
    let whole = || vec![Step::whole(command, within)];
    let run = aim::check(command).map_or(command, |check| &command[check.start..]);
    if run.contains("<<") || commands::is_elsewhere(command) {
        return whole();
    }
    let parts = shell::parts(run);
    let mut steps: Vec<Step> = Vec::new();
    let mut is_behind_check = false;
    for (at, part) in parts.iter().enumerate() {
        let is_fed = at > 0 && parts[at - 1].joint == Joint::Pipe;
        let part = bare(&run[part.range.clone()]);
        let is_check = aim::tests_or_builds(part);
        let is_idle = || {
            is_fed && is_behind_check
                || shell::does_nothing(part)
                || shell::words(part).first().is_none_or(|program| shell::prepares(program))
        };
        if is_check || !is_idle() {
            let is_told = is_check || tells(&parts[at..]);
            steps.push(Step { is_told, ..Step::of(part, is_check, within) });
        }
        is_behind_check = is_fed && is_behind_check || is_check;
    }
    if steps.is_empty() { whole() } else { steps }
}

/// Whether a command that went well says so of the first of its last parts: nothing but what its output goes
/// through stands behind it, or all that does waited for it.
fn tells(parts: &[shell::Part]) -> bool {
    let joints = || parts[..parts.len() - 1].iter().map(|part| part.joint);
    joints().all(|joint| joint == Joint::Pipe)
        || parts[0].joint == Joint::And
            && joints().all(|joint| matches!(joint, Joint::And | Joint::Pipe))
}

impl Step {
    fn whole(command: &str, within: &str) -> Self {
        let text = on_one_line(command);
        Self {
            run: commands::placed(text.clone(), within),
            text,
            picks: Vec::new(),
            is_check: aim::is_check(command),
            is_told: true,
        }
    }

    fn of(part: &str, is_check: bool, within: &str) -> Self {
        let text = on_one_line(part);
        let (mut run, mut picks): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        let mut words = shell::words(part).into_iter().enumerate().peekable();
        while let Some((at, word)) = words.next() {
            if !is_check || at == 0 || !picks_some(word) && !says_how(word) {
                run.push(word);
            } else if !word.starts_with('-') || word.contains('=') {
                picks.extend(picks_some(word).then(|| shell::unquoted(word).to_owned()));
            } else if picks_some(word) {
                // Without what it picks by, such a flag means something else.
                match words.next_if(|(_, value)| !value.starts_with('-')) {
                    Some((_, value)) => picks.push(format!("{word} {}", shell::unquoted(value))),
                    None => run.push(word),
                }
            }
        }
        run.pop_if(|last| *last == "--");
        let run = commands::placed(run.join(" "), within);
        Self { text, run, picks, is_check, is_told: true }
    }

    /// Whether this ran all that another did, if its command went well.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.is_told
            && (self.is_check, &self.run) == (other.is_check, &other.run)
            && (self.picks.is_empty() || self.picks == other.picks)
    }

    /// By what it is found again, and what covers it that picks nothing.
    pub(crate) fn key(&self) -> String {
        format!("{}\n\n{}", self.run, self.picks.join("\n"))
    }

    pub(crate) fn key_of_all(&self) -> String {
        format!("{}\n\n", self.run)
    }
}

/// A part of a command without where its output goes, and without the brackets of a group that it is the first
/// or the last of.
pub(crate) fn bare(part: &str) -> &str {
    let part = part[..shell::redirection(part).unwrap_or(part.len())].trim_end();
    let mut part = part.trim_start_matches(['(', ' ']);
    while let Some(rest) = part.strip_suffix(')')
        && part.matches(')').count() > part.matches('(').count()
    {
        part = rest.trim_end();
    }
    part
}

/// Whether a word is the name of one thing: of several words, or a hash.
pub(crate) fn is_telling(word: &str) -> bool {
    let bytes = word.as_bytes();
    let is_hash = bytes.len() >= 7
        && bytes.iter().all(u8::is_ascii_hexdigit)
        && bytes.iter().any(u8::is_ascii_digit);
    let is_camel =
        bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    is_hash || bytes.len() >= 8 && !word.contains('.') && (is_camel || word.contains('_'))
}

/// Whether a word behind a check is a flag by which it picks, or names one file or test: another word may as
/// well be one more task.
pub(crate) fn picks_some(word: &str) -> bool {
    const PICKING: &[&str] = &["-run", "-k", "-t", "-g", "--grep", "--filter", "--test", "--tests"];
    if word.starts_with('-') {
        return PICKING.contains(&word.split('=').next().unwrap_or(word));
    }
    let word = shell::unquoted(word);
    let is_file = || {
        let extension = paths::name(word).rsplit_once('.').map_or("", |(_, extension)| extension);
        extension.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    word.contains("::") || !word.contains('=') && is_file()
}

/// Whether a flag of a check says how much it prints, or how soon it stops.
fn says_how(word: &str) -> bool {
    const FLAGS: &[&str] = &[
        "--quiet", "--silent", "--verbose", "--nocapture", "--no-header", "--bail", "--fail-fast",
        "--failfast", "--exitfirst",
    ];
    const HOW: &[&str] = &["--color=", "--colour=", "--reporter=", "--tb="];
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.bytes().all(|letter| b"qsvx".contains(&letter))
        || FLAGS.contains(&word)
        || HOW.iter().any(|begin| word.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(passed: &str, failed: &str) -> bool {
        let (passed, failed) = (steps(passed, ""), steps(failed, ""));
        failed.iter().all(|failed| passed.iter().any(|passed| passed.covers(failed)))
    }

    #[test]
    fn a_wider_run_covers_a_narrower_one() {
        for (passed, failed) in [
            ("make test && make lint", "make lint 2>&1 | tail"),
            ("python -m pytest -v", "python -m pytest -q -x 2>&1 | tail -3"),
            ("pytest", "cd a && pytest tests/a_test.py::test_one"),
            ("go test ./... | tail", "go test ./... -run TestOne -v"),
            ("npm test", "npm test -- --reporter=dot src/a.test.ts"),
            ("cargo test --workspace", "cargo test --workspace lamp::lit -- --nocapture"),
            ("cargo test", "cargo test --test upload"),
            ("npm run build && npm run deploy", "npm run deploy"),
            ("make check; git status", "rm -rf out; make check"),
            ("a.py | tail -1", "a.py"),
            ("make test && a.py && echo well", "a.py"),
        ] {
            assert!(covers(passed, failed), "{passed} | {failed}");
        }
        for (passed, failed) in [
            ("npm run build", "npm run build && npm run deploy"),
            ("cargo build", "cargo build 2>&1 | tail -3 && ./deploy.sh"),
            ("pytest tests/a_test.py", "pytest"),
            ("pytest tests/a_test.py", "pytest tests/b_test.py"),
            ("pytest -k one", "pytest"),
            ("cargo clippy", "cargo clippy --all-targets"),
            ("cargo clippy", "cargo clippy --tests"),
            ("make", "make test_integration"),
            ("./gradlew test", "./gradlew test integrationTest"),
            ("go test ./a", "go test ./..."),
            ("git stash && make check; git stash pop", "make check"),
            ("python - <<E\none\nE", "python - <<E\ntwo\nE"),
            ("a.py; echo $?", "a.py"),
            ("a.py | tail -1 && b.py", "a.py"),
            ("a.py && b.py; echo", "a.py"),
        ] {
            assert!(!covers(passed, failed), "{passed} | {failed}");
        }
    }
}
