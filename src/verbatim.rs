//! The user's words in a summary, word for word, between quotes that nothing in them closes.
//!
//! Responsible for writing these quotes and for finding them again, and so for telling which lines of a
//! summary are its own: pasted text may hold quotes too, and lines like ours.

use std::collections::HashSet;
use std::ops::Range;

/// The text between the number of a user message and its words.
pub(crate) const USER: &str = "] User: ";

/// The fewest quotes that may enclose several lines.
const LEAST: usize = 3;

/// A text in quotes: one quote around a single line, three around several lines; more, on lines of their own,
/// around a text that holds as many itself.
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

/// Lengths of opening marks that nothing closes behind some place of a text, so that no search for them is
/// repeated.
#[derive(Default)]
pub(crate) struct Unended(HashSet<usize>);

/// The range of the quoted text that begins on `line`, and the end of its closing quote, which may be far
/// below. The lines of a text must be asked for in order.
fn inside(text: &str, line: Range<usize>, unended: &mut Unended) -> Option<(Range<usize>, usize)> {
    let first = &text[line.clone()];
    let quotes = first.bytes().take_while(|byte| *byte == b'"').count();
    if quotes < LEAST {
        let inner = first.strip_prefix('"')?.strip_suffix('"')?;
        return Some((line.start + 1..line.start + 1 + inner.len(), line.end));
    }
    // A mark on a line of its own is closed by an equal line, any other mark by quotes at the end of a line.
    let is_alone = quotes == first.len() && line.end < text.len();
    let (start, from, mark) = if is_alone {
        (line.end + 1, line.end, format!("\n{first}"))
    } else {
        (line.start + LEAST, line.start + LEAST, "\"".repeat(LEAST))
    };
    if unended.0.contains(&mark.len()) {
        return None;
    }
    let is_end = |at: usize| matches!(text.as_bytes().get(at), None | Some(b'\n'));
    let step = if is_alone { 1 } else { LEAST };
    let mut from = from;
    while let Some(at) = text[from..].find(&mark).map(|at| from + at) {
        if is_end(at + mark.len()) {
            return Some((start..at.max(start), at + mark.len()));
        }
        from = at + step;
    }
    unended.0.insert(mark.len());
    None
}

/// The number in the brackets at the beginning of a line, such as `12` or `12.1`.
pub(crate) fn pointer(line: &str) -> Option<&str> {
    let (inner, _) = line.strip_prefix('[')?.split_once(']')?;
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    (!inner.is_empty() && inner.bytes().all(is_number)).then_some(inner)
}

/// The quoted text of a user message that begins on this line, and the end of its closing quote.
pub(crate) fn message(
    text: &str,
    line: &Range<usize>,
    unended: &mut Unended,
) -> Option<(Range<usize>, usize)> {
    let head = pointer(&text[line.clone()])?.len() + 1;
    let head = line.start + head;
    text[head..line.end].starts_with(USER).then_some(())?;
    inside(text, head + USER.len()..line.end, unended)
}

/// The lines of a text that begin outside quoted user messages: lines inside these may look like ours but are
/// not.
pub(crate) fn own_lines(text: &str, place: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut unended = Unended::default();
    let mut at = place.start;
    std::iter::from_fn(move || {
        let start = Some(at).filter(|at| *at < place.end)?;
        let end = text[at..place.end].find('\n').map_or(place.end, |n| at + n);
        let quoted = message(text, &(at..end), &mut unended).map_or(end, |(_, end)| end);
        at = text[quoted..place.end].find('\n').map_or(place.end, |n| quoted + n + 1);
        Some(start..end)
    })
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
            let (quote, end) = inside(&text, line, &mut Unended::default()).unwrap();
            assert_eq!(&text[quote], said);
            assert!(text[end..].starts_with("\n[4]"), "{text}");
        }
    }
}
