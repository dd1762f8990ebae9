//! Checking that a text is JSON, exactly by the syntax of RFC 8259.
//!
//! Responsible for going through the values of a stream once and finding where each ends, without
//! interpreting them. As in RFC 8259, nesting may be of any depth, a number of any size, and half a surrogate
//! pair may stand in a string. Most of a text consists of strings, so 64 bytes at a time are searched for the
//! end of a string or an error.

use std::ops::Range;

use super::Json;
use super::ends::Ends;
use crate::bits::{WIDTH, gather};

/// The values of a stream, in order, up to the first one that is not JSON.
pub(crate) struct Values<'a> {
    text: &'a str,
    syntax: Syntax<'a>,
}

impl<'a> Values<'a> {
    /// The values of `text`.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, syntax: Syntax::of(text.as_bytes()) }
    }

    /// Where the long values end, of those that were read.
    pub(crate) fn ends(self) -> Ends {
        let mut ends = self.syntax.ends;
        ends.sort_into_blocks();
        ends
    }
}

impl<'a> Iterator for Values<'a> {
    /// A value, or the offset where something begins that is not JSON.
    type Item = Result<Json<'a>, usize>;

    fn next(&mut self) -> Option<Self::Item> {
        self.syntax.solid()?;
        let start = self.syntax.at;
        let end = self.syntax.value_of_stream();
        Some(end.map(|end| Json::from_checked(&self.text[start..end])).ok_or(start))
    }
}

/// The first value of `bytes` and the offset where it ends, whatever follows.
pub(crate) fn first_value(bytes: &[u8]) -> Option<(Json<'_>, usize)> {
    let mut syntax = Syntax::of(bytes);
    syntax.solid()?;
    let start = syntax.at;
    let end = syntax.value_of_stream()?;
    let text = str::from_utf8(&bytes[start..end]).ok()?;
    Some((Json::from_checked(text), end))
}

/// The lines of a text, each read alone.
pub(crate) struct Lines<'a> {
    /// The values, in order.
    pub(crate) values: Vec<Json<'a>>,
    /// The lines that are not JSON, without their line ends.
    pub(crate) broken: Vec<Range<usize>>,
    /// Where the long values end.
    pub(crate) ends: Ends,
}

impl<'a> Lines<'a> {
    /// Reads the lines of `bytes` from the byte at `start` on. A line may hold several values.
    pub(crate) fn of(bytes: &'a [u8], start: usize) -> Self {
        let (mut values, mut broken) = (Vec::new(), Vec::new());
        let mut syntax = Syntax::of(bytes);
        let mut start = start;
        while start < bytes.len() {
            let length = memchr::memchr(b'\n', &bytes[start..]);
            let end = length.map_or(bytes.len(), |length| start + length);
            let (known, noted) = (values.len(), syntax.ends.noted());
            if syntax.line(bytes, start..end, &mut values).is_none() {
                values.truncate(known);
                syntax.ends.forget(noted);
                // A carriage return before the line feed belongs to the line end.
                let is_crlf = length.is_some() && bytes[start..end].ends_with(b"\r");
                broken.push(start..end - usize::from(is_crlf));
            }
            start = end + 1;
        }
        syntax.ends.sort_into_blocks();
        Self { values, broken, ends: syntax.ends }
    }
}

/// An object or array that is still open, with the bracket that closes it.
struct Open {
    bracket: u8,
    begun: usize,
}

/// A position in a text that is JSON so far. Methods that return `None` found something else.
struct Syntax<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The containers that are still open.
    open: Vec<Open>,
    ends: Ends,
    /// The offset of the bytes that were examined last.
    window: usize,
    /// One bit for each of these bytes: whether a string may not simply continue there.
    stops: u64,
}

impl<'t> Syntax<'t> {
    fn of(bytes: &'t [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            open: Vec::new(),
            ends: Ends::of(bytes),
            window: 0,
            stops: stops_of(bytes),
        }
    }

    /// Adds the values of one line, without reading beyond it.
    fn line(
        &mut self,
        bytes: &'t [u8],
        line: Range<usize>,
        values: &mut Vec<Json<'t>>,
    ) -> Option<()> {
        let text = str::from_utf8(&bytes[line.clone()]).ok()?;
        self.bytes = &bytes[..line.end];
        (self.at, self.window) = (line.start, line.start);
        self.stops = stops_of(&self.bytes[line.start..]);
        while self.solid().is_some() {
            let start = self.at;
            let end = self.value_of_stream()?;
            values.push(Json::from_checked(&text[start - line.start..end - line.start]));
        }
        Some(())
    }

    /// Moves behind the next value of a stream.
    fn value_of_stream(&mut self) -> Option<usize> {
        let is_delimited = matches!(self.solid()?, b'"' | b'{' | b'[');
        self.value()?;
        (is_delimited || self.is_at_delimiter()).then_some(self.at)
    }

    /// Moves to the next byte that is not white space.
    fn solid(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Moves behind the next value.
    fn value(&mut self) -> Option<()> {
        self.open.clear();
        loop {
            let first = self.solid()?;
            match first {
                b'{' | b'[' => {
                    let bracket = if first == b'{' { b'}' } else { b']' };
                    self.open.push(Open { bracket, begun: self.ends.begin(self.at) });
                    self.at += 1;
                    if self.solid()? != bracket {
                        self.key_in(bracket)?;
                        continue;
                    }
                }
                b'"' => {
                    let start = self.at;
                    self.string()?;
                    self.ends.add(start, self.at);
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => self.number()?,
            }
            // Here the text is behind a value, or inside an empty container.
            loop {
                let Some(&Open { bracket, begun }) = self.open.last() else { return Some(()) };
                let byte = self.solid()?;
                self.at += 1;
                if byte == b',' {
                    self.key_in(bracket)?;
                    break;
                }
                if byte != bracket {
                    return None;
                }
                self.ends.end(begun, self.at);
                self.open.pop();
            }
        }
    }

    /// Moves behind the name of a member and its colon, if the bracket is that of an object.
    fn key_in(&mut self, bracket: u8) -> Option<()> {
        if bracket == b']' {
            return Some(());
        }
        if self.solid()? != b'"' {
            return None;
        }
        self.string()?;
        let is_colon = self.solid()? == b':';
        self.at += 1;
        is_colon.then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let is_it = self.bytes[self.at..].starts_with(word);
        self.at += word.len();
        is_it.then_some(())
    }

    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.bytes[self.at] == b'-');
        if self.bytes.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Some(())
    }

    /// Moves behind one or more digits.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    /// Whether the next byte can't continue a number or a word.
    fn is_at_delimiter(&self) -> bool {
        let next = self.bytes.get(self.at);
        next.is_none_or(|byte| b" \t\n\r\"{}[],:".contains(byte))
    }

    /// Moves behind the string that begins here.
    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.go_to_stop();
            match *self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    /// Moves to the next byte at which a string may not simply continue, or to the end.
    fn go_to_stop(&mut self) {
        loop {
            let seen = self.at - self.window;
            let stops = if seen < WIDTH { self.stops >> seen } else { 0 };
            if stops != 0 {
                self.at += stops.trailing_zeros() as usize;
                return;
            }
            self.at = self.at.max(self.window + WIDTH);
            if self.at >= self.bytes.len() {
                return;
            }
            self.window = self.at;
            self.stops = stops_of(&self.bytes[self.at..]);
        }
    }

    /// Moves behind an escape. Most escapes are a single letter.
    fn escape(&mut self) -> Option<()> {
        let escaped = *self.bytes.get(self.at + 1)?;
        self.at += 2;
        if IS_ESCAPED_ALONE[usize::from(escaped)] {
            return Some(());
        }
        let digits = self.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        (escaped == b'u' && digits.iter().all(u8::is_ascii_hexdigit)).then_some(())
    }
}

/// Whether a byte behind a backslash is a complete escape.
const IS_ESCAPED_ALONE: [bool; 256] = {
    let (mut table, mut escaped) = ([false; 256], b"\"\\/bfnrt".as_slice());
    while let [byte, rest @ ..] = escaped {
        table[*byte as usize] = true;
        escaped = rest;
    }
    table
};

/// Which of the first 64 bytes are a quote, a backslash or a control character. Bytes behind the end count as
/// control characters.
fn stops_of(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk() {
        return stops_in(chunk);
    }
    let mut chunk = [0; WIDTH];
    chunk[..bytes.len()].copy_from_slice(bytes);
    stops_in(&chunk)
}

/// Has no branch, so that the compiler can process many bytes at once.
#[inline]
fn stops_in(chunk: &[u8; WIDTH]) -> u64 {
    let mut flags = [0; WIDTH];
    for (flag, &byte) in flags.iter_mut().zip(chunk) {
        *flag = u8::from(byte == b'"' || byte == b'\\' || byte < b' ');
    }
    let mut stops = 0;
    for (at, eight) in flags.as_chunks().0.iter().enumerate() {
        stops |= gather(u64::from_le_bytes(*eight)) << (8 * at);
    }
    stops
}

#[cfg(test)]
mod tests;
