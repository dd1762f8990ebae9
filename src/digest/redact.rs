//! Masking of secrets in what we author.
//!
//! Responsible for keys, tokens and passwords by their shape or by the name before them. It relies
//! on no list of services beyond the prefixes that keys are known by.

/// What stands where a secret was.
const MASK: &str = "[masked]";

/// First characters of keys that services hand out.
const PREFIXES: &[&str] = &[
    "sk-",
    "pk-",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "eyJ",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "whsec_",
    "shpat_",
    "dop_v1_",
];

/// Names of what must not be said.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "token",
    "authorization",
    "bearer",
    "private_key",
    "client_secret",
    "credential",
];

/// The text with every secret masked.
pub(super) fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut armed = false;
    while !rest.is_empty() {
        let inside =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '~' | '%');
        let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        if length == 0 {
            let c = rest.chars().next().unwrap_or(' ');
            // What is said of a secret's name ends with the line, or with what is no separator.
            armed &= matches!(
                c,
                ' ' | ':' | '=' | '"' | '\'' | '>' | '`' | '\\' | '$' | '@' | '!' | '*' | '#' | '&'
            );
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, tail) = rest.split_at(length);
        let low = word.to_ascii_lowercase();
        let is_scheme = matches!(low.as_str(), "is" | "basic" | "bearer");
        if is_key(word) || armed && !is_scheme && is_value(word) {
            out.push_str(MASK);
            armed = false;
        } else {
            out.push_str(word);
            let is_name = NAMES.iter().any(|name| low.ends_with(name));
            armed = is_name && tail.starts_with([':', '=', '"', '\'', ' ']) || armed && is_scheme;
        }
        rest = tail;
    }
    out
}

fn is_key(word: &str) -> bool {
    let known = PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    known && word.len() >= 16 && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a word behind a secret's name is its value: no plain word.
fn is_value(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let pairs = word.as_bytes().windows(2);
    let is_mixed =
        pairs.into_iter().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.len() >= 6 && (has_digit || is_mixed)
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn masks_keys_by_their_shape() {
        let key = ["gh", "p_", "a1b2c3d4e5f6a7b8c9d0"].concat();
        assert_eq!(mask(&format!("use {key} now")), "use [masked] now");
        assert_eq!(mask("a skeleton key"), "a skeleton key");
    }

    #[test]
    fn masks_what_follows_a_secrets_name() {
        let value = ["abc", "123", "def", "456"].concat();
        assert_eq!(mask(&format!("password: {value}")), "password: [masked]");
        assert_eq!(mask(&format!("DB_PASSWORD=\"{value}\" ok")), "DB_PASSWORD=\"[masked]\" ok");
        let header = format!("Authorization: Bearer {value}");
        assert_eq!(mask(&header), "Authorization: Bearer [masked]");
        assert_eq!(mask("the token count is 42"), "the token count is 42");
    }
}
