//! The ledger: each file with what was done to it, each command with its outcomes.
//!
//! Responsible for what is true at the end: a failed edit changes nothing, the last deed decides,
//! and what was read before it was changed is listed once. Files are one where their last two
//! components are; commands where their first characters are. Entries of an earlier digest are the
//! beginning of it: counts add, the newer state wins.

use std::borrow::Cow;
use std::collections::HashMap;

use super::calls::{Call, Deed, Touch};
use super::commands::{self, Command};
use super::files::{File, UP, above};
use super::fold::Earlier;
use super::outcome;
use super::point::Point;
use crate::line::on_one_line;

/// How many folders above the root a path is still told from there.
const MOST_UP: usize = 2;

/// Files and commands of a conversation, in the order in which they were first touched.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) files: Vec<File>,
    pub(super) commands: Vec<Command>,
    file_of: Vec<Option<u32>>,
    command_of: Vec<Option<u32>>,
    known_files: HashMap<String, u32>,
    known_commands: HashMap<String, u32>,
    /// The folder that most paths lie in, with a slash at its end.
    pub(super) root: String,
}

impl Ledger {
    /// Enters what earlier digests say, then every call.
    pub(super) fn of(calls: &[Call], earlier: &[Earlier]) -> Self {
        let old = earlier.iter().flat_map(|earlier| &earlier.files);
        let old = old.map(|file| file.heading.path.as_str());
        let paths: Vec<&str> = calls
            .iter()
            .flat_map(|call| call.touches.iter().map(|touch| touch.path.as_ref()))
            .chain(old)
            .filter(|path| path.starts_with('/'))
            .collect();
        let mut ledger = Self { root: root(&paths), ..Self::default() };
        for earlier in earlier {
            for file in &earlier.files {
                ledger.carry_file(&file.heading);
            }
            for command in &earlier.commands {
                ledger.carry_command(&command.heading);
            }
        }
        for call in calls {
            ledger.enter(call);
        }
        ledger
    }

    fn carry_file(&mut self, old: &File) {
        let Some(number) = self.file(&old.path) else { return };
        let file = &mut self.files[number as usize];
        let path = std::mem::take(&mut file.path);
        *file = File { path, ..old.clone() };
    }

    fn carry_command(&mut self, old: &Command) {
        let number = self.command(&old.text);
        let command = &mut self.commands[number as usize];
        command.times += old.times;
        command.failed = old.failed;
        command.last = old.last;
        command.outcome.clone_from(&old.outcome);
    }

    fn enter(&mut self, call: &Call) {
        let mut first = None;
        for touch in &call.touches {
            let number = self.file(&touch.path);
            if let Some(number) = number.filter(|_| !call.outcome.failed && !call.outcome.rejected)
            {
                self.touch(number, touch, call.place.0);
            }
            first = first.or(number);
        }
        self.file_of.push(first);
        let command = call.command.as_deref().map(|text| {
            let number = self.command(text);
            let command = &mut self.commands[number as usize];
            if command.outcome.as_deref().is_some_and(|outcome| outcome.starts_with("failed")) {
                command.failed = Some(command.last);
            }
            // What was refused or cancelled did not run.
            if call.outcome.never_ran() && command.times > 0 {
                return number;
            }
            command.times += u32::from(!call.outcome.never_ran());
            command.last = Point::now(call.place.0);
            command.outcome = call.result.map(|_| outcome::phrase(&call.outcome).into());
            number
        });
        self.command_of.push(command);
    }

    /// The number of a file; a new one where it was not known.
    fn file(&mut self, path: &str) -> Option<u32> {
        let path = self.relative(path).trim_end_matches('/').to_owned();
        if path.is_empty() || path == "." {
            return None;
        }
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        #[allow(clippy::cast_possible_truncation, reason = "files are far fewer than 2^32")]
        let next = self.files.len() as u32;
        let number = *self.known_files.entry(path[start..].to_owned()).or_insert(next);
        if number == next {
            self.files.push(File { path, ..File::default() });
        }
        Some(number)
    }

    /// The number of a command; a new one where it was not known.
    fn command(&mut self, text: &str) -> u32 {
        let flat = on_one_line(text);
        let key = commands::key(&flat);
        #[allow(clippy::cast_possible_truncation, reason = "calls are far fewer than 2^32")]
        let next = self.commands.len() as u32;
        let number = *self.known_commands.entry(key).or_insert(next);
        if number == next {
            let (last, text) = (Point::default(), flat.into());
            self.commands.push(Command { text, times: 0, failed: None, last, outcome: None });
        }
        number
    }

    fn touch(&mut self, number: u32, touch: &Touch, message: usize) {
        let file = &mut self.files[number as usize];
        let was_changed = file.is_changed();
        let now = Point::now(message);
        match touch.deed {
            Deed::Created if !was_changed && file.reads == 0 || file.deleted => {
                file.created = true;
                file.deleted = false;
            }
            Deed::Created | Deed::Edited => file.edits += 1,
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
            file.changes.extend(touch.change.clone().map(|change| (now, change)));
        } else if !was_changed {
            file.first = file.first.or(Some(now));
            file.last = Some(now);
        }
    }

    /// A path below the root without it, one a little above with `../`.
    pub(super) fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let mut root = self.root.as_str();
        for up in 0..=MOST_UP {
            if root.matches('/').count() <= 2 {
                break;
            }
            match path.strip_prefix(root).filter(|rest| !rest.is_empty()) {
                Some(rest) if up == 0 => return rest.into(),
                Some(rest) => return format!("{}{rest}", UP.repeat(up)).into(),
                None => root = above(root),
            }
        }
        path.into()
    }

    /// The file that the call touched first.
    pub(super) fn file_of(&self, call: u32) -> Option<u32> {
        self.file_of.get(call as usize).copied().flatten()
    }

    /// The command that the call ran.
    pub(super) fn command_of(&self, call: u32) -> Option<u32> {
        self.command_of.get(call as usize).copied().flatten()
    }

    /// The number of a file that was entered.
    pub(super) fn number_of(&self, path: &str) -> Option<u32> {
        let path = self.relative(path);
        let path = path.trim_end_matches('/');
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        self.known_files.get(&path[start..]).copied()
    }

    /// The number of a command that was entered.
    pub(super) fn number_of_command(&self, text: &str) -> Option<u32> {
        self.known_commands.get(&commands::key(text)).copied()
    }
}

/// The deepest folder that most of the absolute paths lie in.
fn root(paths: &[&str]) -> String {
    let mut root = "/".to_owned();
    loop {
        let mut below: Vec<(&str, usize)> = Vec::new();
        for path in paths {
            let Some(rest) = path.strip_prefix(root.as_str()) else { continue };
            let Some((folder, _)) = rest.split_once('/') else { continue };
            match below.iter().position(|(known, _)| *known == folder) {
                Some(at) => below[at].1 += 1,
                None if below.len() < 64 => below.push((folder, 1)),
                None => {}
            }
        }
        match below.iter().max_by_key(|(_, times)| *times) {
            Some((folder, times)) if *times * 10 >= paths.len() * 7 && paths.len() > 1 => {
                root.push_str(folder);
                root.push('/');
            }
            _ => break,
        }
    }
    // A file in the root itself keeps its folder's name: alone its own might be another's.
    let is_inside =
        |path: &&str| path.strip_prefix(root.as_str()).is_some_and(|rest| !rest.contains('/'));
    if paths.iter().any(is_inside) {
        root.truncate(above(&root).len());
    }
    if root.matches('/').count() > 2 { root } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_root_reads_back() {
        let ledger = Ledger { root: "/w/app/src/".to_owned(), ..Ledger::default() };
        assert_eq!(ledger.relative("/w/app/src/a.rs"), "a.rs");
        assert_eq!(ledger.relative("/w/app/Cargo.toml"), "../Cargo.toml");
        assert_eq!(ledger.relative("/etc/hosts"), "/etc/hosts");
        let files = File::parse("- read in ../docs: a.md, b.md", &ledger.root, 1);
        let paths: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/w/app/docs/a.md", "/w/app/docs/b.md"]);
    }
}
