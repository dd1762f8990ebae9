//! What a command does step by step, so that each step can be recognised in other commands.
//!
//! Responsible for telling whether one command ran what another one did, alone or among others. A check is the
//! same whatever it prints and however its program is started, and it covers the other if it selects all that
//! the other selects. In doubt, it did not run it. It relies on the caller for how the commands ended.

mod program;
mod selection;
mod words;

use super::aim;
use super::folder::Folder;
use super::shell::{self, CLIPPING, Joint, PASSING, PREPARING, bare, git};
use crate::digest::files::paths;
use crate::line::on_one_line;
use program::Program;
use selection::Selection;

/// A simple command with the commands whose output it reads, without those that read its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CommandStep {
    /// The whole step on one line.
    pub(crate) text: String,
    /// What it runs; for a check without the words that start it, change its output or select from it.
    run: String,
    /// The folder that it runs in.
    within: Folder,
    /// The version of the interpreter that runs a check, if it is named.
    version: Option<String>,
    /// What a check selects from all that it checks.
    selection: Selection,
    pub(crate) is_check: bool,
    /// Whether it ran in the command's folder and went well if the command did. For a check, its own output
    /// tells.
    pub(crate) is_told: bool,
    /// The program of a step that only looks or prepares, or that stands beside a check; `None` for any other
    /// step.
    aside: Option<String>,
}

/// The steps of a command that runs in a folder of a session that began in `home`, which is empty if unknown. A command that runs on other code, or reads a here-document,
/// is one step.
pub(crate) fn steps(command: &str, within: &Folder, home: &str) -> Vec<CommandStep> {
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
        let mut step = CommandStep::of(&feed, text, is_check, (&place, home));
        let goes_on = part.joint == Joint::Pipe && !is_strict && !is_shown(&parts[at..]);
        let mut joints = parts[at..parts.len() - 1].iter().map(|part| part.joint);
        step.is_told = before != Some(Joint::Or)
            && place == *within
            && !(is_check && is_forgiven(&parts[at..]))
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

/// Whether the command goes on as if the first part had passed when it failed: `make test || true`.
fn is_forgiven(parts: &[shell::Part<'_>]) -> bool {
    let ends = |part: &shell::Part<'_>| matches!(part.program().0, "exit" | "return" | "false");
    let mut list = parts.windows(2).take_while(|pair| pair[0].joint != Joint::End);
    list.any(|pair| pair[0].joint == Joint::Or && !ends(&pair[1]))
}

/// Whether the output of the first part is only shown by the others, so that an error would be visible.
fn is_shown(parts: &[shell::Part<'_>]) -> bool {
    parts.iter().zip(&parts[1..]).all(|(part, next)| {
        let program = next.program().0;
        part.joint == Joint::Pipe && (PASSING.has(program) || CLIPPING.has(program))
    })
}

/// Whether a part only looks, prepares or passes output on.
fn is_idle(part: &str) -> bool {
    let program = shell::words(bare(part)).first().copied().unwrap_or_default();
    program.is_empty()
        || program == "tee"
        || PREPARING.has(program)
        || shell::does_nothing(bare(part))
}

impl CommandStep {
    fn whole(command: &str, within: &Folder) -> Self {
        let text = on_one_line(command);
        Self {
            run: text.clone(),
            text,
            within: within.clone(),
            version: None,
            selection: Selection::default(),
            is_check: aim::is_check(command),
            is_told: true,
            aside: None,
        }
    }

    fn of(feed: &str, part: &str, is_check: bool, place: (&Folder, &str)) -> Self {
        let bare = bare(part);
        let mut words = shell::words(bare);
        let mut version = None;
        let mut selection = Selection::default();
        if is_check {
            let program = Program::of(&words);
            version = program.version.map(str::to_owned);
            (words, selection) = words::selected(&program, place);
        } else {
            let target = shell::redirection(part).map_or("", |at| &part[at..]);
            words.pop_if(|last| *last == "--");
            words.extend(shell::words(target).into_iter().filter(|word| !is_no_target(word)));
        }
        let mut step = Self {
            text: format!("{feed}{}", on_one_line(bare)),
            run: format!("{feed}{}", words.join(" ")),
            within: place.0.clone(),
            version,
            selection,
            is_check,
            is_told: true,
            aside: None,
        };
        // A word behind the one that makes it a check may be a folder.
        step.selection.is_beside = step.parted().1.iter().any(|place| *place != "run");
        step
    }

    /// What it runs, without what it selects. Only steps with the same text can cover each other.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Whether this step ran everything that another one did, if its command went well.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.is_told
            && (self.is_check, &self.run) == (other.is_check, &other.run)
            && self.has_version_of(other)
            && self.within == other.within
            && self.selection.includes(&other.selection)
    }

    /// Whether the interpreter of a check may be that of another one.
    fn has_version_of(&self, other: &Self) -> bool {
        let versions = self.version.as_ref().zip(other.version.as_ref());
        versions.is_none_or(|(one, other)| one == other)
    }

    /// Whether this check selects all of the `tests` that failed in another one.
    pub(crate) fn selects(&self, tests: &[&str], other: &Self) -> bool {
        if tests.is_empty() || !(self.is_told && self.is_check && other.is_check) {
            return false;
        }
        let is_others = |word: &str| other.run.split(' ').any(|it| it == word);
        let mut own = self.run.split(' ').filter(|word| !is_others(word));
        let mut leaves_out = || own.any(words::selects_less);
        // What a flag of the other one says may hold for its failed tests.
        let mut flags = other.run.split(' ').filter(|word| word.starts_with('-'));
        let has_flags = flags.all(|flag| self.run.split(' ').any(|word| word == flag));
        let (program, mut places) = self.parted();
        let (other_program, mut other_places) = other.parted();
        // Without a package, Go checks the one in the folder.
        let is_all = other_places.is_empty() && self.selection.packages().is_empty();
        places.extend(self.selection.packages().iter().map(String::as_str));
        other_places.extend(other.selection.packages().iter().map(String::as_str));
        let is_within = |place: &&str| {
            let mut around = other_places.iter().map(|it| it.trim_end_matches(['.', '/']));
            let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
            is_all || around.any(|it| it.is_empty() || place.strip_prefix(it).is_some_and(is_below))
        };
        (&self.within, program) == (&other.within, other_program)
            && self.has_version_of(other)
            && has_flags
            && places.iter().all(is_within)
            && !leaves_out()
            && !self.selection.is_plain()
            && tests.iter().all(|test| self.selection.picks_test(test))
    }

    /// The words that are no flags and select nothing: up to the one that makes it a check, and behind that.
    fn parted(&self) -> (Vec<&str>, Vec<&str>) {
        let words = self.run.split(' ');
        let mut program: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
        let cue = program.iter().position(|word| aim::is_cue(word));
        let places = program.split_off(cue.map_or(program.len(), |at| at + 1));
        (program, places)
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
}

/// Whether a word behind a redirection names no file.
fn is_no_target(word: &str) -> bool {
    word.ends_with("/dev/null") || word.trim_matches(['>', '&', '1', '2']).is_empty()
}

#[cfg(test)]
mod tests;
