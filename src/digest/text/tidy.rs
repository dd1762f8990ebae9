//! Lines as they are quoted: without what only aligns or frames them.
//!
//! Responsible for the form of a line; its words stay as they are.

use std::borrow::Cow;

use super::colours::without_colours;
use super::units;
use crate::begins::begins_with_any;

/// A text on one line, with a dot between its lines.
pub(crate) fn joined(text: &str) -> String {
    let text = &*without_colours(text);
    let mut out = String::with_capacity(text.len());
    units::lines(text, |range| {
        let line = tidy(&text[range]);
        // A line that was joined before may have been cut at a dot.
        let line = line.trim_matches(['·', ' ']);
        out.push_str(if out.is_empty() || line.is_empty() { "" } else { " · " });
        out.push_str(line);
    });
    out
}

/// A line with only the words of its links: `[SKILL.md](/home/a/skills/SKILL.md)` becomes `SKILL.md`. A line with
/// code is left as it is, since brackets mean something else there.
pub(crate) fn without_targets(line: &str) -> Cow<'_, str> {
    let is_link = |before: &str| before.is_empty() || before.ends_with([' ', '(']);
    let words = |link: Link<'_>| is_link(link.before).then_some(link.words.to_owned());
    if line.contains('`') { line.into() } else { relinked(line, words) }
}

/// A line with shorter links to files, if their words name the file: `[a.rs](/w/src/a.rs:12)` becomes `src/a.rs`,
/// since files of one name stand in many folders.
pub(crate) fn without_paths(line: &str) -> Cow<'_, str> {
    relinked(line, |Link { words, target, .. }| {
        let is_place = |at: &usize| target[at + 1..].contains(|c: char| c.is_ascii_digit());
        let end = target.rfind(['#', ':']).filter(is_place).unwrap_or(target.len());
        let words = words.trim_matches('`');
        let name = words.split_once(':').map_or(words, |(name, _)| name);
        let above = target[..end].strip_suffix(name)?.strip_prefix('/')?;
        if name.is_empty() || !above.is_empty() && !above.ends_with('/') {
            return None;
        }
        let folder = above.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let is_told = folder.is_empty() || name.contains('/');
        Some(if is_told { words.to_owned() } else { format!("{folder}/{words}") })
    })
}

/// A link in a line: the text before it, its words, and its target.
struct Link<'l> {
    before: &'l str,
    words: &'l str,
    target: &'l str,
}

/// A line in which the links for which `other` returns a text are replaced by it.
fn relinked(line: &str, other: impl Fn(Link<'_>) -> Option<String>) -> Cow<'_, str> {
    if memchr::memchr(b']', line.as_bytes()).is_none() {
        return line.into();
    }
    let mut out = String::new();
    let (mut told, mut from) = (0, 0);
    while let Some(at) = line[from..].find("](").map(|at| from + at)
        && let Some(end) = line[at..].find(')').map(|end| at + end)
    {
        from = at + 2;
        let Some(open) = line[told..at].rfind('[').map(|open| told + open) else { continue };
        let (before, words) = (&line[..open], &line[open + 1..at]);
        if let Some(other) = other(Link { before, words, target: &line[from..end] }) {
            out.push_str(&line[told..open]);
            out.push_str(&other);
            (told, from) = (end + 1, end + 1);
        }
    }
    if told == 0 { line.into() } else { (out + &line[told..]).into() }
}

/// A line without the marks of a list, the frame of a table, and spaces that only align.
fn tidy(line: &str) -> String {
    // In a diff these marks say that a line was removed or added; in code `#` begins a comment.
    const SAYING: &[&str] = &["- ", "+ ", "# "];
    let says = |line: &str| begins_with_any(line, SAYING);
    let bare = |line| if says(line) { line } else { units::without_marks(line) };
    if is_tidy(line) {
        return bare(line).to_owned();
    }
    let is_frame = |c: char| matches!(c, '\u{2500}'..='\u{257f}') || c.is_whitespace();
    let words: Vec<&str> =
        line.trim_matches('|').split(is_frame).filter(|word| !word.is_empty()).collect();
    bare(&words.join(" ")).to_owned()
}

/// Whether a line has nothing to remove but the marks of a list, as most lines do.
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
    fn of_links_to_files_the_names_stay() {
        for (line, wanted) in [
            (
                "In [a.rs](/w/src/a.rs:12), [src/b.rs:3](/w/src/b.rs#L3) and `c`.",
                "In src/a.rs, src/b.rs:3 and `c`.",
            ),
            ("See [`a.rs`](/w/a.rs) and [b.rs:3](/b.rs).", "See w/a.rs and b.rs:3."),
            (
                "See [the lamp](/w/a.rs), [a.rs](https://x.org/a.rs) and [b](/w/b.rs",
                "See [the lamp](/w/a.rs), [a.rs](https://x.org/a.rs) and [b](/w/b.rs",
            ),
            ("[](/w/a) é](/ü) [ü](/é/ü) [s](/w/as)", "[](/w/a) é](/ü) é/ü [s](/w/as)"),
        ] {
            assert_eq!(without_paths(line), wanted);
        }
    }

    #[test]
    fn marks_that_say_something_stay() {
        for (text, wanted) in [
            ("-  old();\n+  new();", "- old(); · + new();"),
            ("# why it waits\nsleep(1)", "# why it waits · sleep(1)"),
            ("## Results\n* first\n• second", "Results · first · second"),
            ("first ·\n·\n· second", "first · second"),
            ("│ a │   b │", "a b"),
        ] {
            assert_eq!(joined(text), wanted);
        }
    }
}
