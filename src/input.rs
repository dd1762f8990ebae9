//! Reading files and standard input.
//!
//! Responsible for data from the operating system: whole files, and data sets piece by piece so that their
//! size does not matter. A piece ends behind a whole value, and all pieces together are the input. It relies
//! on [`Document`] for reading values.

mod before;
mod compressed;
mod reader;

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use reader::Reader;

use crate::dialect::{Dialect, Layout, recognise};
use crate::document::{BOM, Document, SyntaxError, line_and_column};
use crate::json::{Ends, first_value};
use crate::output::{is_stdout, shown};

/// The name of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Name {
    /// The meaning of a FILE argument: `-` is standard input.
    pub fn of(argument: &OsStr) -> Self {
        if argument == "-" { Self::Stdin } else { Self::File(argument.into()) }
    }

    /// The unescaped name, for JSON.
    pub fn plain(&self) -> String {
        self.path().map_or_else(|| self.to_string(), |path| path.display().to_string())
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdin => None,
            Self::File(path) => Some(path),
        }
    }
}

/// The name as messages and tables show it.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("<stdin>"),
            Self::File(path) => f.write_str(&shown(path)),
        }
    }
}

/// A mistake in a file or stream, with its place and a hint.
#[derive(Debug)]
pub(crate) struct InputError {
    /// The file, or `<stdin>`.
    pub name: String,
    /// The line and the column, from 1.
    pub place: Option<(usize, usize)>,
    /// Lowercase, without a full stop.
    pub reason: String,
    /// What the user can do next.
    pub hint: Option<String>,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for InputError {}

impl InputError {
    fn new(name: &Name, reason: impl Into<String>, hint: &str) -> Self {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        Self { name: name.to_string(), place: None, reason: reason.into(), hint }
    }

    /// The error for a syntax error in a piece of an input.
    fn syntax(name: &Name, piece: &Piece, error: &SyntaxError) -> Self {
        let (line, column) = line_and_column(&piece.bytes, error.offset);
        let reason = &error.reason;
        let line = piece.lines + line;
        let converting = wide_encoding(&piece.bytes).map(|encoding| {
            format!("it has NUL bytes as {encoding} has: iconv -f {encoding} -t UTF-8 FILE")
        });
        let compressed = compressed::decompressing(&piece.bytes);
        let (reason, hint) = if let Some(command) = compressed.filter(|_| piece.offset == 0) {
            ("compressed".to_owned(), format!("{command} | ctx ... reads what is in it"))
        } else if error.is_about_a_byte() {
            let byte = piece.offset + error.offset;
            let hint = "iconv -f ENCODING -t UTF-8 FILE converts it, as from latin1";
            (format!("{reason} (byte {byte})"), converting.unwrap_or_else(|| hint.to_owned()))
        } else if error.is_in_lines {
            let hint = format!(
                "sed {line}d FILE leaves the line out; in session logs alone ctx passes over such lines"
            );
            (reason.clone(), hint)
        } else if let Some(hint) = converting {
            (reason.clone(), hint)
        } else {
            let hint = "ctx reads JSON, JSON Lines, or several JSON values one after another";
            (reason.clone(), hint.to_owned())
        };
        Self { place: Some((line, column)), ..Self::new(name, reason, &hint) }
    }
}

/// The number of first bytes in which UTF-16 is recognised: in most texts, one half of each pair of bytes is
/// mostly zero.
const LOOK: usize = 64;

/// The name that iconv has for the encoding, if the bytes look like UTF-16 or UTF-32: they begin with its byte
/// order mark, or only the first or only the second bytes of pairs are mostly zero.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    let (pairs, _) = bytes[..bytes.len().min(LOOK)].as_chunks::<2>();
    let zeros = |half: usize| pairs.iter().filter(|pair| pair[half] == 0).count();
    match (bytes, zeros(0), zeros(1)) {
        ([0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..], ..) => Some("UTF-32"),
        ([0xff, 0xfe, ..] | [0xfe, 0xff, ..], ..) => Some("UTF-16"),
        (_, 0, low) if 2 * low > pairs.len() => Some("UTF-16LE"),
        (_, high, 0) if 2 * high > pairs.len() => Some("UTF-16BE"),
        _ => None,
    }
}

/// The approximate size of a piece of a data set in bytes; a single value may be larger. A piece of this size
/// stays in the cache of a core while it is worked on.
const PIECE: usize = 1 << 18;

/// How many bytes are read ahead if a piece is a single line.
const LINE: usize = 1 << 16;

/// An input, read as pieces: a whole file, or some conversations of a data set.
pub(crate) struct Input {
    name: Name,
    reader: Reader,
    lines: usize,
    offset: usize,
    is_data_set: Option<bool>,
    /// Whether the buffer holds a whole conversation, behind which others may follow.
    holds_first: bool,
    /// Whether a piece of a data set is a single line.
    is_by_line: bool,
    dialect: Option<&'static dyn Dialect>,
}

/// A piece of an input.
pub(crate) struct Piece {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The number of lines of the input before the piece.
    pub lines: usize,
    /// The number of bytes of the input before the piece.
    offset: usize,
    /// Whether the piece is known to be lines of a data set.
    pub is_data_set: bool,
    is_last: bool,
    ends: OnceCell<Ends>,
}

impl Piece {
    /// Reads the piece as a document; `name` is the input's. A possible session log with broken lines is read
    /// line by line; then the error is returned too, for the case that it is no log after all.
    ///
    /// # Errors
    ///
    /// The piece is no stream of JSON values, or breaks off although more of the input follows.
    pub(crate) fn parse(
        &self,
        name: &Name,
    ) -> Result<(Document<'_>, Option<InputError>), InputError> {
        let error = match Document::parse_with(&self.bytes, &self.ends) {
            Ok(document) if document.torn().is_some() && !self.is_last => {
                SyntaxError::breaks_off(self.bytes.trim_ascii_end().len())
            }
            Ok(document) => return Ok((document, None)),
            Err(error) if self.offset > 0 => error.behind_lines(&self.bytes),
            Err(error) => error,
        };
        let refusal = InputError::syntax(name, self, &error);
        if self.is_data_set || !error.may_be_passed_over() {
            return Err(refusal);
        }
        let document = Document::by_line(&self.bytes, &self.ends);
        if is_lines(&document) { Ok((document, Some(refusal))) } else { Err(refusal) }
    }
}

/// Whether text with broken lines is really lines of JSON, not one broken value whose items stand on lines of
/// their own.
fn is_lines(document: &Document<'_>) -> bool {
    let (values, broken) = (document.values(), document.broken());
    let (Some(value), Some(line)) = (values.first(), broken.first()) else { return false };
    let begins_array = document.bytes()[line.clone()].trim_ascii_start().starts_with(b"[");
    document.span(*value).start < line.start || !begins_array && values.len() > broken.len()
}

impl Input {
    /// Opens an input. A file that is also the standard output is refused, because nothing would be left to
    /// read.
    ///
    /// # Errors
    ///
    /// The file can't be opened, is a directory, or is the output.
    pub(crate) fn open(
        name: Name,
        dialect: Option<&'static dyn Dialect>,
    ) -> Result<Self, InputError> {
        let could_not_open = |error: io::Error| {
            let hint = match error.kind() {
                io::ErrorKind::NotFound => "name a file that is there, or - for standard input",
                io::ErrorKind::PermissionDenied => "chmod u+r lets you read a file of yours",
                _ => "",
            };
            InputError::new(&name, format!("could not open: {error}"), hint)
        };
        let file = match &name {
            Name::Stdin => io::stdin().as_fd().try_clone_to_owned().map(File::from),
            Name::File(path) => File::open(path),
        };
        let file = file.map_err(could_not_open)?;
        let metadata = file.metadata().map_err(could_not_open)?;
        if metadata.is_dir() {
            let hint = "name the files in it, as in DIR/*.jsonl";
            return Err(InputError::new(&name, "is a directory", hint));
        }
        if is_stdout(&metadata) {
            let hint = "write with -i FILE, or to another file with -o";
            return Err(InputError::new(&name, "is the input and the output", hint));
        }
        Ok(Self {
            name,
            reader: Reader::of(file, &metadata),
            lines: 0,
            offset: 0,
            is_data_set: None,
            holds_first: false,
            is_by_line: false,
            dialect,
        })
    }

    /// Makes each line of a data set a piece of its own, for work that takes long.
    #[must_use]
    pub(crate) fn by_line(self, is_by_line: bool) -> Self {
        Self { is_by_line, ..self }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    ///
    /// The input can't be read.
    pub(crate) fn piece(&mut self) -> Result<Option<Piece>, InputError> {
        self.fill(if self.is_one_line() { LINE } else { PIECE })?;
        if self.reader.held().is_empty() && self.is_data_set.is_some() {
            return Ok(None);
        }
        let mut end = self.piece_end(0);
        while end.is_none() {
            let looked_at = self.reader.held().len();
            self.fill(match self.is_data_set {
                Some(false) => usize::MAX,
                Some(true) => looked_at * 2,
                None if self.holds_first => looked_at * 2,
                // Probably one large value, which has to be read from the start each time.
                None => looked_at * 16,
            })?;
            end = self.piece_end(looked_at);
        }
        let is_data_set = *self.is_data_set.get_or_insert(false);
        let bytes = self.reader.take(end.unwrap_or_default());
        let (lines, offset, is_last) = (self.lines, self.offset, self.is_over());
        if !is_last {
            self.lines += memchr::memchr_iter(b'\n', &bytes).count();
            self.offset += bytes.len();
        }
        Ok(Some(Piece { bytes, lines, offset, is_data_set, is_last, ends: OnceCell::new() }))
    }

    /// Whether nothing is left behind the last piece, as far as is known.
    pub(crate) fn is_over(&self) -> bool {
        self.reader.is_at_end() && self.reader.held().is_empty()
    }

    /// Where the next piece ends, if the buffer holds all of it. It did not when the buffer held `looked_at`
    /// bytes.
    fn piece_end(&mut self, looked_at: usize) -> Option<usize> {
        let mut end = None;
        if self.is_by_line && self.is_data_set.is_none()
            || !self.reader.is_at_end() && !self.is_one_line()
        {
            end = self.line_of_its_own().or_else(|| self.whole_values(looked_at));
        }
        if self.is_one_line() {
            // A torn last line goes with the line before it.
            let is_followed = |&end: &usize| {
                !self.reader.is_at_end() || value_line(&self.reader.held()[end..]).is_some()
            };
            end = value_line(self.reader.held()).filter(is_followed);
        }
        end.or(self.reader.is_at_end().then_some(self.reader.held().len()))
    }

    /// Whether the next piece is a single line.
    fn is_one_line(&self) -> bool {
        self.is_by_line && self.is_data_set == Some(true)
    }

    /// Reads until the buffer holds `size` bytes or the input ends.
    fn fill(&mut self, size: usize) -> Result<(), InputError> {
        self.reader
            .fill(size)
            .map_err(|error| InputError::new(&self.name, format!("could not read: {error}"), ""))
    }

    /// Where a line of a data set ends that is certainly one whole value: it ends with a bracket, and the
    /// next line begins with one. The last such line within a piece, or else the first one behind.
    fn line_of_its_own(&self) -> Option<usize> {
        const TRIES: usize = 8;
        if self.is_data_set != Some(true) {
            return None;
        }
        let held = self.reader.held();
        let is_own = |newline: &usize| {
            let before = held[..*newline].trim_ascii_end().last();
            let after = held.get(newline + 1);
            matches!((before, after), (Some(b'}' | b']'), Some(b'{' | b'[')))
        };
        let (piece, behind) = held.split_at(held.len().min(PIECE));
        let within = memchr::memrchr_iter(b'\n', piece).take(TRIES);
        let behind = memchr::memchr_iter(b'\n', behind).take(TRIES);
        let mut newlines = within.chain(behind.map(|newline| piece.len() + newline));
        newlines.find(is_own).map(|newline| newline + 1)
    }

    /// Where the last whole line of values ends, if the buffer begins a data set and a line ends behind the
    /// bytes examined so far.
    fn whole_values(&mut self, looked_at: usize) -> Option<usize> {
        if self.is_data_set == Some(false) {
            return None;
        }
        let lines = looked_at + memchr::memrchr(b'\n', &self.reader.held()[looked_at..])? + 1;
        if self.is_data_set.is_none() {
            self.is_data_set = Some(self.begins_data_set(lines)?);
            return self.piece_end(looked_at);
        }
        let document = Document::parse(&self.reader.held()[..lines]).ok()?;
        Some(document.torn().unwrap_or(lines))
    }

    /// Whether the first of several values holds a conversation; `None` if that can't be told yet.
    fn begins_data_set(&mut self, lines: usize) -> Option<bool> {
        let (is_conversation, rest) =
            first_conversation(&self.reader.held()[..lines], self.dialect)?;
        let is_followed = is_conversation.then(|| first_value(rest).is_some());
        self.holds_first |= is_conversation;
        match is_followed {
            None => Some(false),
            Some(is_followed) => is_followed.then_some(true),
        }
    }
}

/// Whether the first value holds a conversation, and the bytes behind it; `None` if no value is whole.
fn first_conversation<'b>(
    bytes: &'b [u8],
    dialect: Option<&'static dyn Dialect>,
) -> Option<(bool, &'b [u8])> {
    let bytes = bytes.strip_prefix(BOM.as_bytes()).unwrap_or(bytes);
    let (first, end) = first_value(bytes)?;
    let shape = recognise(&[first], dialect);
    let is_one = shape.is_ok_and(|it| matches!(it.layout, Layout::Objects(_) | Layout::Whole));
    Some((is_one, &bytes[end..]))
}

/// Where the line of the first whole value in `bytes` ends.
fn value_line(bytes: &[u8]) -> Option<usize> {
    let (_, end) = first_value(bytes)?;
    memchr::memchr(b'\n', &bytes[end..]).map(|line| end + line + 1)
}
