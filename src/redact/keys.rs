//! Keys by their shape: those that services hand out, and private keys that are written out.
//!
//! Responsible for telling them from other words, by their first characters and their length.

use std::ops::Range;

use super::MASK;

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
    "hooks.slack.com/services/",
];

/// How a private key begins and ends that is written out, as a file or with its line breaks escaped.
const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_ENDS: &str = "-----END ";
const KEYS: &[&str] = &["PRIVATE KEY", "PRIVATE KEY BLOCK"];

/// Where the secret stands in a private key that a text begins with: to the line that ends it, or to the
/// end of the text where it was cut. None where it is masked already, even if the mask was cut.
pub(super) fn inside_of_key(text: &str) -> Option<Range<usize>> {
    let name = text.strip_prefix(KEY_BEGINS)?;
    let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ';
    let dashes = name.find(|c| !is_of_name(c))?;
    let is_key = KEYS.iter().any(|key| name[..dashes].ends_with(key));
    let start = KEY_BEGINS.len() + dashes + "-----".len();
    let secret = Some(&name[dashes..]).filter(|_| is_key)?.strip_prefix("-----")?;
    let is_masked = (0..MASK.len())
        .any(|cut| secret.strip_prefix(&MASK[..cut]).is_some_and(|behind| behind.starts_with('…')));
    let is_told = is_masked || secret.starts_with(MASK);
    (!is_told).then(|| start..end_of_key(secret).map_or(text.len(), |at| start + at))
}

/// Where in the rest of a private key the line stands that ends it.
pub(super) fn end_of_key(text: &str) -> Option<usize> {
    text.find(KEY_ENDS)
}

/// Whether a private key begins in a text that does not end there.
pub(super) fn leaves_key_open(text: &str) -> bool {
    let begins = text.rfind(KEY_BEGINS).map_or("", |at| &text[at..]);
    end_of_key(begins).is_none() && inside_of_key(begins).is_some()
}

pub(super) fn is_key(word: &str) -> bool {
    let known = PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    known && word.len() >= 16 && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a key was cut for its length: few of its characters are too many.
pub(super) fn is_beginning_of_key(word: &str, tail: &str) -> bool {
    tail.starts_with('…') && PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}
