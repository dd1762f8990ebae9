//! The text of one input and where its JSON values stand; edits of that text.
//!
//! Responsible for reading a stream of JSON values (one value, JSON Lines, or values on one line:
//! a stream is a stream) and for splicing edits into the text. It relies on [`Json`] for the syntax; a value
//! is a slice of the text, and its address gives its span. Invariant: what no edit touches comes out byte for
//! byte, so no edits means the same bytes.

mod compose;
mod wrong;

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::json::{Ends, Json, Lines, Values};
use crate::span::span_in;
pub use compose::{compose, origin};
pub use wrong::SyntaxError;
use wrong::{begins_value, whats_wrong};

pub(crate) const BOM: &str = "\u{feff}";

/// The text of an input: its JSON values, in order, and the lines that are not JSON.
#[derive(Debug)]
pub struct Document<'a> {
    bytes: &'a [u8],
    values: Vec<Json<'a>>,
    /// Byte ranges of the lines that are not JSON; the last one may be torn off.
    broken: Vec<Range<usize>>,
    /// The offset of the last call of `line` and the number of line breaks before it, so that looking up the
    /// lines of many conversations does not count from the start of the file each time.
    counted: Mutex<(usize, usize)>,
    /// Byte ranges of the items, if the text is one array; filled on first use.
    items: OnceLock<Vec<Range<usize>>>,
}

impl<'a> Document<'a> {
    /// Reads a stream of JSON values.
    ///
    /// A last line that breaks off after whole lines, even inside a character, is no error: it is
    /// [`torn`](Self::torn), part of the text but of no value.
    ///
    /// # Errors
    ///
    /// The first byte that is not UTF-8 or not JSON, or the absence of any value.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        Self::check(bytes).map(|(document, _)| document)
    }

    /// Reads a stream of JSON values, and keeps in `ends`, the cell for these bytes, where long values end:
    /// this makes walking them faster.
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
                    return Err(SyntaxError::not_utf_8(error.valid_up_to()));
                }
                std::str::from_utf8(&bytes[..line]).unwrap_or_default()
            }
        };
        let start = beginning(bytes);
        let mut checked = Values::of(&text[start..]);
        let mut values = Vec::new();
        let mut torn = (text.len() < bytes.len()).then_some(text.len());
        for value in checked.by_ref() {
            match value {
                Ok(value) => values.push(value),
                Err(at) => {
                    if let Some(error) = whats_wrong(text, start + at, values.last().copied()) {
                        return Err(error);
                    }
                    torn = Some(start + at);
                    break;
                }
            }
        }
        if values.is_empty() {
            return Err(SyntaxError::new("the input is empty: no JSON value", start));
        }
        values.shrink_to_fit();
        let broken = torn.map(|torn| torn..bytes.len()).into_iter().collect();
        Ok((Self::of(bytes, values, broken), checked.ends()))
    }

    /// Reads each line on its own, as agents read their logs: a line that is not JSON or not UTF-8 is part of
    /// the text but of no value.
    pub fn by_line(bytes: &'a [u8], ends: &'a OnceCell<Ends>) -> Self {
        let Lines { values, broken, ends: found } = Lines::of(bytes, beginning(bytes));
        let ends = ends.get_or_init(|| found);
        let values = values.into_iter().map(|value| value.knowing(ends)).collect();
        Self::of(bytes, values, broken)
    }

    fn of(bytes: &'a [u8], values: Vec<Json<'a>>, broken: Vec<Range<usize>>) -> Self {
        let (counted, items) = (Mutex::default(), OnceLock::new());
        Self { bytes, values, broken, counted, items }
    }

    /// A document of text that holds no values, as the text between values.
    pub fn blank(bytes: &'a [u8]) -> Self {
        Self::of(bytes, Vec::new(), Vec::new())
    }

    /// The values of the stream, in order.
    pub fn values(&self) -> &[Json<'a>] {
        &self.values
    }

    /// The value that holds the byte at `offset`: a value of the stream, or, if the stream is one array, the
    /// item of that array and its number. The items are located once, not for each call.
    pub fn value_at(&self, offset: usize) -> Option<(Json<'a>, Option<usize>)> {
        let behind = self.values.partition_point(|value| self.span(*value).start <= offset);
        let value = self.values[behind.checked_sub(1)?];
        let span = self.span(value);
        if !span.contains(&offset) {
            return None;
        }
        let Some(items) = self.items() else { return Some((value, None)) };
        let at = items.partition_point(|item| item.start <= offset).checked_sub(1);
        let at = at.filter(|&at| items[at].contains(&offset));
        let within = |at: usize| items[at].start - span.start..items[at].end - span.start;
        Some(at.map_or((value, None), |at| (value.piece(within(at)), Some(at))))
    }

    /// The byte ranges of the items, if the whole text is one array. They are located once.
    pub fn items(&self) -> Option<&[Range<usize>]> {
        let array =
            self.values.first().filter(|value| self.values.len() == 1 && value.is_array())?;
        Some(self.items.get_or_init(|| array.items().map(|item| self.span(item)).collect()))
    }

    /// The number of the item at `offset`, if the text is one array and other items begin on the same line,
    /// so that the line number alone does not tell which item is meant.
    pub fn number_on_line(&self, offset: usize) -> Option<usize> {
        let (at, items) = (self.value_at(offset)?.1?, self.items()?);
        let is_on_one_line = |pair: &[Range<usize>]| {
            memchr::memchr(b'\n', &self.bytes[pair[0].start..pair[1].start]).is_none()
        };
        let neighbours = &items[at.saturating_sub(1)..items.len().min(at + 2)];
        neighbours.windows(2).any(is_on_one_line).then_some(at)
    }

    /// The bytes as they were read.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether `json` is a view of this document.
    pub fn holds(&self, json: Json<'_>) -> bool {
        self.bytes.as_ptr_range().contains(&json.source().as_ptr())
    }

    /// Where `json`, a view of this document, stands in the text.
    pub fn span(&self, json: Json<'_>) -> Range<usize> {
        span_in(self.bytes, json.source())
    }

    /// Where `source` stands in the text, if it is a piece of it.
    pub fn span_of(&self, source: &str) -> Option<Range<usize>> {
        let start = source.as_ptr().addr().checked_sub(self.bytes.as_ptr().addr())?;
        (start + source.len() <= self.bytes.len()).then_some(start..start + source.len())
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

    /// The lines that are not JSON, the torn last one included.
    pub fn broken(&self) -> &[Range<usize>] {
        &self.broken
    }

    /// Where the last line begins, if it is not JSON and no line break ends it.
    pub fn torn(&self) -> Option<usize> {
        let last = self.broken.last().filter(|line| line.end == self.bytes.len());
        last.map(|line| line.start)
    }

    /// Whether the torn last line is the beginning of a JSON value.
    pub fn breaks_off(&self) -> bool {
        self.torn().is_some_and(|start| begins_value(&self.bytes[start..]))
    }

    /// The offset where the last value or the last broken line ends: only white space follows it.
    pub fn end(&self) -> usize {
        let value = self.values.last().map_or(0, |value| self.span(*value).end);
        self.broken.last().map_or(value, |line| line.end.max(value))
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
    /// The bytes to replace, counted from the beginning of the document.
    pub span: Range<usize>,
    /// The text that stands there afterwards.
    pub text: String,
}

/// `bytes` with `edits`, which must be sorted and must not overlap, spliced in.
pub fn apply(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    joined(spliced(bytes, 0..bytes.len(), edits))
}

/// Whether `edits`, which must be sorted, delete or replace every byte of `span`.
pub fn take_out(edits: &[Edit], span: &Range<usize>) -> bool {
    let first = edits.partition_point(|edit| edit.span.end <= span.start);
    // Adjacent edits cover the span together: one may end where the next begins.
    let mut end = span.start;
    let mut covering = edits[first..].iter();
    while let Some(edit) = covering.next().filter(|edit| edit.span.start <= end) {
        end = end.max(edit.span.end);
    }
    end >= span.end
}

/// The text of `span` with `edits` spliced in, as pieces: kept text and new text in turn. The edits must be
/// sorted, lie in the span and not overlap.
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

/// The line and column of the byte at `offset`, both from 1; the column counts characters.
pub fn line_and_column(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = &bytes[..offset.min(bytes.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = String::from_utf8_lossy(&before[last_line(before)..]).chars().count() + 1;
    (line, column)
}

/// The offset of the text behind a byte order mark, or 0 if there is none.
fn beginning(bytes: &[u8]) -> usize {
    if bytes.starts_with(BOM.as_bytes()) { BOM.len() } else { 0 }
}

/// Where the last line of `bytes` begins.
fn last_line(bytes: &[u8]) -> usize {
    memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        Document::parse(text.as_bytes()).unwrap().values().iter().map(|v| v.source()).collect()
    }

    #[test]
    fn items_on_one_line_have_numbers() {
        let document = Document::parse(b"[{},{},\n {},\n [3],[4]]").unwrap();
        let items = document.items().unwrap().iter();
        let numbers: Vec<_> = items.map(|item| document.number_on_line(item.start)).collect();
        assert_eq!(numbers, [Some(0), Some(1), None, Some(3), Some(4)]);
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
    fn lines_by_themselves_may_be_broken() {
        let ends = OnceCell::new();
        let long = format!("{{\"b\":\"{}\"}}", "x".repeat(300));
        let lines: [&[u8]; 9] = [
            b"\xef\xbb\xbf{\"a\":[1,",
            b"{\"a\":1} [2]\r",
            b"",
            b"\0\0",
            b"{\"a\":1} x",
            long.as_bytes(),
            b"\"\xff\"",
            b"tru",
            b"{\"c",
        ];
        let text = lines.join(&b'\n');
        let document = Document::by_line(&text, &ends);
        let values: Vec<_> = document.values().iter().map(|value| value.source()).collect();
        assert_eq!(values, ["{\"a\":1}", "[2]", &long]);
        assert_eq!(document.values()[2].member("b").unwrap().source().len(), 302);
        let broken: Vec<_> = document.broken().iter().map(|line| &text[line.clone()]).collect();
        assert_eq!(broken, [&lines[0][3..], lines[3], lines[4], lines[6], lines[7], lines[8]]);
        assert_eq!((document.torn(), document.end()), (Some(text.len() - 3), text.len()));
        for (last, breaks_off) in
            [(&b"{\"a\""[..], true), (b"\"\xc3", true), (b"xyz", false), (b"\"\xff", false)]
        {
            let (text, ends) = ([b"1\nx\n", last].concat(), OnceCell::new());
            assert_eq!(Document::by_line(&text, &ends).breaks_off(), breaks_off, "{last:?}");
        }
    }

    #[test]
    fn a_broken_line_ends_before_what_ends_it() {
        let (text, ends) = (b"{}\r\noops\r\n{}\r\n", OnceCell::new());
        let document = Document::by_line(text, &ends);
        let broken: Vec<_> = document.broken().iter().map(|line| &text[line.clone()]).collect();
        assert_eq!(broken, [b"oops"]);
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
