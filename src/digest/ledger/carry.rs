//! The entries of earlier digests, as the start of the ledger.
//!
//! Responsible for the files, renames and commands that earlier digests tell. Counts go on from theirs, and
//! a file that they tell as changed stays so until it is changed again. A command that they tell as still
//! running ends once a call or a note of the agent says so.

use super::Ledger;
use super::fold::Earlier;
use crate::digest::calls::commands::Command;
use crate::digest::calls::folder::Folder;
use crate::digest::calls::waited::Over;
use crate::digest::files::File;
use crate::digest::files::renames::Rename;
use crate::digest::text::point::Point;

impl Ledger {
    /// Enters all entries of one earlier digest.
    pub(super) fn carry(&mut self, earlier: &Earlier) {
        for file in &earlier.files {
            self.carry_file(&file.heading);
        }
        for (rename, paths) in &earlier.renames {
            self.carry_rename(rename, paths);
        }
        for command in &earlier.commands {
            self.carry_command(&command.heading);
        }
    }

    fn carry_file(&mut self, old: &File) {
        let Some(number) = self.file(&old.path) else { return };
        let file = &mut self.files[number as usize];
        // Where an older digest tells a change and a newer one only a reading, the change stays.
        if file.is_changed() && !old.is_changed() {
            return;
        }
        let File { path, mut changes, mut fates, .. } = std::mem::take(file);
        if old.undone || old.deleted {
            (changes, fates) = Default::default();
        }
        let from = old.from.as_deref().map(|from| self.paths.told(from).into_owned());
        *file = File { path, from, changes, fates, ..old.clone() };
        if !file.undone && file.is_changed() {
            file.fates.enter_unknown();
        }
        file.fates.know(&old.changes, &mut file.changes);
    }

    fn carry_rename(&mut self, old: &Rename, paths: &[String]) {
        let files: Vec<u32> = paths.iter().filter_map(|path| self.file(path)).collect();
        for number in &files {
            let file = &mut self.files[*number as usize];
            if !file.is_changed() {
                file.edits = 1;
                file.fates.enter_unknown();
            }
        }
        let is_it = |rename: &&mut Rename| rename.before == old.before && rename.after == old.after;
        match self.renames.iter_mut().find(is_it) {
            Some(known) => known.count = known.count.max(old.count),
            None => self.renames.push(Rename { files, ..old.clone() }),
        }
    }

    fn carry_command(&mut self, old: &Command) {
        let within = Folder::of(&self.home, &old.text);
        if old.outcome.went_well() {
            self.pass(&old.text, &within, old.last);
        }
        let number = self.command(&old.text, &within, |known| known.outcome == old.outcome);
        let command = &mut self.commands[number as usize];
        command.times += old.times;
        (command.failed, command.passed) = (old.failed, old.passed);
        command.last = old.last;
        command.outcome = old.outcome.clone().once_gone_on();
        command.is_users = old.is_users;
        self.repository.know(&old.text);
    }

    /// Enters how the commands ended that an earlier digest tells as still running.
    pub(super) fn conclude(&mut self) {
        for Over { running, ending, message } in &self.over {
            let is_it = |command: &&mut Command| {
                command.last.past > 0 && command.outcome.is_process(running)
            };
            if let Some(command) = self.commands.iter_mut().rev().find(is_it) {
                (command.outcome, command.last) = (ending.clone(), Point::now(*message));
            }
        }
    }
}
