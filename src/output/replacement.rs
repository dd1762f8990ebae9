//! Putting a file in the place of another one.
//!
//! Responsible for two guarantees: whoever opens the target finds the old or the new file, whole, and nothing
//! that other processes write to it is lost.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::draft::Draft;
use crate::json::Json;

/// The version of a file, by size, time and inode: a file with another one is not the file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    bytes: u64,
    modified: (i64, i64),
    inode: u64,
}

impl Version {
    /// The current version of a file.
    ///
    /// # Errors
    ///
    /// There is no such file, or it may not be accessed.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|metadata| Self::told_by(&metadata))
    }

    fn told_by(metadata: &fs::Metadata) -> Self {
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Self { bytes: metadata.len(), modified, inode: metadata.ino() }
    }
}

/// A file that replaces its target when it is finished, and is removed when it is not.
pub(crate) struct Replacement {
    target: PathBuf,
    draft: Draft,
    writer: BufWriter<File>,
}

impl Replacement {
    /// Begins a replacement of `path`; a symbolic link is followed to what it points to.
    ///
    /// # Errors
    ///
    /// The target is no regular file, or its directory can't be written to.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        // `/dev/stdin` has no other path that could be resolved.
        let metadata = fs::metadata(path).ok();
        let target = fs::canonicalize(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(end_of_links(path)),
            _ => Err(error),
        })?;
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        if metadata.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        // Until it has its final mode, no one else may open a file that may hold a private conversation.
        let replacement = Self::with_mode(target, if metadata.is_some() { 0o600 } else { 0o666 })?;
        if let Some(metadata) = metadata {
            let file = replacement.writer.get_ref();
            keep_owner(file, &metadata);
            file.set_permissions(metadata.permissions())?;
        }
        Ok(replacement)
    }

    /// Begins a file that is not there yet, readable only by the user.
    ///
    /// # Errors
    ///
    /// The directory can't be written to.
    pub(crate) fn private(path: &Path) -> io::Result<Self> {
        Self::with_mode(path.to_owned(), 0o600)
    }

    fn with_mode(target: PathBuf, mode: u32) -> io::Result<Self> {
        let (draft, file) = Draft::beside(&target, mode)?;
        Ok(Self { target, draft, writer: BufWriter::new(file) })
    }

    /// Syncs what was written and puts it in the target's place.
    ///
    /// # Errors
    ///
    /// The disk is full, or the directory can't be written to; the target is as it was.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.sync()?;
        self.draft.replace(self.writer.get_ref(), &self.target)
    }

    /// Like [`finish`](Self::finish), if no file has the target's name yet.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish); `AlreadyExists` where something has it.
    pub(crate) fn finish_new(mut self) -> io::Result<()> {
        self.sync()?;
        self.draft.place(self.writer.get_ref(), &self.target)
    }

    /// Like [`finish`](Self::finish), if the target is still the version `read` after syncing, which takes a
    /// while in which others may write. Returns false if it is not. Lines that are appended to the old file
    /// at the moment of replacement are appended to the new file; after any other change, the old file is
    /// restored.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish); or another process's writes in that moment could not be kept.
    pub(crate) fn finish_over(mut self, read: Version) -> io::Result<bool> {
        self.sync()?;
        let mut old = File::open(&self.target)?;
        let is_as_read =
            |file: &File| Ok::<_, io::Error>(Version::told_by(&file.metadata()?) == read);
        if !is_as_read(&old)? || Version::of(&self.target).ok() != Some(read) {
            return Ok(false);
        }
        self.draft.replace(self.writer.get_ref(), &self.target)?;
        if is_as_read(&old)? {
            return Ok(true);
        }
        let mut now = Vec::new();
        old.read_to_end(&mut now)?;
        if let Some(lines) = appended(&now, read.bytes) {
            // In one write, because another process may append too.
            OpenOptions::new().append(true).open(&self.target)?.write_all(lines)?;
            return Ok(true);
        }
        let mut back = Self::of(&self.target)?;
        back.write_all(&now)?;
        back.finish()?;
        Ok(false)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The path behind a chain of symbolic links, which need not exist.
fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_owned();
    // The system follows no more links; a longer chain was an error before.
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().unwrap_or(Path::new("")).join(next);
    }
    end
}

/// The text behind the first `read` bytes, if it consists of whole lines of a log.
fn appended(now: &[u8], read: u64) -> Option<&[u8]> {
    let (before, lines) = now.split_at_checked(usize::try_from(read).ok()?)?;
    let text = str::from_utf8(lines).ok()?;
    let is_log = before.ends_with(b"\n") && text.ends_with('\n');
    let is_whole =
        is_log && text.lines().all(|line| Json::parse(line).is_some_and(Json::is_object));
    is_whole.then_some(lines)
}

/// Only the superuser may give files away; for others the owner is their own anyway.
fn keep_owner(file: &File, metadata: &fs::Metadata) {
    let _ = std::os::unix::fs::fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_are_lines_of_a_log() {
        let log = b"{\"a\":1}\n{\"b\":2}\n";
        assert_eq!(appended(log, 8), Some(&b"{\"b\":2}\n"[..]));
        assert_eq!(appended(b"[{\"a\":1}\n,{\"b\":2}]\n", 9), None);
        for (now, read) in [(&log[..], 7), (&log[..12], 8), (&log[..], 99), (b"[1]\n[2]\n", 4)] {
            assert_eq!(appended(now, read), None, "{read}");
        }
    }
}
