//! Standard error, and the outcome of a command.
//!
//! Responsible for everything a command says besides its data. Each line begins with `ctx: ` or `hint: `, a
//! reason comes with a hint what to do, and messages of a thread wait for their turn. The outcome of the
//! command is the worst outcome of all inputs.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::Path;
use std::{fmt, fs};

use super::unfit::{Least, Unfit};
use crate::input::InputError;
use crate::line::counted;
use crate::output::{on_one_row, shown, visible};
use crate::progress;

/// The outcome of a command: the worst of all its inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Done, or the answer is yes.
    #[default]
    Yes,
    /// The answer of `check` is no.
    No,
    /// Something could not be done.
    Trouble,
}

/// A reason why something can't be done, and what to do about it.
#[derive(Debug)]
pub struct Trouble {
    /// Lowercase, without a full stop.
    pub reason: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl Trouble {
    /// A reason with a hint.
    pub fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason: reason.into(), hint: Some(hint.into()) }
    }
}

/// Refuses a given flag that nothing reads. Each of `flags` is a name, whether the flag is given, and whether
/// it is read. `reader` names what ignores the flag, `remedy` a way to have it read.
///
/// # Errors
///
/// The first given flag that is not read.
pub(super) fn refuse_unread(
    flags: &[(&str, bool, bool)],
    reader: &str,
    remedy: &str,
) -> Result<(), Trouble> {
    match flags.iter().find(|(_, is_given, is_read)| *is_given && !is_read) {
        None => Ok(()),
        Some((flag, ..)) => Err(Trouble::new(
            format!("{flag} says nothing to {reader}"),
            format!("leave out {flag}, or {remedy}"),
        )),
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Trouble {}

/// What becomes of a line or value that is no conversation, depending on the command's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is written unchanged.
    #[default]
    Kept,
    /// It is in no part of the output.
    Dropped,
    /// Nothing is written for it.
    PassedOver,
    /// The question is about all of the input, so that there is no answer without it.
    Unanswered,
}

/// Standard error, and the outcome so far.
#[derive(Default)]
pub struct Shell {
    /// Print only errors and warnings.
    pub quiet: bool,
    /// What becomes of lines and values that are no conversation.
    pub fate: Fate,
    outcome: Outcome,
    /// Messages that wait for their turn; `None` prints all at once.
    held: Option<RefCell<String>>,
    /// Messages to print once the result is written; `None` if no result is to be written.
    done: Option<RefCell<String>>,
    sums: Cell<Sums>,
}

/// What became of the conversations of a data set, in numbers instead of a line for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// The conversations that were examined.
    pub all: usize,
    /// Those that stay as they are because they are small enough.
    pub fitting: usize,
    /// Those that stay as they are because they are under the threshold, although over the budget.
    pub over: usize,
    /// Those that can't be done.
    pub refused: usize,
    /// The budget that would be enough for all that need a larger one.
    pub least: Option<Least>,
}

impl Sums {
    /// Adds other counts.
    pub(super) fn add(&mut self, others: Self) {
        self.all += others.all;
        self.fitting += others.fitting;
        self.over += others.over;
        self.refused += others.refused;
        self.least = self.least.max(others.least);
    }
}

/// The result of a piece of work, and the messages about it.
#[derive(Default)]
pub struct Said {
    /// The outcome.
    pub outcome: Outcome,
    /// The messages that waited for their turn.
    pub held: String,
    /// The messages that become true once the result is written.
    pub done: String,
    /// The counts of the conversations of a data set.
    pub sums: Sums,
}

impl Shell {
    /// A shell that prints only errors and warnings if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, ..Self::default() }
    }

    /// A shell that holds its messages back unless it `is_next`.
    pub fn in_turn(quiet: bool, is_next: bool) -> Self {
        Self { held: (!is_next).then(RefCell::default), ..Self::new(quiet) }
    }

    /// This shell, holding back messages about work that is still to be written.
    #[must_use]
    pub fn before_writing(self) -> Self {
        Self { done: Some(RefCell::default()), ..self }
    }

    /// The outcome, and the messages that were held back.
    pub fn finish(self) -> Said {
        let kept = |lines: Option<RefCell<String>>| lines.unwrap_or_default().into_inner();
        let (held, done) = (kept(self.held), kept(self.done));
        Said { outcome: self.outcome, held, done, sums: self.sums.get() }
    }

    /// The outcome so far.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Records an outcome; the worst one counts.
    pub fn note(&mut self, outcome: Outcome) {
        self.outcome = self.outcome.max(outcome);
    }

    /// Prints a message, unless quiet.
    pub fn say(&self, line: impl fmt::Display) {
        if !self.quiet {
            self.warn(line);
        }
    }

    /// Reports work that is done, unless quiet: once the result is written, and on one line whatever names it
    /// contains.
    pub fn done(&self, line: impl fmt::Display) {
        if !self.quiet {
            self.warn_when_done(line);
        }
    }

    /// Reports, even if quiet, that less was done than asked for: once the result is written.
    pub fn warn_when_done(&self, line: impl fmt::Display) {
        let line = line.to_string();
        let line = on_one_row(&line);
        match &self.done {
            Some(done) => done.borrow_mut().push_str(&error_lines(&line, None)),
            None => self.warn(line),
        }
    }

    /// Prints a warning, even if quiet: something was asked for and not done.
    pub fn warn(&self, line: impl fmt::Display) {
        self.warn_with_hint(line, None);
    }

    /// Prints a message and a hint, unless quiet.
    pub fn say_with_hint(&self, line: impl fmt::Display, hint: Option<&str>) {
        if !self.quiet {
            self.warn_with_hint(line, hint);
        }
    }

    /// Prints a warning and a hint, even if quiet.
    pub fn warn_with_hint(&self, line: impl fmt::Display, hint: Option<&str>) {
        self.print(&error_lines(&line, hint));
    }

    /// Counts a conversation of a data set that stays as it is.
    pub fn count_staying(&self) {
        self.count(Sums { all: 1, fitting: 1, ..Sums::default() });
    }

    /// Counts a conversation of a data set that stays as it is, although it is over the budget.
    pub fn count_over(&self) {
        self.count(Sums { all: 1, over: 1, ..Sums::default() });
    }

    /// Counts a conversation of a data set that changes.
    pub fn count_changing(&self) {
        self.count(Sums { all: 1, ..Sums::default() });
    }

    /// Counts and reports a conversation of a data set that can't be done; `least` is the budget it needs, if
    /// the budget is the reason.
    pub fn count_refused(&mut self, least: Option<Least>, place: &str, why: &anyhow::Error) {
        self.count(Sums { all: 1, refused: 1, least, ..Sums::default() });
        self.fail(place, why);
    }

    /// Reports how many conversations could not be done, and what became of them.
    pub fn tell_refused(&self, place: &str, sums: Sums, fate: &str) {
        let Sums { refused, least, .. } = sums;
        let whom = if refused == 1 { "it" } else { "them" };
        let hint = least.map(|least| format!("{least} is enough for {whom}"));
        if refused > 0 {
            let what = counted(refused, "conversation");
            self.warn_with_hint(format_args!("{place}{what} {fate}"), hint.as_deref());
        }
    }

    /// The counts of the conversations of data sets so far.
    pub fn sums(&self) -> Sums {
        self.sums.get()
    }

    fn count(&self, others: Sums) {
        let mut sums = self.sums.get();
        sums.add(others);
        self.sums.set(sums);
    }

    /// Prints a message at once, unless quiet, whosever turn it is.
    pub fn say_now(&self, line: impl fmt::Display) {
        if !self.quiet {
            print_error(&error_lines(&line, None));
        }
    }

    /// Reports an error, with its hint.
    pub fn fail(&mut self, place: &str, error: &anyhow::Error) {
        self.outcome = Outcome::Trouble;
        self.print(&report_lines(place, error));
    }

    fn print(&self, lines: &str) {
        match &self.held {
            Some(held) => held.borrow_mut().push_str(lines),
            None => print_error(lines),
        }
    }
}

/// Writes an error and its hint to standard error.
pub fn report(place: &str, error: &anyhow::Error) {
    print_error(&report_lines(place, error));
}

/// An error and its hint, as lines.
pub(super) fn report_lines(place: &str, error: &anyhow::Error) -> String {
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    error_lines(&format_args!("{place}{error:#}"), hint_of(error).as_deref())
}

/// The hint in an error, if it has one.
pub(super) fn hint_of(error: &anyhow::Error) -> Option<String> {
    if let Some(unfit) = error.downcast_ref::<Unfit>() {
        return hint_of(&unfit.why);
    }
    let hint = error.downcast_ref::<Trouble>().and_then(|trouble| trouble.hint.clone());
    hint.or_else(|| error.downcast_ref::<InputError>()?.hint.clone())
}

/// A message and a hint, as lines.
fn error_lines(line: &dyn fmt::Display, hint: Option<&str>) -> String {
    let line = without_codes(&line.to_string());
    let lines: Vec<_> = line.lines().map(visible).collect();
    let hint = hint.map_or(String::new(), |hint| format!("hint: {}\n", visible(hint)));
    format!("ctx: {}\n{hint}", lines.join("\n  "))
}

/// Writes lines to standard error in one write, because several threads may write at once.
pub(super) fn print_error(lines: &str) {
    if lines.is_empty() {
        return;
    }
    // No one can be told if standard error is gone.
    let _ = write_error(lines);
}

/// Writes to standard error in one write; a closed reader is no error.
fn write_error(text: &str) -> io::Result<()> {
    let mut written = Ok(());
    progress::aside(|| written = io::stderr().write_all(text.as_bytes()));
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Removes the system's error numbers from a text, since the words before them say the same.
fn without_codes(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    out
}

/// Writes a report to a file, or to standard error if the path is `-`.
///
/// # Errors
///
/// The file can't be written.
pub fn write_report(path: &Path, text: &str) -> anyhow::Result<()> {
    let (name, written) = if path == Path::new("-") {
        ("<stderr>".to_owned(), write_error(text))
    } else {
        (shown(path), fs::write(path, text))
    };
    written.map_err(|error| {
        let reason = format!("{name}: could not write the report: {error}");
        Trouble::new(reason, "what was done is done: only the report is missing").into()
    })
}
