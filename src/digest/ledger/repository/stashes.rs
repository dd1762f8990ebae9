//! What git has stashed and not dropped.
//!
//! Responsible for which files have their changes in a stash and not in the working tree.

use crate::digest::calls::Call;
use crate::digest::files::File;
use crate::digest::files::fates::{Order, Time, time};
use crate::digest::text::point::Point;

/// The stashes, the newest last, and the one that was popped last.
#[derive(Debug, Default)]
pub(super) struct Stashes {
    all: Vec<Stash>,
    popped: Option<Stash>,
}

/// One stash.
#[derive(Clone, Copy, Debug)]
struct Stash {
    /// When git last committed or staged something before the stash was made.
    since: Option<Time>,
    /// When the stash was made.
    until: Time,
    is_all: bool,
    is_untracked: bool,
    /// Whether its changes may be in the working tree as well.
    may_be_back: bool,
}

impl Stash {
    /// Whether the changes of a file are in this stash only.
    fn hides(&self, file: &File) -> bool {
        let (first, last) = (file.first.map(Point::order), file.last.map(Point::order));
        let is_followed = !file.created || first <= self.since;
        self.is_all
            && !self.may_be_back
            && (is_followed || self.is_untracked)
            && last.is_some_and(|last| Some(last) > self.since && last < self.until)
    }
}

impl Stashes {
    /// Whether the changes of a file are in a stash and not in the working tree.
    pub(super) fn hide(&self, file: &File) -> bool {
        self.all.iter().any(|stash| stash.hides(file))
    }

    /// Enters that a call stashed what was changed since the last commit, unless nothing was.
    pub(super) fn put_away(
        &mut self,
        committed: Option<Order>,
        call: &Call,
        is_all: bool,
        is_untracked: bool,
    ) {
        let line = call.outcome.line.as_deref().unwrap_or_default();
        if !line.contains("No local changes") {
            let (since, until) = (committed.map(time), time(call.place));
            self.all.push(Stash { since, until, is_all, is_untracked, may_be_back: false });
            self.popped = None;
        }
    }

    /// The index of the stash that git calls `stash@{at}`.
    fn place(&self, at: usize) -> Option<usize> {
        self.all.len().checked_sub(at + 1)
    }

    pub(super) fn bring_back(&mut self, at: usize, keeps: bool, files: &mut [File]) {
        match self.place(at) {
            Some(at) if keeps => self.all[at].may_be_back = true,
            Some(at) => self.popped = Some(self.all.remove(at)),
            // The stash was made before the calls at hand: an earlier digest tells it.
            None => files.iter_mut().for_each(|file| file.stashed = false),
        }
    }

    pub(super) fn drop(&mut self, at: usize, now: Order, files: &mut [File]) {
        let stash = self.place(at).map(|at| self.all.remove(at)).or_else(|| self.popped.take());
        for file in files {
            let is_lost = match &stash {
                // A stash of some files may have held any of them.
                Some(stash) => Stash { is_all: true, ..*stash }.hides(file),
                None => std::mem::take(&mut file.stashed),
            };
            if is_lost {
                file.doubt(now);
            }
        }
    }

    /// Drops all stashes, including those that an earlier digest tells.
    pub(super) fn clear(&mut self, now: Order, files: &mut [File]) {
        for _ in 0..=self.all.len() {
            self.drop(0, now, files);
        }
    }
}
