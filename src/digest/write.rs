//! The text of the digest.
//!
//! Responsible for the order of the sections, for putting lines of one file or command under it,
//! and for keeping what was quoted apart from what we say: quoted lines begin with `> `. It relies
//! on everything having been chosen; it only writes, and the same choice gives the same text.

use std::fmt::Write;

use super::calls::{Call, Deed};
use super::ledger::{COMMAND_KEY, Command, Ledger};
use super::outcome;

/// Lines under one heading, by the place where they stood.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) lines: Vec<String>,
}

/// The most names in a line of the ledger. Measured: more are no longer told apart by a reader.
const NAMES_IN_LINE: usize = 8;
const LINE_LENGTH: usize = 150;

/// The lines of the ledger for files that nothing else is said of: what was done, where, to which.
pub(super) fn grouped_files(
    ledger: &Ledger,
    files: &[u32],
    is_ambiguous: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for &number in files {
        let file = &ledger.files[number as usize];
        let deeds = file.deeds();
        let deed = deeds.split([' ', ',']).next().unwrap_or("read");
        let deed = if file.deleted { "deleted" } else { deed };
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let (folder, name) = if !folder.is_empty() && is_ambiguous(name) {
            let (above, parent) = folder.rsplit_once('/').unwrap_or(("", folder));
            (above, &file.path[file.path.len() - parent.len() - 1 - name.len()..])
        } else {
            (folder, name)
        };
        let key = if folder.is_empty() { deed.to_owned() } else { format!("{deed} in {folder}") };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, names)) => names.push(name),
            None => groups.push((key, vec![name])),
        }
    }
    let mut lines = Vec::new();
    for (key, names) in groups {
        let mut line = String::new();
        let mut count = 0;
        for name in names {
            if count == NAMES_IN_LINE || line.len() + name.len() > LINE_LENGTH {
                lines.push(std::mem::take(&mut line));
                count = 0;
            }
            if line.is_empty() {
                let _ = write!(line, "- {key}: {name}");
            } else {
                let _ = write!(line, ", {name}");
            }
            count += 1;
        }
        lines.push(line);
    }
    lines
}

/// The heading of a file that stands alone.
pub(super) fn file_heading(ledger: &Ledger, number: u32) -> String {
    let file = &ledger.files[number as usize];
    let mut line = format!("- {}: {}", file.path, file.deeds());
    if file.is_changed() && file.reads > 0 && !file.created {
        line.push_str(" after reading");
    }
    let _ = match file.last {
        last if last == file.first => write!(line, " [{last}]"),
        last => write!(line, " [{}–{last}]", file.first),
    };
    line
}

/// A command with its outcome.
pub(super) fn command_line(command: &Command) -> String {
    let text: String = if command.text.chars().count() <= COMMAND_KEY + 30 {
        command.text.to_string()
    } else {
        let short: String = command.text.chars().take(COMMAND_KEY).collect();
        format!("{short}…")
    };
    let mut line = format!("$ {text}");
    let Some(last) = command.runs.last() else { return line };
    if command.runs.len() > 1 {
        let _ = write!(line, " ×{}", command.runs.len());
    }
    if !last.answered {
        line.push_str(" → not answered");
        return line;
    }
    let failed = command.runs.iter().rev().skip(1).find(|run| run.outcome.failed);
    if let Some(run) = failed.filter(|_| !last.outcome.failed) {
        let _ = write!(line, " → failed [{}], then", run.message);
    } else {
        line.push_str(" →");
    }
    let _ = write!(line, " {} [{}]", outcome::phrase(&last.outcome), last.message);
    line
}

/// The heading of what another call said.
pub(super) fn call_heading(call: &Call, ledger: &Ledger) -> String {
    let mut line = format!("- [{}] ", call.place.0);
    let tool = if call.deed == Deed::Other { call.tool.as_ref() } else { call.deed.word() };
    line.push_str(tool);
    if let Some(about) = &call.about {
        let about: String = about.chars().take(70).collect();
        let _ = write!(line, " `{about}`");
    }
    if let Some(touch) = call.touches.first() {
        let _ = write!(line, " in {}", ledger.relative(&touch.path));
    }
    if call.outcome.failed {
        line.push_str(" (failed)");
    }
    line
}
