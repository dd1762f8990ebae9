//! What of a result that is cut does not stay visible.
//!
//! Responsible for finding it by what stays: the two ends of the text, with a line before them and one
//! between them.

use std::ops::Range;

use crate::marks;

/// Where the middle of a text stands of which `shown` is left.
pub(super) fn gap(text: &str, shown: &str) -> Range<usize> {
    let shown = marks::behind_cut_header(shown).map_or(shown, |(_, body)| body);
    let alike = |(one, other): &(u8, u8)| one == other;
    let start = text.bytes().zip(shown.bytes()).take_while(alike).count();
    let start = text.floor_char_boundary(start);
    let ends = text[start..].bytes().rev().zip(shown.bytes().rev());
    let end = text.len() - ends.take_while(alike).count();
    start..text.ceil_char_boundary(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Meter;
    use crate::truncate::cut::cut_words;

    #[test]
    fn it_is_what_no_end_of_a_cut_text_says() {
        let lines: Vec<String> = (1..=60).map(|n| format!("line {n}: é")).collect();
        let text = lines.join("\n");
        let shown = cut_words(&text, 40, 0.5, &Meter::of_words()).unwrap();
        let hidden = &text[gap(&text, &shown)];
        let told = |line: &&String| !shown.lines().any(|shown| shown == **line);
        let middle: Vec<&str> = lines.iter().filter(told).map(String::as_str).collect();
        assert_eq!(hidden.trim(), middle.join("\n"));
    }

    #[test]
    fn nothing_is_hidden_of_a_text_that_stays() {
        assert!(gap("one\ntwo", "one\ntwo").is_empty());
    }
}
