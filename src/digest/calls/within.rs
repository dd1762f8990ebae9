//! In which folder each command runs.
//!
//! Responsible for telling a check in one folder from the same words in another. It relies on what calls and
//! results say, and on where earlier calls went: some tools keep one shell, in others each call begins where
//! the session does. Where that is unknown and makes a difference, the run counts as different from every
//! other, and no folder is told.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::course::Course;
use super::folder::{Folder, quoted};
use super::outcome::goes_nowhere;
use super::{Call, aim, commands};
use crate::conversation::{Conversation, Place};
use crate::digest::files::paths::{self, is_fixed, joined, slashed};

/// What a call says of folders.
#[derive(Debug)]
pub(super) struct Way {
    /// The folder in which the call's shell begins, and whether an argument names it.
    pub(super) around: Option<Box<str>>,
    pub(super) names_it: bool,
    pub(super) course: Course,
    /// The folder that its result says the shell stands in now.
    pub(super) left_in: Option<Box<str>>,
}

impl Way {
    /// The value for a call that says nothing of folders.
    pub(super) const NONE: Self =
        Self { around: None, names_it: false, course: Course::stays(), left_in: None };
}

/// How tools tell, behind the output of a command, where their shell stands now: the text before the folder and
/// behind it.
const STANDING: &[(&str, &str)] = &[
    ("[Current working directory: ", "]"),
    ("(Current directory: ", ")"),
    ("Shell cwd was reset to ", ""),
];

/// Within how many of the last lines the folder is told.
const FOOT: usize = 4;

/// The folder that a result says its shell stands in.
pub(super) fn left_in(result: &str) -> Option<Box<str>> {
    result.lines().rev().take(FOOT).find_map(|line| {
        let mut between =
            STANDING.iter().filter_map(|(begin, end)| line.strip_prefix(begin)?.strip_suffix(end));
        between.next().map(Into::into)
    })
}

/// What a tool does with its shell between calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Habit {
    Keeps,
    Renews,
    Unsure,
}

/// What is told instead of an unknown folder.
const UNKNOWN: &str = "to an unknown folder";

/// The folder in which the session began: the one that an earlier digest tells, or else the one in its log.
pub(crate) fn home(conversation: &Conversation<'_>, told: Option<String>) -> String {
    let home = told.or_else(|| paths::folder(conversation)).unwrap_or_default();
    home.trim_end_matches('/').to_owned()
}

/// The folder in which a shell stands at a part: some logs tell it with each line.
pub(super) fn around<'a>(conversation: &Conversation<'a>, part: Place) -> Option<Cow<'a, str>> {
    let message = &conversation.messages[part.0];
    let part = message.parts.get(part.1)?.json;
    let units = || message.units.iter().map(|unit| conversation.source.units[*unit].json);
    // The shell may have moved between the lines of a message.
    let line = units().find(|line| line.holds(part)).or_else(|| units().next())?;
    Some(slashed(&line.str_member("cwd")?).into_owned().into())
}

/// Determines the folder of each command, as seen from the one in which the session began. `left` is the folder
/// in which an earlier digest says that the last shell stood.
pub(super) fn tell_apart(
    conversation: &Conversation<'_>,
    (home, left): (&str, Option<&str>),
    calls: &mut [Call],
) {
    let is_anew = left.is_none();
    let left = match left {
        // This unknown folder must differ from every other.
        Some(UNKNOWN) => Folder::lost(usize::MAX),
        left => Folder::at(joined(home, left.unwrap_or_default())),
    };
    // Agents that write logs begin each shell anew, or log where it stands.
    let is_log = conversation.dialect.is_log();
    let habits = if is_log { HashMap::new() } else { habits(calls, &left) };
    // `(stands, last)` of each tool: where its shell stands if it keeps its folder, and where the last call
    // that went somewhere ended if each call begins anew.
    let mut standing: HashMap<Box<str>, (Folder, Folder)> = HashMap::new();
    // The folder in which each command's shell began, if that is certain.
    let mut began: Vec<Option<Folder>> = vec![None; calls.len()];
    let is_relied_on =
        calls.iter().any(|call| may_be_run_again(call) && !call.way().course.is_fixed());
    // After a compaction, such a log seems to begin where the shell stands by then.
    let mut said = (0..conversation.messages.len()).filter_map(|at| around(conversation, (at, 0)));
    let is_said = said.any(|folder| folder.trim_end_matches('/') != home);
    // If the session's folder is unknown, the first shell began there, provided that it goes nowhere.
    let first = calls.iter().find(|call| call.command.is_some()).filter(|_| home.is_empty());
    let first = first.filter(|call| is_anew && call.way().course == Course::stays());
    let origin = first.and_then(|call| call.way().left_in.as_deref()).map(Folder::at);
    let begins = Folder::at(home);
    for (now, call) in (1..).zip(calls.iter_mut()).filter(|(_, call)| call.command.is_some()) {
        let habit = habits.get(&call.tool).copied().unwrap_or(Habit::Renews);
        let (stands, last) =
            standing.entry(call.tool.clone()).or_insert_with(|| (left.clone(), left.clone()));
        let around = call.way().around.as_deref().map(|folder| begins.gone(Some(folder), now));
        let new = if habit == Habit::Keeps { stands.clone() } else { begins.clone() };
        let old = if habit == Habit::Renews { begins.clone() } else { stands.clone() };
        let (old, new) = around.map_or((old, new), |around| (around.clone(), around));
        let runs_in = call.way().course.runs_in.as_deref();
        let runs_in = |from: &Folder| from.gone(runs_in, now).seen_from(home);
        call.within = runs_in(&old).either(&runs_in(&new));
        *stands = behind(&old, call, now);
        if call.way().course != Course::stays() {
            *last = behind(&new, call, now);
        }
        let is_there = *stands == begins || origin.as_ref() == Some(stands);
        let is_kept = habit != Habit::Renews && call.way().around.is_none() && !is_there;
        let is_sure = habit != Habit::Unsure || stands == last;
        let path = stands.path().filter(|_| is_sure).unwrap_or(UNKNOWN);
        call.stands = Some(path.into()).filter(|_| is_kept || is_relied_on && is_said);
        began[now - 1] = Some(new).filter(|new| *new == old);
    }
    tell(home, &began, calls);
    for call in calls {
        call.way = None;
    }
}

/// Adds `cd …` to commands whose shell stands elsewhere and whose text names no whole path: to checks and
/// failed commands, which may run again elsewhere, and to commands that ran in several folders.
fn tell(home: &str, began: &[Option<Folder>], calls: &mut [Call]) {
    let identity = |call: &Call| call.command.as_deref().map(commands::identity);
    let mut folders: HashMap<String, (&Folder, bool)> = HashMap::new();
    for call in calls.iter() {
        let Some(identity) = identity(call) else { continue };
        let (first, are_several) = folders.entry(identity).or_insert((&call.within, false));
        *are_several |= **first != call.within;
    }
    let several: HashSet<String> =
        folders.into_iter().filter(|(_, (_, are))| *are).map(|(identity, _)| identity).collect();
    for (call, began) in calls.iter_mut().zip(began) {
        let folder = began.as_ref().map(|began| began.seen_from(home));
        let Some(folder) = folder.as_ref().and_then(Folder::told) else { continue };
        let is_wanted = may_be_run_again(call)
            || identity(call).is_some_and(|identity| several.contains(&identity));
        let is_wanted = is_wanted && !call.way().course.is_fixed();
        if let Some(command) = call.command.as_mut().filter(|_| is_wanted) {
            *command = format!("cd {} && {command}", quoted(folder)).into();
        }
    }
}

/// Whether a call is a check or failed, so that another run may end differently.
fn may_be_run_again(call: &Call) -> bool {
    call.command.as_deref().is_some_and(|it| call.outcome.failed || aim::is_check(it))
}

/// Determines what each tool does with its shell. A call that only changes the folder shows that the shell
/// keeps it; a call that enters a folder from inside it shows that each call begins anew.
fn habits(calls: &[Call], left: &Folder) -> HashMap<Box<str>, Habit> {
    struct Known {
        habit: Habit,
        stands: Folder,
        /// The folders that were entered, by the words that went there.
        entered: HashMap<String, Vec<Folder>>,
    }
    let mut known: HashMap<Box<str>, Known> = HashMap::new();
    for (now, call) in (1..).zip(calls).filter(|(_, call)| call.command.is_some()) {
        let tool = known.entry(call.tool.clone()).or_insert_with(|| Known {
            habit: Habit::Unsure,
            stands: left.clone(),
            entered: HashMap::new(),
        });
        if tool.habit == Habit::Renews {
            continue;
        }
        let Way { names_it, course, left_in, .. } = call.way();
        let went = !has_not_gone(call);
        let to = if course.only_goes { &course.leaves_in } else { &course.runs_in };
        let to = to.as_deref().filter(|to| went && is_inner(to));
        let is_inside = |place: &Folder| tool.stands.is_within(place);
        let is_again = to.is_some_and(|to| {
            tool.entered.get(to).is_some_and(|places| places.iter().any(is_inside))
        });
        if *names_it || is_again {
            tool.habit = Habit::Renews;
        } else if tool.habit == Habit::Unsure && (left_in.is_some() || course.only_goes && went) {
            tool.habit = Habit::Keeps;
        }
        if let Some(to) = to {
            tool.entered.entry(to.to_owned()).or_default().push(tool.stands.gone(Some(to), now));
        }
        tool.stands = behind(&tool.stands, call, now);
    }
    known.into_iter().map(|(tool, known)| (tool, known.habit)).collect()
}

/// Whether a folder is relative and lies below the current one.
fn is_inner(folder: &str) -> bool {
    !folder.is_empty() && !folder.starts_with("..") && !is_fixed(folder)
}

/// Where a shell that keeps its folder stands after a call.
fn behind(from: &Folder, call: &Call, now: usize) -> Folder {
    let course = &call.way().course;
    match &call.way().left_in {
        Some(folder) => Folder::at(&**folder),
        None if has_not_gone(call) => from.clone(),
        None if call.outcome.failed && !course.is_settled => Folder::lost(now),
        None => from.gone(course.leaves_in.as_deref(), now),
    }
}

/// Whether a call did not get to the folder that it names.
fn has_not_gone(call: &Call) -> bool {
    let line = call.outcome.line.as_deref().filter(|_| call.outcome.failed);
    call.outcome.never_ran() || line.is_some_and(goes_nowhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_says_where_its_shell_stands() {
        for (line, wanted) in [
            ("[Current working directory: /w/app (copy)]", Some("/w/app (copy)")),
            ("Shell cwd was reset to /w/[a]", Some("/w/[a]")),
            ("[1 Current working directory: /w]", None),
        ] {
            assert_eq!(left_in(line).as_deref(), wanted, "{line}");
        }
    }
}
