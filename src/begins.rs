//! How a text begins.
//!
//! Responsible for telling quickly that it begins with none of several words, which nearly every line does that
//! is looked at.

/// Whether a text begins with one of the words. Its first byte is looked at first: no word is compared
/// for most texts.
pub(crate) fn begins_with_any(text: &str, words: &[&str]) -> bool {
    let first = text.as_bytes().first();
    first.is_some()
        && words.iter().any(|word| word.as_bytes().first() == first && text.starts_with(word))
}
