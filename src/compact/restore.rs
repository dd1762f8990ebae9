//! Files that were read lately, put back behind the summary.
//!
//! Responsible for which: the newest readings in what is summarised, each file once, none that was
//! changed afterwards or that the kept messages still show. Constants as the seeds have them: five
//! files, 5k tokens each, 50k in all, and never more than a fifth of what there is room for.

use std::collections::HashSet;

use crate::conversation::Role;
use crate::digest::{does, range_asked};
use crate::draft::NewMessage;
use crate::marks;
use crate::redact::{Secrets, without};
use crate::subject::Subject;
use crate::truncate::cut::{self, Limit, Measure};

/// Most tokens of one file.
const FILE: usize = 5_000;
/// Most tokens of all files.
const ALL: usize = 50_000;
/// Fewest tokens of a file that say something.
const LEAST: usize = 64;
/// Part of the room that they may take.
const SHARE: usize = 5;

/// Files that are put back.
pub struct Restored<'a> {
    /// The message that holds them.
    pub message: NewMessage<'a>,
    /// Their paths, in its order.
    pub paths: Vec<String>,
}

/// Up to `files` files, or `None` where there is none to restore; `secrets` are masked in them.
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
    for &(call, result) in subject.pairs.calls.iter().rev() {
        if texts.len() == files || left < LEAST {
            break;
        }
        let Some(result) = result else { continue };
        let part = &messages[call.0].parts[call.1];
        let answer = &messages[result.0].parts[result.1];
        let does = does(part);
        // A command that failed in the end may have changed a file before.
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
        // Read back, what it holds of such marks would end the file there.
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
    }
    texts.reverse();
    paths.reverse();
    let message = || NewMessage::text(Role::User, texts.join("\n"));
    (!texts.is_empty()).then(|| Restored { message: message(), paths })
}

/// What was changed: a shell names it from where it stands.
#[derive(Default)]
struct Changed {
    /// As it was named.
    paths: HashSet<String>,
    /// What stands behind each of its slashes.
    ends: HashSet<String>,
}

impl Changed {
    fn add(&mut self, path: &str) {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        self.ends.extend(ends(path).map(str::to_owned));
        self.paths.insert(path.to_owned());
    }

    /// Whether a file may be what a change named, or be in it.
    fn may_hold(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        let is_named = |path: &str| self.paths.contains(path);
        // The folder that a shell stands in, or the root, has no name left.
        is_named("")
            || holders(path).any(is_named)
            || ends(path).flat_map(holders).any(|path| !path.starts_with('/') && is_named(path))
            || self.ends.contains(path)
    }
}

/// What stands behind each slash of a path.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[at + 1..])
}

/// A path, and the folders that it names.
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
