//! A commit, and which one is the newest.
//!
//! Responsible for the number that git told of each commit, and for marking the command whose commit the
//! next one amended; it marks none where git may have gone to another commit in between.

use crate::digest::calls::Call;
use crate::digest::calls::commands::{AMENDED, Command};
use crate::digest::calls::folder::Folder;
use crate::digest::calls::outcome::is_hash;
use crate::digest::calls::shell::{self, git};
use crate::digest::files::fates::{Order, Time};

/// A commit: when it was made, and its number if git told it.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) at: Order,
    number: Option<Box<str>>,
}

impl Commit {
    /// The commit that a call made.
    pub(super) fn of(call: &Call) -> Self {
        let told = call.outcome.line.as_deref().and_then(|line| line.strip_prefix('['));
        let head = told.and_then(|told| told.split(']').next());
        let number = head.and_then(|head| head.rsplit(' ').next());
        Self { at: call.place, number: number.filter(|it| is_hash(it)).map(Into::into) }
    }

    pub(super) fn is_numbered(&self) -> bool {
        self.number.is_some()
    }

    /// Whether this commit has the given number, either of which may be abbreviated.
    pub(super) fn is(&self, commit: &str) -> bool {
        let is_begin = |number: &str| number.starts_with(commit) || commit.starts_with(number);
        commit.len() >= 7 && self.number.as_deref().is_some_and(is_begin)
    }
}

/// Whether a command that commits replaces the last commit.
pub(super) fn amends(part: &str) -> bool {
    shell::words(part).contains(&"--amend")
}

/// The newest commit that is known.
#[derive(Debug, Default)]
pub(super) struct Newest {
    /// The command that made it.
    command: Option<u32>,
    /// Since when nobody knows which commit is the newest.
    left: Option<Time>,
}

impl Newest {
    /// Enters a command that an earlier digest tells; the order of these calls does not matter.
    pub(super) fn know(&mut self, text: &str, number: u32, commands: &[Command]) {
        let known = &commands[number as usize];
        let is_newer = |newest: u32| commands[newest as usize].last.order() < known.last.order();
        if known.committed() && self.command.is_none_or(is_newer) {
            self.command = Some(number);
        }
        self.leave(&shell::commands(text), known);
    }

    /// Enters the last run of a command. If its commit amended the newest one, the command that made that
    /// one is marked.
    pub(super) fn follow(&mut self, text: &str, number: u32, commands: &mut [Command]) {
        let now = &commands[number as usize];
        let parts = shell::commands(text);
        let mut made = parts.iter().filter(|part| git::commits(part));
        let amends = made.next().is_some_and(|part| amends(part));
        let is_plain = made.next().is_none() && !parts.iter().any(|part| git::leaves(part));
        let (at, has_made) = (now.last, now.committed());
        let last = if has_made { self.command.replace(number) } else { self.command };
        if !(has_made && amends && is_plain) {
            self.leave(&parts, now);
            return;
        }
        let place = now.within.clone();
        let is_same =
            |it: &&mut Command| Some(it.last.order()) > self.left && is_beside(it, &place, text);
        let last = last.filter(|last| *last != number);
        let last = last.map(|last| &mut commands[last as usize]).filter(is_same);
        if let Some(last) = last {
            last.later = Some((AMENDED.into(), at));
        }
    }

    /// Enters that nobody knows which commit is the newest after a command, where that is so.
    fn leave(&mut self, parts: &[&str], command: &Command) {
        // Either git did not report the commit, or a script made it.
        let is_hidden = parts.iter().any(|part| git::commits(part)) != command.committed();
        if is_hidden || parts.iter().any(|part| git::leaves(part)) {
            self.left = self.left.max(Some(command.last.order()));
        }
    }
}

/// Whether a command runs in the folder `within` and has git work in the same folder as `other` does.
pub(in crate::digest::ledger) fn is_beside(
    command: &Command,
    within: &Folder,
    other: &str,
) -> bool {
    command.within == *within && folder_of(&command.text) == folder_of(other)
}

/// The folder that the first git command is told to work in, if it is told one.
fn folder_of(command: &str) -> Option<&str> {
    shell::commands(command)
        .into_iter()
        .find(|part| git::verb(part).is_some())
        .and_then(git::folder)
}
