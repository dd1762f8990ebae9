//! Files that git says are gone, whoever deleted them.
//!
//! Responsible for telling it of those that calls before had named. Git tells a path from the root of its
//! repository or from where its shell stands, which is a folder above the file and above the shell.

use super::{Call, within};
use crate::conversation::{Conversation, Part};
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// What stands before the name of such a file: in what a commit prints, and in a status.
const GONE: &[&str] = &["delete mode 100644 ", "delete mode 100755 ", "deleted:    "];

/// Enters with each command of git the files that it says are gone.
pub(super) fn heed(conversation: &Conversation<'_>, calls: &mut [Call]) {
    let told = |command: &str| {
        command.contains("git ") && (command.contains("commit") || command.contains("status"))
    };
    for at in 0..calls.len() {
        let call = &calls[at];
        let Some(command) = call.command.as_deref().filter(|it| told(it)) else { continue };
        let Some(answer) = call.result.filter(|_| call.outcome.went_well()) else { continue };
        let part: &Part<'_> = &conversation.messages[answer.0].parts[answer.1];
        let text = part.text();
        let gone = text.lines().map(str::trim);
        let gone = gone.filter_map(|line| GONE.iter().find_map(|it| line.strip_prefix(it)));
        let gone: Vec<&str> = gone.collect();
        if gone.is_empty() {
            continue;
        }
        let stands = within::around(conversation, call.place).map(|it| it.into_owned());
        let stands = stands.or_else(|| paths::folder(conversation)).unwrap_or_default();
        let is_above = |folder: &str| {
            folder.is_empty() || stands.starts_with(folder) || command.contains(folder)
        };
        let last = |name: &&str| {
            let is_it = |touch: &&Touch| {
                let folder = touch.path.strip_suffix(name).and_then(|it| match it {
                    "" => Some(it),
                    _ => it.strip_suffix('/'),
                });
                touch.deed.changes() && folder.is_some_and(is_above)
            };
            calls[..=at].iter().rev().find_map(|call| call.touches.iter().rev().find(is_it))
        };
        let gone = gone.iter().filter_map(last).filter(|touch| touch.deed != Deed::Deleted);
        let gone: Vec<Touch> =
            gone.map(|touch| Touch::new(&touch.path, Deed::Deleted, Vec::new())).collect();
        calls[at].touches.extend(gone);
    }
}
