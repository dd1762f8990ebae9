//! Walking from value to value: the members of an object, the items of an array.

use std::borrow::Cow;

use super::Json;
use super::ends::{self, Ends};
use super::escape::unescape;
use super::find::{find, find_near, plain_end};

/// The name of a member, still escaped.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    json: Json<'a>,
    may_be_escaped: bool,
}

impl<'a> Key<'a> {
    /// Whether the name is `expected`.
    pub fn is(self, expected: &str) -> bool {
        self.position(&Names::of(&[expected])).is_some()
    }

    /// The index of this name among `names`.
    pub(super) fn position(self, names: &Names<'_>) -> Option<usize> {
        let inner = &self.json.text[1..self.json.text.len() - 1];
        if self.may_be_escaped { names.position(&unescape(inner)) } else { names.position(inner) }
    }

    /// The name, unescaped.
    pub fn text(self) -> Cow<'a, str> {
        self.json.text().unwrap_or_default()
    }

    /// The name as the string value it is written as.
    pub fn json(self) -> Json<'a> {
        self.json
    }
}

/// Names that a member may have. Most members have none of them, and usually differ in length.
pub(super) struct Names<'n> {
    names: &'n [&'n str],
    /// One bit for each length that occurs.
    lengths: u64,
}

impl<'n> Names<'n> {
    pub(super) fn of(names: &'n [&'n str]) -> Self {
        let lengths = names.iter().fold(0, |lengths, name| lengths | Self::bit_of(name));
        Self { names, lengths }
    }

    fn bit_of(name: &str) -> u64 {
        1 << (name.len() % 64)
    }

    fn position(&self, name: &str) -> Option<usize> {
        if self.lengths & Self::bit_of(name) == 0 {
            return None;
        }
        self.names.iter().position(|wanted| *wanted == name)
    }
}

/// The items of an array, first to last.
#[derive(Clone)]
pub struct Items<'a>(pub(super) Cursor<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        self.0.value()
    }
}

/// The members of an object, first to last, duplicates included.
#[derive(Clone)]
pub struct Members<'a>(pub(super) Cursor<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, Json<'a>);

    fn next(&mut self) -> Option<(Key<'a>, Json<'a>)> {
        Some((self.0.key()?, self.0.value()?))
    }
}

/// A position in the text of an object or array, from which the next value is found.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    ends: &'a Ends,
}

impl<'a> Cursor<'a> {
    /// The position behind the opening bracket.
    pub(super) fn inside(json: Json<'a>) -> Self {
        Self { text: json.text, at: 1, ends: json.ends }
    }

    pub(super) fn empty() -> Self {
        Self { text: "]", at: 0, ends: &ends::NONE }
    }

    /// Moves to the next value; `None` if there is none.
    #[inline]
    fn begin(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        while matches!(bytes[self.at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        (!matches!(bytes[self.at], b']' | b'}')).then_some(())
    }

    /// Moves to `end`, behind the value that begins here, and returns the value.
    #[inline]
    fn end(&mut self, end: usize) -> Json<'a> {
        let start = std::mem::replace(&mut self.at, end);
        Json { text: &self.text[start..end], ends: self.ends }
    }

    #[inline]
    fn key(&mut self) -> Option<Key<'a>> {
        self.begin()?;
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let end = plain_end(&bytes[start + 1..]).map(|length| start + length + 2);
        let json = self.end(end.unwrap_or_else(|| string_end(bytes, start)));
        Some(Key { json, may_be_escaped: end.is_none() })
    }

    fn value(&mut self) -> Option<Json<'a>> {
        self.begin()?;
        let end = self.value_end();
        Some(self.end(end))
    }

    /// Where the value that begins here ends.
    fn value_end(&self) -> usize {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let known =
            || self.ends.length(bytes[start..].as_ptr().addr()).map(|length| start + length);
        match bytes[start] {
            b'"' => match find_near(b'"', &bytes[start + 1..]) {
                Some(length) if bytes[start + length] != b'\\' => start + length + 2,
                _ => known().unwrap_or_else(|| string_end(bytes, start)),
            },
            b'{' | b'[' => known().unwrap_or_else(|| container_end(bytes, start)),
            _ => bytes[start..]
                .iter()
                .position(|b| matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r' | b':'))
                .map_or(bytes.len(), |length| start + length),
        }
    }
}

/// Where the object or array that begins at `start` ends.
fn container_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Where the string that begins at `start` ends, closing quote included: behind the first quote that an even
/// number of backslashes precedes. Texts of programs have many escaped line breaks and fewer quotes, so
/// quotes are searched for.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(length) = find(b'"', &bytes[at..]) {
        let quote = at + length;
        let is_escaped = bytes[quote - 1] == b'\\' && {
            let before = bytes[at..quote].iter().rev();
            before.take_while(|byte| **byte == b'\\').count() % 2 == 1
        };
        at = quote + 1;
        if !is_escaped {
            return at;
        }
    }
    bytes.len()
}
