//! The ledger: each file with what was done to it, each command with its outcomes.
//!
//! Responsible for what is true at the end: a failed edit changes nothing, the last deed decides,
//! and what was read before it was changed is listed once. Files are one where their last two
//! components are; commands where their first characters are.

use std::collections::HashMap;

use super::calls::{Call, Deed};
use super::outcome::Outcome;

/// How many characters of a command tell it from others.
pub(super) const COMMAND_KEY: usize = 60;

/// A file, and what became of it.
#[derive(Debug, Default)]
pub(super) struct File {
    /// As it was named first.
    pub(super) path: String,
    pub(super) reads: u32,
    pub(super) edits: u32,
    pub(super) created: bool,
    pub(super) deleted: bool,
    pub(super) moved: bool,
    /// The messages of the first and the last change, or else read.
    pub(super) first: usize,
    pub(super) last: usize,
    /// What edits did, with their messages.
    pub(super) changes: Vec<(usize, Box<str>)>,
}

impl File {
    /// Whether it is another file than before.
    pub(super) fn is_changed(&self) -> bool {
        self.edits > 0 || self.created || self.deleted || self.moved
    }

    /// What was done to it, in words.
    pub(super) fn deeds(&self) -> String {
        let mut deeds: Vec<String> = Vec::new();
        if self.created {
            deeds.push("created".to_owned());
        }
        match self.edits {
            0 => {}
            1 => deeds.push("edited".to_owned()),
            times => deeds.push(format!("edited ×{times}")),
        }
        if self.moved {
            deeds.push("moved away".to_owned());
        }
        if self.deleted {
            deeds.push("deleted".to_owned());
        }
        if deeds.is_empty() {
            deeds.push("read".to_owned());
        }
        deeds.join(", ")
    }
}

/// One run of a command.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) message: usize,
    pub(super) outcome: Outcome,
    pub(super) answered: bool,
}

/// A command, and how its runs ended.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) text: Box<str>,
    pub(super) runs: Vec<Run>,
}

/// Files and commands of a conversation, in the order in which they were first touched.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) files: Vec<File>,
    pub(super) commands: Vec<Command>,
    file_of: Vec<Option<u32>>,
    command_of: Vec<Option<u32>>,
    /// The folder that most paths lie in, with a slash at its end.
    pub(super) root: String,
}

impl Ledger {
    /// Enters every call.
    pub(super) fn of(calls: &[Call]) -> Self {
        let mut ledger = Self { root: root(calls), ..Self::default() };
        let mut files: HashMap<String, u32> = HashMap::new();
        let mut commands: HashMap<String, u32> = HashMap::new();
        for call in calls {
            let mut touched = None;
            for touch in &call.touches {
                let number = ledger.enter(&mut files, &touch.path, touch.deed, call);
                touched = touched.or(number);
            }
            ledger.file_of.push(touched);
            let command = call.command.as_deref().map(|text| {
                let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let key: String = flat.chars().take(COMMAND_KEY).collect();
                let next = ledger.commands.len();
                #[allow(clippy::cast_possible_truncation, reason = "calls are far fewer than 2^32")]
                let number = *commands.entry(key).or_insert(next as u32);
                if number as usize == next {
                    ledger.commands.push(Command { text: flat.into(), runs: Vec::new() });
                }
                ledger.commands[number as usize].runs.push(Run {
                    message: call.place.0,
                    outcome: call.outcome.clone(),
                    answered: call.result.is_some(),
                });
                number
            });
            ledger.command_of.push(command);
        }
        ledger
    }

    fn enter(
        &mut self,
        known: &mut HashMap<String, u32>,
        path: &str,
        deed: Deed,
        call: &Call,
    ) -> Option<u32> {
        let path = self.relative(path).trim_end_matches('/');
        if path.is_empty() || path == "." {
            return None;
        }
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        let next = self.files.len();
        #[allow(clippy::cast_possible_truncation, reason = "files are far fewer than 2^32")]
        let number = *known.entry(path[start..].to_owned()).or_insert(next as u32);
        if number as usize == next {
            let file = File { path: path.to_owned(), first: call.place.0, ..File::default() };
            self.files.push(file);
        }
        let file = &mut self.files[number as usize];
        if call.outcome.failed || call.outcome.rejected {
            return Some(number);
        }
        let was_changed = file.is_changed();
        match deed {
            Deed::Created => {
                file.created |= file.reads == 0 && file.edits == 0 || file.deleted;
                file.edits += u32::from(!file.created || file.created && was_changed);
                file.deleted = false;
            }
            Deed::Edited => file.edits += 1,
            Deed::Deleted => file.deleted = true,
            Deed::Moved => file.moved = true,
            _ => file.reads += 1,
        }
        if deed.changes() {
            if !was_changed {
                file.first = call.place.0;
            }
            file.last = call.place.0;
            if let Some(change) = &call.change {
                file.changes.push((call.place.0, change.clone()));
            }
        } else if !was_changed {
            file.last = call.place.0;
        }
        Some(number)
    }

    /// A path below the root, without it.
    pub(super) fn relative<'p>(&self, path: &'p str) -> &'p str {
        let path = path.strip_prefix("./").unwrap_or(path);
        match path.strip_prefix(self.root.as_str()) {
            Some(rest) if !self.root.is_empty() && !rest.is_empty() => rest,
            _ => path,
        }
    }

    /// The file that the call touched first.
    pub(super) fn file_of(&self, call: u32) -> Option<u32> {
        self.file_of.get(call as usize).copied().flatten()
    }

    /// The command that the call ran.
    pub(super) fn command_of(&self, call: u32) -> Option<u32> {
        self.command_of.get(call as usize).copied().flatten()
    }
}

/// The deepest folder that most of the absolute paths lie in.
fn root(calls: &[Call]) -> String {
    let paths =
        || calls.iter().flat_map(|call| &call.touches).filter(|touch| touch.path.starts_with('/'));
    let all = paths().count();
    let mut root = "/".to_owned();
    loop {
        let mut below: Vec<(&str, usize)> = Vec::new();
        for touch in paths() {
            let Some(rest) = touch.path.strip_prefix(root.as_str()) else { continue };
            let Some((folder, _)) = rest.split_once('/') else { continue };
            match below.iter().position(|(known, _)| *known == folder) {
                Some(at) => below[at].1 += 1,
                None if below.len() < 64 => below.push((folder, 1)),
                None => {}
            }
        }
        match below.iter().max_by_key(|(_, times)| *times) {
            Some((folder, times)) if *times * 10 >= all * 7 && all > 1 => {
                root.push_str(folder);
                root.push('/');
            }
            _ => break,
        }
    }
    // A file in the root itself keeps its folder's name: alone its own might be another's.
    if paths()
        .any(|touch| touch.path.strip_prefix(root.as_str()).is_some_and(|rest| !rest.contains('/')))
    {
        root.truncate(root.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1));
    }
    if root.matches('/').count() > 2 { root } else { String::new() }
}
