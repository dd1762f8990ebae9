//! What the lines of a model's summary stand under.
//!
//! Responsible for telling a point of a list with the line that it stands under, without which it
//! says half of what it means. It relies on indentation alone.

use super::page::Page;
use super::survey::Source;
use super::units;
use crate::line::clip;

/// How much of such a line is told, in bytes.
const LONGEST: usize = 56;

/// How far above it is looked for, in lines.
const FAR: usize = 100;

/// What was told so far of a summary.
#[derive(Default)]
pub(super) struct Outline {
    text: String,
    /// What the last line stood under, and what it said.
    last: (Box<str>, Box<str>),
}

impl Outline {
    /// What goes before a chosen line of a summary: what it stands under, where that was not just
    /// told.
    pub(super) fn head(&mut self, page: &Page<'_, '_>, at: u32) -> String {
        let Some(leaf) = page.leaf(at).filter(|leaf| leaf.source == Source::Summary) else {
            return String::new();
        };
        if self.text.is_empty() {
            let message = &page.request.conversation.messages[leaf.message as usize];
            self.text = message.parts[leaf.part as usize].text().into_owned();
        }
        let (.., start) = page.place(at);
        let head = over(&self.text, start as usize).unwrap_or_default();
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
    let mut above = text[..start].lines().rev().take(FAR).filter(|line| !line.trim().is_empty());
    let line = above.find(|line| indentation(line) < own && !line.contains("```"))?;
    let line = units::without_marks(line.trim());
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = numbered.strip_prefix(". ").unwrap_or(line);
    let bold = line.strip_prefix("**").and_then(|rest| rest.split("**").next());
    let line = bold.unwrap_or(line).trim_end_matches([':', ' ']);
    (!line.is_empty()).then(|| clip(line, LONGEST))
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
    }
}
