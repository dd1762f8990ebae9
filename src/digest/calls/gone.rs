//! Files that git says are gone, whoever deleted them.
//!
//! Responsible for telling it of those that calls before had named. Git tells a path from the root of its
//! repository or from where its shell stands, which is a folder above the file and above the shell.

use std::collections::HashMap;

use super::{Call, within};
use crate::conversation::Conversation;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// What stands before the name of such a file: in what a commit prints, and in a status.
const GONE: &[&str] = &["delete mode 100644 ", "delete mode 100755 ", "deleted:    "];

/// Enters with each command of git the files that it says are gone.
pub(super) fn heed(conversation: &Conversation<'_>, calls: &mut [Call]) {
    let named: Vec<(usize, Vec<String>)> =
        (0..calls.len()).filter_map(|at| Some((at, gone(conversation, &calls[at])?))).collect();
    if named.is_empty() {
        return;
    }
    // Where each file of a name was changed.
    let mut changed: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (at, call) in calls.iter().enumerate() {
        let touches = call.touches.iter().enumerate().filter(|(_, touch)| touch.deed.changes());
        for (number, touch) in touches {
            let name = paths::name(&touch.path).to_owned();
            changed.entry(name).or_default().push((at, number));
        }
    }
    for (at, names) in named {
        let call = &calls[at];
        let stands = within::around(conversation, call.place).map(|it| it.into_owned());
        let stands = stands.or_else(|| paths::folder(conversation)).unwrap_or_default();
        let command = call.command.as_deref().unwrap_or_default();
        let is_above = |folder: &str| {
            folder.is_empty() || stands.starts_with(folder) || command.contains(folder)
        };
        let is_it = |path: &str, name: &str| {
            let folder = path.strip_suffix(name).map(|it| it.strip_suffix('/').unwrap_or(it));
            folder.is_some_and(|folder| is_above(folder) && folder.len() + name.len() < path.len())
                || path == name
        };
        let last = |name: &String| {
            let places = changed.get(paths::name(name))?.iter().rev();
            let mut touches = places
                .filter(|place| place.0 <= at)
                .map(|&(at, number)| &calls[at].touches[number]);
            touches.find(|touch| is_it(&touch.path, name))
        };
        let gone = names.iter().filter_map(last).filter(|touch| touch.deed != Deed::Deleted);
        let gone: Vec<Touch> =
            gone.map(|touch| Touch::new(&touch.path, Deed::Deleted, Vec::new())).collect();
        for touch in gone {
            let places = changed.entry(paths::name(&touch.path).to_owned()).or_default();
            let behind = places.partition_point(|place| place.0 <= at);
            places.insert(behind, (at, calls[at].touches.len()));
            calls[at].touches.push(touch);
        }
    }
}

/// The files that what a command of git printed says are gone, as it tells them; none where it tells of none.
fn gone(conversation: &Conversation<'_>, call: &Call) -> Option<Vec<String>> {
    let command = call.command.as_deref().filter(|it| it.contains("git "))?;
    let tells = command.contains("commit") || command.contains("status");
    let (at, index) = call.result.filter(|_| tells && call.outcome.went_well())?;
    let text = conversation.messages[at].parts[index].text();
    let lines = text.lines().map(str::trim);
    let gone = lines.filter_map(|line| GONE.iter().find_map(|it| line.strip_prefix(it)));
    let gone: Vec<String> = gone.map(str::to_owned).collect();
    (!gone.is_empty()).then_some(gone)
}
