//! What the escapes of a string stand for, and writing strings.

use std::borrow::Cow;

use super::find::find;

/// Undoes the escapes of a string's inside; half a surrogate pair becomes U+FFFD.
pub(super) fn unescape(inner: &str) -> Cow<'_, str> {
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
pub(super) fn whole_escapes(inner: &str, at: usize) -> usize {
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_quoted_is_said(text in "[a-zé\n\"\\\\😀\u{1}]{0,60}") {
            let quoted = quote(&text);
            prop_assert_eq!(unescape(&quoted[1..quoted.len() - 1]), text.as_str());
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            let escaped = units.collect::<Vec<_>>().concat();
            prop_assert_eq!(unescape(&escaped), text.as_str());
        }
    }
}
