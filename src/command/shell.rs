//! Standard error, and how a command ended.
//!
//! Responsible for what a command says besides its data: each line begins with `ctx: ` or `hint: `, a
//! reason comes with what to do about it, and what a thread says waits for its turn. The worst outcome
//! of all inputs is the command's.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::Path;
use std::{fmt, fs};

use super::unfit::{Least, Unfit};
use crate::input::InputError;
use crate::line::counted;
use crate::output::{on_one_row, shown, visible};
use crate::progress;

/// How a command ended: the worst of all its inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Done, or yes.
    #[default]
    Yes,
    /// `check` says no.
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

/// Refuses a flag that is given though nothing reads it: `flags` says of each whether it is given and whether
/// it is read. `reader` is what it says nothing to, `remedy` what would let it be read.
///
/// # Errors
///
/// The first such flag.
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

/// What becomes of a line or value that is no conversation: it depends on what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is written as it stands.
    #[default]
    Kept,
    /// It is in no part.
    Dropped,
    /// Nothing is written.
    PassedOver,
}

/// Standard error, and how things went so far.
#[derive(Default)]
pub struct Shell {
    /// Say nothing but errors.
    pub quiet: bool,
    /// What becomes of what is no conversation.
    pub fate: Fate,
    outcome: Outcome,
    /// What was said and waits for its turn; `None` says everything at once.
    held: Option<RefCell<String>>,
    /// What is done once it is written; `None` where nothing is to be written.
    done: Option<RefCell<String>>,
    sums: Cell<Sums>,
}

/// What becomes of the conversations of a data set, in numbers: each by itself would be a line of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// So many were looked at.
    pub all: usize,
    /// So many of them stay as they are, for they are small enough.
    pub fitting: usize,
    /// So many can't be done.
    pub refused: usize,
    /// The budget that is enough for those that need a larger one.
    pub least: Option<Least>,
}

impl Sums {
    /// Those of others as well.
    pub(super) fn add(&mut self, others: Self) {
        self.all += others.all;
        self.fitting += others.fitting;
        self.refused += others.refused;
        self.least = self.least.max(others.least);
    }
}

/// What came of a piece of work, and what is to be said of it.
#[derive(Default)]
pub struct Said {
    /// How things went.
    pub outcome: Outcome,
    /// What waited for its turn.
    pub held: String,
    /// What is true once the result is written.
    pub done: String,
    /// What becomes of the conversations of a data set.
    pub sums: Sums,
}

impl Shell {
    /// A shell that says nothing but errors if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, ..Self::default() }
    }

    /// A shell that keeps to itself what it says until it is asked for, where it is not its turn.
    pub fn in_turn(quiet: bool, is_next: bool) -> Self {
        Self { held: (!is_next).then(RefCell::default), ..Self::new(quiet) }
    }

    /// The same shell, which keeps to itself what was done: it is yet to be written.
    #[must_use]
    pub fn before_writing(self) -> Self {
        Self { done: Some(RefCell::default()), ..self }
    }

    /// How things went, and what was kept.
    pub fn finish(self) -> Said {
        let kept = |lines: Option<RefCell<String>>| lines.unwrap_or_default().into_inner();
        let (held, done) = (kept(self.held), kept(self.done));
        Said { outcome: self.outcome, held, done, sums: self.sums.get() }
    }

    /// How things went.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Remembers the worst outcome.
    pub fn note(&mut self, outcome: Outcome) {
        self.outcome = self.outcome.max(outcome);
    }

    /// Says something on standard error, unless hushed.
    pub fn say(&self, line: impl fmt::Display) {
        if !self.quiet {
            self.warn(line);
        }
    }

    /// Says that something was done, unless hushed: once it is written, and on one line, whatever names stand
    /// in it.
    pub fn done(&self, line: impl fmt::Display) {
        if !self.quiet {
            self.warn_when_done(line);
        }
    }

    /// Says so, hushed or not, where less was done than was asked for: once it is written.
    pub fn warn_when_done(&self, line: impl fmt::Display) {
        let line = line.to_string();
        let line = on_one_row(&line);
        match &self.done {
            Some(done) => done.borrow_mut().push_str(&error_lines(&line, None)),
            None => self.warn(line),
        }
    }

    /// Says something on standard error, hushed or not: something was asked for and not done.
    pub fn warn(&self, line: impl fmt::Display) {
        self.warn_with_hint(line, None);
    }

    /// Says something and what to do about it, unless hushed.
    pub fn say_with_hint(&self, line: impl fmt::Display, hint: Option<&str>) {
        if !self.quiet {
            self.warn_with_hint(line, hint);
        }
    }

    /// Says something and what to do about it, hushed or not.
    pub fn warn_with_hint(&self, line: impl fmt::Display, hint: Option<&str>) {
        self.print(&error_lines(&line, hint));
    }

    /// Counts a conversation of a data set that stays as it is.
    pub fn count_staying(&self) {
        self.count(Sums { all: 1, fitting: 1, ..Sums::default() });
    }

    /// Counts a conversation of a data set that does not.
    pub fn count_changing(&self) {
        self.count(Sums { all: 1, ..Sums::default() });
    }

    /// Counts a conversation of a data set that can't be done, for it needs a budget of `least` where that is why,
    /// and reports it.
    pub fn count_refused(&mut self, least: Option<Least>, place: &str, why: &anyhow::Error) {
        self.count(Sums { all: 1, refused: 1, least, ..Sums::default() });
        self.fail(place, why);
    }

    /// Says how many could not be done, and what became of them.
    pub fn tell_refused(&self, place: &str, sums: Sums, fate: &str) {
        let Sums { refused, least, .. } = sums;
        let whom = if refused == 1 { "it" } else { "them" };
        let hint = least.map(|least| format!("{least} is enough for {whom}"));
        if refused > 0 {
            let what = counted(refused, "conversation");
            self.warn_with_hint(format_args!("{place}{what} {fate}"), hint.as_deref());
        }
    }

    /// What became of the conversations of data sets so far.
    pub fn sums(&self) -> Sums {
        self.sums.get()
    }

    fn count(&self, others: Sums) {
        let mut sums = self.sums.get();
        sums.add(others);
        self.sums.set(sums);
    }

    /// Says something at once, unless hushed, whosever turn it is.
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

/// What to do about an error, if it says so.
pub(super) fn hint_of(error: &anyhow::Error) -> Option<String> {
    if let Some(unfit) = error.downcast_ref::<Unfit>() {
        return hint_of(&unfit.why);
    }
    let hint = error.downcast_ref::<Trouble>().and_then(|trouble| trouble.hint.clone());
    hint.or_else(|| error.downcast_ref::<InputError>()?.hint.clone())
}

/// Something to say, and what to do about it, as lines.
fn error_lines(line: &dyn fmt::Display, hint: Option<&str>) -> String {
    let line = without_codes(&line.to_string());
    let lines: Vec<_> = line.lines().map(visible).collect();
    let hint = hint.map_or(String::new(), |hint| format!("hint: {}\n", visible(hint)));
    format!("ctx: {}\n{hint}", lines.join("\n  "))
}

/// Writes lines to standard error in one go: several threads may write at once.
pub(super) fn print_error(lines: &str) {
    if lines.is_empty() {
        return;
    }
    // Nobody is left to tell when standard error is gone.
    let _ = write_error(lines);
}

/// Writes to standard error in one go; a reader that went away is no error.
fn write_error(text: &str) -> io::Result<()> {
    let mut written = Ok(());
    progress::aside(|| written = io::stderr().write_all(text.as_bytes()));
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Leaves out the numbers that the system has for its errors: the words before them say it.
fn without_codes(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    out
}

/// Writes a report to a file, or to standard error where that is `-`.
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
