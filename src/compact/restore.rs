//! Restoring recently read files behind the summary.
//!
//! Responsible for the choice: the newest readings among the summarised messages, each file once, and no file
//! that was changed later or that kept messages still show. As in Claude Code: five files, 5k tokens
//! each, 50k in all; and never more than a fifth of the room.

use std::collections::HashSet;

use crate::conversation::Role;
use crate::digest::{does, range_asked};
use crate::draft::NewMessage;
use crate::marks;
use crate::redact::{Secrets, without};
use crate::subject::Subject;
use crate::truncate::cut::{self, Limit, Measure};

/// The most tokens of one file.
const FILE: usize = 5_000;
/// The most tokens of all files.
const ALL: usize = 50_000;
/// The fewest tokens of a file that are worth restoring.
const LEAST: usize = 64;
/// One part in this many of the room that the files may take.
pub const SHARE: usize = 5;

/// The files that are restored.
pub struct Restored<'a> {
    /// The message that holds the files.
    pub message: NewMessage<'a>,
    /// The paths of the files, in the order of the message.
    pub paths: Vec<String>,
    /// The messages in which the files were read.
    pub readings: Vec<usize>,
}

/// Up to `files` restored files, with `secrets` masked; `None` if there is none to restore.
pub fn recent_files<'a>(
    subject: &Subject<'_, 'a>,
    kept: &[bool],
    files: usize,
    room: usize,
    secrets: Option<&Secrets>,
) -> Option<Restored<'a>> {
    let messages = &subject.conversation.messages;
    let mut left = (room / SHARE).min(ALL);
    let mut known: HashSet<String> = HashSet::new();
    let mut changed = Changed::default();
    let (mut texts, mut paths): (Vec<String>, Vec<String>) = Default::default();
    let mut readings = Vec::new();
    for &(call, result) in subject.pairs.calls.iter().rev() {
        if texts.len() == files || left < LEAST {
            break;
        }
        let Some(result) = result else { continue };
        let part = &messages[call.0].parts[call.1];
        let answer = &messages[result.0].parts[result.1];
        let does = does(part);
        // A command that failed may have changed a file before it failed.
        if !answer.is_error || does.command.is_some() {
            does.changes.iter().for_each(|path| changed.add(path));
        }
        if answer.is_error {
            continue;
        }
        let [path] = does.reads.as_slice() else { continue };
        let is_new = known.insert(path.clone()) && !changed.may_hold(path);
        if !is_new || kept[result.0] {
            continue;
        }
        let asked = range_asked(part);
        let frame = subject.meter.text(&marks::restored(path, &asked, "")) + 2;
        let most = FILE.min(left).saturating_sub(frame);
        let text = answer.text();
        let says = !marks::is_placeholder(&text) && !text.trim().is_empty();
        // Marks of ours in its text would end the file there when it is read back.
        if most < LEAST || !says || marks::may_close_restored(&text) {
            continue;
        }
        let text = without(secrets, text);
        let limit = Limit { measure: Measure::Tokens, most, head_share: 0.5 };
        let text = cut::cut(&text, &limit, subject.meter).unwrap_or_else(|| text.into_owned());
        let file = marks::restored(path, &asked, &text);
        let tokens = subject.meter.text(&file) + 2;
        if tokens > left {
            continue;
        }
        left -= tokens;
        texts.push(file);
        paths.push(path.clone());
        readings.push(result.0);
    }
    texts.reverse();
    paths.reverse();
    let message = || NewMessage::text(Role::User, texts.join("\n"));
    (!texts.is_empty()).then(|| Restored { message: message(), paths, readings })
}

/// The paths of changed files. A shell names a file relative to its own directory, so paths compare by their
/// ends too.
#[derive(Default)]
struct Changed {
    /// The paths as they were named.
    paths: HashSet<String>,
    /// The text behind each slash of each path.
    ends: HashSet<String>,
}

impl Changed {
    fn add(&mut self, path: &str) {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        self.ends.extend(ends(path).map(str::to_owned));
        self.paths.insert(path.to_owned());
    }

    /// Whether a file may be one that a change named, or lie in a folder that it named.
    fn may_hold(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        let is_named = |path: &str| self.paths.contains(path);
        // An empty path is the shell's own folder or the root.
        is_named("")
            || holders(path).any(is_named)
            || ends(path).flat_map(holders).any(|path| !path.starts_with('/') && is_named(path))
            || self.ends.contains(path)
    }
}

/// The text behind each slash of a path.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[at + 1..])
}

/// A path and each folder in it.
fn holders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain([path])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_may_be_named_from_elsewhere() {
        let may_be_in = |path: &str, named: &str| {
            let mut changed = Changed::default();
            changed.add(named);
            changed.may_hold(path)
        };
        for changed in
            ["/w/src/a.rs", "a.rs", "./src/a.rs", "src", "/w/src", "w", "src/a.rs", "./", "/"]
        {
            assert!(may_be_in("/w/src/a.rs", changed), "{changed}");
        }
        assert!(may_be_in("src/a.rs", "/w/src/a.rs"));
        for changed in ["/w/src/a.r", "b.rs", "rs", "/src", "/x/a.rs", "x/w/src/a.rs"] {
            assert!(!may_be_in("/w/src/a.rs", changed), "{changed}");
        }
    }
}
