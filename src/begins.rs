//! Whether a text begins with one of several words.
//!
//! Responsible for doing this quickly, because nearly every line that is tested begins with none of them.

/// Whether a text begins with one of the words. Compares the first bytes first, so that most texts are
/// compared with no word.
pub(crate) fn begins_with_any(text: &str, words: &[&str]) -> bool {
    let first = text.as_bytes().first();
    first.is_some()
        && words.iter().any(|word| word.as_bytes().first() == first && text.starts_with(word))
}
