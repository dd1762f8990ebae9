//! A lazy view of JSON text: where a value's members and items stand, and what its strings say.
//!
//! Responsible for walking JSON without building a tree and without changing a byte. It relies on
//! [`Document`](crate::document::Document) having checked the syntax once: every [`Json`] is
//! exactly one valid value, without white space around it, so walking needs no error paths. Nesting
//! is counted, never recursed into, so its depth is unlimited.

use std::borrow::Cow;

/// One JSON value, as the text it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    /// A view of `text`, which must be one valid JSON value without white space around it.
    pub(crate) fn from_checked(text: &'a str) -> Self {
        Self(text)
    }

    /// Whether this is the same value in the same place, and not only an equal one.
    pub fn is(self, other: Json<'_>) -> bool {
        std::ptr::eq(self.0, other.0)
    }

    /// Whether the other view is of a place inside this one.
    pub fn holds(self, other: Json<'_>) -> bool {
        self.0.as_bytes().as_ptr_range().contains(&other.0.as_ptr())
    }

    /// The value as it is written.
    pub fn source(self) -> &'a str {
        self.0
    }

    fn first(self) -> u8 {
        self.0.as_bytes()[0]
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        self.first() == b'{'
    }

    /// Whether the value is an array.
    pub fn is_array(self) -> bool {
        self.first() == b'['
    }

    /// Whether the value is a string.
    pub fn is_string(self) -> bool {
        self.first() == b'"'
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.first() == b'n'
    }

    /// Whether the value is `true`.
    pub fn is_true(self) -> bool {
        self.first() == b't'
    }

    /// The number, where the value is one that a `u64` holds.
    pub fn as_u64(self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// What a string says, unescaped; half a surrogate pair becomes U+FFFD. `None` for other values.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(inner))
    }

    /// How a string begins: all of a short one, as much of a long one as is written in half a kilobyte.
    pub fn opening(self) -> Option<Cow<'a, str>> {
        const ENOUGH: usize = 512;
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if inner.len() <= ENOUGH {
            return Some(unescape(inner));
        }
        // Not within a character, and before an escape that may go on behind the cut.
        let cut = (0..=ENOUGH).rev().find(|&at| inner.is_char_boundary(at)).unwrap_or(0);
        let pair = cut.saturating_sub("\\ud83d\\ude00".len());
        let escape = memchr::memchr(b'\\', &inner.as_bytes()[pair..cut]);
        let end = escape.map_or(cut, |at| whole_escapes(inner, pair + at));
        // The first half of a surrogate pair may have been left alone.
        let text = unescape(&inner[..end]);
        let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
        Some(match text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[..whole]),
            Cow::Owned(text) => Cow::Owned(text[..whole].to_owned()),
        })
    }

    /// Whether the value is a string that says `expected`.
    pub fn says(self, expected: &str) -> bool {
        self.text().is_some_and(|text| text == expected)
    }

    /// The items of an array; nothing for other values.
    pub fn items(self) -> Items<'a> {
        Items(if self.is_array() { Cursor::inside(self.0) } else { Cursor::empty() })
    }

    /// The members of an object in the order of the text; nothing for other values.
    pub fn members(self) -> Members<'a> {
        Members(if self.is_object() { Cursor::inside(self.0) } else { Cursor::empty() })
    }

    /// The value of the member `key`; of duplicate keys the last counts, as in every client.
    pub fn member(self, key: &str) -> Option<Json<'a>> {
        self.pick([key])[0]
    }

    /// The values of several members, found in one pass.
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Json<'a>>; N] {
        let mut found = [None; N];
        for (key, value) in self.members() {
            if let Some(at) = key.position(&keys) {
                found[at] = Some(value);
            }
        }
        found
    }

    /// What the string member `key` says.
    pub fn str_member(self, key: &str) -> Option<Cow<'a, str>> {
        self.member(key)?.text()
    }

    /// The value at a dotted path of member names; the empty path is the value itself.
    pub fn at(self, path: &str) -> Option<Json<'a>> {
        path.split('.').filter(|step| !step.is_empty()).try_fold(self, |value, step| {
            if value.is_array() {
                value.items().nth(step.parse().ok()?)
            } else {
                value.member(step)
            }
        })
    }

    /// The value without its long texts, with its arrays cut short and nothing in what lies deep: enough
    /// to tell what it is, and the same for many values.
    pub fn sketch(self, items: usize) -> String {
        let mut out = String::new();
        self.sketch_into(&mut out, items, 5);
        out
    }

    fn sketch_into(self, out: &mut String, items: usize, depth: usize) {
        let short = self.0.len() <= SHORT;
        if short || !(self.is_string() || self.is_array() || self.is_object()) {
            out.push_str(self.0);
        } else if self.is_string() {
            out.push_str("\"\"");
        } else if depth == 0 {
            out.push_str(if self.is_array() { "[]" } else { "{}" });
        } else if self.is_array() {
            out.push('[');
            for (at, item) in self.items().take(items).enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                item.sketch_into(out, items, depth - 1);
            }
            out.push(']');
        } else {
            out.push('{');
            for (at, (key, value)) in self.members().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                out.push_str(key.0.0);
                out.push(':');
                value.sketch_into(out, items, depth - 1);
            }
            out.push('}');
        }
    }

    /// The value without its long texts: the same for many values, and told in one pass.
    pub fn outline(self) -> String {
        let mut out = String::new();
        let (mut kept, mut at) = (0, 0);
        while let Some(quote) = memchr::memchr(b'"', &self.0.as_bytes()[at..]) {
            let start = at + quote;
            at = string_end(self.0.as_bytes(), start);
            if at - start > SHORT {
                out.push_str(&self.0[kept..start]);
                out.push_str("\"\"");
                kept = at;
            }
        }
        out.push_str(&self.0[kept..]);
        out
    }

    /// The value without white space between its tokens and with strings escaped in one way, so that
    /// two layouts of one value give the same text.
    pub fn compact(self) -> String {
        let mut out = String::with_capacity(self.0.len());
        let mut rest = self.0;
        while let Some(byte) = rest.bytes().next() {
            let end = match byte {
                b'"' => {
                    let end = string_end(rest.as_bytes(), 0);
                    let inner = &rest[1..end - 1];
                    if memchr::memchr(b'\\', inner.as_bytes()).is_some() {
                        out.push_str(&quote(&unescape(inner)));
                    } else {
                        out.push_str(&rest[..end]);
                    }
                    end
                }
                b' ' | b'\t' | b'\n' | b'\r' => 1,
                _ => {
                    let end = rest
                        .find(|c: char| c == '"' || c.is_ascii_whitespace())
                        .unwrap_or(rest.len());
                    out.push_str(&rest[..end]);
                    end
                }
            };
            rest = &rest[end..];
        }
        out
    }
}

/// In bytes, what a type, a role or a name never is longer than.
const SHORT: usize = 64;

/// The name of a member, still escaped.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a>(Json<'a>);

impl<'a> Key<'a> {
    /// Whether the name is `expected`.
    pub fn is(self, expected: &str) -> bool {
        self.position(&[expected]).is_some()
    }

    /// Which of some names it is.
    fn position(self, names: &[&str]) -> Option<usize> {
        let inner = &self.0.0[1..self.0.0.len() - 1];
        let place = |name: &str| names.iter().position(|wanted| *wanted == name);
        let is_escaped = || memchr::memchr(b'\\', inner.as_bytes()).is_some();
        place(inner).or_else(|| if is_escaped() { place(&unescape(inner)) } else { None })
    }

    /// The name, unescaped.
    pub fn text(self) -> Cow<'a, str> {
        self.0.text().unwrap_or_default()
    }

    /// The name as the string value it is written as.
    pub fn json(self) -> Json<'a> {
        self.0
    }
}

/// The items of an array, first to last.
#[derive(Clone)]
pub struct Items<'a>(Cursor<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        self.0.value()
    }
}

/// The members of an object, first to last, duplicates included.
#[derive(Clone)]
pub struct Members<'a>(Cursor<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, Json<'a>);

    fn next(&mut self) -> Option<(Key<'a>, Json<'a>)> {
        let key = self.0.value()?;
        Some((Key(key), self.0.value()?))
    }
}

/// A place in the text of an object or array, from where the next value is found.
#[derive(Clone)]
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn inside(text: &'a str) -> Self {
        Self { text, at: 1 }
    }

    fn empty() -> Self {
        Self { text: "]", at: 0 }
    }

    fn value(&mut self) -> Option<Json<'a>> {
        let bytes = self.text.as_bytes();
        while matches!(bytes[self.at], b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        if matches!(bytes[self.at], b']' | b'}') {
            return None;
        }
        let start = self.at;
        self.at = value_end(bytes, start);
        Some(Json(&self.text[start..self.at]))
    }
}

/// Where the value that begins at `start` ends.
fn value_end(bytes: &[u8], start: usize) -> usize {
    match bytes[start] {
        b'"' => string_end(bytes, start),
        b'{' | b'[' => {
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
        _ => bytes[start..]
            .iter()
            .position(|b| matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r' | b':'))
            .map_or(bytes.len(), |length| start + length),
    }
}

/// Where the string that begins at `start` ends, closing quote included: at the first quote that an even
/// number of backslashes stands before. In a program line breaks are escaped, and quotes are rarer.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(length) = find(b'"', &bytes[at..]) {
        let quote = at + length;
        let backslashes = bytes[at..quote].iter().rev().take_while(|byte| **byte == b'\\').count();
        at = quote + 1;
        if backslashes % 2 == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Where `byte` stands first. Mostly that is near: the first bytes are looked at eight at a time, which
/// takes less time than a call of `memchr`.
#[inline]
fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    const NEAR: usize = 64;
    let (words, _) = bytes[..bytes.len().min(NEAR)].as_chunks();
    for (at, word) in words.iter().enumerate() {
        let found = zero_bytes(u64::from_le_bytes(*word) ^ repeat(byte));
        if found != 0 {
            return Some(8 * at + found.trailing_zeros() as usize / 8);
        }
    }
    let near = 8 * words.len();
    memchr::memchr(byte, &bytes[near..]).map(|length| near + length)
}

/// A word of eight times this byte.
const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The highest bit of the first byte that is zero; what is set above it says nothing.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(repeat(1)) & !word & repeat(0x80)
}

/// Undoes the escapes of a string's inside; half a surrogate pair becomes U+FFFD.
fn unescape(inner: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()) else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    out.push_str(&inner[..first]);
    let mut rest = &inner[first..];
    while let Some(at) = find(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (character, used) = escape(&rest[at..]);
        out.push(character);
        rest = &rest[at + used..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The last place up to `at`, where a backslash stands, that is not within an escape.
fn whole_escapes(inner: &str, at: usize) -> usize {
    let before = inner.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    at - before % 2
}

/// The character that the escape at the beginning of `text` stands for, and the escape's length.
fn escape(text: &str) -> (char, usize) {
    let simple = match text.as_bytes()[1] {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unicode_escape(text),
        other => char::from(other),
    };
    (simple, 2)
}

fn unicode_escape(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let high = unit(0).unwrap_or(0xFFFD);
    if let (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) = (high, unit(6)) {
        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// `text` as a JSON string, with the escapes that JSON requires and no others.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_members_and_items_in_order() {
        let json = Json(r#"{ "a" : [1, "x,]}", {"b":null}], "c":true }"#);
        let keys: Vec<_> = json.members().map(|(key, _)| key.text().into_owned()).collect();
        assert_eq!(keys, ["a", "c"]);
        let items: Vec<_> = json.at("a").unwrap().items().map(Json::source).collect();
        assert_eq!(items, ["1", r#""x,]}""#, r#"{"b":null}"#]);
        assert!(json.at("a.2.b").unwrap().is_null());
    }

    #[test]
    fn takes_the_last_of_duplicate_keys() {
        assert_eq!(Json(r#"{"a":1,"a":2}"#).member("a").unwrap().source(), "2");
        assert_eq!(Json(r#"{"\u0061":1}"#).member("a").unwrap().source(), "1");
    }

    #[test]
    fn unescapes_strings_and_mends_half_surrogates() {
        assert_eq!(Json(r#""a\n\"\\\/\u00e9\ud83d\ude00""#).text().unwrap(), "a\n\"\\/é😀");
        assert_eq!(Json(r#""x\ud83dy\ude00""#).text().unwrap(), "x\u{fffd}y\u{fffd}");
    }

    #[test]
    fn opens_long_strings_without_breaking_an_escape() {
        for filler in ["x", "é", "\\\\", "\\n", "\\ud83d\\ude00"] {
            for shift in 0..14 {
                let source = format!("\"{}{}\"", "y".repeat(shift), filler.repeat(2000));
                let (text, opening) =
                    (Json(&source).text().unwrap(), Json(&source).opening().unwrap());
                assert!(text.starts_with(opening.as_ref()), "{filler} {shift}");
                assert!(opening.chars().count() > 40);
            }
        }
        assert_eq!(Json(r#""a\nb""#).opening().unwrap(), "a\nb");
    }

    #[test]
    fn compact_is_the_same_for_every_layout() {
        let pretty = Json("{\n  \"a\" : [ 1e400 , \"x \\u00e9\" ],\n \"b\": {} }");
        assert_eq!(pretty.compact(), r#"{"a":[1e400,"x é"],"b":{}}"#);
    }

    #[test]
    fn an_outline_leaves_out_long_texts_alone() {
        let long = "\\\"x".repeat(99);
        let json = format!(r#"{{"role":"user", "n":[1,"{long}"],"{long}":"short"}}"#);
        let outline = Json(&json).outline();
        assert_eq!(outline, r#"{"role":"user", "n":[1,""],"":"short"}"#);
    }

    #[test]
    fn a_sketch_keeps_the_shape() {
        let long = format!(
            r#"{{"a":"{}","b":[{{"c":1}},2,3],"d":{{"e":"x\\n{}"}}}}"#,
            "é".repeat(99),
            "y".repeat(99)
        );
        let sketch = Json(&long).sketch(2);
        let sketch = Json(&sketch);
        assert_eq!(sketch.at("b").unwrap().source(), r#"[{"c":1},2,3]"#);
        assert_eq!(sketch.at("a").unwrap().source(), "\"\"");
        assert_eq!(sketch.at("d.e").unwrap().source(), "\"\"");
    }

    #[test]
    fn walks_any_depth() {
        let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Json(&deep).items().count(), 1);
    }
}
