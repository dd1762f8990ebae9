//! Lines as they are quoted: without what only aligns or frames them.
//!
//! Responsible for the form of one line; it leaves words as they are.

use std::borrow::Cow;

use super::colours::without_colours;
use super::units;

/// A text on one line; neighbours are told apart by a dot.
pub(crate) fn joined(text: &str) -> String {
    let text = &*without_colours(text);
    let mut out = String::with_capacity(text.len());
    units::lines(text, |range| {
        let line = tidy(&text[range]);
        out.push_str(if out.is_empty() || line.is_empty() { "" } else { " · " });
        out.push_str(&line);
    });
    out
}

/// A line with the words of its links alone: `[SKILL.md](/home/a/skills/SKILL.md)` is `SKILL.md`. In code such
/// marks are others.
pub(crate) fn without_targets(line: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = line;
    while !line.contains('`')
        && let Some(at) = rest.find("](")
        && let Some(open) = rest[..at].rfind('[')
        && let Some(end) = rest[at..].find(')')
        && rest[..open].chars().next_back().is_none_or(|c| c == ' ' || c == '(')
    {
        out.push_str(&rest[..open]);
        out.push_str(&rest[open + 1..at]);
        rest = &rest[at + end + 1..];
    }
    if out.is_empty() { line.into() } else { (out + rest).into() }
}

/// A line without the marks of a list, the frame of a table and blanks that only align.
fn tidy(line: &str) -> String {
    // In a change that a program printed the mark says that the line went or came; in code a comment begins.
    const SAYING: &[&str] = &["- ", "+ ", "# "];
    let says = |line: &str| SAYING.iter().any(|mark| line.starts_with(mark));
    let bare = |line| if says(line) { line } else { units::without_marks(line) };
    if is_tidy(line) {
        return bare(line).to_owned();
    }
    let is_frame = |c: char| matches!(c, '\u{2500}'..='\u{257f}') || c.is_whitespace();
    let words: Vec<&str> =
        line.trim_matches('|').split(is_frame).filter(|word| !word.is_empty()).collect();
    bare(&words.join(" ")).to_owned()
}

/// Whether there is nothing to take from a line but the marks of a list, as mostly.
fn is_tidy(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_alone = |pair: &[u8]| pair != b"  ";
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
        && bytes.windows(2).all(is_alone)
        && !line.starts_with([' ', '|'])
        && !line.ends_with([' ', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_links_the_words_stay() {
        let line = "Changed [SKILL.md](/a/SKILL.md) and [two](b.md).";
        assert_eq!(without_targets(line), "Changed SKILL.md and two.");
        for line in ["plain", "call(a)", "[x](y", "cfg[0](x)", "![img](a.png)", "in `a [0](x)`"] {
            assert_eq!(without_targets(line), line);
        }
    }

    #[test]
    fn marks_that_say_something_stay() {
        for (text, wanted) in [
            ("-  old();\n+  new();", "- old(); · + new();"),
            ("# why it waits\nsleep(1)", "# why it waits · sleep(1)"),
            ("## Results\n* first\n• second", "Results · first · second"),
            ("│ a │   b │", "a b"),
        ] {
            assert_eq!(joined(text), wanted);
        }
    }
}
