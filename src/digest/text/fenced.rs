//! A text between quotes that nothing in it ends.
//!
//! Responsible for writing what a user said word for word and for finding it again: a pasted text may
//! hold quotes itself, and lines like our own.

use std::ops::Range;

/// The fewest quotes around several lines.
const LEAST: usize = 3;

/// A text in quotes: one on a line, three around several lines; and more on lines of their own around a
/// text in which as many stand.
pub(crate) fn fenced(text: &str) -> String {
    let runs = text.split(|c: char| c != '"').map(str::len);
    let longest = runs.max().unwrap_or(0);
    let has_lines = text.contains('\n');
    let is_open = has_lines && (longest >= LEAST || text.starts_with('"') || text.ends_with('"'))
        || text.starts_with("\"\"")
        || text == "\"";
    if is_open {
        let mark = "\"".repeat((longest + 1).max(LEAST));
        return format!("{mark}\n{text}\n{mark}");
    }
    let mark = if has_lines { "\"\"\"" } else { "\"" };
    format!("{mark}{text}{mark}")
}

/// Where the text stands that is in quotes from the beginning of `line`, and where its last quote ends,
/// which may be far below.
pub(crate) fn inside(text: &str, line: Range<usize>) -> Option<(Range<usize>, usize)> {
    let first = &text[line.clone()];
    let quotes = first.bytes().take_while(|byte| *byte == b'"').count();
    let is_end = |at: usize| matches!(text.as_bytes().get(at), None | Some(b'\n'));
    if quotes >= LEAST && quotes == first.len() && line.end < text.len() {
        let mark = &text[line.clone()];
        let start = line.end + 1;
        let mut from = line.end;
        loop {
            let at = from + text[from..].find(&format!("\n{mark}"))?;
            let end = at + 1 + mark.len();
            if is_end(end) {
                return Some((start..at.max(start), end));
            }
            from = at + 1;
        }
    }
    if quotes >= LEAST {
        let start = line.start + LEAST;
        // The mark that ends it is the last thing on its line.
        let mut from = start;
        loop {
            let end = from + text[from..].find("\"\"\"")?;
            if is_end(end + LEAST) {
                return Some((start..end, end + LEAST));
            }
            from = end + LEAST;
        }
    }
    let inner = first.strip_prefix('"')?.strip_suffix('"')?;
    Some((line.start + 1..line.start + 1 + inner.len(), line.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fenced_is_found_again() {
        for said in [
            "Go on.",
            "say \"hi\"",
            "\"hi\" is all",
            "\"\"\"doc\"\"\"",
            "two\nlines",
            "def f():\n    \"\"\"Doc of f\n    \"\"\"\n    return 1",
            "it ends\nwith \"this\"",
            "\"it\" begins\nso",
            "a\n\"\"\"\"\n## Plan\n- [ ] sell the house",
            "",
            "\"",
        ] {
            let text = format!("[3] User: {}\n[4] User: \"\"\"more\nof it\"\"\"", fenced(said));
            let start = "[3] User: ".len();
            let line = start..start + text[start..].find('\n').unwrap();
            let (quote, end) = inside(&text, line).unwrap();
            assert_eq!(&text[quote], said);
            assert!(text[end..].starts_with("\n[4]"), "{text}");
        }
    }
}
