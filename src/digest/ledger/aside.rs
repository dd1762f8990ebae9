//! What git has put aside, and which commits it has taken back.
//!
//! Responsible for knowing of each file whether its changes are put away, and whether those that were committed
//! are undone; and of what made a commit or put something aside, what became of that. It says of none what may not
//! be so: where nobody knows, `perhaps`, or nothing.

use super::Ledger;
use crate::digest::calls::Call;
use crate::digest::calls::commands::{AMENDED, APPLIED, Command, DROPPED, POPPED};
use crate::digest::calls::outcome::is_hash;
use crate::digest::calls::shell::{self, git};
use crate::digest::files::File;
use crate::digest::files::fates::{Order, Time, time};
use crate::digest::text::point::Point;
use git::Aside;

/// What was put away at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stash {
    /// What was committed before it, and when it was.
    since: Option<Time>,
    until: Time,
    is_all: bool,
    is_untracked: bool,
    /// Whether it may be at hand as well.
    may_be_back: bool,
}

/// A commit: when it was made, and its number as far as git told it.
#[derive(Debug)]
pub(super) struct Commit {
    at: Order,
    number: Option<Box<str>>,
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

impl Ledger {
    /// Enters what a call had git put aside, bring back or take back.
    pub(super) fn put_aside(&mut self, call: &Call) {
        let Some(command) = call.command.as_deref().filter(|_| !call.outcome.never_ran()) else {
            return;
        };
        if memchr::memmem::find(command.as_bytes(), b"git").is_none() {
            return;
        }
        let line = call.outcome.line.as_deref().unwrap_or_default();
        let is_done = call.outcome.went_well();
        for aside in shell::commands(command).into_iter().filter_map(git::aside) {
            match aside {
                Aside::Away { is_all, is_untracked } => {
                    if is_done && !line.contains("No local changes") {
                        let since = self.committed.max(self.partly).map(time);
                        let until = time(call.place);
                        let is_all = is_all && !command.contains(" -C ");
                        let may_be_back = false;
                        let stash = Stash { since, until, is_all, is_untracked, may_be_back };
                        self.stashes.push(stash);
                        self.popped = None;
                    }
                }
                Aside::Back { at, keeps } => {
                    let became = if keeps { APPLIED } else { POPPED };
                    if is_done {
                        self.tell_stash(self.stash(at), became, call);
                    }
                    self.bring_back(at, keeps || !is_done);
                }
                Aside::Dropped { at } if is_done => {
                    if at < self.stashes.len() || self.popped.is_none() {
                        self.tell_stash(self.stash(at), DROPPED, call);
                    }
                    self.drop_stash(at, call.place);
                }
                Aside::Cleared if is_done => {
                    while !self.stashes.is_empty() {
                        self.drop_stash(0, call.place);
                    }
                    self.drop_stash(0, call.place);
                }
                Aside::Reverted { commit } if is_done => self.revert(commit, call),
                Aside::Dropped { .. } | Aside::Cleared | Aside::Reverted { .. } => {}
            }
        }
        self.commit(call);
    }

    /// The place of what was put away as the newest but `at`.
    fn stash(&self, at: usize) -> Option<usize> {
        self.stashes.len().checked_sub(at + 1)
    }

    fn bring_back(&mut self, at: usize, keeps: bool) {
        match self.stash(at) {
            Some(at) if keeps => self.stashes[at].may_be_back = true,
            Some(at) => self.popped = Some(self.stashes.remove(at)),
            // What an earlier digest tells of.
            None => self.files.iter_mut().for_each(|file| file.stashed = false),
        }
    }

    /// Says of the command that put something aside what became of that: of one of the calls at hand by when it
    /// was, or else of the last that an earlier digest tells.
    fn tell_stash(&mut self, at: Option<usize>, became: &str, call: &Call) {
        let until = at.map(|at| self.stashes[at].until);
        let text = call.command.as_deref().unwrap_or_default();
        let is_it = |command: &&mut Command| {
            let is_open = command.later.as_ref().is_none_or(|(became, _)| &**became == APPLIED);
            let was = command.last.order();
            command.outcome.starts_with("ok: Saved working directory")
                && is_beside(command, &call.within, text)
                && until.map_or(is_open && command.last.past > 0, |until| was == until)
        };
        let stashes = self.commands.iter_mut().filter(is_it);
        if let Some(command) = stashes.max_by_key(|it| it.last.order()) {
            command.later = Some((became.into(), Point::now(call.place.0)));
        }
    }

    fn drop_stash(&mut self, at: usize, now: Order) {
        let stash = self.stash(at).map(|at| self.stashes.remove(at));
        // What did not come back without conflicts is there to be dropped.
        let stash = stash.or_else(|| self.popped.take());
        for file in &mut self.files {
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

    /// Whether what was changed of a file is put away and not at hand.
    pub(super) fn is_stashed(&self, file: &File) -> bool {
        file.stashed || self.stashes.iter().any(|stash| stash.hides(file))
    }

    /// Says of each file whether what was changed of it is put away in the end.
    pub(super) fn mark_stashed(&mut self) {
        for file in self.files.iter_mut().filter(|file| file.is_changed()) {
            file.stashed |= self.stashes.iter().any(|stash| stash.hides(file));
        }
    }

    /// Takes back what a commit did, or says that it may be gone where nobody knows what that was.
    fn revert(&mut self, commit: Option<&str>, call: &Call) {
        let last = self.commits.len().checked_sub(1);
        let at = match commit {
            Some("HEAD" | "@") => last,
            Some(commit) => self.commits.iter().rposition(|known| known.is(commit)),
            None => None,
        };
        let is_foreign = commit.is_some() && self.commits.iter().all(|it| it.number.is_some());
        if at.is_none() && is_foreign {
            // What was done here is not in it.
            return;
        }
        let place = |at: usize| self.commits[at].at;
        let before = at.and_then(|at| at.checked_sub(1)).map(place);
        let until = at.map(place).or(self.committed.max(self.partly));
        let is_known = at.is_some() && at == last && self.committed == until;
        let is_known = is_known && self.partly <= before;
        let (since, until) = (before.map(time), until.map(time));
        for file in &mut self.files {
            let changed = file.last.map(Point::order);
            // Git takes nothing back of a file that was changed since.
            if !file.is_changed() || changed <= since || changed > until {
                continue;
            }
            let is_plain =
                !file.created && !file.deleted && !file.moved && !file.fates.is_restored();
            if is_known && is_plain {
                file.restore(call.place, before);
            } else {
                file.doubt(call.place);
            }
        }
        self.committed = self.committed.max(Some(call.place));
        self.commits.push(Commit::of(call));
    }

    /// Enters the commit that a call made, if it did.
    fn commit(&mut self, call: &Call) {
        let command = call.command.as_deref().filter(|_| call.outcome.went_well());
        let parts = command.map(shell::commands).unwrap_or_default();
        if let Some(part) = parts.into_iter().rfind(|part| git::commits(part)) {
            if shell::words(part).contains(&"--amend") {
                self.commits.pop();
            }
            self.commits.push(Commit::of(call));
        }
    }

    /// Says of the command that made the last commit that this one amended it, if it did.
    pub(super) fn amend(&mut self, command: &str, number: u32) {
        let now = &self.commands[number as usize];
        let parts = shell::commands(command);
        let mut made = parts.iter().filter(|part| git::commits(part));
        let amends = made.next().is_some_and(|part| shell::words(part).contains(&"--amend"));
        let is_plain = made.next().is_none() && !parts.iter().any(|part| git::leaves(part));
        let (at, has_made) = (now.last, now.committed());
        let last = if has_made { self.newest.replace(number) } else { self.newest };
        if !(has_made && amends && is_plain) {
            self.leave(command, number);
            return;
        }
        let place = now.within.clone();
        let is_same =
            |it: &&mut Command| Some(it.last.order()) > self.left && is_beside(it, &place, command);
        let last = last.filter(|last| *last != number);
        let last = last.map(|last| &mut self.commands[last as usize]).filter(is_same);
        if let Some(last) = last {
            last.later = Some((AMENDED.into(), at));
        }
    }

    /// Enters that nobody knows which commit is the last one behind a command, where that is so.
    pub(super) fn leave(&mut self, command: &str, number: u32) {
        let known = &self.commands[number as usize];
        let parts = shell::commands(command);
        // A commit that git says nothing of, and one that a script made.
        let is_hidden = parts.iter().any(|part| git::commits(part)) != known.committed();
        if is_hidden || parts.iter().any(|part| git::leaves(part)) {
            self.left = self.left.max(Some(known.last.order()));
        }
    }
}

/// Whether a command runs in a folder and has git work where it does in another one.
pub(super) fn is_beside(command: &Command, within: &str, other: &str) -> bool {
    *command.within == *within && folder_of(&command.text) == folder_of(other)
}

/// The folder that the first git of a command is told to work in, if it is.
fn folder_of(command: &str) -> Option<&str> {
    shell::commands(command)
        .into_iter()
        .find(|part| git::verb(part).is_some())
        .and_then(git::folder)
}

impl Commit {
    fn of(call: &Call) -> Self {
        let told = call.outcome.line.as_deref().and_then(|line| line.strip_prefix('['));
        let head = told.and_then(|told| told.split(']').next());
        let number = head.and_then(|head| head.rsplit(' ').next());
        Self { at: call.place, number: number.filter(|it| is_hash(it)).map(Into::into) }
    }

    /// Whether it is the one of this number, which may be longer or shorter.
    fn is(&self, commit: &str) -> bool {
        let is_begin = |number: &str| number.starts_with(commit) || commit.starts_with(number);
        commit.len() >= 7 && self.number.as_deref().is_some_and(is_begin)
    }
}
