//! In which folder each command runs.
//!
//! Responsible for telling a check in one folder from the same words in another. It relies on what calls and
//! results say, and on where earlier calls went. A tool that enters a folder again begins each call anew. Any
//! other tool may keep its shell: where a call went on the way, nobody knows where the next one begins. A run in
//! an unknown folder counts as different from every other, and no folder is told.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::course::Course;
use super::folder::{Folder, quoted};
use super::outcome::goes_nowhere;
use super::{Call, aim};
use crate::conversation::{Conversation, Place};
use crate::digest::files::paths::{self, is_fixed, joined, slashed};

/// What a call says of folders.
#[derive(Debug)]
pub(super) struct Way {
    /// The folder in which the call's shell begins.
    pub(super) around: Option<Box<str>>,
    pub(super) course: Course,
    /// The folder that its result says the shell stands in now.
    pub(super) left_in: Option<Box<str>>,
}

impl Way {
    /// The value for a call that says nothing of folders.
    pub(super) const NONE: Self = Self { around: None, course: Course::stays(), left_in: None };
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
    let left = match left {
        // This unknown folder must differ from every other.
        Some(UNKNOWN) => Folder::lost(usize::MAX),
        left => Folder::at(joined(home, left.unwrap_or_default())),
    };
    // If the session's folder is unknown, the first shell began there, provided that it goes nowhere.
    let first = calls.iter().find(|call| call.command.is_some()).filter(|_| home.is_empty());
    let first = first.filter(|call| call.way().course == Course::stays());
    let origin = first.and_then(|call| call.way().left_in.as_deref().map(str::to_owned));
    let home = origin.as_deref().unwrap_or(home);
    // Agents that write logs begin each shell anew, or log where it stands.
    let may_keep = !conversation.dialect.is_log();
    let begins = Folder::at(home);
    let renewing = renewing(calls);
    let mut standing: HashMap<Box<str>, Folder> = HashMap::new();
    for (now, call) in (1..).zip(calls.iter_mut()).filter(|(_, call)| call.command.is_some()) {
        let way = call.way.take().unwrap_or_else(|| Box::new(Way::NONE));
        let Way { around, course, left_in } = &*way;
        let stands = standing.entry(call.tool.clone()).or_insert_with(|| left.clone());
        let from = match around {
            Some(around) => begins.gone(Some(around), now),
            None if may_keep => stands.clone(),
            None => begins.clone(),
        };
        call.within = from.gone(course.runs_in.as_deref(), now).seen_from(home);
        if let Some(folder) = left_in {
            *stands = Folder::at(&**folder);
        } else if may_keep && around.is_none() && !has_not_gone(call) {
            // Going back to where it began, or to a whole path, leads there wherever the shell stood.
            let leads = |to: &&str| course.only_goes || to.is_empty() || is_fixed(to);
            let to = course.leaves_in.as_deref().filter(leads);
            if course.only_goes || to == Some("") || !renewing.contains(&call.tool) {
                *stands = from.gone(to, now);
            }
        }
        call.stands = (*stands != begins).then(|| stands.path().unwrap_or(UNKNOWN).into());
        // A check or a failed command may run again elsewhere.
        let folder = from.seen_from(home);
        let folder = folder.told().filter(|_| may_be_run_again(call) && !course.is_fixed());
        if let (Some(folder), Some(command)) = (folder, &mut call.command) {
            *command = format!("cd {} && {command}", quoted(folder)).into();
        }
    }
    for call in calls {
        call.way = None;
    }
}

/// The tools that begin each call anew: those that enter the same folder again on the way to something else.
fn renewing(calls: &[Call]) -> HashSet<Box<str>> {
    let mut entered: HashSet<(&str, &str)> = HashSet::new();
    let mut found = HashSet::new();
    for call in calls {
        let course = &call.way().course;
        let to = course.runs_in.as_deref().filter(|to| !to.is_empty() && !course.only_goes);
        if to.is_some_and(|to| !is_fixed(to) && !entered.insert((&call.tool, to))) {
            found.insert(call.tool.clone());
        }
    }
    found
}

/// Whether a call is a check or failed, so that another run may end differently.
fn may_be_run_again(call: &Call) -> bool {
    call.command.as_deref().is_some_and(|it| call.outcome.failed || aim::is_check(it))
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
