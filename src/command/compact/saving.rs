//! Saving everything that a compaction removes, in advance.
//!
//! Responsible for the content of the archive: the removed messages, and the lines of a log that are removed
//! with them. A failure is a warning if the input stays, and an error if a file is replaced that may hold the
//! only copy. The archive is removed again if nothing is compacted in the end.

use std::io;
use std::path::Path;

use super::{Compaction, Summary};
use crate::cli::compact::OnFailure;
use crate::command::archive::Archive;
use crate::command::spill::Store;
use crate::command::{self, Shell, Trouble, Visit};
use crate::compact::Compacted;
use crate::compact::report::Fate;
use crate::conversation::{Message, Place};
use crate::json::Json;
use crate::output::{NewFiles, remedy_of_full, shown};
use crate::resume::lost::lost_units;

/// The paths of everything that was saved.
pub(super) struct Saved {
    pub(super) archive: Option<String>,
    pub(super) lines: Option<String>,
    pub(super) files: NewFiles,
    /// The number of removed lines that are no part of the conversation, saved or not.
    pub(super) lines_removed: usize,
}

impl Compaction<'_> {
    /// Saves the messages that may be removed, before a summary is asked for, because the summary names the
    /// archive's path. A failure is a warning.
    pub(super) fn archive(
        &self,
        visit: &Visit<'_, '_>,
        shell: &Shell,
        goes: impl Fn(usize) -> bool,
    ) -> anyhow::Result<Option<Archive>> {
        let directory = self.arguments.archive.as_deref().filter(|_| !self.arguments.dry_run);
        let Some(directory) = directory else { return Ok(None) };
        let messages = removed(visit, goes);
        match Archive::write(directory, &self.session(visit), &messages) {
            Ok(archive) => Ok(Some(archive)),
            Err(error) => self.tell_failure(visit, shell, &error).map(|()| None),
        }
    }

    /// The path that a summary names: that of the archive, or in a dry run the path it would have.
    pub(super) fn named(&self, visit: &Visit<'_, '_>, archive: Option<&Archive>) -> Option<String> {
        let directory = self.arguments.archive.as_deref().filter(|_| self.arguments.dry_run);
        let next = || Archive::next(directory?, &self.session(visit)).ok();
        let path = archive.map(|archive| archive.path.clone()).or_else(next)?;
        Some(path.display().to_string())
    }

    /// Warns of a failure; if a file is replaced that is the input, or may be the source of piped input, or if
    /// `--on-failure fail` asks for it, the failure is an error.
    fn tell_failure(
        &self,
        visit: &Visit<'_, '_>,
        shell: &Shell,
        error: &io::Error,
    ) -> anyhow::Result<()> {
        let directory = shown(self.arguments.archive.as_deref().unwrap_or(Path::new("")));
        let reason = format!("could not archive to {directory}: {error}");
        let remedy = remedy_of_full(error).unwrap_or("--archive names a directory");
        let writing = &self.arguments.writing;
        let may_hold_them = |path: &Path| path.is_file();
        if command::replaces(writing, visit.name)
            || writing.output.as_deref().is_some_and(may_hold_them)
        {
            return Err(Trouble::new(reason, format!("the file is as it was; {remedy}")).into());
        }
        if self.arguments.on_failure == Some(OnFailure::Fail) {
            return Err(Trouble::new(reason, remedy).into());
        }
        let is_kept = visit.name.path().is_some_and(Path::is_file);
        let hint = if is_kept {
            format!("only the input holds the originals; {remedy}")
        } else {
            format!("the originals are only where the input came from; {remedy}")
        };
        shell.warn_with_hint(format_args!("{}: {reason}", visit.place()), Some(&hint));
        Ok(())
    }

    /// The name of the session: as given, else the log's own, the file's, or `stdin`.
    fn session(&self, visit: &Visit<'_, '_>) -> String {
        let own = || visit.conversation.dialect.session(&visit.conversation.source);
        let stem =
            || visit.name.path()?.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.arguments.session.clone().or_else(own).or_else(stem).unwrap_or("stdin".to_owned())
    }

    /// Saves what was removed in the end; `archive` holds what might have been removed.
    pub(super) fn save(
        &self,
        visit: &Visit<'_, '_>,
        shell: &Shell,
        archive: Option<Archive>,
        done: &Compacted<Summary>,
    ) -> anyhow::Result<Saved> {
        let goes = |at: usize| done.fates[at] != Fate::Kept;
        // The summary names an archive that is incomplete now. If that is an error, nothing is compacted and
        // the archive is removed.
        let told = |written: io::Result<()>| {
            written.or_else(|error| self.tell_failure(visit, shell, &error))
        };
        let mut archive = match archive {
            Some(archive) => {
                // If that fails, the archive holds more than was removed.
                told(archive.rewrite(&removed(visit, goes)))?;
                Some(archive)
            }
            None if done.summary.is_none() => self.archive(visit, shell, goes)?,
            // Nothing has to be saved, or the failure was reported.
            None => None,
        };
        let lost = lost_units(visit.document, visit.conversation, &done.settled.edits);
        if let Some(archive) = &mut archive {
            told(archive.add_lines(&lost))?;
        }
        let plain = |path: &Path| path.display().to_string();
        let lines = archive.as_ref().and_then(|archive| archive.lines.as_deref()).map(plain);
        let path = archive.as_ref().map(|archive| plain(&archive.path));
        let files = archive.map(|archive| archive.files).unwrap_or_default();
        Ok(Saved { archive: path, lines, files, lines_removed: lost.len() })
    }
}

/// The units of messages that are removed or changed. For instructions that a log records beside its
/// messages: the line that holds them.
fn removed<'a>(visit: &Visit<'_, 'a>, goes: impl Fn(usize) -> bool) -> Vec<Json<'a>> {
    let conversation = visit.conversation;
    let messages = conversation.messages.iter().enumerate().filter(|(at, _)| goes(*at));
    let units_of = |message: &Message<'a>| {
        if message.units.is_empty() {
            let mut all = conversation.source.units.iter();
            all.position(|unit| unit.json.holds(message.json)).into_iter().collect()
        } else {
            message.units.to_vec()
        }
    };
    let mut units: Vec<usize> = messages.flat_map(|(_, message)| units_of(message)).collect();
    units.sort_unstable();
    units.dedup();
    units.into_iter().map(|unit| conversation.source.units[unit].json).collect()
}

/// Whether the summary names the file.
fn names(done: &Compacted<Summary>, path: &str) -> bool {
    done.summary.as_ref().is_some_and(|summary| summary.text.contains(path))
}

/// Keeps the files that the result names; returns how many removed results have no named file.
pub(super) fn keep_named(store: Store<'_>, done: &Compacted<Summary>) -> usize {
    let is_gone = |at: usize| matches!(done.fates[at], Fate::Summarised | Fate::Dropped);
    let spilled = store.named().iter();
    let lost = spilled.filter(|((at, _), path)| is_gone(*at) && !names(done, path));
    let lost: Vec<Place> = lost.map(|(place, _)| *place).collect();
    let is_shown = |at: usize| is_gone(at) || done.fates[at] == Fate::Cleared;
    store.keep(|place, _| is_shown(place.0) && !lost.contains(&place));
    lost.len()
}
