//! What the points of a list are told with.
//!
//! Responsible for telling a point of a list, or a row of a table, with what it says only half of what
//! it means without: the line that it stands under, the names of the columns, and a mark where points
//! beside it are left out. It relies on [`lists`] for what stands around it.

use super::{Page, lists};
use crate::digest::Setting;
use crate::digest::reading::survey::Source;
use crate::digest::text::{prose, units};
use crate::line::clip;

/// How much of the line that others stand under is told, in bytes.
const LONGEST: usize = 44;

/// What was told so far of a message.
#[derive(Default)]
pub(crate) struct Outline {
    /// The text that was told of last: its leaf, and what it says.
    text: Option<(u32, String)>,
    /// What the last line stood under, and what it said.
    last: (Box<str>, Box<str>),
    /// Which names over a table were told: their leaf, and where they begin.
    names: Option<(u32, usize)>,
    /// Whether points of the same list behind the last line are left out.
    goes_on: bool,
}

/// What a chosen line is told with.
#[derive(Default)]
pub(crate) struct Around {
    /// The names of its table's columns, a line of their own, where they were not told.
    pub(crate) names: Option<String>,
    /// What goes before it: what it stands under, where that was not just told.
    pub(crate) head: String,
}

impl Outline {
    /// What a chosen line of prose is told with; `members` is all that is told of its message.
    pub(crate) fn around(&mut self, page: &Page<'_, '_>, members: &[u32], at: u32) -> Around {
        let mut around = Around::default();
        let Some(leaf) = page.leaf(at) else { return around };
        if !matches!(leaf.source, Source::Asked | Source::Said | Source::Summary) {
            return around;
        }
        let (message, number, start) = page.place(at);
        let known = self.text.take().filter(|(known, _)| *known == number);
        let (_, text) = self.text.insert(known.unwrap_or_else(|| {
            let message = &page.request.conversation.messages[message];
            (number, message.parts[leaf.part as usize].text().into_owned())
        }));
        let start = start as usize;
        let is_told = |line: usize| {
            let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
            members.iter().any(|&member| {
                let (_, its, start) = page.place(member);
                page.unit(member).is_some()
                    && its == number
                    && (line..end).contains(&(start as usize))
            })
        };
        let names = lists::names(text, start);
        let is_new = |&(names, _): &(usize, &str)| {
            self.names.replace((number, names)) != Some((number, names)) && !is_told(names)
        };
        around.names = names.filter(is_new).map(|(_, names)| names.trim().to_owned());
        // Where points are numbered, only those behind the last that is told are missed.
        let is_numbered = lists::is_numbered(&text[lists::start_of_line(text, start)..]);
        let mut below = lists::below(text, start).peekable();
        self.goes_on = match below.peek() {
            Some(&next) => !(is_told(next) || is_numbered && below.any(is_told)),
            None => false,
        };
        let mut above = lists::above(text, start).peekable();
        if !is_numbered && above.peek().is_some() && !above.any(is_told) {
            around.head.push_str("… ");
        }
        let is_outlined = leaf.source == Source::Summary
            || leaf.source == Source::Said && page.request.setting == Setting::Work;
        if !is_outlined {
            return around;
        }
        let head = over(text, start).unwrap_or_default();
        let is_told = head.is_empty()
            || head == self.last.0
            || self.last.1.contains(head.trim_end_matches('…'));
        self.last = (head.clone(), page.text(at).into());
        if !is_told {
            around.head.insert_str(0, &format!("{head}: "));
        }
        around
    }

    /// What goes behind the last line: a mark where points of its list are left out.
    pub(crate) fn end(&mut self) -> &'static str {
        if std::mem::take(&mut self.goes_on) { " …" } else { "" }
    }
}

/// The beginning of the line that the line at `at` stands under, without its marks.
fn over(text: &str, at: usize) -> Option<Box<str>> {
    let start = lists::start_of_line(text, at);
    let own = lists::indentation(&text[start..]);
    let is_listed = lists::is_point(&text[start..]);
    let mut above =
        text[..start].lines().rev().take(lists::FAR).filter(|line| !line.trim().is_empty());
    let stands_over = |line: &&str| {
        let depth = lists::indentation(line);
        depth < own || is_listed && depth == own && !lists::is_point(line)
    };
    let line = above.find(|line| stands_over(line) && !line.contains("```"))?;
    // A line beside them is over them only where it says so.
    let announces = |line: &str| line.ends_with([':', '：', '*']) || line.starts_with('#');
    let is_over = lists::indentation(line) < own || announces(line.trim_end());
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
