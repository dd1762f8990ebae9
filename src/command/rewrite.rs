//! Rewriting conversations: where results go, and several FILEs at once.
//!
//! Responsible for standard output, `-o` and `-i`: a file is replaced when it is known that something
//! is to replace it, and by what. With `-i` the files are independent, so they are shared out to all
//! cores; each core has a worker of its own, for a tokenizer is not shared. One bad file does not stop
//! the others.

use std::borrow::Cow;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::cli::{Reading, Writing};
use crate::command::{Outcome, Shell, Trouble, Visit, each_piece, fail, names};
use crate::document::Edit;
use crate::input::{InputError, Name};
use crate::output::{Replacement, Stdout};
use crate::progress::Progress;

/// What one worker does with the conversations that it is given.
pub trait Rewrite {
    /// What is left to tell when all is done.
    type Report: Send;

    /// The edits of one conversation.
    ///
    /// # Errors
    ///
    /// Why it can't be done; its file is left as it is.
    fn edits(&mut self, visit: &Visit<'_, '_>, shell: &mut Shell) -> anyhow::Result<Vec<Edit>>;

    /// What it has to tell.
    fn report(self) -> Self::Report;
}

/// Rewrites all conversations of all inputs; what the workers tell, in no order.
///
/// # Errors
///
/// A worker can't be made, or the one output can't be written.
pub fn rewrite_each<R: Rewrite>(
    reading: &Reading,
    writing: &Writing,
    shell: &mut Shell,
    make: impl Fn() -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R::Report>> {
    let names = names(reading);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = if writing.in_place { cores.min(names.len()) } else { 1 };
    let progress = Progress::over(names.len(), shell.quiet);
    if workers < 2 {
        return Ok(vec![one_by_one(&names, reading, writing, shell, &progress, make()?)?]);
    }
    let next = AtomicUsize::new(0);
    let quiet = shell.quiet;
    let work = || {
        let mut shell = Shell::new(quiet);
        let mut worker = make()?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = names.get(number) else { break };
            in_place((number, name), reading, &mut shell, &mut worker);
            progress.one_more();
        }
        anyhow::Ok((shell.outcome(), worker.report()))
    };
    let done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut reports = Vec::new();
    for result in done {
        let (outcome, report) = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        shell.note(outcome);
        reports.push(report);
    }
    Ok(reports)
}

/// One input after another; to standard output, or to the file of `-o`.
fn one_by_one<R: Rewrite>(
    names: &[Name],
    reading: &Reading,
    writing: &Writing,
    shell: &mut Shell,
    progress: &Progress,
    mut worker: R,
) -> anyhow::Result<R::Report> {
    let to_file = writing.output.as_deref().filter(|path| *path != Path::new("-"));
    let mut shared = match to_file {
        Some(path) => Sink::file(path)?,
        None => Sink::Stdout(Stdout::lock()),
    };
    for input in names.iter().enumerate() {
        if writing.in_place {
            in_place(input, reading, shell, &mut worker);
        } else {
            let result = rewrite(input, reading, shell, &mut worker, &mut shared);
            if let Err(error) = result.and_then(|()| shared.flush()) {
                fail(shell, input.1, &error);
            }
        }
        progress.one_more();
    }
    if let (Some(path), Outcome::Trouble) = (to_file, shell.outcome()) {
        shell.say(format_args!("{}: not written", path.display()));
    } else {
        shared.finish_as_new()?;
    }
    Ok(worker.report())
}

/// Replaces a file by its result.
fn in_place<R: Rewrite>(
    input: (usize, &Name),
    reading: &Reading,
    shell: &mut Shell,
    worker: &mut R,
) {
    let sink = match input.1.path() {
        Some(path) => Sink::file(path),
        None => Err(Trouble::new("standard input can't be replaced", "leave out -i").into()),
    };
    let result = sink.and_then(|mut sink| {
        rewrite(input, reading, shell, worker, &mut sink)?;
        sink.finish()
    });
    if let Err(error) = result {
        fail(shell, input.1, &error);
    }
}

/// Writes the result of one input.
fn rewrite<R: Rewrite>(
    input: (usize, &Name),
    reading: &Reading,
    shell: &mut Shell,
    worker: &mut R,
    sink: &mut Sink,
) -> anyhow::Result<()> {
    let quiet = Shell::new(shell.quiet);
    each_piece(input, reading, &quiet, &mut |piece| {
        let mut edits = Vec::new();
        for visit in piece.visits() {
            edits.extend(worker.edits(&visit, shell)?);
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        if edits.is_empty() {
            return sink.put(Cow::Borrowed(piece.document.bytes()), false);
        }
        sink.put(Cow::Owned(piece.document.apply(&edits)), true)
    })
}

/// The error of an output, which names itself.
pub(super) fn could_not_write(path: &Path, error: &io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("the result is written beside the file first: its directory must be writable")
        }
        io::ErrorKind::StorageFull => Some("the file is as it was"),
        _ => None,
    };
    let reason = format!("could not write: {error}");
    let name = path.display().to_string();
    InputError { name, place: None, reason, hint: hint.map(str::to_owned) }.into()
}

/// Where results go.
enum Sink {
    Stdout(Stdout),
    File(Target),
}

/// A file that is replaced when it is known that something is to replace it, and by what.
struct Target {
    path: PathBuf,
    held: Vec<u8>,
    draft: Option<Replacement>,
    is_changed: bool,
}

impl Sink {
    /// A file that can be written, as far as can be known before there is anything to write.
    fn file(path: &Path) -> anyhow::Result<Self> {
        // It goes again at once: a summary may take minutes, in which we may be interrupted.
        drop(Replacement::of(path).map_err(|error| could_not_write(path, &error))?);
        let path = path.to_owned();
        Ok(Self::File(Target { path, held: Vec::new(), draft: None, is_changed: false }))
    }

    /// Writes a piece; what a file holds already is held back until there is more.
    fn put(&mut self, bytes: Cow<'_, [u8]>, is_changed: bool) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.write_all(&bytes)?),
            Self::File(target) => {
                target.is_changed |= is_changed;
                if target.held.is_empty() && target.draft.is_none() && !target.is_changed {
                    target.held = bytes.into_owned();
                    return Ok(());
                }
                target.write(&bytes).map_err(|error| could_not_write(&target.path, &error))
            }
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.flush()?),
            Self::File(_) => Ok(()),
        }
    }

    /// Replaces the file, if anything in it is another.
    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::File(target) if target.is_changed => target.finish(),
            Self::File(_) | Self::Stdout(_) => Ok(()),
        }
    }

    /// Replaces the file, or makes it.
    fn finish_as_new(self) -> anyhow::Result<()> {
        match self {
            Self::File(target) => target.finish(),
            Self::Stdout(_) => Ok(()),
        }
    }
}

impl Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let draft = match &mut self.draft {
            Some(draft) => draft,
            None => self.draft.insert(Replacement::of(&self.path)?),
        };
        draft.write_all(&std::mem::take(&mut self.held))?;
        draft.write_all(bytes)
    }

    fn finish(mut self) -> anyhow::Result<()> {
        let written = self.write(&[]).and_then(|()| self.draft.map_or(Ok(()), Replacement::finish));
        written.map_err(|error| could_not_write(&self.path, &error))
    }
}
