//! Rewriting the conversations of all inputs, several at once.
//!
//! Responsible for pieces of inputs, whole files or some lines of a data set: they are shared out to all
//! cores, and their results are taken in order. Each core has a worker of its own, for a tokenizer is not
//! shared. One bad file does not stop the others. It relies on `outputs` for where results go.

mod inputs;
mod outputs;
mod sink;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cli::{Reading, Writing};
use crate::command::in_order::in_order;
use crate::command::pace::Pace;
use crate::command::{
    Said, Shell, Staying, Trouble, Visit, fail, forced, hint_of, names, read_piece,
};
use crate::dialect::Layout;
use crate::document::Edit;
use crate::input::{self, InputError, Name};
use crate::output::{NewFiles, Stdout, Version};
use crate::progress::Progress;
pub(super) use inputs::{Inputs, Step};
use outputs::{Outputs, Pending};
pub(super) use sink::could_not_write;
use sink::{Rewritten, Sink};

/// What one worker does with the conversations that it is given.
pub trait Rewrite {
    /// What is told of a conversation when it is done.
    type Report: Send;

    /// What is to be done to one conversation; what is said to be done is said once it is written.
    ///
    /// # Errors
    ///
    /// Why it can't be done, with nothing to tell of it; its file is left as it is.
    fn edits(
        &mut self,
        visit: &Visit<'_, '_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Edited<Self::Report>>;
}

/// What is to be done to a conversation.
pub struct Edited<T> {
    /// What changes in it.
    pub edits: Vec<Edit>,
    /// What is told of it, once it is written.
    pub reports: Vec<T>,
    /// What it names, and what goes again if it is not written.
    pub files: NewFiles,
    /// Why it can't be done, where there is something to tell of that; its file is left as it is.
    pub refusal: Option<anyhow::Error>,
}

impl<T> Edited<T> {
    /// Nothing, and what is told of that.
    pub fn unchanged(report: T) -> Self {
        Self { reports: vec![report], ..Self::default() }
    }

    /// Nothing, for it can't be done.
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

/// So many results a thread may wait for a slow one: each is as large as its piece.
const AHEAD: usize = 4;

/// Rewrites all conversations of all inputs; `report` is told of each, in order.
///
/// # Errors
///
/// A worker can't be made, or the one output can't be written.
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
    let given_up = AtomicUsize::new(0);
    let (in_place, by_line) = (writing.in_place, pace.by_line);
    let is_shared = !in_place && names.len() > 1;
    let is_stream = shared.as_ref().is_some_and(|shared| !shared.is_file());
    let mut inputs = Inputs::of(&names, reading).rewritten(in_place, by_line);
    let mut outputs = Outputs {
        names: &names,
        shared,
        own: None,
        shell,
        report,
        pending: Pending::default(),
        progress,
        staying: Staying::default(),
        given_up: &given_up,
    };
    let worker = || {
        let mut rewrite = make()?;
        let names = &names;
        Ok(move |step: Step, is_next: bool| {
            let (input, version) = (step.input, step.version);
            let name = &names[input];
            let done = |shell: Shell, product, before: Option<Done<_>>| Done {
                input,
                version,
                said: shell.finish(),
                product,
                before: before.map(Box::new),
            };
            let failed = |mut shell: Shell, refused: Refused<_>, before| {
                let product = Product::failed(&mut shell, name, &refused.why, refused.reports);
                done(shell, product, before)
            };
            let mut rewritten = |piece| {
                let is_followed = is_shared && input + 1 < names.len();
                let apart = Apart { is_shared, is_followed };
                let mut shell = Shell::in_turn(quiet, is_next).before_writing();
                let product = rewrite_piece(name, piece, reading, apart, &mut rewrite, &mut shell);
                (shell, product)
            };
            let in_turn = |is_next| Shell::in_turn(quiet, is_next).before_writing();
            match step.what {
                Ok(None) => done(in_turn(is_next), Product::End, None),
                Err(why) => failed(in_turn(is_next), why.into(), None),
                Ok(Some(piece)) => match rewritten(piece) {
                    (shell, Ok(product)) => done(shell, product, None),
                    (shell, Err(mut refused)) => {
                        let before = refused.before.take().filter(|_| is_stream);
                        match before.map(|before| rewritten(*before)) {
                            None => failed(shell, refused, None),
                            Some((shell, Err(first))) => failed(shell, first, None),
                            Some((shell, Ok(product))) => {
                                let before = done(shell, product, None);
                                failed(in_turn(false), refused, Some(before))
                            }
                        }
                    }
                },
            }
        })
    };
    in_order(
        pace.jobs,
        AHEAD,
        || inputs.next(given_up.load(Ordering::Relaxed)),
        worker,
        |done| outputs.take(done),
    )?;
    outputs.finish(to_file)
}

/// How large the inputs are, if all of them are files.
pub(super) fn bytes(names: &[Name]) -> Option<u64> {
    let size = |name: &Name| {
        let metadata = fs::metadata(name.path()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    };
    names.iter().map(size).sum()
}

/// A file of fewer bytes is done before anybody has read a progress bar.
const WORTH_A_BAR: u64 = 64 << 20;

/// What came of a piece.
struct Done<T> {
    input: usize,
    version: Option<Version>,
    said: Said,
    product: Product<T>,
    /// What came of the lines before the one for which it failed.
    before: Option<Box<Self>>,
}

/// Why a piece can't be done.
struct Refused<T> {
    why: anyhow::Error,
    /// What is told of the conversation.
    reports: Vec<T>,
    /// The lines before the one that can't be read, where they can be.
    before: Option<Box<input::Piece>>,
}

impl<T> From<anyhow::Error> for Refused<T> {
    fn from(why: anyhow::Error) -> Self {
        Self { why, reports: Vec::new(), before: None }
    }
}

/// What a step leaves to be done.
enum Product<T> {
    /// To write this.
    Rewritten { text: Rewritten, reports: Vec<T>, files: NewFiles },
    /// To finish the output of the input.
    End,
    /// To give the input up; why was said already, and this is told of the conversation.
    Failed { reports: Vec<T> },
}

impl<T> Product<T> {
    /// Says why, too.
    fn failed(shell: &mut Shell, name: &Name, why: &anyhow::Error, reports: Vec<T>) -> Self {
        fail(shell, name, why);
        Self::Failed { reports }
    }
}

/// What an input has to be kept apart from.
#[derive(Clone, Copy)]
struct Apart {
    /// Whether other inputs have the same output.
    is_shared: bool,
    /// Whether there is one behind it.
    is_followed: bool,
}

fn rewrite_piece<R: Rewrite>(
    name: &Name,
    piece: input::Piece,
    reading: &Reading,
    apart: Apart,
    rewrite: &mut R,
    shell: &mut Shell,
) -> Result<Product<R::Report>, Refused<R::Report>> {
    let Edited { mut edits, mut reports, mut files, .. } = Edited::default();
    let (mut refused, mut is_read) = (Vec::new(), false);
    let done = read_piece(name, &piece, reading, &mut |found| {
        is_read = true;
        if apart.is_followed && found.document.torn().is_some() {
            let reason = "the last line breaks off, and another input would follow it";
            return Err(Trouble::new(reason, "name it last, or one at a time").into());
        }
        found.visit(shell, |visit, shell| {
            if apart.is_shared {
                keep_apart(visit)?;
            }
            let done = rewrite.edits(visit, shell);
            let own = done.map_err(|error| placed(visit, error))?;
            if let Some(why) = own.refusal {
                refused = own.reports;
                return Err(placed(visit, why));
            }
            let closing = end_of_line(visit, &own.edits);
            edits.extend(own.edits);
            edits.extend(closing);
            reports.extend(own.reports);
            files.append(own.files);
            Ok(())
        })
    });
    if let Err(why) = done {
        let syntax = why.downcast_ref::<InputError>().filter(|_| !is_read);
        let before = syntax.and_then(|syntax| piece.before(name, syntax, forced(reading)));
        return Err(Refused { why, reports: refused, before: before.map(Box::new) });
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(Product::Rewritten { text: Rewritten { bytes: piece.bytes, edits }, reports, files })
}

/// Ends the last line of a log that is changed, for its agent puts the next one right behind it.
fn end_of_line(visit: &Visit<'_, '_>, edits: &[Edit]) -> Option<Edit> {
    let document = visit.document;
    let end = document.bytes().len();
    let is_log = visit.shape.layout == Layout::Stream && visit.conversation.dialect.is_log();
    let is_open = !document.bytes().ends_with(b"\n") && document.torn().is_none();
    let closes = |edit: &Edit| edit.span.end == end && edit.text.ends_with('\n');
    let is_wanted = is_log && is_open && !edits.is_empty() && !edits.iter().any(closes);
    is_wanted.then(|| Edit { span: end..end, text: document.newline().to_owned() })
}

/// Refuses a FILE that is named twice: once replaced, it is another one.
fn keep_each_once(names: &[Name]) -> Result<(), Trouble> {
    let mut known = HashSet::new();
    let path = |name: &Name| fs::canonicalize(name.path()?).ok();
    let twice = names.iter().find(|name| path(name).is_some_and(|path| !known.insert(path)));
    twice.map_or(Ok(()), |name| {
        Err(Trouble::new(format!("{name} is named twice"), "-i takes each FILE once"))
    })
}

/// Refuses a conversation in lines where other inputs have the same output: read back, all the lines
/// would be one conversation, and of several sessions only the last one lives on.
fn keep_apart(visit: &Visit<'_, '_>) -> Result<(), Trouble> {
    let is_log = visit.conversation.dialect.is_log();
    let is_in_lines = is_log || visit.conversation.source.units.len() > 1;
    if visit.shape.layout != Layout::Stream || !is_in_lines {
        return Ok(());
    }
    let what = if is_log { "the log of one session" } else { "one conversation in many lines" };
    let reason = format!("is {what}, which can't share its output with other inputs");
    Err(Trouble::new(reason, "-i replaces each FILE; or name one at a time"))
}

/// The error, with its conversation's line where an input holds many.
fn placed(visit: &Visit<'_, '_>, error: anyhow::Error) -> anyhow::Error {
    if error.is::<InputError>() {
        return error;
    }
    let (reason, hint) = (format!("{error:#}"), hint_of(&error));
    InputError { name: visit.place(), place: None, reason, hint }.into()
}
