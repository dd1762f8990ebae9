//! What git has put away and not let go.
//!
//! Responsible for which files have their changes there and not at hand, and for the commands that put something
//! away: what became of that.

use super::commit::is_beside;
use crate::digest::calls::Call;
use crate::digest::calls::commands::{APPLIED, Command};
use crate::digest::files::File;
use crate::digest::files::fates::{Order, Time, time};
use crate::digest::text::point::Point;

/// What is put away, the newest last, and what was brought back last.
#[derive(Debug, Default)]
pub(super) struct Stashes {
    all: Vec<Stash>,
    popped: Option<Stash>,
}

/// What was put away at once.
#[derive(Clone, Copy, Debug)]
struct Stash {
    /// What was committed before it, and when it was.
    since: Option<Time>,
    until: Time,
    is_all: bool,
    is_untracked: bool,
    /// Whether it may be at hand as well.
    may_be_back: bool,
}

impl Stash {
    /// Whether what was changed of a file is not at hand.
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
    /// Whether what was changed of a file is in one of them and not at hand.
    pub(super) fn hide(&self, file: &File) -> bool {
        self.all.iter().any(|stash| stash.hides(file))
    }

    /// Enters that a call put away what was changed since git committed, if anything was.
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

    /// The place of the newest but `at`.
    fn place(&self, at: usize) -> Option<usize> {
        self.all.len().checked_sub(at + 1)
    }

    pub(super) fn bring_back(&mut self, at: usize, keeps: bool, files: &mut [File]) {
        match self.place(at) {
            Some(at) if keeps => self.all[at].may_be_back = true,
            Some(at) => self.popped = Some(self.all.remove(at)),
            // What an earlier digest tells of.
            None => files.iter_mut().for_each(|file| file.stashed = false),
        }
    }

    /// Whether it is what was brought back last that goes where the newest but `at` is let go: what did not come
    /// back without conflicts is there to be dropped.
    pub(super) fn drops_popped(&self, at: usize) -> bool {
        self.place(at).is_none() && self.popped.is_some()
    }

    pub(super) fn drop(&mut self, at: usize, now: Order, files: &mut [File]) {
        let stash = self.place(at).map(|at| self.all.remove(at)).or_else(|| self.popped.take());
        for file in files {
            let is_lost = match &stash {
                // Where it is not all, nobody knows which of them were in it.
                Some(stash) => Stash { is_all: true, ..*stash }.hides(file),
                None => std::mem::take(&mut file.stashed),
            };
            if is_lost {
                file.doubt(now);
            }
        }
    }

    /// Lets all go, and what an earlier digest tells of.
    pub(super) fn clear(&mut self, now: Order, files: &mut [File]) {
        for _ in 0..=self.all.len() {
            self.drop(0, now, files);
        }
    }

    /// Says of the command that put away the newest but `at` what became of that: of one of the calls at hand by
    /// when it was, or else of the last that an earlier digest tells.
    pub(super) fn tell(&self, at: usize, became: &str, call: &Call, commands: &mut [Command]) {
        let until = self.place(at).map(|at| self.all[at].until);
        let text = call.command.as_deref().unwrap_or_default();
        let is_it = |command: &&mut Command| {
            let is_open = command.later.as_ref().is_none_or(|(became, _)| &**became == APPLIED);
            let was = command.last.order();
            command.outcome.starts_with("ok: Saved working directory")
                && is_beside(command, &call.within, text)
                && until.map_or(is_open && command.last.past > 0, |until| was == until)
        };
        let stashes = commands.iter_mut().filter(is_it);
        if let Some(command) = stashes.max_by_key(|it| it.last.order()) {
            command.later = Some((became.into(), Point::now(call.place.0)));
        }
    }
}
