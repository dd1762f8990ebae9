//! Keys by their shape: those that services hand out, and private keys that are written out.
//!
//! Responsible for telling them from other words, by their first characters and their length.

use std::ops::Range;

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

/// Where the secret stands in a private key that a text begins with: to the line that ends it, or to the
/// end of the text where it was cut.
pub(super) fn inside_of_key(text: &str) -> Option<Range<usize>> {
    let name = text.strip_prefix(KEY_BEGINS)?;
    let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' ';
    let dashes = name.find(|c| !is_of_name(c))?;
    let is_key = name[..dashes].ends_with("PRIVATE KEY") && name[dashes..].starts_with("-----");
    let start = KEY_BEGINS.len() + dashes + "-----".len();
    is_key.then(|| start..text[start..].find(KEY_ENDS).map_or(text.len(), |at| start + at))
}

pub(super) fn is_key(word: &str) -> bool {
    let known = PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    known && word.len() >= 16 && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a key was cut for its length: few of its characters are too many.
pub(super) fn is_beginning_of_key(word: &str, tail: &str) -> bool {
    tail.starts_with('…') && PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}
