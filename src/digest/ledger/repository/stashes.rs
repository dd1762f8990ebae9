//! What git has stashed and not dropped.
//!
//! Responsible for which files have their changes in a stash and not in the working tree, and for marking
//! the commands that made a stash with what became of it.

use super::commit::is_beside;
use crate::digest::calls::Call;
use crate::digest::calls::commands::{APPLIED, Command};
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

    /// Whether dropping `stash@{at}` drops the stash that was popped last: git keeps a stash whose pop
    /// ended in conflicts.
    pub(super) fn drops_popped(&self, at: usize) -> bool {
        self.place(at).is_none() && self.popped.is_some()
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

    /// Marks the command that made `stash@{at}` with what became of the stash. A stash of the calls at hand
    /// is found by its time, else the last one that an earlier digest tells is taken.
    pub(super) fn tell(&self, at: usize, became: &str, call: &Call, commands: &mut [Command]) {
        let until = self.place(at).map(|at| self.all[at].until);
        let text = call.command.as_deref().unwrap_or_default();
        let is_it = |command: &&mut Command| {
            let is_open = command.later.as_ref().is_none_or(|(became, _)| &**became == APPLIED);
            let was = command.last.order();
            command.outcome.has_stashed()
                && is_beside(command, &call.within, text)
                && until.map_or(is_open && command.last.past > 0, |until| was == until)
        };
        let stashes = commands.iter_mut().filter(is_it);
        if let Some(command) = stashes.max_by_key(|it| it.last.order()) {
            command.later = Some((became.into(), Point::now(call.place.0)));
        }
    }
}
