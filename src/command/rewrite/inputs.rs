//! The inputs of a command, read piece by piece.
//!
//! Responsible for the order of reading, and for the version of a file that will be replaced.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::sink::version_to_replace;
use crate::cli::Reading;
use crate::command::forced;
use crate::command::in_order::{Unit, in_order};
use crate::input::{self, Input, Name};
use crate::output::Version;

/// What reading an input gave: a piece to work on (`None` at the end), or why it can't be read.
pub(in crate::command) struct ReadPiece {
    pub(in crate::command) input: usize,
    /// The version of the file that is read, if it will be replaced.
    pub(super) version: Option<Version>,
    pub(in crate::command) what: anyhow::Result<Option<input::Piece>>,
}

/// The inputs of a run, piece by piece.
pub(in crate::command) struct Inputs<'r> {
    names: &'r [Name],
    reading: &'r Reading,
    in_place: bool,
    by_line: bool,
    /// The index of the current input.
    at: usize,
    open: Option<Input>,
    version: Option<Version>,
}

impl<'r> Inputs<'r> {
    /// Inputs that are only read.
    pub(in crate::command) fn of(names: &'r [Name], reading: &'r Reading) -> Self {
        Self { names, reading, in_place: false, by_line: false, at: 0, open: None, version: None }
    }

    /// Inputs whose files are replaced if `in_place`, in pieces of one line if `by_line`.
    pub(super) fn rewritten(self, in_place: bool, by_line: bool) -> Self {
        Self { in_place, by_line, ..self }
    }

    /// Shares out all pieces and passes the results to `take`, in order. `take` returns the index of the
    /// first input that is still wanted.
    ///
    /// # Errors
    ///
    /// A worker can't be made.
    pub(in crate::command) fn each<T: Send, I: IntoIterator<Item = T> + Send, W>(
        mut self,
        (jobs, ahead): (usize, usize),
        make: impl Fn() -> anyhow::Result<W> + Sync,
        mut take: impl FnMut(usize, T) -> usize + Send,
    ) -> anyhow::Result<()>
    where
        W: FnMut(ReadPiece, bool) -> I,
    {
        let given_up = AtomicUsize::new(0);
        let worker = || {
            let mut work = make()?;
            Ok(move |read: ReadPiece, is_next| (read.input, work(read, is_next)))
        };
        let next = || self.next(given_up.load(Ordering::Relaxed));
        in_order(jobs, ahead, next, worker, |(input, all): (usize, I)| {
            for done in all {
                if input >= given_up.load(Ordering::Relaxed) {
                    given_up.fetch_max(take(input, done), Ordering::Relaxed);
                }
            }
        })
    }

    /// The next piece; inputs before `given_up` are skipped.
    fn next(&mut self, given_up: usize) -> Option<Unit<ReadPiece>> {
        if self.at < given_up {
            (self.at, self.open) = (given_up, None);
        }
        let name = self.names.get(self.at)?;
        let input = self.at;
        let what = self.piece(name);
        let version = self.version;
        let is_over = self.open.as_ref().is_none_or(Input::is_over);
        if !matches!(what, Ok(Some(_))) {
            (self.at, self.open) = (input + 1, None);
        }
        let is_last = is_over && input + 1 == self.names.len();
        Some(Unit { unit: ReadPiece { input, version, what }, is_last })
    }

    fn piece(&mut self, name: &Name) -> anyhow::Result<Option<input::Piece>> {
        if self.open.is_none() {
            if self.in_place {
                self.version = version_to_replace(name)?;
            }
            let input = Input::open(name.clone(), forced(self.reading))?;
            self.open = Some(input.by_line(self.by_line));
        }
        Ok(self.open.as_mut().map_or(Ok(None), Input::piece)?)
    }
}
