//! Putting a file in the place of another one.
//!
//! Responsible for that whoever opens the target finds the old file or the new one, whole, and that nothing
//! which others write to it is lost.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::draft::Draft;
use crate::json::Json;

/// What tells whether a file is still the one that was read: another size, time or file is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    bytes: u64,
    modified: (i64, i64),
    inode: u64,
}

impl Version {
    /// The version that a file has now.
    ///
    /// # Errors
    ///
    /// There is no such file, or nobody may look at it.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|metadata| Self::told_by(&metadata))
    }

    fn told_by(metadata: &fs::Metadata) -> Self {
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Self { bytes: metadata.len(), modified, inode: metadata.ino() }
    }
}

/// A file that replaces its target when it is finished, and vanishes when it is not.
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
        // Of `/dev/stdin` there is no other name to ask.
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
        // Until it has its mode, nobody else may open what will hold a private conversation.
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

    /// The same, where nothing has the target's name yet.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish); `AlreadyExists` where something has it.
    pub(crate) fn finish_new(mut self) -> io::Result<()> {
        self.sync()?;
        self.draft.place(self.writer.get_ref(), &self.target)
    }

    /// The same, if the target is still the version that was read once all is synced: that takes a while, in
    /// which others write on. False where it is not. Lines that were appended to it while its name went over
    /// stand at the end of the new file too; what was changed otherwise is put back.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish); or what others wrote in that moment could not be kept.
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
            // In one write: somebody else may append too.
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

/// What a path leads to that is not there yet: a symbolic link may lead to it.
fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_owned();
    // No more links follow each other: they would go round, which was an error before.
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().unwrap_or(Path::new("")).join(next);
    }
    end
}

/// The lines behind so many bytes, if all that stands there are lines of a log.
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
