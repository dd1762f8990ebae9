//! Asking a question about the conversations of all inputs, on all cores, and passing on the answers in
//! order.
//!
//! Responsible for sharing out pieces to workers. A data set has many pieces, a small file is one; each
//! thread has its own worker, because a tokenizer is not shared. The output does not depend on which thread
//! is faster, and one bad input does not stop the others.

use crate::cli::Reading;
use crate::command::pace::Pace;
use crate::command::rewrite::{Inputs, ReadPiece, bytes};
use crate::command::shell::{Fate, print_error, report_lines};
use crate::command::{Outcome, Said, Several, Shell, Visit, fail, names, place_of, read_piece};
use crate::conversation::Source;
use crate::dialect::Shape;
use crate::input::{Name, Piece};

/// Inputs of fewer bytes in all are not worth a second thread.
const FEW: u64 = 1 << 19;

/// How many answers per thread may wait for a slow one, such as a large file among small ones. Answers are
/// small.
const AHEAD: usize = 64;

/// Answers a question about conversations, one after another.
pub trait Worker {
    /// The answer for one conversation.
    type Answer: Send;

    /// Whether values that are no conversations are acceptable in an input.
    const PASSES_OVER: bool;

    /// Answers the question without keeping the messages, if that is possible.
    fn skim(
        &mut self,
        _shape: Shape,
        _source: &Source<'_>,
        _is_one_of_many: bool,
    ) -> Option<Self::Answer> {
        None
    }

    /// Answers the question for one conversation.
    ///
    /// # Errors
    ///
    /// Why it can't be done; the rest of the input is skipped.
    fn answer(&mut self, visit: &Visit<'_, '_>, shell: &Shell) -> anyhow::Result<Self::Answer>;
}

/// An event passed on to the caller, in order.
pub enum Told<'n, T> {
    /// The answer for a conversation of an input.
    Answer(&'n Name, T),
    /// The end of an input.
    End(&'n Name),
    /// Why the rest of an input is skipped; this was reported already.
    Trouble(&'n Name, String),
}

/// Asks the question about all conversations of all inputs.
///
/// # Errors
///
/// A worker can't be made.
pub fn ask_each<W: Worker>(
    reading: &Reading,
    shell: &mut Shell,
    make: impl Fn() -> anyhow::Result<W> + Sync,
    mut tell: impl FnMut(Told<'_, W::Answer>) -> anyhow::Result<()> + Send,
) -> anyhow::Result<()> {
    let names = &names(reading)[..];
    let quiet = shell.quiet;
    let few = bytes(names).is_some_and(|bytes| bytes < FEW);
    let jobs = if few { 1 } else { Pace::of(None).jobs };
    let worker = || {
        let mut asker = Asker { worker: make()?, names, reading, quiet };
        Ok(move |read, is_next| Some(asker.take(read, is_next)))
    };
    Inputs::of(names, reading).each((jobs, AHEAD), worker, |input, done: Done<W::Answer>| {
        print_error(&done.said.held);
        shell.note(done.said.outcome);
        let name = &names[input];
        let told = done.answers.into_iter().map(|answer| Told::Answer(name, answer));
        let is_bad = done.trouble.is_some();
        let trouble = done.trouble.map(|reason| Told::Trouble(name, reason));
        let mut told = told.chain(done.is_end.then_some(Told::End(name))).chain(trouble);
        let told = told.try_for_each(&mut tell);
        if let Err(error) = &told {
            fail(shell, name, error);
        }
        if is_bad || told.is_err() { input + 1 } else { 0 }
    })
}

/// The part of the work of one thread.
struct Asker<'n, W> {
    worker: W,
    names: &'n [Name],
    reading: &'n Reading,
    quiet: bool,
}

impl<W: Worker> Asker<'_, W> {
    /// Handles one piece and returns the result.
    fn take(&mut self, ReadPiece { input, what, .. }: ReadPiece, is_next: bool) -> Done<W::Answer> {
        let name = &self.names[input];
        let mut shell = Shell::in_turn(self.quiet, is_next);
        shell.fate = if W::PASSES_OVER { Fate::PassedOver } else { Fate::Unanswered };
        let is_end = matches!(what, Ok(None));
        let mut answers = Vec::new();
        let result = what.and_then(|piece| {
            piece.map_or(Ok(()), |piece| self.ask(name, &piece, &mut answers, &mut shell))
        });
        if let Err(error) = &result {
            fail(&mut shell, name, error);
        }
        let trouble = result.err().map(|error| report_lines(&place_of(name, &error), &error));
        Done { said: shell.finish(), answers, is_end, trouble }
    }

    /// Asks the question about the conversations of a piece.
    fn ask(
        &mut self,
        name: &Name,
        piece: &Piece,
        answers: &mut Vec<W::Answer>,
        shell: &mut Shell,
    ) -> anyhow::Result<()> {
        read_piece(name, piece, self.reading, Several::Parted, &mut |found| {
            if found.passes_over && !W::PASSES_OVER {
                shell.note(Outcome::Trouble);
            }
            found.each(shell, |batch, found, shell| {
                let (shape, source) = &found;
                if let Some(answer) = self.worker.skim(*shape, source, batch.is_one_of_many) {
                    answers.push(answer);
                    return Ok(());
                }
                batch.decoded(found, shell, |visit, shell| {
                    answers.push(self.worker.answer(visit, shell)?);
                    Ok(())
                })
            })
        })
    }
}

/// The result of a piece.
struct Done<T> {
    said: Said,
    answers: Vec<T>,
    /// Whether the input ended.
    is_end: bool,
    /// Why the input is given up; this was reported already.
    trouble: Option<String>,
}
