//! The part of a result that a cut hides.
//!
//! Responsible for finding it from what is still shown: the two ends of the text, with a header before them
//! and a marker between them.

use std::ops::Range;

use crate::marks;
use crate::printed::printed_of_cut;

/// The range of the hidden middle in `text`, a tool's output, of whose result `shown` is left. `shown` may be
/// the record of a program's run.
pub(crate) fn gap(text: &str, shown: &str) -> Range<usize> {
    let shown = &*printed_of_cut(shown);
    let body = |text| marks::behind_cut_header(text).map_or(text, |(_, body)| body);
    // A text that was cut before begins with a header, too.
    let (shown, whole, text) = (body(shown), text, body(text));
    let before = whole.len() - text.len();
    let alike = |(one, other): &(u8, u8)| one == other;
    let start = text.bytes().zip(shown.bytes()).take_while(alike).count();
    let start = text.floor_char_boundary(start);
    let ends = text[start..].bytes().rev().zip(shown.bytes().rev());
    let end = text.len() - ends.take_while(alike).count();
    before + start..before + text.ceil_char_boundary(end)
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
    fn the_line_before_a_text_that_was_cut_before_is_no_part_of_it() {
        let text = "Total output lines: 90\none\ntwo\n…9 tokens truncated…\nthree\nfour";
        let shown = "Total output lines: 90\none\n…11 tokens truncated…\nfour";
        assert_eq!(&text[gap(text, shown)], "two\n…9 tokens truncated…\nthree");
    }

    #[test]
    fn of_a_record_it_is_what_its_texts_do_not_say() {
        let shown = r#"{"output":"Total output lines: 5\none\n…2 tokens truncated…\nfive"}"#;
        assert_eq!(&"one\ntwo\nthree\nfive"[gap("one\ntwo\nthree\nfive", shown)], "two\nthree");
    }

    #[test]
    fn nothing_is_hidden_of_a_text_that_stays() {
        assert!(gap("one\ntwo", "one\ntwo").is_empty());
    }
}
