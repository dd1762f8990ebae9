//! Files that git says are gone, whoever deleted them.
//!
//! Responsible for marking those that earlier calls had changed. Git tells paths relative to the root of its
//! repository, so a file is only identified if the shell stands there, or if no other one can be meant.

use std::collections::HashMap;

use super::Call;
use super::shell::{self, git};
use crate::conversation::Conversation;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// The text before the name of a deleted file: in the output of a commit, of a status, and of a clean.
const IN_COMMIT: &[&str] = &["delete mode 100644 ", "delete mode 100755 "];
const IN_STATUS: &[&str] = &["deleted:    "];
const IN_CLEAN: &[&str] = &["Removing "];

/// Enters with each git command the files that it says are gone. `home` is the folder in which the session
/// began.
pub(super) fn heed(conversation: &Conversation<'_>, home: &str, calls: &mut [Call]) {
    let named: Vec<(usize, Vec<String>)> =
        (0..calls.len()).filter_map(|at| Some((at, gone(conversation, &calls[at])?))).collect();
    if named.is_empty() {
        return;
    }
    // The changes to files, by the files' names.
    let mut changed: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (at, call) in calls.iter().enumerate() {
        let touches = call.touches.iter().enumerate().filter(|(_, touch)| touch.deed.changes());
        for (number, touch) in touches {
            let name = paths::name(&touch.path).to_owned();
            changed.entry(name).or_default().push((at, number));
        }
    }
    for (at, names) in named {
        let stands = calls[at].within.below(home);
        let is_it = |path: &str, name: &str| {
            let folder = path.strip_suffix(name).and_then(|folder| folder.strip_suffix('/'));
            path == name || folder.is_some_and(|folder| stands.is_empty() || folder == stands)
        };
        let last = |name: &String| {
            let places = changed.get(paths::name(name))?.iter().rev();
            let mut touches = places
                .filter(|place| place.0 <= at)
                .map(|&(at, number)| &calls[at].touches[number]);
            let last = touches.find(|touch| is_it(&touch.path, name))?;
            // Where nobody knows the folder, another file may have the name.
            let is_only = |touch: &Touch| touch.path == last.path || !is_it(&touch.path, name);
            (!stands.is_empty() || touches.all(is_only)).then_some(last)
        };
        // Git tells a move as a deletion until the file's new place is staged.
        let is_known = |touch: &&Touch| matches!(touch.deed, Deed::Deleted | Deed::Moved);
        let gone = names.iter().filter_map(last).filter(|touch| !is_known(touch));
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

/// The paths that the output of a git command says are gone. `None` if there are none, or if the command does
/// something else afterwards.
fn gone(conversation: &Conversation<'_>, call: &Call) -> Option<Vec<String>> {
    let command =
        call.command.as_deref().filter(|it| it.contains("git ") && !it.contains("--cached"))?;
    let command = shell::unshown(command);
    let last = shell::parts(command).pop()?;
    let marks = match git::verb(last.text)? {
        "commit" => IN_COMMIT,
        "status" => IN_STATUS,
        "clean" => IN_CLEAN,
        _ => return None,
    };
    let result = call.result.filter(|_| call.outcome.went_well())?;
    let text = conversation.part(result).text();
    let lines = text.lines().map(str::trim);
    let gone = lines.filter_map(|line| marks.iter().find_map(|it| line.strip_prefix(it)));
    let gone: Vec<String> = gone.map(str::to_owned).collect();
    (!gone.is_empty()).then_some(gone)
}
