//! Previews of tool results for a summarizer: their beginning and end show what they were.
//!
//! Relies on nothing. Invariant: a preview is never longer than its text, is cut at character boundaries, and
//! says how much is missing.

use std::borrow::Cow;

/// The number of characters kept from the beginning of a tool result.
const HEAD: usize = 500;
/// The number of characters kept from its end.
const TAIL: usize = 200;

/// Returns the first 500 and the last 200 characters of `text`, or all of it if it is not much longer.
pub fn preview(text: &str) -> Cow<'_, str> {
    let count = text.chars().count();
    let left_out = count.saturating_sub(HEAD + TAIL);
    let mark = format!("\n[… {left_out} characters left out …]\n");
    // The mark takes room, and a reader may look up the missing text, so a short gap is not worth it.
    if left_out <= 2 * mark.chars().count() {
        return Cow::Borrowed(text);
    }
    let (head, tail) = ends(text, count, HEAD, TAIL);
    Cow::Owned([head, &mark, tail].concat())
}

/// Returns the first `head` and the last `tail` characters of a `text` of `count` characters.
pub(super) fn ends(text: &str, count: usize, head: usize, tail: usize) -> (&str, &str) {
    let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    (&text[..at(head)], &text[at(count.saturating_sub(tail))..])
}

#[cfg(test)]
mod tests {
    use super::preview;

    #[test]
    fn long_results_keep_both_ends() {
        let text = format!("{}{}{}", "é".repeat(500), "x".repeat(1000), "ö".repeat(200));
        let expected =
            format!("{}\n[… 1000 characters left out …]\n{}", "é".repeat(500), "ö".repeat(200));
        assert_eq!(preview(&text), expected);
    }

    #[test]
    fn a_preview_is_never_longer() {
        for length in [0, 1, 700, 701, 735, 740, 760, 780, 800] {
            let text = "a".repeat(length);
            assert!(preview(&text).chars().count() <= length);
        }
        assert_eq!(preview(&"a".repeat(760)), "a".repeat(760));
    }
}
