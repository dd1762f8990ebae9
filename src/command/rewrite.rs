//! Rewriting the conversations of all inputs, several at once.
//!
//! Responsible for sharing out pieces of inputs, which are whole files or some lines of a data set, to all
//! cores, and for taking the results in order. Each core has its own worker, because a tokenizer is not
//! shared. One bad file does not stop the others. It relies on `outputs` for where results go.

mod inputs;
mod outputs;
mod piece;
mod places;
mod sink;
mod worker;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::cli::{Reading, Writing};
use crate::command::pace::Pace;
use crate::command::{Said, Shell, Sums, Trouble, Visit, names};
use crate::document::Edit;
use crate::input::Name;
use crate::output::{NewFiles, Stdout, Version};
use crate::progress::Progress;
pub(super) use inputs::{Inputs, ReadPiece};
use outputs::{Outputs, Pending};
use piece::Undone;
pub(super) use sink::could_not_write;
use sink::{Rewritten, Sink};
use worker::Worker;

/// The work that a worker does with each conversation it gets.
pub trait Rewrite {
    /// The report on a conversation that is done.
    type Report: Send;

    /// Returns the edits of one conversation. Messages passed to `shell.done` are printed once the result is
    /// written.
    ///
    /// # Errors
    ///
    /// Why it can't be done, without a report.
    fn edits(
        &mut self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Edited<Self::Report>>;
}

/// The result of working on a conversation.
pub struct Edited<T> {
    /// The edits to apply.
    pub edits: Vec<Edit>,
    /// Reports, passed on once the result is written.
    pub reports: Vec<T>,
    /// Files that the result names, removed again if it is not written.
    pub files: NewFiles,
    /// Why it can't be done, if there is a report on that.
    pub refusal: Option<anyhow::Error>,
}

impl<T> Edited<T> {
    /// No edits, with a report.
    pub fn unchanged(report: T) -> Self {
        Self { reports: vec![report], ..Self::default() }
    }

    /// No edits, because it can't be done, with a report and the reason.
    pub fn refused(report: T, why: anyhow::Error) -> Self {
        Self { refusal: Some(why), ..Self::unchanged(report) }
    }
}

impl<T> Default for Edited<T> {
    fn default() -> Self {
        let files = NewFiles::default();
        Self { edits: Vec::new(), reports: Vec::new(), files, refusal: None }
    }
}

/// How many results per thread may wait for a slow one; each is as large as its piece.
const AHEAD: usize = 4;

/// Rewrites all conversations of all inputs, and passes all reports to `report`, in order.
///
/// # Errors
///
/// A worker can't be made, or the shared output can't be written.
pub fn rewrite_each<R: Rewrite>(
    reading: &Reading,
    writing: &Writing,
    pace: Pace,
    shell: &mut Shell,
    make: impl Fn() -> anyhow::Result<R> + Sync,
    report: impl FnMut(R::Report) + Send,
) -> anyhow::Result<()> {
    let names = names(reading);
    if writing.in_place {
        keep_each_once(&names)?;
    }
    let to_file = writing.output.as_deref().filter(|path| *path != Path::new("-"));
    let shared = match to_file {
        _ if writing.in_place => None,
        Some(path) => Some(Sink::named(path, &names)?),
        None => Some(Sink::Stdout(Stdout::open())),
    };
    let quiet = shell.quiet;
    let is_long = |bytes: &u64| names.len() > 1 || *bytes >= WORTH_A_BAR;
    let progress = Progress::over(bytes(&names).filter(is_long), quiet);
    let (in_place, by_line) = (writing.in_place, pace.by_line);
    let is_shared = !in_place && names.len() > 1;
    let undone = if in_place {
        Undone::Stays
    } else if shared.as_ref().is_some_and(|shared| !shared.is_file()) {
        Undone::IsLeftOut
    } else if by_line {
        Undone::Stops
    } else {
        Undone::IsNotDone
    };
    let mut outputs = Outputs {
        names: &names,
        shared,
        own: None,
        shell,
        report,
        pending: Pending::default(),
        progress,
        sums: Sums::default(),
        undone,
    };
    let worker = || {
        let (rewrite, names) = (make()?, &names);
        let mut worker = Worker { rewrite, names, reading, is_shared, undone, quiet };
        Ok(move |read, is_next| worker.take(read, is_next))
    };
    let inputs = Inputs::of(&names, reading).rewritten(in_place, by_line);
    inputs.each((pace.jobs, AHEAD), worker, |input, done| outputs.take(input, done))?;
    outputs.finish(to_file)
}

/// The size of all inputs in bytes; `None` if any is not a regular file.
pub(super) fn bytes(names: &[Name]) -> Option<u64> {
    let size = |name: &Name| {
        let metadata = fs::metadata(name.path()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    };
    names.iter().map(size).sum()
}

/// The fewest bytes for which a run is long enough for a progress bar.
const WORTH_A_BAR: u64 = 64 << 20;

/// The result of a piece.
struct Done<T> {
    version: Option<Version>,
    said: Said,
    /// The product, or the reports of an input that is given up; the reason was reported already.
    product: Result<Product<T>, Vec<T>>,
}

/// What to write after a piece.
enum Product<T> {
    /// Write this text. The reports `told` are passed on whether it is written or not.
    Rewritten { text: Rewritten, reports: Vec<T>, files: NewFiles, told: Vec<T> },
    /// Finish the output of the input.
    End,
}

/// Refuses a file that is named twice, because its first replacement would change what the second reads.
fn keep_each_once(names: &[Name]) -> Result<(), Trouble> {
    let mut known = HashSet::new();
    let path = |name: &Name| fs::canonicalize(name.path()?).ok();
    let twice = names.iter().find(|name| path(name).is_some_and(|path| !known.insert(path)));
    twice.map_or(Ok(()), |name| {
        Err(Trouble::new(format!("{name} is named twice"), "-i takes each FILE once"))
    })
}
