//! What the value of a secret looks like.
//!
//! Responsible for how far it reaches, and for telling it from words, names, paths and code. What is announced
//! as a secret for certain needs to look like one less than what may be something else.

use super::announced::is_constant;

/// Fewest bytes of a secret that is unlike any word.
pub(super) const LEAST: usize = 8;

/// Most bytes of a secret but a private key.
const LONGEST: usize = 4096;

/// Fewest bytes of a key that only its being random shows, and how often it has to switch between digits and
/// letters.
const LEAST_OF_KEY: usize = 20;
const SWITCHES: usize = 4;

/// Whether a login without a password is a token.
pub(super) fn is_long(user: &str) -> bool {
    user.len() >= 20 && is_no_plain_word(user)
}

/// Whether it is a secret itself, and not where one is to be put in or was masked.
pub(super) fn is_literal(secret: &str) -> bool {
    let is_reference = secret
        .strip_prefix('$')
        .is_some_and(|name| name.starts_with(['{', '(']) || is_constant(name));
    !secret.is_empty() && !is_reference && !secret.starts_with(['{', '[', '%', '<'])
}

/// How far a secret reaches: to the quote that closes it, else to what ends a word of a command.
pub(super) fn value_length(rest: &str, before: Option<char>) -> usize {
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | ',' | ';' | ')' | '}' | ']' | '&' | '<' | '>' | '|' | '\\'
            )
    };
    // No secret is longer, and a word may be as long as the text.
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let bare = || rest.find(is_end).unwrap_or(rest.len());
    let Some(quote) = before.filter(|c| matches!(c, '"' | '\'')) else { return bare() };
    let closing = rest.find([quote, '\\', '\n']);
    closing.filter(|at| rest[*at..].starts_with([quote, '\\'])).unwrap_or_else(bare)
}

/// Whether what stands behind a secret's name is its value: neither a plain word nor code.
pub(super) fn looks_secret(word: &str, value: &str) -> bool {
    is_no_plain_word(word) || is_no_plain_word(value) && !value.contains(['(', '[', '{', ' '])
}

/// Whether a value is a key where little says so: neither a name, a path nor the hash of a commit or a file.
pub(super) fn is_random(value: &str) -> bool {
    // A path has no padding.
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

/// A secret that may be the last word of a sentence.
pub(super) fn without_stop(secret: &str) -> &str {
    secret.trim_end_matches(['.', ':', ','])
}

/// Whether a word is written like no other: digits stand within it, or beside a sign that names do not
/// have. Paths and code are not.
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

/// `2024-01-15T10:00:00Z`
fn is_time(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || b"-:+TZ".contains(&byte))
}

/// How often digits and letters follow each other.
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
