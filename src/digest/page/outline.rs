//! What the points of a list stand under.
//!
//! Responsible for telling a point of a model's list with the line that it stands under, without which
//! it says half of what it means. It relies on indentation and the marks of lists alone.

use super::Page;
use crate::digest::Setting;
use crate::digest::reading::survey::Source;
use crate::digest::text::{prose, units};
use crate::line::clip;

/// How much of such a line is told, in bytes.
const LONGEST: usize = 44;

/// How far above it is looked for, in lines.
const FAR: usize = 100;

/// What was told so far of a text.
#[derive(Default)]
pub(crate) struct Outline {
    /// The text that was told of last: its leaf, and what it says.
    text: Option<(u32, String)>,
    /// What the last line stood under, and what it said.
    last: (Box<str>, Box<str>),
}

impl Outline {
    /// What goes before a chosen line of a model's: what it stands under, where that was not just
    /// told.
    pub(crate) fn head(&mut self, page: &Page<'_, '_>, at: u32) -> String {
        let is_outlined = |source| match source {
            Source::Summary => true,
            Source::Said => page.request.setting == Setting::Work,
            _ => false,
        };
        let Some(leaf) = page.leaf(at).filter(|leaf| is_outlined(leaf.source)) else {
            return String::new();
        };
        let (_, number, start) = page.place(at);
        let known = self.text.take().filter(|(known, _)| *known == number);
        let (_, text) = self.text.insert(known.unwrap_or_else(|| {
            let message = &page.request.conversation.messages[leaf.message as usize];
            (number, message.parts[leaf.part as usize].text().into_owned())
        }));
        let head = over(text, start as usize).unwrap_or_default();
        let is_told = head.is_empty()
            || head == self.last.0
            || self.last.1.contains(head.trim_end_matches('…'));
        self.last = (head.clone(), page.text(at).into());
        if is_told { String::new() } else { format!("{head}: ") }
    }
}

/// The beginning of the line that the line at `at` stands under, without its marks.
fn over(text: &str, at: usize) -> Option<Box<str>> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let own = indentation(&text[start..]);
    let is_listed = is_point(&text[start..]);
    let mut above = text[..start].lines().rev().take(FAR).filter(|line| !line.trim().is_empty());
    let stands_over = |line: &&str| {
        let depth = indentation(line);
        depth < own || is_listed && depth == own && !is_point(line)
    };
    let line = above.find(|line| stands_over(line) && !line.contains("```"))?;
    // A line beside them is over them only where it says so.
    let announces = |line: &str| line.ends_with([':', '：', '*']) || line.starts_with('#');
    let is_over = indentation(line) < own || announces(line.trim_end());
    let line = units::without_marks(line.trim());
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = numbered.strip_prefix(". ").unwrap_or(line);
    let bold = line.strip_prefix("**").and_then(|rest| rest.split("**").next());
    let line = bold.unwrap_or(line).trim_end_matches([':', '：', ' ']);
    // Of several sentences the last announces what follows.
    let line = line.rsplit_once(". ").map_or(line, |(_, last)| last);
    let says = !line.is_empty() && !line.ends_with(['?', '？']) && !prose::tone(line).is_filler;
    (is_over && says).then(|| clip(line, LONGEST))
}

/// Whether a line is a point of a list, or a row of a table.
fn is_point(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_numbered = digits > 0 && line[digits..].starts_with([')', '.']);
    is_numbered || ["- ", "* ", "• ", "+ ", "|"].iter().any(|mark| line.starts_with(mark))
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_stands_under_the_line_above_that_is_indented_less() {
        let text =
            "3. **Files** (two):\n   - `a.rs`\n     - Added a field\n\n     - Removed one\n4. End";
        let over = |words: &str| over(text, text.find(words).unwrap());
        assert_eq!(over("Removed one").as_deref(), Some("`a.rs`"));
        assert_eq!(over("Added a field").as_deref(), Some("`a.rs`"));
        assert_eq!(over("`a.rs`").as_deref(), Some("Files"));
        assert_eq!(over("End"), None);
        let text = "It was late. Why it *failed*:\n- no lamp\n- no oil\n\nHere's the list:\n1. wick\n\n\
                    ## Costs\n| 3 | oil |\nplain\n* more";
        let over = |words: &str| super::over(text, text.find(words).unwrap());
        assert_eq!(over("- no oil").as_deref(), Some("Why it *failed*"));
        assert_eq!(over("| 3").as_deref(), Some("Costs"));
        for alone in ["1. wick", "plain", "* more"] {
            assert_eq!(over(alone), None, "{alone}");
        }
    }
}
