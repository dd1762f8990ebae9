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
pub mod rewrite;
mod sarif;
pub mod share;
pub mod truncate;
mod usage;

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;

use crate::cli::{Cli, Counting, Reading};
use crate::conversation::{Conversation, List};
use crate::count::Meter;
use crate::dialect::{self, DIALECTS, Dialect, Scope, Shape, Unrecognised};
use crate::document::Document;
use crate::input::{self, Input, InputError, Name};
use crate::json::Json;
use crate::models;
use crate::output::visible;
use crate::reread::Settled;
use crate::tokenizer::Encoding;

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
        let hint = "--encoding and --window say what is needed of a model that is not known";
        Self::new(error.to_string(), hint)
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
            print_error(&line, "");
        }
    }

    /// Says something on standard error, hushed or not: something was asked for and not done.
    pub fn warn(&self, line: impl fmt::Display) {
        print_error(&line, "");
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
    let hint = error.downcast_ref::<Trouble>().and_then(|trouble| trouble.hint.clone());
    let hint = hint.or_else(|| error.downcast_ref::<InputError>().and_then(|e| e.hint.clone()));
    let hint = hint.map_or(String::new(), |hint| format!("hint: {}\n", visible(&hint)));
    print_error(&format_args!("{place}{error:#}"), &hint);
}

/// Writes a line, and what belongs to it, in one go: several threads may write at once.
fn print_error(line: &dyn fmt::Display, hint: &str) {
    let line = without_codes(&line.to_string());
    let lines: Vec<_> = line.lines().map(visible).collect();
    // Nobody is left to tell when standard error is gone.
    let _ = write!(io::stderr(), "ctx: {}\n{hint}", lines.join("\n  "));
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
    fs::write(path, text).map_err(|error| rewrite::could_not_write(path, &error))
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
    /// Which of the command's inputs it is.
    pub input: usize,
}

impl Visit<'_, '_> {
    /// The line of the input that a message begins on.
    pub fn line(&self, message: usize) -> usize {
        let json = self.conversation.messages[message].json;
        self.lines + self.document.line(self.document.span(json).start)
    }

    /// The value that holds the conversation and nothing else: its object, or its array.
    pub fn value(&self) -> Option<Json<'_>> {
        let source = &self.conversation.source;
        source.value().or(match source.lists.first() {
            Some(List::Array(array)) => Some(*array),
            _ => None,
        })
    }

    /// The input, with the line where it holds several conversations.
    pub fn place(&self) -> String {
        if !self.is_one_of_many {
            return self.name.to_string();
        }
        let source = &self.conversation.source;
        let start = source.value().or_else(|| source.units.first().map(|unit| unit.json));
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
    (number, name): (usize, &Name),
    reading: &Reading,
    shell: &Shell,
    visit: &mut dyn FnMut(&Piece<'_, '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut input = Input::open(name.clone(), forced(reading))?;
    let mut shape = None;
    let mut say = |line: String| shell.say(line);
    while let Some(piece) = input.piece()? {
        visit_piece((number, name), reading, &piece, &mut shape, &mut say, visit)?;
    }
    Ok(())
}

/// Reads the conversations of a piece. `before` is the shape of a piece of the same input before it.
fn visit_piece(
    (number, name): (usize, &Name),
    reading: &Reading,
    piece: &input::Piece,
    before: &mut Option<Shape>,
    say: &mut dyn FnMut(String),
    visit: &mut dyn FnMut(&Piece<'_, '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let lines = piece.lines;
    if !piece.is_first && piece.bytes.iter().all(u8::is_ascii_whitespace) {
        let document = &Document::blank(&piece.bytes);
        return visit(&Piece { number, name, document, shape: None, conversations: &[], lines });
    }
    let dialect = forced(reading);
    let scope = if reading.all { Scope::All } else { Scope::Live };
    let document = &piece.parse(name)?;
    if piece.is_first {
        *before = None;
    }
    let shape = dialect::recognise_more(document.values(), dialect, *before)
        .map_err(|error| unrecognised(name, dialect, error))?;
    *before = Some(shape);
    let conversations: Vec<Conversation<'_>> = dialect::sources(document, shape.layout)
        .into_iter()
        .map(|source| dialect::decode(shape.dialect, source, scope))
        .collect();
    if let Some(torn) = document.torn() {
        let line = lines + document.line(torn);
        say(format!("{name}:{line}: the last line breaks off; it is kept as it is"));
    }
    let conversations = &conversations;
    visit(&Piece { number, name, document, shape: Some(shape), conversations, lines })
}

/// A piece of an input, decoded.
struct Piece<'p, 'a> {
    number: usize,
    name: &'p Name,
    document: &'p Document<'a>,
    shape: Option<Shape>,
    conversations: &'p [Conversation<'a>],
    lines: usize,
}

impl<'p, 'a> Piece<'p, 'a> {
    fn visits(&self) -> impl Iterator<Item = Visit<'p, 'a>> {
        let (input, name, document, lines) = (self.number, self.name, self.document, self.lines);
        let is_one_of_many = lines > 0 || self.conversations.len() > 1;
        self.shape.into_iter().flat_map(move |shape| {
            self.conversations.iter().map(move |conversation| Visit {
                name,
                document,
                shape,
                conversation,
                lines,
                is_one_of_many,
                input,
            })
        })
    }
}

fn unrecognised(name: &Name, forced: Option<&dyn Dialect>, error: Unrecognised) -> InputError {
    let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name()).collect();
    if let Some(dialect) = forced {
        let reason = format!("no conversation in the dialect {}", dialect.name());
        let hint = Some("without --dialect it is recognised".to_owned());
        return InputError { name: name.to_string(), place: None, reason, hint };
    }
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
    for (number, name) in names(reading).iter().enumerate() {
        let quiet = Shell::new(shell.quiet);
        let result = each_piece((number, name), reading, &quiet, &mut |piece| {
            piece.visits().try_for_each(|each| visit(&each, shell))
        });
        match result.and_then(|()| end_of_input(name, shell)) {
            Ok(()) => {}
            Err(error) => fail(shell, name, &error),
        }
    }
}

fn fail(shell: &mut Shell, name: &Name, error: &anyhow::Error) {
    // An input error says itself where it is.
    let place = if error.is::<InputError>() { String::new() } else { name.to_string() };
    shell.fail(&place, error);
}

/// The meter that the arguments ask for, and the model's window.
pub fn meter(counting: &Counting) -> anyhow::Result<(Meter, Option<usize>)> {
    let model = counting.model.as_deref().map(models::named).transpose().map_err(Trouble::from)?;
    let meter = match (counting.encoding, model) {
        (Some(encoding), _) => Meter::new(encoding),
        (None, Some(model)) => Meter::of_model(model),
        (None, None) => Meter::new(Encoding::default()),
    };
    Ok((meter, model.map(|model| model.window)))
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
