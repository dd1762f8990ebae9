//! A simple command reduced to what it does.
//!
//! Responsible for telling whether two commands do the same, perhaps to the same thing, although one has
//! other options, runs in another folder, through a wrapper or by another program.

use super::targets::{Targets, is_telling};
use crate::digest::calls::{aim, shell};
use crate::digest::files::paths;
use crate::line::says;

/// A simple command without prefixes, wrappers and redirections.
#[derive(Debug, Default)]
pub(super) struct Act<'c> {
    pub(super) part: &'c str,
    program: &'c str,
    /// The first argument if it is a plain word, or the task that a runner is told to run.
    pub(super) verb: &'c str,
    /// The words of the other arguments; of a path only the words of its last component.
    words: Vec<&'c str>,
    /// Those of the words that name one thing: a test, a commit.
    tellings: Vec<&'c str>,
    /// Whether the command is its program alone, perhaps with a number of jobs (`make -j8`).
    pub(super) is_bare: bool,
    /// What the command checks, if it is a check.
    targets: Option<Targets<'c>>,
}

/// The acts of a command, indexed by the words that another act may share.
#[derive(Debug)]
pub(super) struct Acts<'c> {
    all: Vec<Act<'c>>,
    /// Each program and each word that names one thing, with the index of its act; sorted.
    known: Vec<(&'c str, usize)>,
}

impl<'c> Acts<'c> {
    pub(super) fn of(command: &'c str) -> Self {
        let all = acts(command);
        let words = |(at, act): (usize, &Act<'c>)| {
            let words = act.tellings.iter().copied().chain([act.program]);
            words.map(|word| (word, at)).collect::<Vec<_>>()
        };
        let mut known: Vec<_> = all.iter().enumerate().flat_map(words).collect();
        known.sort_unstable();
        Self { all, known }
    }

    pub(super) fn all(&self) -> &[Act<'c>] {
        &self.all
    }

    /// The acts that may be like `other`, in order; no other act of this command can be.
    pub(super) fn near<'a>(&'a self, other: &Act<'_>) -> impl Iterator<Item = &'a Act<'c>> {
        let known = |word: &&str| {
            let from = self.known.partition_point(|(known, _)| known < word);
            let behind = &self.known[from..];
            behind[..behind.partition_point(|(known, _)| known == word)].iter().map(|(_, at)| *at)
        };
        let words = other.tellings.iter().chain([&other.program]);
        let mut found: Vec<usize> = words.flat_map(known).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|at| &self.all[at])
    }
}

/// Programs that run the command after `run`.
const RUNNERS: &[&str] = &["uv", "poetry", "pipenv", "pdm", "hatch", "rye"];

/// The acts of a command, without those that only change the folder or pass output on.
pub(super) fn acts(command: &str) -> Vec<Act<'_>> {
    let parts = shell::commands(command).into_iter();
    let acts = parts.filter_map(Act::of);
    acts.filter(|act| !shell::is_aside(act.program) && act.program != "tee").collect()
}

impl<'c> Act<'c> {
    fn of(part: &'c str) -> Option<Self> {
        let part = shell::bare(part);
        let words: Vec<&str> = shell::words(part).into_iter().map(shell::unquoted).collect();
        let mut words = unwrapped(&words).iter().copied();
        let program = words.next()?;
        let program = paths::name(program);
        let mut act = Self { part, program, ..Self::default() };
        let mut arguments = Vec::new();
        let mut is_first = true;
        // A redirected input or `-C` gives the program something to run on.
        let mut runs_on_something = false;
        while let Some(word) = words.next() {
            if word.starts_with('<') {
                runs_on_something = true;
                break;
            }
            let is_verb = is_first && !word.starts_with('-');
            is_first &= !is_verb || word == "run";
            if word == "-C" {
                runs_on_something = true;
                words.next();
                continue;
            }
            if is_verb && word.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c)) {
                act.verb = word;
                continue;
            }
            if is_first && says_jobs(word) {
                continue;
            }
            arguments.push(word);
            if word.contains("://") {
                act.words.push(word);
            } else if !word.contains(char::is_whitespace) {
                let end = paths::name(word.trim_end_matches('/'));
                let pieces = end.split(|c: char| !c.is_alphanumeric() && !"_-.".contains(c));
                act.words.extend(pieces.filter(|word| word.contains(char::is_alphabetic)));
            }
        }
        if act.words.iter().any(|word| word.contains("://")) {
            // Many addresses end alike, and the words of their options say nothing.
            act.words.retain(|word| word.contains("://"));
        }
        act.is_bare = part.starts_with(program)
            && act.verb.is_empty()
            && arguments.is_empty()
            && !runs_on_something;
        act.targets = aim::tests_or_builds(part).then(|| Targets::of(&arguments));
        act.tellings = act.words.iter().copied().filter(|word| is_telling(word)).collect();
        Some(act)
    }

    /// Whether an error names this act, by its verb or by the file that it runs.
    pub(super) fn is_named_in(&self, why: &str) -> bool {
        let files = self.words.iter().chain([&self.program]).filter(|word| word.contains('.'));
        !self.verb.is_empty() && says(why, self.verb) || files.into_iter().any(|it| says(why, it))
    }

    /// Whether another act does the same, perhaps to something else. `lacking` is the error if it says that
    /// a program or task was missing, else empty.
    pub(super) fn is_like(&self, other: &Self, lacking: &str) -> bool {
        let family = |verb: &'c str| verb.split(':').next().unwrap_or(verb);
        let is_named = !self.verb.is_empty() || self.words.iter().any(|word| other.has(word));
        let is_same = is_named && self.verb == other.verb
            || self.is_bare && other.is_bare
            || self.is_lacking(lacking)
                && (!self.lacks_verb(lacking) || family(self.verb) == family(other.verb));
        self.program == other.program && is_same || self.tellings.iter().any(|word| other.has(word))
    }

    /// Whether another act does the same to the same thing. For a check that failed with `why`, that is all
    /// it checks or all that failed. `lacking` is as in [`Act::is_like`].
    pub(super) fn is_instead(&self, other: &Self, why: &str, lacking: &str) -> bool {
        let shares = || match (&self.targets, &other.targets) {
            (Some(own), Some(others)) => others.cover(own, why),
            (Some(_), None) => false,
            _ if self.names_one_thing() => self.tellings.iter().any(|word| other.has(word)),
            _ => self.words.is_empty() || self.words.iter().any(|word| other.has(word)),
        };
        let is_same = self.is_lacking(lacking) && !self.is_apart(other, why) || shares();
        is_same && self.is_like(other, lacking)
    }

    /// Whether this act pushes a git branch, and `other` pushed that branch.
    pub(super) fn is_sent_by(&self, other: &Self, branch: &str) -> bool {
        let pushes = |act: &Self| (act.program, act.verb) == ("git", "push");
        let is_there = other.words.first().is_none_or(|remote| self.has(remote));
        pushes(self) && pushes(other) && is_there && self.has(paths::name(branch))
    }

    /// Whether both acts are the same check, and the other one is known to check something else.
    pub(super) fn is_apart(&self, other: &Self, why: &str) -> bool {
        let (Some(own), Some(others)) = (&self.targets, &other.targets) else { return false };
        self.program == other.program && self.verb == other.verb && others.are_apart(own, why)
    }

    /// Whether the program or the task of this act is what was missing.
    fn is_lacking(&self, lacking: &str) -> bool {
        lacking.contains(self.program) || self.lacks_verb(lacking)
    }

    fn lacks_verb(&self, lacking: &str) -> bool {
        !self.verb.is_empty() && lacking.contains(self.verb)
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Whether the arguments say which one thing the act is done to.
    pub(super) fn names_one_thing(&self) -> bool {
        !self.tellings.is_empty()
    }
}

/// Whether a word only sets the number of jobs: `-j8`.
fn says_jobs(word: &str) -> bool {
    let jobs = word.strip_prefix("-j");
    jobs.is_some_and(|jobs| jobs.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The words of a command after everything that only runs it, including what fetches its program: `npx`.
fn unwrapped<'w, 'c>(mut words: &'w [&'c str]) -> &'w [&'c str] {
    loop {
        words = match shell::unwrapped(words) {
            ["npx" | "bunx" | "uvx", rest @ ..] => &rest[shell::options(rest)..],
            [program, "run", rest @ ..] if RUNNERS.contains(program) => rest,
            [_, "exec" | "x", rest @ ..] if rest.first().is_some_and(|word| *word != "-it") => {
                let behind = rest.iter().position(|word| *word == "--").map_or(0, |at| at + 1);
                return &rest[behind..];
            }
            words => return words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_instead(failed: &str, other: &str, lacking: &str) -> bool {
        let (own, others) = (acts(failed), acts(other));
        others.iter().any(|other| own.iter().any(|act| act.is_instead(other, lacking, lacking)))
    }

    #[test]
    fn knows_the_way_round() {
        for (failed, other) in [
            ("go test ./a -v -run TestOneThing", "cd a && go test . \\\n -run TestOneThing | tail"),
            ("git checkout main", "git checkout -b mine origin/main"),
            ("git cat-file -t 0123abc4567d", "git -C /a/b show 0123abc4567d"),
            ("pytest a_test.py", "uv run pytest a_test.py -q"),
            ("npm run build", "sudo env A=b npm run build --force"),
            ("pytest a_test.py", "timeout 90 uv run pytest a_test.py"),
            ("make", "cd /w && make -j4"),
            ("7z t a_b.7z", "sudo -u bob nice -n 10 7z t a_b.7z -y"),
        ] {
            assert!(is_instead(failed, other, ""), "{failed} | {other}");
        }
        for (failed, other, lacking) in [
            ("lintall run", "asdf exec -- lintall run a", "lintall: not found"),
            ("x run lint:all", "x run lint", "x: no task lint:all found"),
        ] {
            assert!(is_instead(failed, other, lacking), "{failed} | {other}");
        }
        assert!(!is_instead("x run lint:all", "x tasks", "x: no task lint:all found"));
        assert!(!is_instead("go test ./a", "go test ./b", "stat a/a: directory not found"));
        for (failed, other) in [
            ("go test -run TestOneThing", "go test -run TestOtherThing"),
            ("go test -run TestOneThing", "git commit -m TestOneThing"),
            ("go test -run TestOneThing", "grep -rn TestOneThing a"),
            ("curl -s https://a.example/health", "curl -s https://b.example/health"),
            ("git show 1a2b3c4d", "git show 5e6f7a8b"),
            ("python3 a/one.py", "python3 a/two.py"),
            ("cd a && node first.js", "cd a && node second.js"),
            ("pytest -q a/test_a.py", "pytest -q a/test_b.py"),
            ("make", "make docs"),
            ("make", "make -n"),
            ("DEBUG=1 make", "make"),
            ("./run.sh 1", "./run.sh 2"),
            ("npm test --workspace api", "npm test --workspace web"),
        ] {
            assert!(!is_instead(failed, other, ""), "{failed} | {other}");
        }
    }

    #[test]
    fn an_act_is_told_without_the_brackets_around_it() {
        let told = |command| acts(command).iter().map(|act| act.part).collect::<Vec<_>>();
        assert_eq!(told("(cd a && make b)"), ["make b"]);
        assert_eq!(told("(make $(cat list))"), ["make $(cat list)"]);
    }
}
