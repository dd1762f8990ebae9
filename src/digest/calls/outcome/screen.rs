//! Tells what a user pasted from a screen from their own words.
//!
//! Responsible for deciding that sentence by sentence. It goes by what only a screen shows: the marks of an
//! agent or a shell, changes, names of tests with the lines below them. A tagged part that an agent added to
//! the user's message is not the user's either: it says itself that it may not be relevant.

use std::ops::Range;

use super::{is_error_line, names_place, names_test};
use crate::digest::text::prose;
use crate::span::span_in;

/// The marks that agents set before what they say, do and are asked.
const MARKS: [char; 3] = ['⎿', '⏺', '❯'];

/// The words by which agents (Claude Code, OpenHands) mark a part that they added themselves.
const PUT_IN: [&str; 2] = [
    "may or may not be relevant to your tasks",
    "may or may not be relevant to the user's request",
];

/// How many added parts of a text are looked for.
const MOST_PUT_IN: usize = 16;

/// The state while the sentences of a text are read in order.
pub(crate) struct Screen<'t> {
    text: &'t str,
    /// What an agent showed, each range from a mark to an empty line, and the parts that it added.
    marked: Vec<Range<usize>>,
    is_on: bool,
}

impl<'t> Screen<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut marked = marked(text);
        marked.extend(put_in(text));
        Self { text, marked, is_on: false }
    }

    /// Whether the sentence at a place was pasted.
    pub(crate) fn shows(&mut self, place: &Range<usize>, starts_line: bool) -> bool {
        let line = &self.text[place.clone()];
        let is_pasted = prose::is_pasted(line);
        // The text between tags may be indented.
        let begins = names_test(line) || is_pasted && !prose::is_tag(line);
        if starts_line {
            // The output of a test stands below its name.
            let goes_on = || self.text[..place.start].ends_with([' ', '\t']);
            self.is_on = begins || self.is_on && (goes_on() || says_error(line));
        }
        self.is_on || begins || is_pasted || self.marked.iter().any(|it| it.contains(&place.start))
    }
}

/// Whether a line reports an error as programs do.
pub(crate) fn says_error(line: &str) -> bool {
    is_error_line(line) || names_place(line)
}

/// The tagged parts of a text that say that an agent added them.
fn put_in(text: &str) -> impl Iterator<Item = Range<usize>> {
    let places = PUT_IN.iter().flat_map(move |words| text.match_indices(words));
    places.take(MOST_PUT_IN).filter_map(move |(at, _)| {
        let tag = text[..at].lines().rev().find(|line| prose::opens_part(line))?;
        let start = span_in(text, tag).start;
        let end = text[at..].find(&format!("</{}", &tag[1..]))?;
        Some(start..at + end)
    })
}

fn marked(text: &str) -> Vec<Range<usize>> {
    let mut marked: Vec<Range<usize>> = Vec::new();
    if !text.contains(MARKS) {
        return marked;
    }
    let (mut at, mut goes_on) = (0, false);
    for line in text.split_inclusive('\n') {
        let is_empty = line.trim_end_matches(['\r', '\n']).is_empty();
        let is_indented = line.starts_with([' ', '\t']) && !marked.is_empty();
        goes_on = !is_empty && (goes_on || is_indented) || line.trim_start().starts_with(MARKS);
        if goes_on {
            marked.push(at..at + line.len());
        }
        at += line.len();
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::text::units;

    #[test]
    fn what_a_screen_shows_is_none_of_the_users_words() {
        let own = |text: &str| {
            let (mut screen, mut own) = (Screen::of(text), Vec::new());
            units::sentences(text, |sentence| {
                if !screen.shows(&sentence.range, sentence.starts_line) {
                    own.push(text[sentence.range].to_owned());
                }
            });
            own
        };
        let shown = "It smokes. This is what it did:\n\n❯ trim it\n\n⏺ I see a wick.  \n  \n  Details\n\
                     ⎿ Added 2 lines\n   1 wick\n\nMend it.";
        assert_eq!(own(shown), ["It smokes. This is what it did:", "Mend it."]);
        assert_eq!(own("--- FAIL: TestWick\n  wick.go:7: got 3\nMend it."), ["Mend it."]);
        assert_eq!(own("● one\nTwo."), ["Two."]);
        assert_eq!(own("Why ❯ and not $? Mend it.").len(), 2);
        assert_eq!(own("❯ make\r\nbad\r\n\r\nMend it.\r\n\r\n❯ make\r\nbad"), ["Mend it."]);
        assert_eq!(own("<task>\n  Trim it.\n</task>"), ["Trim it."]);
        let put_in = "<extra_info>\nIt may or may not be relevant to the user's request.\nNever push.\n</extra_info>";
        assert_eq!(own(&format!("Trim it.\n{put_in}\nGo on.")), ["Trim it.", "Go on."]);
    }
}
