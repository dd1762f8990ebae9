//! What every command does around its own work: open inputs, go through conversations, write, report.
//!
//! Responsible for the shell side: a bad input is reported and the others go on; results go to
//! standard output, a file or the place of the input; everything else goes to standard error, each
//! line beginning with `ctx: ` or `hint: `. It relies on the core for every decision.

pub mod check;
pub mod compact;
pub mod count;
pub mod normalize;
pub mod partition;
pub mod truncate;
mod usage;

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use crate::cli::{Cli, Counting, Reading, Writing};
use crate::conversation::Conversation;
use crate::count::Meter;
use crate::dialect::{self, DIALECTS, Dialect, Layout, Scope, Shape, Unrecognised};
use crate::document::{Document, Edit};
use crate::input::{Input, InputError, Name};
use crate::models;
use crate::output::{Replacement, Stdout};
use crate::reread::Settled;

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

impl From<models::UnknownModel> for Trouble {
    fn from(error: models::UnknownModel) -> Self {
        Self { reason: error.to_string(), hint: None }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Trouble {}

/// Standard error, and how things went so far.
#[derive(Default)]
pub struct Shell {
    /// Say nothing but errors.
    pub quiet: bool,
    outcome: Outcome,
}

impl Shell {
    /// A shell that says nothing but errors if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, outcome: Outcome::Yes }
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
            print_error(&line);
        }
    }

    /// Reports an error, with its hint.
    pub fn fail(&mut self, place: &str, error: &anyhow::Error) {
        self.outcome = Outcome::Trouble;
        report(place, error);
    }
}

/// Writes an error and its hint to standard error.
pub fn report(place: &str, error: &anyhow::Error) {
    let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
    print_error(&format_args!("{place}{error:#}"));
    let hint = error.downcast_ref::<Trouble>().and_then(|trouble| trouble.hint.clone());
    let hint = hint.or_else(|| error.downcast_ref::<InputError>().and_then(|e| e.hint.clone()));
    if let Some(hint) = hint {
        // Nobody is left to tell when standard error is gone.
        let _ = writeln!(io::stderr(), "hint: {hint}");
    }
}

fn print_error(line: &dyn fmt::Display) {
    let text = without_codes(&line.to_string()).replace('\n', "\n  ");
    let _ = writeln!(io::stderr(), "ctx: {text}");
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
    if path == Path::new("-") {
        // Nobody is left to tell when standard error is gone.
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    fs::write(path, text).map_err(|error| could_not_write(path, &error))
}

/// A conversation, and where it was found.
pub struct Visit<'v, 'a> {
    /// The input.
    pub name: &'v Name,
    /// The text around it.
    pub document: &'v Document<'a>,
    /// How it was read.
    pub shape: Shape,
    /// The messages.
    pub conversation: &'v Conversation<'a>,
    /// Lines of the input before the document.
    pub lines: usize,
    /// Whether the input holds several conversations.
    pub is_one_of_many: bool,
}

impl Visit<'_, '_> {
    /// The line of the input that a message begins on.
    pub fn line(&self, message: usize) -> usize {
        let json = self.conversation.messages[message].json;
        self.lines + self.document.line(self.document.span(json).start)
    }

    /// The input, with the line where it holds several conversations.
    pub fn place(&self) -> String {
        if !self.is_one_of_many {
            return self.name.to_string();
        }
        let source = &self.conversation.source;
        let start = source.root.or_else(|| source.units.first().map(|unit| unit.json));
        let line = start.map_or(0, |json| self.document.line(self.document.span(json).start));
        format!("{}:{}", self.name, self.lines + line)
    }
}

impl Visit<'_, '_> {
    /// Says what had to be done to a result besides what was asked.
    pub fn tell_repairs(&self, shell: &Shell, settled: &Settled) {
        let place = self.place();
        for repair in &settled.repairs {
            shell.say(format_args!("{place}: {} [{}]", repair.text, repair.rule.name));
        }
        if settled.thoughts > 0 {
            let count = settled.thoughts;
            shell.say(format_args!(
                "{place}: {count} thinking parts removed, bound to what was edited"
            ));
        }
    }
}

/// The inputs of a command: FILEs, or standard input.
pub fn names(reading: &Reading) -> Vec<Name> {
    if reading.files.is_empty() {
        return vec![Name::Stdin];
    }
    reading.files.iter().map(|file| Name::of(file)).collect()
}

fn forced(reading: &Reading) -> Option<&'static dyn Dialect> {
    reading.dialect.as_deref().and_then(dialect::named)
}

/// Goes through the conversations of one input; a piece of a large data set at a time.
fn each_piece(
    name: &Name,
    reading: &Reading,
    shell: &Shell,
    visit: &mut dyn FnMut(&Piece<'_, '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let dialect = forced(reading);
    let scope = if reading.all { Scope::All } else { Scope::Live };
    let mut input = Input::open(name.clone(), dialect)?;
    let mut first = true;
    while let Some(piece) = input.piece()? {
        if !first && piece.bytes.iter().all(u8::is_ascii_whitespace) {
            let document = &Document::blank(&piece.bytes);
            visit(&Piece { name, document, shape: None, conversations: &[], lines: piece.lines })?;
            continue;
        }
        first = false;
        let document = input.parse(&piece)?;
        let shape = dialect::recognise(document.values(), dialect)
            .map_err(|error| unrecognised(name, error))?;
        let conversations: Vec<Conversation<'_>> = dialect::sources(&document, shape.layout)
            .into_iter()
            .map(|source| dialect::decode(shape.dialect, source, scope))
            .collect();
        if let Some(torn) = document.torn() {
            let line = piece.lines + document.line(torn);
            shell.say(format_args!("{name}:{line}: the last line breaks off; it is kept as it is"));
        }
        let (document, conversations, shape) = (&document, &conversations[..], Some(shape));
        visit(&Piece { name, document, shape, conversations, lines: piece.lines })?;
    }
    Ok(())
}

/// A piece of an input, decoded.
struct Piece<'p, 'a> {
    name: &'p Name,
    document: &'p Document<'a>,
    shape: Option<Shape>,
    conversations: &'p [Conversation<'a>],
    lines: usize,
}

impl<'p, 'a> Piece<'p, 'a> {
    fn visits(&self) -> impl Iterator<Item = Visit<'p, 'a>> {
        let (name, document, lines) = (self.name, self.document, self.lines);
        let is_one_of_many = lines > 0 || self.conversations.len() > 1;
        self.shape.into_iter().flat_map(move |shape| {
            self.conversations.iter().map(move |conversation| Visit {
                name,
                document,
                shape,
                conversation,
                lines,
                is_one_of_many,
            })
        })
    }
}

fn unrecognised(name: &Name, error: Unrecognised) -> InputError {
    let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name()).collect();
    let hint = match error {
        Unrecognised::NoDialect => {
            format!("--dialect NAME reads it as one of {}", known.join(", "))
        }
        Unrecognised::Ambiguous(a, b) => format!("say which: --dialect {a} or --dialect {b}"),
    };
    InputError { name: name.to_string(), place: None, reason: error.to_string(), hint: Some(hint) }
}

/// Goes through all conversations of all inputs; a bad input is reported and the next one begun.
pub fn read_each(
    reading: &Reading,
    shell: &mut Shell,
    visit: &mut dyn FnMut(&Visit<'_, '_>, &mut Shell) -> anyhow::Result<()>,
    mut end_of_input: impl FnMut(&Name, &mut Shell) -> anyhow::Result<()>,
) {
    for name in names(reading) {
        let quiet = Shell::new(shell.quiet);
        let result = each_piece(&name, reading, &quiet, &mut |piece| {
            piece.visits().try_for_each(|each| visit(&each, shell))
        });
        match result.and_then(|()| end_of_input(&name, shell)) {
            Ok(()) => {}
            Err(error) => fail(shell, &name, &error),
        }
    }
}

fn fail(shell: &mut Shell, name: &Name, error: &anyhow::Error) {
    // An input error says itself where it is.
    let place = if error.is::<InputError>() { String::new() } else { name.to_string() };
    shell.fail(&place, error);
}

/// Rewrites all conversations of all inputs: `edit` gives the edits of one conversation.
pub fn rewrite_each(
    reading: &Reading,
    writing: &Writing,
    shell: &mut Shell,
    edit: &mut dyn FnMut(&Visit<'_, '_>, &mut Shell) -> anyhow::Result<Vec<Edit>>,
) -> anyhow::Result<()> {
    let to_file = writing.output.as_deref().filter(|path| *path != Path::new("-"));
    let mut shared = match to_file {
        Some(path) => Sink::file(path)?,
        None => Sink::Stdout(Stdout::lock()),
    };
    for name in names(reading) {
        let own = match (writing.in_place, name.path()) {
            (true, Some(path)) => Sink::file(path).map(Some),
            (true, None) => {
                Err(Trouble::new("standard input can't be replaced", "leave out -i").into())
            }
            (false, _) => Ok(None),
        };
        let mut own = match own {
            Ok(own) => own,
            Err(error) => {
                fail(shell, &name, &error);
                continue;
            }
        };
        let quiet = Shell::new(shell.quiet);
        let result = each_piece(&name, reading, &quiet, &mut |piece| {
            let mut edits = Vec::new();
            for each in piece.visits() {
                edits.extend(edit(&each, shell)?);
            }
            edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
            let sink = own.as_mut().unwrap_or(&mut shared);
            sink.put(piece.document.apply(&edits), !edits.is_empty())
        });
        let sink = own.as_mut().unwrap_or(&mut shared);
        let result = result.and_then(|()| sink.flush());
        if let Err(error) = result.and_then(|()| own.map_or(Ok(()), Sink::finish)) {
            fail(shell, &name, &error);
        }
    }
    if let (Some(path), Outcome::Trouble) = (to_file, shell.outcome()) {
        shell.say(format_args!("{}: not written", path.display()));
        return Ok(());
    }
    shared.finish_as_new()
}

fn could_not_write(path: &Path, error: &io::Error) -> anyhow::Error {
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
    fn put(&mut self, bytes: Vec<u8>, is_changed: bool) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => Ok(out.write_all(&bytes)?),
            Self::File(target) => {
                target.is_changed |= is_changed;
                if target.held.is_empty() && target.draft.is_none() && !target.is_changed {
                    target.held = bytes;
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

/// The meter that the arguments ask for, and the model's window.
pub fn meter(counting: &Counting) -> anyhow::Result<(Meter, Option<usize>)> {
    match &counting.model {
        Some(name) => {
            let model = models::named(name).map_err(Trouble::from)?;
            Ok((Meter::of_model(model), Some(model.window)))
        }
        None => Ok((Meter::new(counting.encoding.unwrap_or_default()), None)),
    }
}

/// Prints the short help of a command that has nothing to read but a terminal.
pub fn help(name: &str) {
    let mut command = Cli::command();
    command.build();
    let help = command.find_subcommand_mut(name).map(clap::Command::render_help);
    // Nobody is left to tell when standard error is gone.
    let _ = write!(io::stderr(), "{}", help.unwrap_or_default());
}

/// The window without any word about it.
pub const WINDOW: usize = 200_000;

/// Whether a document is an array or object of conversations, or one in which each line is one.
pub fn is_stream(shape: Shape) -> bool {
    shape.layout == Layout::Stream
}
