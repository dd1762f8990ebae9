//! Undoing the escapes of strings, and writing strings.

use std::borrow::Cow;

use super::find::find;

/// The text between the quotes of a string, unescaped; half a surrogate pair becomes U+FFFD.
pub(super) fn unescape(inner: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()) else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    out.push_str(&inner[..first]);
    let rest = each_escape(&inner[first..], |plain, character| {
        out.push_str(plain);
        out.push(character);
    });
    out.push_str(rest);
    Cow::Owned(out)
}

/// At most the first `enough` bytes of the text between the quotes of a string, unescaped. What is left out
/// isn't read.
pub(super) fn unescaped_opening(inner: &str, enough: usize) -> Cow<'_, str> {
    let plain = &inner[..inner.floor_char_boundary(enough)];
    if memchr::memchr(b'\\', plain.as_bytes()).is_none() {
        return Cow::Borrowed(plain);
    }
    let mut out = String::with_capacity(enough);
    let mut rest = inner;
    while out.len() < enough {
        let near = &rest[..rest.floor_char_boundary(enough - out.len())];
        let Some(at) = find(b'\\', near.as_bytes()) else {
            out.push_str(near);
            break;
        };
        let (character, used) = escape(&rest[at..]);
        out.push_str(&rest[..at]);
        out.push(character);
        rest = &rest[at + used..];
    }
    out.truncate(out.floor_char_boundary(enough));
    Cow::Owned(out)
}

/// The length in bytes of the text between the quotes of a string once unescaped.
pub(super) fn unescaped_length(inner: &str) -> usize {
    let mut length = 0;
    let rest = each_escape(inner, |plain, character| length += plain.len() + character.len_utf8());
    length + rest.len()
}

/// Calls `then` for each escape with the text before it and the character it stands for; returns the text
/// behind the last escape.
fn each_escape<'t>(inner: &'t str, mut then: impl FnMut(&'t str, char)) -> &'t str {
    let mut rest = inner;
    while let Some(at) = find(b'\\', rest.as_bytes()) {
        let (character, used) = escape(&rest[at..]);
        then(&rest[..at], character);
        rest = &rest[at + used..];
    }
    rest
}

/// The character that the escape at the beginning of `text` stands for, and the length of the escape.
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

/// The JSON text with U+FFFD in place of each lone half of a surrogate pair; `None` if there is none.
pub(crate) fn mend_surrogates(source: &str) -> Option<String> {
    let bytes = source.as_bytes();
    let has = |begin: &[u8]| memchr::memmem::find(bytes, begin).is_some();
    if !has(b"\\ud") && !has(b"\\uD") {
        return None;
    }
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(next) = find(b'\\', &bytes[at..]) {
        let start = at + next;
        let (character, used) = escape(&source[start..]);
        at = start + used;
        let is_said = || source[start..at].eq_ignore_ascii_case("\\ufffd");
        if used == 6 && character == char::REPLACEMENT_CHARACTER && !is_said() {
            out.push_str(&source[kept..start]);
            out.push_str("\\ufffd");
            kept = at;
        }
    }
    (kept > 0).then(|| out + &source[kept..])
}

/// `text` as a JSON string, with the escapes that JSON requires and no others.
pub fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_mended_where_it_stands() {
        let mended = |source| mend_surrogates(source);
        assert_eq!(mended(r#"["a\ud800b\u00e9\uDC00"]"#).unwrap(), r#"["a\ufffdb\u00e9\ufffd"]"#);
        for whole in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\uFFFD\ud83d\ude00""#, r#""plain""#]
        {
            assert_eq!(mended(whole), None, "{whole}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_said(text in "[a-zé\n\"\\\\😀\u{1}]{0,60}") {
            let quoted = quote(&text);
            prop_assert_eq!(unescape(&quoted[1..quoted.len() - 1]), text.as_str());
            prop_assert_eq!(unescaped_length(&quoted[1..quoted.len() - 1]), text.len());
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            let escaped = units.collect::<Vec<_>>().concat();
            prop_assert_eq!(unescape(&escaped), text.as_str());
            prop_assert_eq!(unescaped_length(&escaped), text.len());
            for enough in [0, 1, 7, 200] {
                let opening = &text[..text.floor_char_boundary(enough)];
                prop_assert_eq!(unescaped_opening(&quoted[1..quoted.len() - 1], enough), opening);
                prop_assert_eq!(unescaped_opening(&escaped, enough), opening);
            }
        }
    }
}
