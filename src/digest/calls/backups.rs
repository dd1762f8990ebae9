//! Files that are put back without git: from a copy that was made of them, or by an editor that undoes an edit.
//!
//! Responsible for telling what that takes back. It relies on the calls in their order, and on a copy being what
//! its file was: where edits between are not known line by line, only what git would put back is known as well.

use std::collections::HashMap;

use super::{Call, shell};
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::edit::Edit;

/// Where a touch stands: the number of its call, and its own.
type At = (usize, usize);

/// Takes back what was undone; `is_continued` says that files may have been changed before the first call.
pub(super) fn put_back(calls: &mut [Call], is_continued: bool) {
    let all = || calls.iter().flat_map(|call| &call.touches);
    let undoes = |call: &Call| call.command.is_none() && call.deed == Deed::Reverted;
    if !all().any(|touch| touch.copy_of.is_some()) && !calls.iter().any(undoes) {
        return;
    }
    // Each copy by its path, with the file that it is one of.
    let mut copies: HashMap<Box<str>, (Box<str>, At)> = HashMap::new();
    let mut edits: HashMap<Box<str>, Vec<At>> = HashMap::new();
    // What changed each file.
    let mut made: HashMap<Box<str>, Vec<At>> = HashMap::new();
    let mut kept = None;
    let mut gone: Vec<At> = Vec::new();
    for at in 0..calls.len() {
        let keeps = calls[at].command.as_deref().and_then(shell::keeps).is_some();
        let past = Past { kept: if keeps { kept.replace(at) } else { kept }, is_continued };
        if !calls[at].outcome.may_have_gone_well() {
            continue;
        }
        for number in 0..calls[at].touches.len() {
            let touch = calls[at].touches[number].clone();
            let now = (at, number);
            let copy = touch.copy_of.as_ref().filter(|_| touch.deed == Deed::Created);
            let from = if touch.deed == Deed::Moved { Some(&touch.path) } else { copy };
            let to = if touch.deed == Deed::Moved { touch.to.as_ref() } else { Some(&touch.path) };
            let known = from.and_then(|from| copies.get(from)).filter(|(of, _)| Some(of) == to);
            if let Some((of, since)) = known.cloned() {
                let made_of = made.get(&of).map_or(&[][..], Vec::as_slice);
                let back = past.taken_back(calls, &of, since, made_of);
                if touch.deed == Deed::Moved {
                    // Nothing is left of the copy, nor was the file made.
                    copies.remove(&touch.path);
                    gone.push(since);
                    let made = calls[at]
                        .touches
                        .iter()
                        .position(|it| it.deed == Deed::Created && it.path == of);
                    gone.extend(made.map(|made| (at, made)));
                }
                match back {
                    Some(back) => calls[at].touches[number] = back,
                    None => gone.push(now),
                }
            } else if calls[at].command.is_none() && touch.deed == Deed::Reverted {
                let last = edits.get_mut(&touch.path).and_then(Vec::pop);
                let last = last.map(|(call, number)| &calls[call].touches[number]);
                if let Some(back) = last.and_then(|last| inverse(std::iter::once(last))) {
                    calls[at].deed = Deed::Edited;
                    calls[at].touches[number] = Touch::new(&touch.path, Deed::Edited, back);
                }
            } else if touch.deed.changes() {
                copies.remove(&touch.path);
                if let Some(of) = copy.filter(|_| is_backup(&touch.path)) {
                    copies.insert(touch.path.clone(), (of.clone(), now));
                }
                if calls[at].command.is_none() {
                    edits.entry(touch.path.clone()).or_default().push(now);
                }
            }
            let touch = &calls[at].touches[number];
            if touch.deed.changes() {
                made.entry(touch.path.clone()).or_default().push(now);
            }
        }
    }
    gone.sort_unstable();
    for (call, number) in gone.into_iter().rev() {
        calls[call].touches.remove(number);
    }
}

/// Whether a file has the name of a copy that is kept to put it back.
fn is_backup(path: &str) -> bool {
    const ENDS: &[&str] = &["bak", "backup", "orig", "old", "save", "tmp"];
    let end = path.rsplit(['.', '_', '-']).next().unwrap_or_default();
    ENDS.contains(&end)
        || path.ends_with('~')
        || path.starts_with("/tmp/")
        || path.contains("backup")
}

/// What is known of the time before a call.
struct Past {
    /// The newest call whose state git keeps.
    kept: Option<usize>,
    /// Whether files may have been changed before the first call.
    is_continued: bool,
}

impl Past {
    /// What a file's copy of some time takes back, of what was `made` of the file; nothing where it was not
    /// changed since.
    fn taken_back(&self, calls: &[Call], file: &str, since: At, made: &[At]) -> Option<Touch> {
        let (before, between) = made.split_at(made.partition_point(|at| *at < since));
        if between.is_empty() {
            return None;
        }
        // Git would put back the same.
        let is_last = self.kept.is_none_or(|kept| kept < since.0)
            && before.iter().all(|at| self.kept.is_some_and(|kept| at.0 <= kept))
            && !(self.is_continued && self.kept.is_none());
        let touch = |deed, edits| Touch::new(file, deed, edits);
        if is_last {
            return Some(touch(Deed::Restored, Vec::new()));
        }
        let back = inverse(between.iter().rev().map(|at| &calls[at.0].touches[at.1]));
        Some(match back {
            Some(back) => touch(Deed::Edited, back),
            None => touch(Deed::Reverted, Vec::new()),
        })
    }
}

/// The edits that take touches back, the last one first; none where nobody knows them.
fn inverse<'t>(touches: impl Iterator<Item = &'t Touch>) -> Option<Vec<Edit>> {
    let mut all = Vec::new();
    for touch in touches {
        if touch.deed != Deed::Edited || touch.edits.is_empty() {
            return None;
        }
        for edit in touch.edits.iter().rev() {
            all.push(edit.inverse()?);
        }
    }
    Some(all)
}
