//! Code around the work of every command: open inputs, go through conversations, report.
//!
//! Responsible for the way from names to decoded conversations, and back to the line on which a message
//! stands. A bad input is reported and the others go on. Each command is a file below, and so is code that
//! several of them share. It relies on the core for every decision.

mod apart;
mod archive;
pub mod check;
pub mod compact;
pub mod count;
pub mod fault;
mod in_order;
mod limits;
mod lost;
mod meter;
pub mod mistaken;
pub mod normalize;
mod notes;
mod pace;
pub mod partition;
pub mod rewrite;
mod sessions;
pub mod share;
mod shell;
mod spill;
mod tool_names;
pub mod truncate;
mod unfit;
mod unrecognised;
mod unused;
mod usage;

use std::io::{self, Write as _};

use clap::CommandFactory;

use crate::cli::{Cli, Reading};
use crate::conversation::{Conversation, Source, decode};
use crate::count::{Count, Meter};
use crate::dialect::{self, Dialect, Layout, Scope, Shape};
use crate::document::Document;
use crate::input::{self, Input, InputError, Name};
use crate::json::Json;
use crate::line::counted;
use crate::pairing::Joints;
use crate::placed::Placed;
use crate::reread::Settled;
use crate::resume::is_of_older_form;
use crate::subject::Subject;
pub use apart::{keep_read_files, keep_report_apart, replaces};
pub use meter::{Need, meter};
pub(crate) use meter::{is_named_for_all, say_if_estimated};
use notes::{Note, answers_beside, lines_between};
use sessions::{Several, part_sessions};
pub use shell::{Outcome, Said, Shell, Sums, Trouble, report, write_report};
use shell::{hint_of, refuse_unread};
pub(crate) use unfit::Unfit;

/// The error that no records of `what` can be appended to a log.
fn no_records(conversation: &Conversation<'_>, what: &str) -> Trouble {
    let mut whose = conversation.dialect.name().to_owned();
    if is_of_older_form(conversation) {
        whose.push_str(" in this older or reduced form");
    }
    Trouble::new(format!("{whose} has no records of {what} to append"), "leave out --append")
}

/// Whether several threads may work on one conversation; with many conversations, each has one thread.
fn may_spread(reading: &Reading, is_one_of_many: bool) -> bool {
    !is_one_of_many && reading.files.len() < 2
}

/// A conversation, and where it was found.
pub struct Visit<'v, 'a> {
    /// The input.
    pub name: &'v Name,
    /// The document that it stands in.
    pub document: &'v Document<'a>,
    /// The dialect and layout that it was read with.
    pub shape: Shape,
    /// The messages.
    pub conversation: &'v Conversation<'a>,
    /// The number of lines of the input before the document.
    pub lines: usize,
    /// Whether the input holds several conversations.
    pub is_one_of_many: bool,
}

impl<'v, 'a> Visit<'v, 'a> {
    /// The conversation with its pairs, cuts and counts.
    pub fn subject(
        &self,
        joints: &'v Joints,
        meter: &'v Meter,
        count: &'v Count,
    ) -> Subject<'v, 'a> {
        let (document, shape, conversation) = (self.document, self.shape, self.conversation);
        let Joints { pairs, cuts } = joints;
        Subject { document, shape, conversation, pairs, cuts, meter, count }
    }

    /// The conversation in its document, without the input.
    pub fn placed(&self) -> Placed<'v, 'a> {
        let Self { document, shape, conversation, is_one_of_many, .. } = *self;
        Placed { document, shape, conversation, is_one_of_many }
    }

    /// The line of the input that a message begins on.
    pub fn line(&self, message: usize) -> usize {
        self.line_of(self.conversation.messages[message].json)
    }

    /// The line of the input that a value begins on.
    fn line_of(&self, json: Json<'_>) -> usize {
        self.lines + self.document.line(self.document.span(json).start)
    }

    /// The value that the conversation begins with.
    fn first(&self) -> Option<Json<'a>> {
        let source = &self.conversation.source;
        source.whole().or_else(|| source.units.first().map(|unit| unit.json))
    }

    /// The line of the input that the conversation begins on.
    pub fn first_line(&self) -> usize {
        self.first().map_or(self.lines + 1, |json| self.line_of(json))
    }

    /// The line of the input that the conversation begins on, with its number in the array if several begin
    /// on that line.
    fn where_within(&self) -> String {
        let line = self.first_line();
        self.number_on_line().map_or(line.to_string(), |number| format!("{line}[{number}]"))
    }

    fn number_on_line(&self) -> Option<usize> {
        self.document.number_on_line(self.document.span(self.first()?).start)
    }

    /// The place of a line of the conversation in the input; if other conversations begin on the same line,
    /// the place of the conversation.
    pub fn place_at(&self, line: usize) -> String {
        match self.number_on_line() {
            Some(_) if self.is_one_of_many => self.place(),
            _ => format!("{}:{line}", self.name),
        }
    }

    /// The input, with the line if it holds several conversations.
    pub fn place(&self) -> String {
        self.place_in(self.name.to_string())
    }

    /// The place with the unescaped name of the input, for JSON.
    pub fn plain_place(&self) -> String {
        self.place_in(self.name.plain())
    }

    fn place_in(&self, name: String) -> String {
        if self.is_one_of_many { format!("{name}:{}", self.where_within()) } else { name }
    }

    /// Reports the repairs that a result needed besides the requested edits.
    pub fn tell_repairs(&self, shell: &Shell, settled: &Settled) {
        let place = self.place();
        // Repairs of shortened messages have no lines in the input, so equal ones are reported once.
        let mut told: Vec<(String, usize)> = Vec::new();
        for repair in &settled.repairs {
            let text = format!("{} [{}]", repair.text, repair.rule.name);
            match told.iter_mut().find(|(known, _)| *known == text) {
                Some((_, times)) => *times += 1,
                None => told.push((text, 1)),
            }
        }
        for (text, times) in told {
            let times = if times > 1 { format!(", {times} times") } else { String::new() };
            shell.done(format_args!("{place}: {text}{times}"));
        }
        if settled.thoughts > 0 {
            let parts = counted(settled.thoughts, "thinking part");
            shell.done(format_args!("{place}: {parts} removed, bound to what was edited"));
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

/// Visits the conversations of one input; a large data set is read piece by piece.
fn each_piece(
    name: &Name,
    reading: &Reading,
    visit: &mut dyn FnMut(Batch<'_, '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut input = Input::open(name.clone(), forced(reading))?;
    while let Some(piece) = input.piece()? {
        read_piece(name, &piece, reading, Several::Refused, visit)?;
    }
    Ok(())
}

/// Finds the conversations in a piece of an input and visits them; a panic is an error of that piece.
fn read_piece(
    name: &Name,
    piece: &input::Piece,
    reading: &Reading,
    several: Several,
    visit: &mut dyn FnMut(Batch<'_, '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    fault::caught(|| visit_piece(name, piece, reading, several, visit))
}

fn visit_piece(
    name: &Name,
    piece: &input::Piece,
    reading: &Reading,
    several: Several,
    visit: &mut dyn FnMut(Batch<'_, '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (lines, is_data_set) = (piece.lines, piece.is_data_set);
    if lines > 0 && piece.bytes.iter().all(u8::is_ascii_whitespace) {
        let (document, conversations) = (&Document::blank(&piece.bytes), Vec::new());
        return visit(Batch {
            name,
            document,
            conversations,
            scope: Scope::default(),
            lines,
            is_one_of_many: is_data_set,
            passes_over: false,
            notes: Vec::new(),
        });
    }
    let (document, refusal) = piece.parse(name)?;
    let dialect = forced(reading);
    let line_of = |json| lines + document.line(document.span(json).start);
    let found = dialect::Found::of(&document, dialect, is_data_set);
    if let Some(refusal) = refusal
        && !found.as_ref().is_ok_and(is_log)
    {
        return Err(refusal.into());
    }
    let mut found = found.map_err(|(why, json)| {
        let fits = |dialect| dialect::Found::of(&document, dialect, is_data_set);
        let unread = unrecognised::Unread { values: document.values(), at: json };
        unrecognised::error(name, dialect, why, json.map(line_of), &unread, fits)
    })?;
    let parting = (several, reading.dialect.is_some());
    part_sessions(name, lines, &document, &mut found, parting)?;
    let mut notes = Vec::new();
    if let [first, more @ ..] = &found.strangers[..] {
        let (line, more) = (line_of(*first), more.len());
        let all = match more {
            0 => String::new(),
            more => format!(" here, nor in {}", counted(more, "other value")),
        };
        let what = format!("{name}:{line}: no known conversation{all}");
        notes.push(Note::of_strangers(what, 1 + more));
    }
    // Reported once per input, as every line of a data set may have them.
    notes.extend(found.conversations.first().filter(|_| lines == 0).and_then(|first| {
        let line = line_of(first.1.value()?);
        answers_beside(&format!("{name}:{line}"), &document, first)
    }));
    notes.extend(lines_between(name, &document));
    // A log that is being written may end inside a line; a data set that does is truncated.
    let is_cut_off = document.torn().is_some() && !is_in_lines(&found);
    if let Some(torn) = document.torn() {
        let line = lines + document.line(torn);
        let what = if document.breaks_off() { "breaks off" } else { "is not JSON" };
        let note = if is_cut_off { Note::of_strangers } else { Note::of_broken };
        notes.push(note(format!("{name}:{line}: the last line {what}"), 1));
    }
    let scope = if reading.all { Scope::All } else { Scope::Live };
    let passes_over = is_cut_off || !found.strangers.is_empty();
    let (document, conversations) = (&document, found.conversations);
    let is_one_of_many = is_data_set || conversations.len() > 1;
    let batch =
        Batch { name, document, conversations, scope, lines, is_one_of_many, passes_over, notes };
    visit(batch)
}

/// Whether the input is a session log in lines; agents skip lines of theirs that are not JSON.
fn is_log(found: &dialect::Found<'_>) -> bool {
    is_in_lines(found) && found.conversations.iter().all(|(shape, _)| shape.dialect.is_log())
}

/// Whether each line is a message, or an event of a session.
fn is_in_lines(found: &dialect::Found<'_>) -> bool {
    let is_in_lines = |(shape, _): &(Shape, Source<'_>)| shape.layout == Layout::Stream;
    !found.conversations.is_empty() && found.conversations.iter().all(is_in_lines)
}

/// The conversations in a piece of an input.
struct Batch<'p, 'a> {
    name: &'p Name,
    document: &'p Document<'a>,
    conversations: Vec<(Shape, Source<'a>)>,
    scope: Scope,
    lines: usize,
    is_one_of_many: bool,
    /// Whether some value, or the last line of a data set, is no conversation.
    passes_over: bool,
    /// Remarks about the piece.
    notes: Vec<Note>,
}

impl<'a> Batch<'_, 'a> {
    fn tell_notes(&self, shell: &Shell) {
        self.notes.iter().for_each(|note| note.tell(shell));
    }

    /// Visits the conversations; each is decoded when its turn comes.
    fn visit(
        self,
        shell: &mut Shell,
        mut visit: impl FnMut(&Visit<'_, '_>, &mut Shell) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.each(shell, |batch, found, shell| batch.decoded(found, shell, &mut visit))
    }

    /// Goes through the conversations without decoding them.
    fn each(
        mut self,
        shell: &mut Shell,
        mut each: impl FnMut(&Self, (Shape, Source<'a>), &mut Shell) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.tell_notes(shell);
        let found = std::mem::take(&mut self.conversations);
        found.into_iter().try_for_each(|found| each(&self, found, shell))
    }

    /// Decodes and visits one of the conversations.
    fn decoded(
        &self,
        (shape, source): (Shape, Source<'a>),
        shell: &mut Shell,
        visit: impl FnOnce(&Visit<'_, '_>, &mut Shell) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let &Self { name, document, scope, lines, is_one_of_many, .. } = self;
        let conversation = &decode(shape.dialect, source, scope);
        visit(&Visit { name, document, shape, conversation, lines, is_one_of_many }, shell)
    }
}

/// Goes through all conversations of all inputs; a bad input is reported, and the next one follows.
pub fn read_each(
    reading: &Reading,
    shell: &mut Shell,
    visit: &mut dyn FnMut(&Visit<'_, '_>, &mut Shell) -> anyhow::Result<()>,
) {
    for name in &names(reading) {
        let result = each_piece(name, reading, &mut |batch| batch.visit(shell, &mut *visit));
        if let Err(error) = result {
            fail(shell, name, &error);
        }
    }
}

fn fail(shell: &mut Shell, name: &Name, error: &anyhow::Error) {
    shell.fail(&place_of(name, error), error);
}

/// The place before an error of an input; an [`InputError`] names its own.
fn place_of(name: &Name, error: &anyhow::Error) -> String {
    if error.is::<InputError>() { String::new() } else { name.to_string() }
}

/// Prints the short help of a command whose only input is a terminal.
pub fn help(name: &str) {
    let mut command = Cli::command();
    command.build();
    let help = command.find_subcommand_mut(name).map(clap::Command::render_help);
    // No one can be told if standard error is gone.
    let _ = write!(io::stderr(), "{}", help.unwrap_or_default());
}
