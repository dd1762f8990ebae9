//! What a command does step by step, so that each step can be recognised in other commands.
//!
//! Responsible for telling whether one command ran what another one did, alone or among others. A check is the
//! same whatever it prints, and it covers the other if it selects nothing where the other selects something. In
//! doubt, it did not run it. It relies on the caller for how the commands ended.

use super::aim;
use super::folder::Folder;
use super::shell::{self, Joint, bare, git};
use crate::begins::begins_with_any;
use crate::digest::files::paths;
use crate::line::on_one_line;

/// A simple command with the commands whose output it reads, without those that read its own.
#[derive(Debug)]
pub(crate) struct CommandStep {
    /// The whole step on one line.
    pub(crate) text: String,
    /// What it runs and where; for a check without the words that change its output or select from it.
    run: String,
    /// The words by which a check selects from all that it checks.
    picks: Vec<String>,
    pub(crate) is_check: bool,
    /// Whether it ran in the command's folder and went well if the command did. For a check, its own output
    /// tells.
    pub(crate) is_told: bool,
    /// The program of a step that only looks or prepares, or that stands beside a check; `None` for any other
    /// step.
    aside: Option<String>,
}

/// The steps of a command that runs in a folder. A command that runs on other code, or reads a here-document,
/// is one step.
pub(crate) fn steps(command: &str, within: &Folder) -> Vec<CommandStep> {
    let whole = || vec![CommandStep::whole(command, within)];
    let check = aim::check(command).map(|check| check.start);
    let (start, core) =
        (check.unwrap_or(0), check.unwrap_or_else(|| aim::core_range(command).start));
    if command[start..].contains("<<") || git::is_elsewhere(command) {
        return whole();
    }
    let parts = shell::parts(command);
    let is_strict = command.contains("pipefail");
    let mut steps: Vec<CommandStep> = Vec::new();
    let mut place = within.clone();
    // `feed`: the commands whose output a part reads. `begin`: the first step of the pipe.
    let (mut feed, mut begin, mut is_behind_check) = (String::new(), 0, false);
    for (at, part) in parts.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| parts[at].joint);
        if before != Some(Joint::Pipe) {
            feed.clear();
            (begin, is_behind_check) = (steps.len(), false);
        }
        let text = part.text;
        if part.range.start > core && shell::walk::goes(part) {
            place = place.behind(text);
        }
        let is_main = part.range.start >= start && !is_behind_check;
        let is_check = is_main && aim::tests_or_builds(bare(text));
        let is_aside = !is_check && (!is_main || is_idle(text));
        let mut step = CommandStep::of(&feed, text, is_check, &place);
        let goes_on = part.joint == Joint::Pipe && !is_strict && !is_shown(&parts[at..]);
        let mut joints = parts[at..parts.len() - 1].iter().map(|part| part.joint);
        step.is_told = before != Some(Joint::Or)
            && place == *within
            && (is_check
                || !goes_on && joints.all(|joint| matches!(joint, Joint::And | Joint::Pipe)));
        step.aside = is_aside.then(|| part.program().0.to_owned());
        feed = format!("{} | ", step.text);
        is_behind_check |= is_check;
        if !is_aside {
            // The step includes those whose output it reads.
            steps.truncate(begin);
        }
        steps.push(step);
    }
    if steps.iter().all(CommandStep::is_aside) { whole() } else { steps }
}

/// Whether the output of the first part is only shown by the others, so that an error would be visible.
fn is_shown(parts: &[shell::Part<'_>]) -> bool {
    parts.iter().zip(&parts[1..]).all(|(part, next)| {
        let program = next.program().0;
        part.joint == Joint::Pipe && ["tail", "head", "cat", "tee"].contains(&program)
    })
}

/// Whether a part only looks, prepares or passes output on.
fn is_idle(part: &str) -> bool {
    let program = shell::words(bare(part)).first().copied().unwrap_or_default();
    program.is_empty()
        || program == "tee"
        || shell::prepares(program)
        || shell::does_nothing(bare(part))
}

impl CommandStep {
    fn whole(command: &str, within: &Folder) -> Self {
        let text = on_one_line(command);
        Self {
            run: within.apart(text.clone()),
            text,
            picks: Vec::new(),
            is_check: aim::is_check(command),
            is_told: true,
            aside: None,
        }
    }

    fn of(feed: &str, part: &str, is_check: bool, within: &Folder) -> Self {
        let (mut run, mut picks): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        let bare = bare(part);
        let mut words = shell::words(bare).into_iter().enumerate().peekable();
        while let Some((at, word)) = words.next() {
            if !is_check || at == 0 || !picks_some(word) && !says_how(word, &run) {
                run.push(word);
            } else if !word.starts_with('-') || word.contains('=') {
                picks.extend(picks_some(word).then(|| shell::unquoted(word).to_owned()));
            } else if picks_some(word) {
                // Such a flag means something else without its value.
                match words.next_if(|(_, value)| !value.starts_with('-')) {
                    Some((_, value)) => picks.push(format!("{word} {}", shell::unquoted(value))),
                    None => run.push(word),
                }
            }
        }
        run.pop_if(|last| *last == "--");
        if !is_check {
            let target = shell::redirection(part).map_or("", |at| &part[at..]);
            run.extend(shell::words(target).into_iter().filter(|word| !is_no_target(word)));
        }
        Self {
            text: format!("{feed}{}", on_one_line(bare)),
            run: within.apart(format!("{feed}{}", run.join(" "))),
            picks,
            is_check,
            is_told: true,
            aside: None,
        }
    }

    /// What it runs and where, without what it selects. Only steps with the same text can cover each other.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Whether this step ran everything that another one did, if its command went well.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.is_told
            && (self.is_check, &self.run) == (other.is_check, &other.run)
            && (self.picks == other.picks || self.picks.is_empty() && other.is_within_all())
    }

    /// Whether this check selects all of the `tests` that failed in another one.
    pub(crate) fn selects(&self, tests: &[&str], other: &Self) -> bool {
        if tests.is_empty() || !(self.is_told && self.is_check && other.is_check) {
            return false;
        }
        let leaves_out = || self.text.split(' ').any(|word| begins_with_any(word, EXCLUDING));
        let (folder, program, places) = self.parted();
        let (other_folder, other_program, other_places) = other.parted();
        let is_within = |place: &&str| {
            let mut around = other_places.iter().map(|it| it.trim_end_matches(['.', '/']));
            let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
            other_places.is_empty()
                || around.any(|it| it.is_empty() || place.strip_prefix(it).is_some_and(is_below))
        };
        (folder, program) == (other_folder, other_program)
            && places.iter().all(is_within)
            && !leaves_out()
            && !self.picks.is_empty()
            && tests.iter().all(|test| self.picks_test(test))
    }

    /// The folder, and the words that are no flags: up to the one that makes it a check, and behind that.
    fn parted(&self) -> (&str, Vec<&str>, Vec<&str>) {
        let (words, folder) = self.run.split_once('\n').unwrap_or((&self.run, ""));
        let mut program: Vec<&str> =
            words.split(' ').filter(|word| !word.starts_with('-')).collect();
        let cue = program.iter().position(|word| aim::is_cue(word));
        let places = program.split_off(cue.map_or(program.len(), |at| at + 1));
        (folder, program, places)
    }

    /// Whether a test is among those that the check selects: by each flag, and by one of the files.
    fn picks_test(&self, test: &str) -> bool {
        let is_in = |pick: &&String| {
            alternatives(pick).any(|name| {
                let is_whole = name.ends_with('$') || !pick.starts_with('-');
                let name = name.trim_matches(['^', '$']);
                let mut found = test.match_indices(name).map(|(at, _)| &test[at + name.len()..]);
                let goes_on =
                    |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                !name.is_empty() && found.any(|rest| !is_whole || !goes_on(rest))
            })
        };
        let (flags, files): (Vec<_>, Vec<_>) =
            self.picks.iter().partition(|pick| pick.starts_with('-'));
        flags.iter().all(is_in) && (files.is_empty() || files.iter().any(is_in))
    }

    /// Whether the same check without a selection would include what this one selects. Beside a folder, a
    /// selected file may be an additional one.
    fn is_within_all(&self) -> bool {
        let is_file = |pick: &&String| !pick.starts_with('-') && pick.contains(['/', '.']);
        let mut files = self.picks.iter().filter(is_file).peekable();
        files.peek().is_none()
            || !self.names_folder()
                && files.all(|pick| !pick.starts_with(['/', '~', '$']) && !pick.contains(".."))
    }

    /// Whether a word behind the one that makes it a check may be a folder.
    fn names_folder(&self) -> bool {
        self.parted().2.iter().any(|place| *place != "run")
    }

    /// Whether the step does not count unless an error is its own.
    pub(crate) fn is_aside(&self) -> bool {
        self.aside.is_some()
    }

    /// Whether an error names what the step runs or runs on.
    pub(crate) fn is_named_in(&self, why: &str) -> bool {
        let words = self.text.split([' ', '"', '\'']).skip(1).filter(|word| word.len() > 2);
        !self.is_aside() && words.into_iter().any(|word| paths::is_named_in(why, word))
    }

    /// Whether the step may have failed with the error `why`.
    pub(crate) fn may_fail_with(&self, why: &str) -> bool {
        self.aside.as_deref().is_none_or(|program| {
            let mut named = why.match_indices(program);
            named.any(|(at, _)| {
                why[at + program.len()..].starts_with(':')
                    && !why[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c))
            })
        })
    }

    /// The key by which the step is found again.
    pub(crate) fn key(&self) -> String {
        format!("{}\n\n{}", self.run, self.picks.join("\n"))
    }

    /// The key of a step that covers this one by selecting nothing; `None` if none can.
    pub(crate) fn key_of_all(&self) -> Option<String> {
        self.is_within_all().then(|| format!("{}\n\n", self.run))
    }
}

/// The names in a selection: `-run ^One$|Two`, `-k one or two`, `a_test.py::one`. None if it leaves some out.
fn alternatives(pick: &str) -> impl Iterator<Item = &str> {
    let names = pick.split_once(' ').filter(|_| pick.starts_with('-')).map_or(pick, |(_, it)| it);
    let is_plain = !names.split(' ').any(|word| matches!(word, "not" | "and"));
    let names = names.split('|').flat_map(|name| name.split(" or ")).filter(move |_| is_plain);
    names.map(|name| name.trim_matches(['(', ')', ' ']))
}

/// Whether a word behind a redirection names no file.
fn is_no_target(word: &str) -> bool {
    word.ends_with("/dev/null") || word.trim_matches(['>', '&', '1', '2']).is_empty()
}

/// Whether a word behind a check selects: a selecting flag, or the name of one file or test. Any other word may
/// be a further task.
fn picks_some(word: &str) -> bool {
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

/// Flags behind which a check names what it leaves out.
const EXCLUDING: &[&str] = &["--deselect", "--ignore", "--exclude", "--skip", "-skip"];

/// Flags whose value says how a check prints.
const HOW: &[&str] = &["--color=", "--colour=", "--reporter=", "--tb="];

/// Whether a flag says how much a check prints, or how soon it stops. Single letters only count for known
/// programs: for others `-v` may ask for the version.
fn says_how(word: &str, before: &[&str]) -> bool {
    const FLAGS: &[&str] = &[
        "--quiet", "--silent", "--verbose", "--nocapture", "--no-header", "--bail", "--fail-fast",
        "--failfast", "--exitfirst",
    ];
    const SHORT: &[&str] = &["pytest", "unittest", "cargo", "go"];
    let letters = word.strip_prefix('-').unwrap_or_default();
    let is_short = !letters.is_empty() && letters.bytes().all(|letter| b"qsvx".contains(&letter));
    is_short && before.iter().any(|word| SHORT.contains(&paths::name(word)))
        || FLAGS.contains(&word)
        || begins_with_any(word, HOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(passed: &str, failed: &str) -> bool {
        let (passed, failed) = (steps(passed, Folder::HERE), steps(failed, Folder::HERE));
        let mut failed = failed.iter().filter(|step| !step.is_aside());
        failed.all(|failed| passed.iter().any(|passed| passed.covers(failed)))
    }

    #[test]
    fn a_wider_run_covers_a_narrower_one() {
        for (passed, failed) in [
            ("a.py | tail -1", "a.py"),
            ("make test && make lint", "make lint 2>&1 | tail"),
            ("python -m pytest -v", "python -m pytest -q -x 2>&1 | tail -3"),
            ("pytest", "cd a && pytest tests/a_test.py::test_one"),
            ("go test ./... | tail", "go test ./... -run TestOne -v"),
            ("npm test", "npm test -- --reporter=dot src/a.test.ts"),
            ("cargo test --workspace", "cargo test --workspace lamp::lit -- --nocapture"),
            ("cargo test", "cargo test --test upload"),
            ("npm run build && npm run deploy", "npm run deploy"),
            ("make check; git status", "rm -rf out; make check"),
            ("set -o pipefail; a.py | tail -1", "a.py 2> /dev/null"),
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
            ("a.py | tail -1 && b.py", "a.py"),
            ("a.py | jq .x", "a.py"),
            ("a.py || b.py", "b.py"),
            ("a.py > one.txt", "a.py > two.txt"),
            ("cat b | psql -q", "cat a | psql -q"),
            ("find b | xargs a.sh", "find c | xargs a.sh"),
            ("npx tsc -v", "npx tsc"),
            ("make -q test", "make test"),
            ("pytest unit", "pytest unit e2e/a_test.py"),
            ("go test ./a", "go test ./a ./b/x_test.go"),
            ("pytest", "pytest ../b/a_test.py"),
            ("npm run lint; pushd b; npm test; popd", "npm test"),
            ("make lint && cd b && make test", "make test"),
        ] {
            assert!(!covers(passed, failed), "{passed} | {failed}");
        }
    }

    #[test]
    fn tests_that_failed_are_selected_by_name() {
        let failed = ["TestLamp_Lit", "TestWick"];
        for (passed, other, wanted) in [
            ("go test -v -run 'TestLamp|^TestWick$' ./a/", "go test ./a/...", true),
            ("go test -run TestWick ./a", "go test ./a/...", false),
            ("go test ./b", "go test ./a", false),
            ("pytest -k 'TestLamp or TestWick'", "pytest a", true),
            ("pytest -k 'TestLamp and not TestWick'", "pytest a", false),
            ("pytest -k 'TestLamp or TestWick'", "go test ./a", false),
            ("pytest tests/b_test.py -k 'TestLamp or TestWick'", "pytest", false),
            ("go test -run '^TestLamp$|TestWick' ./a", "go test ./a", false),
            ("go test -run 'TestLamp|TestWick' ./b", "go test ./a", false),
            ("go test -run 'TestLamp|TestWick' ./ab", "go test ./a", false),
            ("go test -run 'TestLamp|TestWick' ./b", "go test ./...", true),
            ("uv run ruff check TestLamp.py TestWick.py", "uv run pytest", false),
        ] {
            let (passed, other) = (steps(passed, Folder::HERE), steps(other, Folder::HERE));
            assert_eq!(passed[0].selects(&failed, &other[0]), wanted, "{passed:?}");
        }
    }
}
