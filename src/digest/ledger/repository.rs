//! What is known of the git repository: what was committed, what was stashed, and what was taken back.
//!
//! Responsible for what this means for the files. It claims nothing that may be untrue: where nobody knows, it
//! says `perhaps`, or nothing. It relies on the calls being entered in order.

mod stashes;

use crate::digest::calls::Call;
use crate::digest::calls::outcome::is_hash;
use crate::digest::calls::shell::{self, git};
use crate::digest::files::File;
use crate::digest::files::fates::{Order, time};
use crate::digest::text::point::Point;
use git::Aside;
use stashes::Stashes;

/// The state of git, as far as the calls tell it.
#[derive(Debug, Default)]
pub(super) struct Repository {
    /// When everything was last committed.
    committed: Option<Order>,
    /// When something unknown was last committed or staged.
    partly: Option<Order>,
    /// All commits that were seen, in order.
    commits: Vec<Commit>,
    stashes: Stashes,
}

impl Repository {
    /// Enters a command that an earlier digest tells: the files of that digest may be committed by then.
    pub(super) fn know(&mut self, text: &str) {
        if shell::keeps(text).is_some() {
            self.partly = Some((0, 0));
        }
    }

    /// Enters what a call had git commit, stash, bring back or revert.
    pub(super) fn enter(&mut self, call: &Call, files: &mut [File]) {
        let Some(text) = call.command.as_deref().filter(|_| !call.outcome.never_ran()) else {
            return;
        };
        if memchr::memmem::find(text.as_bytes(), b"git").is_none() {
            return;
        }
        let parts = shell::commands(text);
        let is_done = call.outcome.went_well();
        for aside in parts.iter().filter_map(|part| git::aside(part)) {
            match aside {
                Aside::Back { at, keeps } => {
                    self.stashes.bring_back(at, keeps || !is_done, files);
                }
                _ if !is_done => {}
                Aside::Away { is_all, is_untracked } => {
                    let is_all = is_all && !text.contains(" -C ");
                    self.stashes.put_away(self.kept(), call, is_all, is_untracked);
                }
                Aside::Dropped { at } => self.stashes.drop(at, call.place, files),
                Aside::Cleared => self.stashes.clear(call.place, files),
                Aside::Reverted { commit } => self.revert(commit, call, files),
            }
        }
        if let Some(part) = parts.iter().rfind(|part| is_done && git::commits(part)) {
            if amends(part) {
                self.commits.pop();
            }
            self.commits.push(Commit::of(call));
        }
        self.keep(shell::keeps(text), call);
    }

    /// Enters that a call committed or staged something, if it did: all changes (`Some(true)`) or nobody
    /// knows which.
    pub(super) fn keep(&mut self, kept: Option<bool>, call: &Call) {
        match kept {
            Some(true) if call.outcome.went_well() => self.committed = Some(call.place),
            Some(_) if !call.outcome.never_ran() => self.partly = Some(call.place),
            _ => {}
        }
    }

    /// When git last committed or staged something.
    fn kept(&self) -> Option<Order> {
        self.committed.max(self.partly)
    }

    /// Whether the changes of a file are in a stash and not in the working tree.
    pub(super) fn has_stashed(&self, file: &File) -> bool {
        file.stashed || self.stashes.hide(file)
    }

    /// Takes back what was done to a file since git last committed, or marks that some of it may be gone
    /// where nobody knows what.
    pub(super) fn put_back(&self, file: &mut File, is_last: bool, now: Order) {
        // Changes in a stash are not in the working tree.
        let is_there = file.is_changed() && !self.has_stashed(file);
        if !is_there || is_last && file.fates.is_restored() {
            return;
        }
        let (committed, partly) = (self.committed.map(time), self.partly.map(time));
        let (first, last) = (file.first.map(Point::order), file.last.map(Point::order));
        let may_be_kept = partly > committed && first <= partly && last > committed;
        // Git leaves a file alone that it does not track yet.
        if file.created && first > committed.max(partly) {
            return;
        }
        if is_last && !may_be_kept && !file.moved {
            if last > committed {
                file.deleted = false;
                // A file that was committed as it was created need not have been edited.
                file.edits = if file.created { 0 } else { file.edits };
                file.restore(now, self.committed);
            }
        } else if !is_last || last > committed {
            file.doubt(now);
        }
    }

    /// Takes back what a commit did, or marks that it may be gone where nobody knows what the commit did.
    fn revert(&mut self, commit: Option<&str>, call: &Call, files: &mut [File]) {
        let last = self.commits.len().checked_sub(1);
        let at = match commit {
            Some("HEAD" | "@") => last,
            Some(commit) => self.commits.iter().rposition(|known| known.is(commit)),
            None => None,
        };
        let is_foreign = commit.is_some() && self.commits.iter().all(Commit::is_numbered);
        if at.is_none() && is_foreign {
            // The reverted commit is none of this session: it holds nothing that was done here.
            return;
        }
        let place = |at: usize| self.commits[at].at;
        let before = at.and_then(|at| at.checked_sub(1)).map(place);
        let until = at.map(place).or(self.kept());
        let is_known = at.is_some() && at == last && self.committed == until;
        let is_known = is_known && self.partly <= before;
        let (since, until) = (before.map(time), until.map(time));
        for file in files {
            let changed = file.last.map(Point::order);
            // Git refuses to revert a file that was changed since.
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
}

/// A commit: when it was made, and its number if git told it.
#[derive(Debug)]
struct Commit {
    at: Order,
    number: Option<Box<str>>,
}

impl Commit {
    /// The commit that a call made.
    fn of(call: &Call) -> Self {
        let told = call.outcome.line.as_deref().and_then(|line| line.strip_prefix('['));
        let head = told.and_then(|told| told.split(']').next());
        let number = head.and_then(|head| head.rsplit(' ').next());
        Self { at: call.place, number: number.filter(|it| is_hash(it)).map(Into::into) }
    }

    fn is_numbered(&self) -> bool {
        self.number.is_some()
    }

    /// Whether this commit has the given number, either of which may be abbreviated.
    fn is(&self, commit: &str) -> bool {
        let is_begin = |number: &str| number.starts_with(commit) || commit.starts_with(number);
        commit.len() >= 7 && self.number.as_deref().is_some_and(is_begin)
    }
}

/// Whether a command that commits replaces the last commit.
fn amends(part: &str) -> bool {
    shell::words(part).contains(&"--amend")
}
