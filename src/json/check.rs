//! Checking that a text is JSON: the syntax of RFC 8259, and nothing else.
//!
//! Responsible for going through the values of a stream once and saying where each ends; what they say is
//! not looked at. As RFC 8259 has it, nesting may be of any depth, a number of any size, and half a
//! surrogate pair may stand in a string. Most of a text are strings: 64 bytes at once are asked where a
//! string may end, or go wrong.

use super::Json;
use super::ends::Ends;

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

/// How many bytes are looked at at once.
const WIDTH: usize = 64;

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

/// The lowest bits of eight bytes, side by side.
#[inline]
fn gather(eight: u64) -> u64 {
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    /// What `serde_json` takes of a stream: its values, and whether anything is wrong behind them.
    fn as_serde_json_has_it(text: &str) -> (Vec<&str>, bool) {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let mut taken = Vec::new();
        loop {
            match values.next() {
                Some(Ok(value)) => taken.push(value.get()),
                end => return (taken, end.is_some()),
            }
        }
    }

    #[track_caller]
    fn assert_as_serde_json_has_it(text: &str) {
        let mut values = Values::of(text);
        let checked: Vec<_> = values.by_ref().map_while(Result::ok).map(Json::source).collect();
        let is_wrong = Values::of(text).nth(checked.len()).is_some();
        assert_eq!((checked, is_wrong), as_serde_json_has_it(text), "{text:?}");
    }

    #[test]
    fn accepts_what_serde_json_accepts() {
        let texts = [
            "",
            " ",
            "null",
            "nul",
            "nulll",
            "true false",
            "truefalse",
            "true\"x\"",
            "null[]",
            "0",
            "-0",
            "00",
            "01",
            "-",
            "-a",
            "1.",
            ".5",
            "1.5",
            "1e5",
            "1e",
            "1E+05",
            "1e-",
            "+1",
            "1e400",
            "12a",
            "1 2",
            "1,2",
            "1]",
            "\"",
            "\"a",
            "\"a\"b",
            "\"\\\"",
            "\"\\\\\"",
            "\"\\\\\\\"\"",
            "\"\\u00e9\"",
            "\"\\u00E9\"",
            "\"\\ud83d\"",
            "\"\\ud83d\\ude00\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\u",
            "\"\\x\"",
            "\"\\'\"",
            "\"\\0\"",
            "\"\\/\\b\\f\\n\\r\\t\"",
            "\"\t\"",
            "\"\n\"",
            "\"\u{0}\"",
            "\"\u{1f}\"",
            "\"\u{7f}\u{80}é😀\u{2028}\"",
            "[",
            "[]",
            "[ ]",
            "[,]",
            "[1,]",
            "[1 2]",
            "[1,2",
            "[1}",
            "[[]",
            "[]]",
            "{",
            "{}",
            "{ }",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1,}",
            "{\"a\":1]",
            "{a:1}",
            "{1:1}",
            "{\"a\" : 1 , \"a\" : {} }",
            "{\"a\"::1}",
            "{\"a\":1 \"b\":2}",
            "}",
            "]",
            ":",
            ",",
            "{}{}[]\"\"1",
            "\u{a0}1",
            "\u{c}1",
            "\u{feff}1",
            "'a'",
            "NaN",
            "/**/1",
            "[1]//",
        ];
        for text in texts {
            assert_as_serde_json_has_it(text);
            // At every place of a window, and behind all kinds of neighbours.
            for filler in ["x", "é", "\\\\", "\\n", "\\\"", "\\u0041"] {
                for length in 0..70 {
                    let filler = filler.repeat(length);
                    assert_as_serde_json_has_it(&format!("[\"{filler}\",{text}]"));
                    assert_as_serde_json_has_it(&format!("\"{filler}{}", text.trim_matches('"')));
                }
            }
        }
    }

    #[test]
    fn nesting_may_be_of_any_depth() {
        for depth in [127, 128, 129, 100_000] {
            let (open, close) = ("[{\"a\":".repeat(depth), "}]".repeat(depth));
            assert_as_serde_json_has_it(&format!("{open}1{close}"));
            assert_as_serde_json_has_it(&format!("{open}1{close}]"));
            assert_as_serde_json_has_it(&format!("{open}1{}", &close[1..]));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_as_serde_json_takes_it(text in "[\\[\\]{}:,\"\\\\ \n0-9eEu.+\\-abfnrtl/é\u{1}]{0,90}") {
            assert_as_serde_json_has_it(&text);
        }

        /// JSON with a mistake: something put in, taken out or cut off.
        #[test]
        fn mistakes_are_found(
            tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..40),
            at in any::<prop::sample::Index>(),
            mistake in prop::sample::select(&["", "\"", "\\", ",", "}", "]", "\u{1}", "\\u00", "1", " "][..]),
            gone in 0..3_usize,
        ) {
            let text = format!("[{}]", tokens.join(","));
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = *at.get(&places);
            let rest: String = text[at..].chars().skip(gone).collect();
            assert_as_serde_json_has_it(&text);
            assert_as_serde_json_has_it(&format!("{}{mistake}{rest}", &text[..at]));
            assert_as_serde_json_has_it(&text[..at]);
        }
    }

    const TOKENS: &[&str] = &[
        "null",
        "true",
        "-12.5e+3",
        "\"\"",
        "[]",
        "{}",
        "{\"a\":1,\"b\\n\":[\"x\"]}",
        "\"\\\\\"",
        "\"\\ud83d\\ude00\"",
        " \"words, words and more words that go over the end of a window, and \\\"quotes\\\" in them\" ",
        "\n[[1,2],{\"é\":{}}]",
    ];

    #[test]
    fn the_ends_of_long_values_are_known() {
        let long = "x\\\"".repeat(200);
        let text = format!(
            "{{\"a\":[\"{long}\",[1,{{\"b\":\"{long}\"}},\"short\"],{{}}],\"{long}\":[]}} \"{long}\""
        );
        let mut values = Values::of(&text);
        let found: Vec<_> = values.by_ref().map_while(Result::ok).collect();
        let ends = values.ends();
        let mut left: Vec<Json<'_>> = found;
        let mut known = 0;
        while let Some(json) = left.pop() {
            let length = ends.length(json.source().as_ptr().addr());
            assert!(length.is_none_or(|length| length == json.source().len()), "{json:?}");
            assert_eq!(length.is_some(), json.source().len() >= 256, "{json:?}");
            known += usize::from(length.is_some());
            left.extend(json.items().chain(json.members().map(|(_, value)| value)));
            let with = json.knowing(&ends);
            assert!(with.items().eq(json.items()));
            assert!(with.members().map(|(_, v)| v).eq(json.members().map(|(_, v)| v)));
        }
        assert_eq!(known, 7);
    }
}
