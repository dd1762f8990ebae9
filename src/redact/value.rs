//! The form of a secret's value.
//!
//! Responsible for its extent, and for telling it from words, names, paths and code. A value that is
//! certainly announced as a secret needs to look less like one than a value that may be something else.

use super::announced::is_constant;

/// The fewest bytes of a secret that is unlike any word.
pub(super) const LEAST: usize = 8;

/// The most bytes of a secret, private keys excepted.
const LONGEST: usize = 4096;

/// The fewest bytes of a key that only its randomness shows, and how often it has to switch between digits
/// and letters.
const LEAST_OF_KEY: usize = 20;
const SWITCHES: usize = 4;

/// Whether a login without a password is long enough to be a token.
pub(super) fn is_long(user: &str) -> bool {
    user.len() >= 20 && is_no_plain_word(user)
}

/// Whether the value is a secret itself, not a placeholder, a reference or a mask.
pub(super) fn is_literal(secret: &str) -> bool {
    let is_reference = secret
        .strip_prefix('$')
        .is_some_and(|name| name.starts_with(['{', '(']) || is_constant(name));
    !secret.is_empty() && !is_reference && !secret.starts_with(['{', '[', '%', '<'])
}

/// The length of a secret: to the quote that closes it, or else to a character that ends a shell word.
pub(super) fn value_length(rest: &str, before: Option<char>) -> usize {
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | ';' | ')' | '}' | ']' | '&' | '<' | '>' | '|' | '\\'
            )
            || "，。、；：！？）」』”’】》".contains(c)
    };
    // No secret is longer, but a word may be as long as the text.
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let bare = || rest.find(is_end).unwrap_or(rest.len());
    let Some(quote) = before.filter(|c| matches!(c, '"' | '\'')) else { return bare() };
    let closing = rest.find([quote, '\\', '\n']);
    closing.filter(|at| rest[*at..].starts_with([quote, '\\'])).unwrap_or_else(bare)
}

/// Whether a value behind a secret's name is a secret, not a plain word or code.
pub(super) fn looks_secret(word: &str, value: &str) -> bool {
    is_no_plain_word(word) || is_no_plain_word(value) && !value.contains(['(', '[', '{', ' '])
}

/// Whether a value is a random key, if little else suggests one: not a name, a path or the hash of a commit
/// or file.
pub(super) fn is_random(value: &str) -> bool {
    // Paths have no padding.
    let is_path = value.contains('/') && !value.contains(['+', '=']);
    let value = value.trim_end_matches(['.', '=']);
    let is_one =
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    let is_hash =
        matches!(value.len(), 24 | 40 | 64) && value.bytes().all(|it| it.is_ascii_hexdigit());
    value.len() >= LEAST_OF_KEY && is_one && !is_path && !is_hash && switches(value) >= SWITCHES
}

fn is_no_plain_word(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let pairs = word.as_bytes().windows(2);
    let is_mixed =
        pairs.into_iter().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.len() >= 6 && (has_digit || is_mixed)
}

/// A secret without the punctuation of the sentence that it ends.
pub(super) fn without_stop(secret: &str) -> &str {
    secret.trim_end_matches(['.', ':', ','])
}

/// Whether a word is unlike any other: digits stand inside it, or beside signs that names do not have. Paths
/// and code are not.
pub(super) fn is_distinct(word: &str) -> bool {
    let is_code = word.starts_with(['/', '$', '-'])
        || word.contains(|c: char| c.is_whitespace() || matches!(c, '.' | '(' | '[' | '{'));
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_sign = word.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
    word.len() >= LEAST
        && !is_code
        && has_letter
        && (has_digit && has_sign || switches(word) >= 3)
        && !is_time(word)
}

/// Whether a word is a time: `2024-01-15T10:00:00Z`.
fn is_time(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || b"-:+TZ".contains(&byte))
}

/// How often a digit and a letter are neighbours.
fn switches(word: &str) -> usize {
    let is_switch = |pair: &&[u8]| {
        pair.iter().all(u8::is_ascii_alphanumeric)
            && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    };
    word.as_bytes().windows(2).filter(is_switch).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unlike_words_and_names_is_remembered() {
        for secret in ["s3cr3tP4ssw0rd", "hunter2correct7x", "0f1e2d3c4b5a6978", "Summer2024!"] {
            assert!(is_distinct(secret), "{secret}");
        }
        for other in [
            "hunter2", "postgres", "placeholder", "nextToken", "oauth2_token", "id_ed25519",
            "compile_flags2", "/home/me/a1b2c3", "self.t0k3n5", "parse2Token(a", "1234567890",
            "2024-01-15", "$db1pass2x", "[masked]", "e2e-tests", "k8s-config", "sha256sum",
            "base64decode", "2024-01-15T10:00:00Z",
        ] {
            assert!(!is_distinct(other), "{other}");
        }
    }
}
