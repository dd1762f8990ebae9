//! The context that a point of a list is told with.
//!
//! Responsible for telling a point of a list, or a row of a table, with what it needs to be understood: the
//! line that it stands under, the names of the columns, and a mark where neighbouring points are left out.
//! It relies on [`lists`] to find these.

use std::borrow::Cow;
use std::fmt::Write;

use super::Page;
use crate::digest::Setting;
use crate::digest::reading::survey::{Source, leaf_text};
use crate::digest::text::{lists, prose, tidy, units};
use crate::line::clip_at_word;

/// How much is told of the line that a line stands under, in bytes.
const LONGEST: usize = 44;
/// How much is told of the line that words of the user stand under, in bytes: it may turn an order into its
/// opposite.
const LONGEST_ASKED: usize = 240;

/// Follows a heading over what was open when it was written.
const AS_OF_THEN: &str = ", as of then";

/// Precedes such a line that is told with its first point.
const ONCE: &str = "As of then: ";

/// What was told of a message so far.
#[derive(Default)]
pub(crate) struct Outline {
    /// The text told of last: its leaf, and its content.
    text: Option<(u32, String)>,
    /// The line that the last line stood under, and the last line.
    last: (Box<str>, Box<str>),
    /// The line that was last told above others: its leaf, and where it begins.
    above: Option<(u32, usize)>,
    /// Whether points of the same list after the last line are left out.
    goes_on: bool,
    /// The last told heading over what was open: its leaf, and where it begins.
    open: Option<(u32, usize)>,
}

/// The context that a chosen line is told with.
#[derive(Default)]
pub(crate) struct Lead {
    /// The line above it, if that was not told: the one that the user's words stand under, or the names of
    /// the columns of a table.
    pub(crate) above: Option<String>,
    /// The text before it: what it stands under, if that was not just told.
    pub(crate) head: String,
}

impl Outline {
    /// The context of a chosen line of prose. `members` are all lines told of its message.
    pub(crate) fn lead(&mut self, page: &Page<'_, '_>, members: &[u32], at: u32) -> Lead {
        let mut before = Lead::default();
        let Some(leaf) = page.leaf(at) else { return before };
        if !matches!(leaf.source, Source::Asked | Source::Said | Source::Summary) {
            return before;
        }
        let is_outlined = leaf.source == Source::Summary
            || leaf.source == Source::Said && page.request.setting == Setting::Work;
        if !is_outlined && !lists::is_point(page.text(at)) {
            return before;
        }
        let (message, number, start) = page.place(at);
        let known = self.text.take().filter(|(known, _)| *known == number);
        let (_, text) = self.text.insert(known.unwrap_or_else(|| {
            let part = &page.request.conversation.messages[message].parts[leaf.part as usize];
            let mut told = String::new();
            leaf_text(part, &leaf, |text| text.clone_into(&mut told));
            (number, told)
        }));
        let start = start as usize;
        // What was open when a summary was written, or before the user's next request, may have been done since.
        let goes_on = || page.calls.last().is_some_and(|call| call.place.0 > message);
        let is_past = match leaf.source {
            Source::Summary => goes_on(),
            Source::Said => page.is_acted_on(message),
            _ => false,
        };
        let is_summary = leaf.source == Source::Summary;
        let open = if is_past && is_summary { open_section(text, start) } else { None };
        let is_told = |line: usize| {
            let end = text[line..].find('\n').map_or(text.len(), |end| line + end);
            members.iter().any(|&member| {
                let (_, its, start) = page.place(member);
                page.unit(member).is_some()
                    && its == number
                    && (line..end).contains(&(start as usize))
            })
        };
        let line = &text[lists::start_of_line(text, start)..];
        let is_asked = leaf.source == Source::Asked && lists::is_point(line);
        let above = if is_asked {
            over(text, start, LONGEST_ASKED)
        } else {
            lists::names(text, start).map(|(at, names)| (at, names.trim().into()))
        };
        let is_new = |&(above, _): &(usize, Box<str>)| {
            self.above.replace((number, above)) != Some((number, above)) && !is_told(above)
        };
        before.above = above.filter(is_new).map(|(_, above)| above.into());
        // In a numbered list a gap between two told points is marked once.
        let is_numbered = lists::is_numbered(line);
        let mut below = lists::below(text, start).peekable();
        self.goes_on = match below.peek() {
            Some(&next) => !(is_told(next) || is_numbered && below.any(is_told)),
            None => false,
        };
        let mut above = lists::above(text, start).peekable();
        let misses_next = above.peek().is_some_and(|&next| !is_told(next));
        if misses_next && (is_numbered || !above.any(is_told)) {
            before.head.push_str("… ");
        }
        if !is_outlined {
            return before;
        }
        let head = over(text, start, LONGEST).map(|(_, head)| head).unwrap_or_default();
        let is_told = head.is_empty()
            || open.as_ref().is_some_and(|(_, open)| *open == head)
            || head == self.last.0
            || self.last.1.contains(head.trim_end_matches('…'));
        self.last = (head.clone(), tidy::without_targets(page.text(at)).into());
        let is_open = is_past && open.is_none() && !head.contains(['?', '？']);
        let mut over = String::new();
        let section = open.as_ref().map(|(at, _)| (number, *at));
        if let Some((_, heading)) = open.filter(|_| self.open != section) {
            let _ = write!(over, "{heading}{AS_OF_THEN}: ");
        }
        self.open = section;
        // A heading may stand on one line with its first point.
        let own = page.text(at).lines().next().unwrap_or_default().trim_end();
        if is_past && head.is_empty() && own.ends_with([':', '：', '*']) && prose::is_open(own) {
            over.push_str(ONCE);
        }
        let is_of_then = |text: &str| match leaf.source {
            Source::Summary => page.ledger.names_gone(text) || prose::may_pass(text),
            _ => prose::may_pass(text) && page.ledger.names_changed_since(text, message),
        };
        if is_past && over.is_empty() && is_of_then(page.text(at)) {
            over.push_str(ONCE);
        }
        if !is_told {
            let label = head.split(": ").next().unwrap_or_default();
            let then = if is_open && prose::is_open(label) { AS_OF_THEN } else { "" };
            let _ = write!(over, "{head}{then}: ");
        }
        // The names of the columns stand under the heading too.
        before.above.as_mut().unwrap_or(&mut before.head).insert_str(0, &over);
        before
    }

    /// The text after the last line: a mark if points of its list are left out.
    pub(crate) fn end(&mut self) -> &'static str {
        if std::mem::take(&mut self.goes_on) { " …" } else { "" }
    }
}

/// The heading over the line at `at` of a summary, if that heading is over what was open: where it begins,
/// and its text.
fn open_section(text: &str, at: usize) -> Option<(usize, Box<str>)> {
    let start = lists::start_of_line(text, at);
    let mut above = lists::prose_above(text, start).take(lists::FAR);
    let (at, line) = above.find(|(_, line)| prose::is_heading(line))?;
    let line = units::without_marks(line.trim()).trim_matches(['*', ':', ' ']);
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' '));
    prose::is_open(line).then(|| (at, clip_at_word(line.trim_end_matches(['*', ':']), LONGEST)))
}

/// The line that the line at `at` stands under: where it begins, and its text without marks in at most
/// `longest` bytes.
fn over(text: &str, at: usize, longest: usize) -> Option<(usize, Box<str>)> {
    let start = lists::start_of_line(text, at);
    let own = lists::indentation(&text[start..]);
    let is_listed = lists::is_point(&text[start..]);
    let above = lists::prose_above(text, start).take(lists::FAR);
    let stands_over = |line: &str| {
        let depth = lists::indentation(line);
        depth < own || is_listed && depth == own && !lists::is_point(line)
    };
    let mut above = above.filter(|(_, line)| !line.trim().is_empty() && stands_over(line));
    let (start, line) = above.next()?;
    // A line of the same indentation is only a heading if it announces something.
    let announces = |line: &str| {
        line.ends_with([':', '：', '*']) || line.starts_with('#') || is_bold_title(line)
    };
    let is_over = lists::indentation(line) < own || announces(line.trim_end());
    let line = units::without_marks(line.trim());
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = numbered.strip_prefix(". ").unwrap_or(line);
    // A label in bold may be followed by its text: `**My advice:** Keep the oil lamp, for:`
    let bold = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let is_alone = |behind: &str| behind.split_whitespace().nth(2).is_none();
    let is_label = |(bold, behind): (&str, &str)| bold.ends_with(':') || behind.starts_with(':');
    let bold = bold.filter(|it| !is_label(*it) || is_alone(it.1));
    let line = bold.map_or_else(|| line.replace("**", "").into(), |(bold, _)| Cow::Borrowed(bold));
    let line = line.trim_end_matches([':', '：', ' ']);
    // Of several sentences the last one announces what follows.
    let line = line.rsplit_once(". ").map_or(line, |(_, last)| last);
    let says = !line.is_empty() && !line.ends_with(['?', '？']) && !prose::tone(line).is_filler;
    (is_over && says).then(|| (start, shortened(&tidy::without_targets(line), longest)))
}

/// Whether a line is a title in bold: `**Option 2: the oil lamp** (now)`
fn is_bold_title(line: &str) -> bool {
    const SHORT: usize = 24;
    let behind = line.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    behind.is_some_and(|(_, behind)| behind.len() <= SHORT && !behind.ends_with(['.', '!', '?']))
}

/// A line in at most `longest` bytes; a longer path is reduced to its name.
fn shortened(line: &str, longest: usize) -> Box<str> {
    let bare = line.trim_matches('`');
    match bare.rsplit_once('/') {
        Some((_, name)) if line.len() > longest && !bare.contains(' ') => {
            clip_at_word(&format!("`…/{name}`"), longest)
        }
        _ => clip_at_word(line, longest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_path_the_name_is_told() {
        let path = "`src/dialect/claude_code/a_rather_long_folder/live.rs`";
        assert_eq!(&*shortened(path, 44), "`…/live.rs`");
        assert_eq!(&*shortened("`src/live.rs`", 44), "`src/live.rs`");
        assert_eq!(&*shortened("In src/dialect or somewhere else", 16), "In src/dialect…");
    }

    #[test]
    fn a_point_stands_under_the_line_above_that_is_indented_less() {
        let text =
            "3. **Files** (two):\n   - `a.rs`\n     - Added a field\n\n     - Removed one\n4. End";
        let over = |words: &str| Some(over(text, text.find(words).unwrap(), 44)?.1);
        assert_eq!(over("Removed one").as_deref(), Some("`a.rs`"));
        assert_eq!(over("Added a field").as_deref(), Some("`a.rs`"));
        assert_eq!(over("`a.rs`").as_deref(), Some("Files"));
        assert_eq!(over("End"), None);
        let text = "It was late. Why it *failed*:\n- no lamp\n- no oil\n\nHere's the list:\n1. wick\n\n\
                    ## Costs\n| 3 | oil |\nplain\n* more";
        let over = |words: &str| Some(super::over(text, text.find(words).unwrap(), 44)?.1);
        assert_eq!(over("- no oil").as_deref(), Some("Why it *failed*"));
        assert_eq!(over("| 3").as_deref(), Some("Costs"));
        for alone in ["1. wick", "plain", "* more"] {
            assert_eq!(over(alone), None, "{alone}");
        }
        let text =
            "**Option 1: wick** ✅ **BEST**\n- It burns\n\n**Option 2: oil** (now)\n- It smokes";
        let over = |words: &str| Some(super::over(text, text.find(words).unwrap(), 44)?.1);
        assert_eq!(over("- It burns").as_deref(), Some("Option 1: wick"));
        assert_eq!(over("- It smokes").as_deref(), Some("Option 2: oil"));
        let text = "**My advice:** Keep the oil lamp, for:\n- It burns";
        let over = super::over(text, text.find("- It burns").unwrap(), 44).unwrap().1;
        assert_eq!(&*over, "My advice: Keep the oil lamp, for");
        let text = "**Oil** - as it was used of old:\n- It burns";
        let over = super::over(text, text.find("- It burns").unwrap(), 44).unwrap().1;
        assert_eq!(&*over, "Oil");
        // Code is no heading.
        let text = "1. Look:\n```\ndef light(self):\n    return 1\n```\n2. It smokes";
        assert_eq!(super::over(text, text.find("2.").unwrap(), 44), None);
    }
}
