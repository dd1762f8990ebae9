//! Checking that a text is JSON: the syntax of RFC 8259, and nothing else.
//!
//! Responsible for going through the values of a stream once and saying where each ends; what they say is
//! not looked at. As RFC 8259 has it, nesting may be of any depth, a number of any size, and half a
//! surrogate pair may stand in a string. Most of a text are strings: 64 bytes at once are asked where a
//! string may end, or go wrong.

use std::ops::Range;

use super::Json;
use super::ends::Ends;
use crate::bits::{WIDTH, gather};

/// The values of a stream, in order, up to the first that is not JSON.
pub(crate) struct Values<'a> {
    text: &'a str,
    syntax: Syntax<'a>,
}

impl<'a> Values<'a> {
    /// The values of `text`.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, syntax: Syntax::of(text.as_bytes()) }
    }

    /// Where the long ones end of those that were gone through.
    pub(crate) fn ends(self) -> Ends {
        let mut ends = self.syntax.ends;
        ends.sort_into_blocks();
        ends
    }
}

impl<'a> Iterator for Values<'a> {
    /// A value, or where one begins that is not JSON.
    type Item = Result<Json<'a>, usize>;

    fn next(&mut self) -> Option<Self::Item> {
        self.syntax.solid()?;
        let start = self.syntax.at;
        let end = self.syntax.value_of_stream();
        Some(end.map(|end| Json::from_checked(&self.text[start..end])).ok_or(start))
    }
}

/// The first value of `bytes`, and where it ends, whatever stands behind it.
pub(crate) fn first_value(bytes: &[u8]) -> Option<(Json<'_>, usize)> {
    let mut syntax = Syntax::of(bytes);
    syntax.solid()?;
    let start = syntax.at;
    let end = syntax.value_of_stream()?;
    let text = str::from_utf8(&bytes[start..end]).ok()?;
    Some((Json::from_checked(text), end))
}

/// What the lines of a text are, each read by itself.
pub(crate) struct Lines<'a> {
    /// The values, in order.
    pub(crate) values: Vec<Json<'a>>,
    /// The lines that are not JSON, without what ends them.
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
                // A carriage return before the line feed is of the line's end.
                let is_crlf = length.is_some() && bytes[start..end].ends_with(b"\r");
                broken.push(start..end - usize::from(is_crlf));
            }
            start = end + 1;
        }
        syntax.ends.sort_into_blocks();
        Self { values, broken, ends: syntax.ends }
    }
}

/// A container that is to be closed by this bracket.
struct Open {
    bracket: u8,
    begun: usize,
}

/// A place in a text, which is JSON so far. What returns `None` found something else.
struct Syntax<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The containers that are to be closed.
    open: Vec<Open>,
    ends: Ends,
    /// Where the bytes begin that were looked at last.
    window: usize,
    /// A bit for each of them: whether a string can't just go on there.
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

    /// Adds the values of one line, to which all is confined.
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

    /// Goes to behind the next value of a stream.
    fn value_of_stream(&mut self) -> Option<usize> {
        let is_delimited = matches!(self.solid()?, b'"' | b'{' | b'[');
        self.value()?;
        (is_delimited || self.is_at_delimiter()).then_some(self.at)
    }

    /// Goes to the next byte that is not white space.
    fn solid(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Goes to behind the next value.
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
            // Behind a value, or in a container that is empty.
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

    /// Goes to behind the name of a member and its colon, if the bracket closes an object.
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

    /// Goes to behind one or more digits.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    /// Whether what stands here can't be more of a number or a word.
    fn is_at_delimiter(&self) -> bool {
        let next = self.bytes.get(self.at);
        next.is_none_or(|byte| b" \t\n\r\"{}[],:".contains(byte))
    }

    /// Goes to behind the string that begins here.
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

    /// Goes to where a string can't just go on, or to the end.
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

    /// Goes to behind an escape. Most are of a letter alone.
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

/// Whether a byte behind a backslash is a whole escape.
const IS_ESCAPED_ALONE: [bool; 256] = {
    let (mut table, mut escaped) = ([false; 256], b"\"\\/bfnrt".as_slice());
    while let [byte, rest @ ..] = escaped {
        table[*byte as usize] = true;
        escaped = rest;
    }
    table
};

/// Which of the first 64 bytes are a quote, a backslash or a control character, as which counts what is
/// behind the end.
fn stops_of(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk() {
        return stops_in(chunk);
    }
    let mut chunk = [0; WIDTH];
    chunk[..bytes.len()].copy_from_slice(bytes);
    stops_in(&chunk)
}

/// Without a branch, so that the compiler can do it for many bytes at once.
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
