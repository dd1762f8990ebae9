//! The ledger: each file with what was done to it, each command with its outcomes.
//!
//! Responsible for what is true at the end: a failed edit changes nothing, the last deed decides, and a file
//! that was read before it was changed is listed once. Two paths name the same file where [`Paths`] says so;
//! two commands are the same where their headings are. The ledger begins with the entries of earlier digests:
//! counts add up, the newer state wins. The submodules know what failed and was fixed, the last checks, and
//! what the user answered.

pub(super) mod amended;
pub(super) mod answers;
pub(super) mod besides;
mod carry;
pub(super) mod checks;
pub(super) mod commits;
pub(super) mod errors;
pub(super) mod fold;
mod passed;
mod repository;
mod undo;

use std::collections::HashMap;

use super::calls::Call;
use super::calls::commands::{self, Command};
use super::calls::folder::Folder;
use super::calls::outcome::Unended;
use super::calls::steps::CommandStep;
use super::calls::waited::Over;
use super::files::File;
use super::files::deed::{Deed, Touch};
use super::files::edit::Edit;
use super::files::fates::{Order, drop_doubles};
use super::files::paths::{self, Paths, is_absolute};
use super::files::renames::{self, Rename};
use super::narrow;
use super::text::point::Point;
use errors::has_passed;
use fold::Earlier;
use repository::Repository;

/// Files and commands of a conversation, in the order in which they were first touched.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) files: Vec<File>,
    pub(super) commands: Vec<Command>,
    /// Names that were replaced by other ones in several files.
    pub(super) renames: Vec<Rename>,
    file_of: Vec<Option<u32>>,
    command_of: Vec<Option<u32>>,
    repository: Repository,
    known_commands: HashMap<String, u32>,
    /// The index of the message with the last earlier digest: what stayed visible before it is older than what it tells.
    digest: usize,
    /// When each command last passed.
    passed: HashMap<String, Point>,
    /// The steps that passed, each with when it last did, by what they run.
    passed_steps: HashMap<String, HashMap<CommandStep, Point>>,
    pub(super) paths: Paths,
    /// The ends of processes that earlier digests may tell as still running.
    pub(super) over: Vec<Over>,
    /// The folder in which the session began.
    pub(super) home: String,
}

impl Ledger {
    /// Enters what earlier digests say, then every call and the ends of older processes.
    pub(super) fn of(home: &str, calls: &[Call], earlier: &[Earlier], over: Vec<Over>) -> Self {
        let old = earlier.iter().flat_map(|earlier| &earlier.files);
        let old = old.map(|file| file.heading.path.as_str());
        let replaced = earlier.iter().flat_map(|earlier| &earlier.renames);
        let old = old.chain(replaced.flat_map(|(_, paths)| paths.iter().map(String::as_str)));
        // A path that git puts back may be a folder, or stand for everything.
        let touches = calls.iter().flat_map(|call| &call.touches);
        let touches = touches.filter(|touch| !touch.deed.puts_back());
        let paths = touches.map(|touch| touch.path.as_ref()).chain(old);
        let paths: Vec<&str> = paths.filter(|path| is_absolute(path)).collect();
        let told_from = earlier.last().map_or("", |earlier| &earlier.root);
        let (paths, home) = (Paths::of(&paths, told_from), home.to_owned());
        let mut ledger = Self { paths, over, home, ..Self::default() };
        for earlier in earlier {
            ledger.carry(earlier);
        }
        ledger.digest = earlier.last().map_or(0, |earlier| earlier.message);
        for call in calls {
            ledger.enter(call);
        }
        ledger.conclude();
        for file in &mut ledger.files {
            file.stashed |= file.is_changed() && ledger.repository.has_stashed(file);
            file.fates.standing(&mut file.changes);
            file.undone |= file.edits > 0 && !file.created && file.fates.is_undone();
        }
        for file in &mut ledger.files {
            if file.is_prose() {
                file.changes.iter_mut().for_each(|made| made.change.within = None);
            }
            drop_doubles(&mut file.changes);
            file.fates.close();
        }
        renames::gather(&mut ledger.files, &mut ledger.renames);
        ledger.mark_loose();
        ledger
    }

    /// Marks the paths whose base folder is unknown; all other paths are told relative to the root.
    fn mark_loose(&mut self) {
        if self.paths.root.is_empty() {
            return;
        }
        let mut is_based = vec![false; self.files.len()];
        for number in self.paths.based() {
            is_based[number as usize] = true;
        }
        for (file, _) in self.files.iter_mut().zip(is_based).filter(|(_, is_based)| !is_based) {
            for path in file.from.iter_mut().chain([&mut file.path]) {
                *path = self.paths.told(path).into_owned();
            }
        }
    }

    /// Whether a line names a file that was deleted or moved.
    pub(super) fn names_gone(&self, line: &str) -> bool {
        self.names(line, |file| file.deleted || file.moved)
    }

    /// Whether a line names a file that was changed after a message.
    pub(super) fn names_changed_since(&self, line: &str, message: usize) -> bool {
        let then = Point::now(message).order();
        let is_later = |last: Point| last.order() > then;
        self.names(line, |file| file.is_changed() && file.last.is_some_and(is_later))
    }

    /// Whether a line names a file for which `is_such` holds, by as much of its path as the line tells.
    fn names(&self, line: &str, is_such: impl Fn(&File) -> bool) -> bool {
        let mut such = self.files.iter().filter(|file| is_such(file));
        such.any(|file| paths::is_named_in(line, file.from.as_deref().unwrap_or(&file.path)))
    }

    /// Writes every file with its whole path, for a digest without a header that names the root.
    pub(super) fn tell_whole_paths(&mut self) {
        let root = std::mem::take(&mut self.paths.root);
        for file in &mut self.files {
            file.path = File::at(&file.path, &root).path;
            file.from = file.from.take().map(|from| File::at(&from, &root).path);
        }
    }

    fn enter(&mut self, call: &Call) {
        let mut first = None;
        let mut arrived: Vec<&str> = Vec::new();
        // A call that waits for its result has changed nothing yet.
        let waits = call.outcome.unended == Some(Unended::Pending);
        for touch in call.touches.iter().filter(|touch| !(waits && touch.deed.changes())) {
            // A file that arrived by a move was not created.
            let is_in = |to: &&str| paths::within(to, &touch.path).is_some();
            if touch.deed == Deed::Created && touch.edits.is_empty() && arrived.iter().any(is_in) {
                continue;
            }
            let is_done = call.outcome.may_have_gone_well()
                || touch.is_before_check && call.outcome.ran_check;
            if touch.deed.puts_back() {
                if is_done {
                    self.repository.keep(touch.kept, call);
                    self.restore(touch, call.place);
                }
                continue;
            }
            let number = self.file(&touch.path);
            if let Some(number) = number.filter(|_| is_done) {
                self.touch(number, touch, call);
                arrived
                    .extend(touch.to.as_deref().filter(|to| self.move_to(number, &touch.path, to)));
            } else if let Some(number) = number {
                let file = &mut self.files[number as usize];
                let is_tool = call.command.is_none();
                file.failed |= call.outcome.failed && is_tool;
                file.spared |= call.deed.changes() && is_tool;
            }
            first = first.or(number);
        }
        self.file_of.push(first);
        self.repository.enter(call, &mut self.files);
        let is_older = call.place.0 < self.digest;
        if let Some(command) = call.command.as_deref().filter(|_| has_passed(call) && !is_older) {
            self.pass(command, &call.within, Point::now(call.place.0));
        }
        let command = call.command.as_deref().map(|text| {
            let number = self.command(text, &call.within, |_| false);
            let (known, now) = (&mut self.commands[number as usize], Point::now(call.place.0));
            if is_older && known.last.past > 0 {
                known.times += 1;
            } else {
                known.run(text, &call.outcome, call.is_users, now);
            }
            number
        });
        let started = call.started.and_then(|(number, _)| self.command_of[number as usize]);
        self.command_of.push(command.or(started));
    }

    /// Returns the number of a file, a new one if the file was not known; `None` if the path names no file.
    fn file(&mut self, path: &str) -> Option<u32> {
        if let Some(number) = self.paths.number_of(path) {
            if let Some(path) = self.paths.settle(path, number) {
                self.files[number as usize].path = path;
            }
            return Some(number);
        }
        let next = narrow(self.files.len());
        let path = self.paths.enter(path, next)?;
        self.files.push(File { path, ..File::default() });
        Some(next)
    }

    /// Returns the number of a command, a new one if the command was not known. A known command that made a
    /// commit only counts as the same if `is_it` says so: commits are told apart by their numbers, because
    /// their commands may read alike, even more so where a digest shortened them.
    fn command(&mut self, text: &str, within: &Folder, is_it: impl Fn(&Command) -> bool) -> u32 {
        let may_be = |number: &u32| {
            let known = &self.commands[*number as usize];
            !known.committed() || is_it(known)
        };
        let shown = commands::shortened(text);
        let told = commands::told_in(shown.clone(), within);
        if let Some(number) = self.known_commands.get(&told).copied().filter(may_be) {
            return number;
        }
        let number = narrow(self.commands.len());
        self.known_commands.insert(told, number);
        self.commands.push(Command::of(text, shown.into(), within));
        number
    }

    fn touch(&mut self, number: u32, touch: &Touch, call: &Call) {
        let order: Order = call.place;
        if touch.deed == Deed::Deleted {
            for (_, number) in self.paths.inside(&touch.path) {
                let inner = &mut self.files[number as usize];
                inner.deleted |= inner.is_changed();
            }
        }
        let file = &mut self.files[number as usize];
        let was_changed = file.is_changed();
        let now = Point::now(order.0);
        match touch.deed {
            Deed::Created if !was_changed && file.reads == 0 || file.deleted => {
                file.created = true;
                file.deleted = false;
            }
            Deed::Created | Deed::Edited => (file.edits, file.deleted) = (file.edits + 1, false),
            Deed::Deleted => file.deleted = true,
            Deed::Moved => file.moved = true,
            Deed::Searched => file.searches += 1,
            _ => file.reads += 1,
        }
        if touch.deed.changes() {
            if !was_changed {
                file.first = Some(now);
            }
            file.last = Some(now);
            (file.undone, file.doubted, file.stashed) = (false, false, false);
            // A file that is known to be changed stays so.
            let unsure = call.outcome.unknown();
            file.unsure = unsure.filter(|_| !was_changed || file.unsure.is_some());
            for edit in &touch.edits {
                file.fates.enter(edit, now, order, &mut file.changes);
            }
            if touch.deed == Deed::Deleted {
                file.fates.enter(&Edit::taking_all(), now, order, &mut file.changes);
            } else if touch.edits.is_empty() {
                file.fates.enter_unknown();
                // A moved file keeps its lines.
                if touch.deed != Deed::Moved {
                    file.fates.blur(order);
                }
            }
        } else if !was_changed {
            file.first = file.first.or(Some(now));
            file.last = Some(now);
        }
    }

    /// Moves a file, or all files in a folder, to another path. Returns false if another file already has that
    /// path.
    fn move_to(&mut self, number: u32, path: &str, to: &str) -> bool {
        let (path, to) = (path.trim_end_matches('/'), to.trim_end_matches('/'));
        for (rest, number) in self.paths.inside(path) {
            self.paths.leave(&format!("{path}{rest}"));
            if let Some(path) = self.paths.enter(&format!("{to}{rest}"), number) {
                self.files[number as usize].path = path;
            }
        }
        if let Some(there) = self.paths.number_of(to) {
            let there = &mut self.files[there as usize];
            if !there.deleted {
                return false;
            }
            // The file that stood there keeps only what was seen of it.
            let File { path, reads, searches, first, last, fates, .. } = std::mem::take(there);
            let lost = reads + searches == 0;
            *there = File { path, reads, searches, lost, first, last, fates, ..File::default() };
            self.paths.leave(to);
        }
        self.paths.leave(path);
        let Some(path) = self.paths.enter(to, number) else { return false };
        let file = &mut self.files[number as usize];
        let old = std::mem::replace(&mut file.path, path);
        if file.created {
            file.moved = false;
        } else {
            let from = file.from.take().unwrap_or(old);
            file.moved = from != file.path;
            file.from = Some(from).filter(|_| file.moved);
        }
        true
    }

    /// Whether a line that stood in a file at `since` was taken out later.
    pub(super) fn is_gone(&self, file: u32, line: &str, since: Order) -> bool {
        self.files[file as usize].fates.is_gone(line, since)
    }

    /// Whether it is unknown that a line which was read in a file at `since` still stands.
    pub(super) fn is_doubtful(&self, file: u32, since: Order) -> bool {
        self.files[file as usize].fates.is_doubtful(since)
    }

    /// The number of the file that a call touched first.
    pub(super) fn file_of(&self, call: u32) -> Option<u32> {
        self.file_of.get(call as usize).copied().flatten()
    }

    /// The number of the command whose last run is this call, or the call that this one waits for. The output
    /// of an older run is not told below the outcome of the last one.
    pub(super) fn last_run(&self, number: u32, call: &Call) -> Option<u32> {
        let ran = call.started.map_or(call.place.0, |(_, message)| message);
        let is_last = |command: &u32| {
            let command = &self.commands[*command as usize];
            command.last == Point::now(ran)
                && call.command.as_deref().is_none_or(|text| command.is(text))
        };
        self.command_of.get(number as usize).copied().flatten().filter(is_last)
    }

    /// The number of a command as an earlier digest tells it.
    pub(super) fn number_as_told(&self, text: &str) -> Option<u32> {
        self.number_of_command(text, &Folder::of(&self.home, text))
    }

    /// The number of a known command; `text` may be as an earlier digest shortened it.
    fn number_of_command(&self, text: &str, within: &Folder) -> Option<u32> {
        self.known_commands.get(&commands::told_in(commands::shortened(text), within)).copied()
    }
}
