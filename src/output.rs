//! Writing standard output and files.
//!
//! Responsible for never leaving half a file: a result is written beside its target, synced, and
//! moved over it in one step; a symbolic link stays a link and the mode stays. A closed pipe ends
//! standard output quietly; every other write error is reported.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Standard output: once its reader is gone, writes do nothing.
pub struct Stdout {
    inner: BufWriter<io::StdoutLock<'static>>,
    is_closed: bool,
}

impl Stdout {
    /// Locks standard output.
    pub fn lock() -> Self {
        Self { inner: BufWriter::with_capacity(1 << 16, io::stdout().lock()), is_closed: false }
    }

    /// Whether nobody reads any more.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn quietly<T>(&mut self, result: io::Result<T>, quiet: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(quiet)
            }
            other => other,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.quietly(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.quietly(result, ())
    }
}

/// A file that replaces its target when it is finished, and vanishes when it is not.
pub struct Replacement {
    target: PathBuf,
    draft: PathBuf,
    writer: BufWriter<File>,
}

impl Replacement {
    /// Begins a replacement of `path`; a symbolic link is followed to what it points to.
    ///
    /// # Errors
    ///
    /// The target is no regular file, or its directory can't be written to.
    pub fn of(path: &Path) -> io::Result<Self> {
        let target = fs::canonicalize(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(path.to_owned()),
            _ => Err(error),
        })?;
        let metadata = fs::metadata(&target).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other("not a regular file"));
        }
        let mut name = std::ffi::OsString::from(".");
        name.push(target.file_name().ok_or_else(|| io::Error::other("not a file name"))?);
        name.push(format!(".ctx-{}", std::process::id()));
        let draft = target.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&draft)?;
        let replacement = Self { target, draft, writer: BufWriter::new(file) };
        if let Some(metadata) = metadata {
            let file = replacement.writer.get_ref();
            file.set_permissions(metadata.permissions())?;
            keep_owner(file, &metadata);
        }
        Ok(replacement)
    }

    /// Syncs what was written and puts it in the target's place.
    ///
    /// # Errors
    ///
    /// The disk is full, or the directory can't be written to; the target is as it was.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        self.writer.get_ref().sync_all()?;
        fs::rename(&self.draft, &self.target)
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

impl Drop for Replacement {
    fn drop(&mut self) {
        // After `finish` it is gone already; an error here has nobody to go to.
        let _ = fs::remove_file(&self.draft);
    }
}

/// Only the superuser may give files away; for others the owner is their own anyway.
fn keep_owner(file: &File, metadata: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}
