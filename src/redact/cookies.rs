//! The cookies of a header: `session=…; theme=dark`.
//!
//! Responsible for values that grant access; settings and the attributes of a cookie are left alone.

use std::ops::Range;

/// Attributes that a server sends with a cookie.
const ATTRIBUTES: &[&str] = &["domain", "expires", "max-age", "path", "samesite"];

/// The fewest bytes of a value that may identify a session.
const LEAST: usize = 8;

/// Whether a header or flag of this name holds cookies.
pub(super) fn is_of_cookies(word: &str, tail: &str) -> bool {
    if !tail.starts_with([':', '=', '"', '\'', '\\', ' ']) {
        return false;
    }
    let name = word.trim_start_matches('-').rsplit('.').next().unwrap_or(word);
    let is_name = ["cookie", "set-cookie"].iter().any(|it| name.eq_ignore_ascii_case(it));
    let behind = tail.trim_start_matches(['"', '\'', '\\', ' ']);
    is_name && (behind.starts_with([':', '=']) || word.starts_with("--"))
}

/// The ranges of secrets in the header that a text begins with, and the end of that header.
pub(super) fn in_header(text: &str) -> (Vec<Range<usize>>, usize) {
    let length = text.find(['"', '\'', '`', '\\', '\n', '\r', '<']).unwrap_or(text.len());
    let mut secrets = Vec::new();
    let mut start = 0;
    for pair in text[..length].split_inclusive([';', ' ', ',']) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = value.trim_end_matches([';', ' ', ',']);
        let is_attribute = ATTRIBUTES.iter().any(|it| name.trim().eq_ignore_ascii_case(it));
        if !is_attribute && is_secret(value) {
            let at = start + name.len() + 1;
            secrets.push(at..at + value.len());
        }
        start += pair.len();
    }
    (secrets, length)
}

fn is_secret(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let is_literal = !value.starts_with(['$', '{', '[', '<', '%']);
    value.len() >= LEAST && is_literal && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_kept, assert_masked};

    #[test]
    fn masks_cookies() {
        assert_masked(&[
            ("Cookie: session=a1b2c3d4e5; theme=dark", "Cookie: session=[masked]; theme=dark"),
            ("Cookie: a=dark; sid=a1b2c3d4==; b=1", "Cookie: a=dark; sid=[masked]; b=1"),
            (
                "set-cookie: sid=a1b2c3d4e5; Path=/v1/app2; Max-Age=31536000; Domain=a2.example.com",
                "set-cookie: sid=[masked]; Path=/v1/app2; Max-Age=31536000; Domain=a2.example.com",
            ),
            ("-H 'Cookie: s=a1b2c3d4' x?a=a1b2c3d4", "-H 'Cookie: s=[masked]' x?a=a1b2c3d4"),
            (r#"{\"Cookie\": \"s=a1b2c3d4\"}"#, r#"{\"Cookie\": \"s=[masked]\"}"#),
            ("x --cookie s=a1b2c3d4", "x --cookie s=[masked]"),
        ]);
        assert_kept(&[
            "the cookie a=a1b2c3d4 is set", "cookie: the one with id a1b2c3d4",
            "Cookie: session=$SESSION_1", "cookies: a=a1b2c3d4",
        ]);
    }
}
