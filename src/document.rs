//! The text of one input and where its JSON values stand; edits of that text.
//!
//! Responsible for reading a stream of JSON values (one value, JSON Lines, or values on one line:
//! a stream is a stream) and for splicing edits into the text. It relies on [`Json`] for the syntax, and
//! on `serde_json` to say what is wrong with it; a value is a slice of the text, and its address gives
//! its span. Invariant: what no edit touches comes out byte for byte, so no edits means the same bytes.

mod compose;

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use serde_json::value::RawValue;

use crate::json::{Ends, Json, Values};
pub use compose::compose;

/// The text of an input: its values, in order, and what is torn off at its end.
#[derive(Debug)]
pub struct Document<'a> {
    bytes: &'a [u8],
    text: &'a str,
    values: Vec<Json<'a>>,
    /// The offset whose line was asked for last, and how many lines end before it: a file of many
    /// conversations is not gone through again for each.
    counted: Mutex<(usize, usize)>,
}

/// Why an input is not a stream of JSON values: the reason, and the byte offset where it shows.
#[derive(Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Lowercase, without a full stop.
    pub reason: String,
    /// In bytes from the beginning of the input.
    pub offset: usize,
}

impl SyntaxError {
    /// The input ends at `offset`, inside a value.
    pub fn breaks_off(offset: usize) -> Self {
        Self { reason: BREAKS_OFF.to_owned(), offset }
    }

    /// Whether a byte is no text, for which columns do not help.
    pub fn is_about_a_byte(&self) -> bool {
        self.reason == NOT_UTF_8
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

const BREAKS_OFF: &str = "the JSON breaks off";
const NOT_UTF_8: &str = "not UTF-8";
const MARK_BETWEEN: &str = "not JSON: a byte order mark, as another file begins with one";
pub(crate) const BOM: &str = "\u{feff}";

impl<'a> Document<'a> {
    /// Reads a stream of JSON values.
    ///
    /// A last line that breaks off, even inside a character, after whole lines is no error: it is
    /// [`torn`](Self::torn), part of the text and of no value.
    ///
    /// # Errors
    ///
    /// The first byte that is not UTF-8 or not JSON, or that there is no value at all.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        Self::check(bytes).map(|(document, _)| document)
    }

    /// Reads a stream of JSON values, and keeps in `ends` where long ones end: walking them is faster so.
    /// The cell belongs to these bytes.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_with(bytes: &'a [u8], ends: &'a OnceCell<Ends>) -> Result<Self, SyntaxError> {
        let (mut document, found) = Self::check(bytes)?;
        let ends = ends.get_or_init(|| found);
        document.values.iter_mut().for_each(|value| *value = value.knowing(ends));
        Ok(document)
    }

    fn check(bytes: &'a [u8]) -> Result<(Self, Ends), SyntaxError> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let line = last_line(bytes);
                if line == 0 || error.valid_up_to() < line || error.error_len().is_some() {
                    let reason = NOT_UTF_8.to_owned();
                    return Err(SyntaxError { reason, offset: error.valid_up_to() });
                }
                std::str::from_utf8(&bytes[..line]).unwrap_or_default()
            }
        };
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let mut checked = Values::of(&text[start..]);
        let mut values = Vec::new();
        for value in checked.by_ref() {
            match value {
                Ok(value) => values.push(value),
                Err(at) => match whats_wrong(text, start + at, !values.is_empty()) {
                    Some(error) => return Err(error),
                    None => break,
                },
            }
        }
        if values.is_empty() {
            let reason = "the input is empty: no JSON value".to_owned();
            return Err(SyntaxError { reason, offset: start });
        }
        values.shrink_to_fit();
        Ok((Self { bytes, text, values, counted: Mutex::default() }, checked.ends()))
    }

    /// Text between values, which holds none.
    pub fn blank(bytes: &'a [u8]) -> Self {
        Self { bytes, text: "", values: Vec::new(), counted: Mutex::default() }
    }

    /// The values of the stream, in order.
    pub fn values(&self) -> &[Json<'a>] {
        &self.values
    }

    /// The bytes as they were read.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether `json` is a view of this document.
    pub fn holds(&self, json: Json<'_>) -> bool {
        self.text.as_bytes().as_ptr_range().contains(&json.source().as_ptr())
    }

    /// Where `json`, a view of this document, stands in the text.
    pub fn span(&self, json: Json<'_>) -> Range<usize> {
        let start = json.source().as_ptr().addr() - self.text.as_ptr().addr();
        start..start + json.source().len()
    }

    /// Where `source` stands in the text, if it is a piece of it.
    pub fn span_of(&self, source: &str) -> Option<Range<usize>> {
        let start = source.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        (start + source.len() <= self.text.len()).then_some(start..start + source.len())
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub fn line(&self, offset: usize) -> usize {
        let mut known = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let (counted, lines) = *known;
        let offset = offset.min(self.bytes.len());
        let ends = |between: Range<usize>| memchr::memchr_iter(b'\n', &self.bytes[between]).count();
        let lines = if counted <= offset {
            lines + ends(counted..offset)
        } else {
            lines - ends(offset..counted)
        };
        *known = (offset, lines);
        lines + 1
    }

    /// The lines, from 1, that hold the bytes at `offsets`, in order, each line once.
    pub fn lines(&self, mut offsets: Vec<usize>) -> Vec<usize> {
        offsets.sort_unstable();
        let mut lines: Vec<usize> = offsets.into_iter().map(|offset| self.line(offset)).collect();
        lines.dedup();
        lines
    }

    /// Where the unfinished last line begins, if the stream breaks off in one.
    pub fn torn(&self) -> Option<usize> {
        let end = self.span(*self.values.last()?).end;
        let rest = &self.bytes[end..];
        let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        (blank < rest.len()).then_some(end + blank)
    }

    /// The line ending that this text uses.
    pub fn newline(&self) -> &'static str {
        match memchr::memchr(b'\n', self.bytes) {
            Some(at) if at > 0 && self.bytes[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        }
    }

    /// The text with `edits` spliced in.
    pub fn apply(&self, edits: &[Edit]) -> Vec<u8> {
        apply(self.bytes, edits)
    }

    /// The text of `span` with `edits`, which all lie in it, spliced in.
    pub fn apply_within(&self, span: Range<usize>, edits: &[Edit]) -> Vec<u8> {
        joined(spliced(self.bytes, span, edits))
    }
}

/// Replaces the bytes of `span` by `text`; an empty span inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// In bytes from the beginning of the document.
    pub span: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// `bytes` with `edits`, which must be sorted and must not overlap, spliced in.
pub fn apply(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    joined(spliced(bytes, 0..bytes.len(), edits))
}

/// The text of `span` in `bytes` with `edits` spliced in, piece by piece: what stays, what is new. The
/// edits must be sorted, lie in the span and not overlap.
pub fn spliced<'t>(
    bytes: &'t [u8],
    span: Range<usize>,
    edits: &'t [Edit],
) -> impl Iterator<Item = &'t [u8]> + Clone {
    debug_assert!(edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
    let starts = std::iter::once(span.start).chain(edits.iter().map(|edit| edit.span.end));
    let ends = edits.iter().map(|edit| edit.span.start).chain([span.end]);
    let stays = starts.zip(ends).map(|(start, end)| &bytes[start..end]);
    let new = edits.iter().map(|edit| edit.text.as_bytes()).chain([&[][..]]);
    stays.zip(new).flat_map(|(stays, new)| [stays, new])
}

fn joined<'t>(pieces: impl Iterator<Item = &'t [u8]> + Clone) -> Vec<u8> {
    let mut out = Vec::with_capacity(pieces.clone().map(<[u8]>::len).sum());
    pieces.for_each(|piece| out.extend_from_slice(piece));
    out
}

/// Line and column of the byte at `offset`, both from 1; the column counts characters.
pub fn line_and_column(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = &bytes[..offset.min(bytes.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = String::from_utf8_lossy(&before[last_line(before)..]).chars().count() + 1;
    (line, column)
}

/// Where the last line of `bytes` begins.
fn last_line(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1)
}

/// Whether only white space stands between the line break before and `offset`.
fn starts_a_line(text: &str, offset: usize) -> bool {
    let before = &text[..offset];
    before[before.trim_end().len()..].contains('\n')
}

/// Why what begins at `start`, behind other values or not, is not JSON; `None` where it is a last line that
/// is torn off.
fn whats_wrong(text: &str, start: usize, is_behind: bool) -> Option<SyntaxError> {
    let rest = &text[start..];
    if rest.starts_with(BOM) {
        return Some(SyntaxError { reason: MARK_BETWEEN.to_owned(), offset: start });
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
    let Some(error) = values.find_map(Result::err) else {
        return Some(SyntaxError { reason: "not JSON".to_owned(), offset: start });
    };
    let offset = start + offset_of(rest, &error);
    let is_line = is_behind && starts_a_line(text, start);
    match rest.find('\n').map(|length| start + length) {
        None if is_line && error.is_eof() => None,
        // The value before stood on a line of its own: so does the broken one.
        Some(end) if is_line && offset > end => Some(SyntaxError::breaks_off(end)),
        _ => Some(SyntaxError { reason: reason(&error), offset }),
    }
}

/// `serde_json` tells lines and columns (bytes, from 1; 0 is the end of the line before).
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let line = memchr::memchr_iter(b'\n', text.as_bytes())
        .nth(error.line().saturating_sub(2))
        .filter(|_| error.line() > 1)
        .map_or(0, |newline| newline + 1);
    (line + error.column().saturating_sub(1)).min(text.len())
}

fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let end = message.rfind(" at line ").unwrap_or(message.len());
    let what = &message[..end];
    if error.is_eof() { BREAKS_OFF.to_owned() } else { format!("not JSON: {what}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        Document::parse(text.as_bytes()).unwrap().values().iter().map(|v| v.source()).collect()
    }

    #[test]
    fn a_file_is_a_stream_of_values() {
        assert_eq!(
            values("\u{feff}{\"a\":1}{\"b\":2}\r\n\n[3]\n"),
            ["{\"a\":1}", "{\"b\":2}", "[3]"]
        );
    }

    #[test]
    fn a_torn_last_line_is_no_error_but_a_torn_only_value_is() {
        let document = Document::parse(b"{\"a\":1}\n{\"b\":").unwrap();
        assert_eq!((document.values().len(), document.torn()), (1, Some(8)));
        let document = Document::parse(b"{\"a\":1}\n{\"b\":\"\xc3").unwrap();
        assert_eq!((document.values().len(), document.torn()), (1, Some(8)));
        assert!(Document::parse(b"{\"a\":").is_err());
        assert_eq!(Document::parse(b"{\"a\":1}\n{\"b\":\n{\"c\":1}\n").unwrap_err().offset, 13);
    }

    #[test]
    fn says_where_the_text_is_not_utf_8() {
        let error = Document::parse(b"[\"\xff\"]\n").unwrap_err();
        assert_eq!((error.offset, error.reason.as_str()), (2, NOT_UTF_8));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let not_json = |what: &str| format!("not JSON: {what}");
        for (text, offset, reason) in [
            ("", 0, "the input is empty: no JSON value".to_owned()),
            ("{\"a\":", 4, BREAKS_OFF.to_owned()),
            ("{\"a\":1}\n  {\"b\":1,}\n", 17, not_json("key must be a string")),
            ("[1]\n[2] x\n", 8, not_json("expected value")),
            ("{\"a\":1}\n{\"b\"\n{\"c\":1}\n", 12, BREAKS_OFF.to_owned()),
            ("\u{feff}[1,\n2,\nnull3]", 14, not_json("expected `,` or `]`")),
            ("\u{feff}[1]\n\u{feff}[2]\n", 7, MARK_BETWEEN.to_owned()),
            ("12a", 2, not_json("trailing characters")),
            (
                "[\"a\nb\"]",
                2,
                not_json("control character (\\u0000-\\u001F) found while parsing a string"),
            ),
            ("{\"a\":\"\\x\"}", 7, not_json("invalid escape")),
        ] {
            let error = Document::parse(text.as_bytes()).unwrap_err();
            assert_eq!((error.reason, error.offset), (reason, offset), "{text:?}");
        }
    }

    #[test]
    fn tells_lines_in_one_go() {
        let document = Document::parse(b"1\n2\n\n3 4\n").unwrap();
        assert_eq!(document.lines(vec![7, 0, 5, 2]), [1, 2, 4]);
    }

    #[test]
    fn splices_edits() {
        let edits =
            [Edit { span: 1..2, text: "xyz".into() }, Edit { span: 3..3, text: "!".into() }];
        assert_eq!(apply(b"abc", &edits), b"axyzc!");
    }

    #[test]
    fn keeps_what_other_parsers_refuse() {
        for text in ["1e400", "\"x\\ud83dy\"", "{\"a\":1,\"a\":-0}"] {
            assert_eq!(values(text), [text]);
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(values(&deep), [deep.as_str()]);
    }
}
