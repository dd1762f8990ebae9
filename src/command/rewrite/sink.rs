//! The targets of results: standard output, or a file that is replaced in one step.
//!
//! Responsible for replacing a file only once there is a change to write. It relies on [`Replacement`] for
//! never leaving half a file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::command::Trouble;
use crate::command::apart::is_same_file;
use crate::document::{Edit, spliced};
use crate::input::{InputError, Name};
use crate::output::{Replacement, Stdout, Version, shown};

/// The error for an output that can't be written, with a hint.
pub(in crate::command) fn could_not_write(path: &Path, error: &io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            Some("chmod u+w lets it be replaced; or write to another file with -o")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("the result is written beside the file first: its directory must be writable")
        }
        io::ErrorKind::InvalidInput => Some("only a regular file is replaced: leave out -i"),
        io::ErrorKind::IsADirectory => Some("name a file in it"),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            Some("only the file is made: mkdir -p makes the directory it is to be in")
        }
        io::ErrorKind::StorageFull => Some("nothing was written: what was there is as it was"),
        _ => None,
    };
    let reason = format!("could not write: {error}");
    let name = shown(path);
    InputError { name, place: None, reason, hint: hint.map(str::to_owned) }.into()
}

/// A text as it was read, with edits, so that the result is never held in memory as a whole.
#[derive(Default)]
pub(super) struct Rewritten {
    pub(super) bytes: Vec<u8>,
    /// Sorted.
    pub(super) edits: Vec<Edit>,
}

impl Rewritten {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut pieces = spliced(&self.bytes, 0..self.bytes.len(), &self.edits);
        pieces.try_for_each(|piece| out.write_all(piece))
    }
}

/// The target of results.
pub(super) enum Sink {
    Stdout(Stdout),
    File(Target),
}

/// A file that is replaced only once there is a change to write.
pub(super) struct Target {
    path: PathBuf,
    /// The version that was read, if the file is an input.
    version: Option<Version>,
    /// The text that was read before the first change.
    held: Option<Rewritten>,
    draft: Option<Replacement>,
    is_changed: bool,
}

impl Sink {
    /// The output that was named: a device or a pipe, or a file, which may be one of the inputs about to be
    /// read.
    pub(super) fn named(path: &Path, inputs: &[Name]) -> anyhow::Result<Self> {
        if let Some(stream) = Stdout::named(path) {
            return Ok(Self::Stdout(stream));
        }
        can_be_written(path)?;
        let is_output = |input: &Name| input.path().is_some_and(|input| is_same_file(input, path));
        let version = Version::of(path).ok().filter(|_| inputs.iter().any(is_output));
        Ok(Self::File(Target::of(path, version)))
    }

    /// An input file itself, which was read as `version`.
    pub(super) fn in_place(name: &Name, version: Option<Version>) -> Self {
        let path = name.path().unwrap_or(Path::new(""));
        Self::File(Target::of(path, version))
    }

    /// Writes a piece. Unchanged pieces of a file are held back until there is a change.
    pub(super) fn put(&mut self, text: Rewritten) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => Ok(text.write(out)?),
            Self::File(target) => {
                target.is_changed |= !text.edits.is_empty();
                if target.held.is_none() && target.draft.is_none() && !target.is_changed {
                    target.held = Some(text);
                    return Ok(());
                }
                target.write(&text).map_err(|error| could_not_write(&target.path, &error))
            }
        }
    }

    /// Whether the output appears only once everything is written.
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Whether a lack of space may show only at the end.
    pub(super) fn may_be_full(&self) -> bool {
        matches!(self, Self::Stdout(out) if out.may_be_full())
    }

    /// Whether the reader is gone or nothing more can be written.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self, Self::Stdout(out) if out.is_closed())
    }

    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.flush()?),
            Self::File(_) => Ok(()),
        }
    }

    /// Replaces the file if anything in it changed.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::File(target) if target.is_changed => target.finish(),
            Self::File(_) | Self::Stdout(_) => Ok(()),
        }
    }

    /// Replaces or creates the file.
    pub(super) fn finish_as_new(self) -> anyhow::Result<()> {
        match self {
            Self::File(target) => target.finish(),
            Self::Stdout(_) => Ok(()),
        }
    }
}

/// Refuses a file that can't be written, as far as that can be known in advance.
fn can_be_written(path: &Path) -> anyhow::Result<()> {
    // The draft is removed at once: a summary may take minutes, in which we may be interrupted.
    Replacement::of(path).map(drop).map_err(|error| could_not_write(path, &error))
}

/// The current version of an input that will be replaced. Checks first that it can be written, because a
/// summary may take minutes.
pub(super) fn version_to_replace(name: &Name) -> anyhow::Result<Option<Version>> {
    let Some(path) = name.path() else {
        return Err(Trouble::new("standard input can't be replaced", "leave out -i").into());
    };
    can_be_written(path)?;
    // If there is no such file, reading it will report that.
    Ok(Version::of(path).ok())
}

impl Target {
    fn of(path: &Path, version: Option<Version>) -> Self {
        Self { path: path.to_owned(), version, held: None, draft: None, is_changed: false }
    }

    fn write(&mut self, text: &Rewritten) -> io::Result<()> {
        let draft = match &mut self.draft {
            Some(draft) => draft,
            None => self.draft.insert(Replacement::of(&self.path)?),
        };
        if let Some(held) = self.held.take() {
            held.write(draft)?;
        }
        text.write(draft)
    }

    fn finish(mut self) -> anyhow::Result<()> {
        // An agent may have written to the file meanwhile, and those lines exist nowhere else.
        let (path, version) = (self.path.clone(), self.version);
        let is_as_read = version.is_none_or(|version| Version::of(&path).ok() == Some(version));
        let written = is_as_read.then(|| {
            self.write(&Rewritten::default())?;
            self.draft.take().map_or(Ok(true), |draft| match version {
                Some(read) => draft.finish_over(read),
                None => draft.finish().map(|()| true),
            })
        });
        match written.unwrap_or(Ok(false)) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let name = shown(&self.path);
                let reason = "was changed meanwhile: left as it is now".to_owned();
                let hint = Some("run it again when nobody else writes to the file".to_owned());
                Err(InputError { name, place: None, reason, hint }.into())
            }
            Err(error) => Err(could_not_write(&self.path, &error)),
        }
    }
}
