//! Colour codes in the output of programs.
//!
//! Responsible for removing them from a text, even where the escape byte was lost on the way:
//! `[31;1mError:[0m` is read and quoted as `Error:`.

use std::borrow::Cow;

use memchr::memmem;

/// The byte that begins an escape sequence.
const ESCAPE: u8 = 0x1b;

/// A text without colours and cursor movements.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let has_lost = memmem::find(bytes, b"[0m").is_some();
    if !has_lost && memchr::memchr(ESCAPE, bytes).is_none() {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(ESCAPE, b'[', &bytes[at..]) {
        let start = at + found;
        at = match sequence(&bytes[start..]) {
            Some(length) => {
                plain.push_str(&text[kept..start]);
                kept = start + length;
                kept
            }
            None => start + 1,
        };
    }
    plain.push_str(&text[kept..]);
    plain.into()
}

/// Whether a line contains colours but neither a letter nor a digit.
pub(crate) fn only_draws(line: &str) -> bool {
    memchr::memchr(ESCAPE, line.as_bytes()).is_some()
        && !without_colours(line).contains(char::is_alphanumeric)
}

/// The length in bytes of the sequence at the beginning of these bytes; `None` if there is none.
fn sequence(bytes: &[u8]) -> Option<usize> {
    let is_whole = bytes[0] == ESCAPE;
    let start = 1 + usize::from(is_whole && bytes.get(1) == Some(&b'['));
    if is_whole && start == 1 {
        return Some(1);
    }
    let is_number = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b';' | b'?');
    let end = start + bytes[start..].iter().take_while(is_number).count();
    let last = *bytes.get(end)?;
    let is_colour = last == b'm' && end > start && bytes.get(end + 1) != Some(&b']');
    (is_colour || is_whole && last.is_ascii_alphabetic()).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out() {
        for (text, plain) in [
            ("\x1b[31;1mError:\x1b[0m no\x1b[K", "Error: no"),
            ("[31;1mError:[0m a[0] [5m] [m", "Error: a[0] [5m] [m"),
            ("\x1b[", "\x1b["),
            ("\x1b", ""),
            ("waited [5m", "waited [5m"),
        ] {
            assert_eq!(without_colours(text), plain, "{text:?}");
        }
    }

    #[test]
    fn a_picture_is_no_line() {
        assert!(only_draws("\x1b[38;5;250m███╗\x1b[0m") && only_draws("\x1b[?25l"));
        assert!(!only_draws("\x1b[31m✗ 3\x1b[0m") && !only_draws("---"));
    }
}
