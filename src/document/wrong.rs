//! What is wrong with a text that is not a stream of JSON values, and where.
//!
//! Responsible for telling a torn last line from a mistake. It relies on `serde_json` for the reason of a
//! mistake.

use std::fmt;

use serde_json::value::RawValue;

use super::BOM;
use crate::json::Json;

/// Why an input is not a stream of JSON values: the reason, and the byte offset where it shows.
#[derive(Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Lowercase, without a full stop.
    pub reason: String,
    /// In bytes from the beginning of the input.
    pub offset: usize,
    /// Whether it shows in a line of its own behind other values, so that without this line there may be no
    /// error.
    pub is_in_lines: bool,
}

impl SyntaxError {
    pub(super) fn new(reason: &str, offset: usize) -> Self {
        Self { reason: reason.to_owned(), offset, is_in_lines: false }
    }

    /// The error for bytes at `offset` that are not UTF-8.
    pub(super) fn not_utf_8(offset: usize) -> Self {
        Self::new(NOT_UTF_8, offset)
    }

    /// The error for an input that ends at `offset`, inside a value.
    pub fn breaks_off(offset: usize) -> Self {
        Self::new(BREAKS_OFF, offset)
    }

    /// The error of `bytes` that stand behind other lines: if their first line is no value, the error is there,
    /// although it shows only where the lines behind it can't go on with it.
    #[must_use]
    pub fn behind_lines(self, bytes: &[u8]) -> Self {
        let first = bytes.len() - bytes.trim_ascii_start().len();
        let Some(end) = memchr::memchr(b'\n', &bytes[first..]).map(|length| first + length) else {
            return self;
        };
        let line = std::str::from_utf8(&bytes[first..end]);
        let is_value = line.is_ok_and(|line| Json::parse(line).is_some());
        if self.offset <= end || is_value {
            return self;
        }
        Self { is_in_lines: true, ..Self::breaks_off(end) }
    }

    /// Whether agents skip the line with this error in their logs. A byte order mark, where another file
    /// begins, is not skipped.
    pub fn may_be_passed_over(&self) -> bool {
        self.reason != MARK_BETWEEN
    }

    /// Whether the error is about a byte that is no text, for which a column does not help.
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

/// Whether only white space stands between the line break before and `offset`.
fn starts_a_line(text: &str, offset: usize) -> bool {
    let before = &text[..offset];
    before[before.trim_end().len()..].contains('\n')
}

/// The error of text that begins at `start` and is not JSON, with `before` the value before it; `None` if the
/// text is a torn last line.
pub(super) fn whats_wrong(
    text: &str,
    start: usize,
    before: Option<Json<'_>>,
) -> Option<SyntaxError> {
    let rest = &text[start..];
    if rest.starts_with(BOM) {
        return Some(SyntaxError::new(MARK_BETWEEN, start));
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
    let Some(error) = values.find_map(Result::err) else {
        return Some(SyntaxError::new("not JSON", start));
    };
    let offset = start + offset_of(rest, &error);
    let starts_line = before.is_some() && starts_a_line(text, start);
    // If the value before stood on a line of its own, so does the broken one.
    let is_line = starts_line && before.is_some_and(|value| !value.source().contains('\n'));
    let error = match rest.find('\n').map(|length| start + length) {
        None if starts_line && error.is_eof() => return None,
        Some(end) if is_line && offset > end => SyntaxError::breaks_off(end),
        _ => SyntaxError::new(&reason(&error), offset),
    };
    Some(SyntaxError { is_in_lines: is_line, ..error })
}

/// Whether bytes that are not JSON could be continued to become JSON.
pub(super) fn begins_value(bytes: &[u8]) -> bool {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_some() => return false,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.find_map(Result::err).is_none_or(|error| error.is_eof())
}

/// `serde_json` tells lines and columns (bytes, from 1; 0 is the end of the line before).
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let line = memchr::memchr_iter(b'\n', text.as_bytes())
        .nth(error.line().saturating_sub(2))
        .filter(|_| error.line() > 1)
        .map_or(0, |newline| newline + 1);
    let at = (line + error.column().saturating_sub(1)).min(text.len());
    // It tells the byte before such a character.
    let is_control = error.to_string().starts_with("control character");
    let further = is_control.then(|| text.as_bytes()[at..].iter().position(|byte| *byte < b' '));
    at + further.flatten().unwrap_or(0)
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
    use crate::document::Document;

    #[test]
    fn says_where_the_text_is_not_utf_8() {
        let error = Document::parse(b"[\"\xff\"]\n").unwrap_err();
        assert_eq!((error.offset, error.reason.as_str()), (2, NOT_UTF_8));
    }

    #[test]
    fn a_first_line_behind_others_is_to_blame_if_it_is_no_value() {
        for (text, offset, is_in_lines) in [
            ("{\"a\":\n{\"b\":1}\n{\"c\":1}\n", 5, true),
            ("\n{\"a\":\n{\"b\":1}\n{\"c\":1}\n", 6, true),
            ("{\"a\":1}\n{\"b\"\n{\"c\":1}\n", 12, true),
            ("{\"a\" 1}\n{\"b\":1}\n", 5, false),
        ] {
            let error = Document::parse(text.as_bytes()).unwrap_err().behind_lines(text.as_bytes());
            assert_eq!((error.offset, error.is_in_lines), (offset, is_in_lines), "{text:?}");
        }
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
            ("{\n\"a\":1\n}\n{\n\"b\": x\n}\n", 17, not_json("expected value")),
            ("{\n\"a\":1\n}\n{\n\"b\":\n", 17, BREAKS_OFF.to_owned()),
            (
                "[\"a\nb\"]",
                3,
                not_json("control character (\\u0000-\\u001F) found while parsing a string"),
            ),
            ("{\"a\":\"\\x\"}", 7, not_json("invalid escape")),
        ] {
            let error = Document::parse(text.as_bytes()).unwrap_err();
            assert_eq!((error.reason, error.offset), (reason, offset), "{text:?}");
        }
    }
}
