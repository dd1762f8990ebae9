//! What a user pasted from a screen, beside their own words.
//!
//! Responsible for telling it from these, sentence by sentence. It goes by what only a screen shows: the marks of
//! an agent or a shell, changes, names of tests with what they say below them.

use std::ops::Range;

use super::{is_error_line, names_place, names_test};
use crate::digest::text::prose;

/// What agents set before what they say, do and are asked.
const MARKS: [char; 3] = ['⎿', '⏺', '❯'];

/// What is known of a text while its sentences are read in their order.
pub(crate) struct Screen<'t> {
    text: &'t str,
    /// What an agent showed, each from a mark to a line that is empty.
    marked: Vec<Range<usize>>,
    is_on: bool,
}

impl<'t> Screen<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, marked: marked(text), is_on: false }
    }

    /// Whether the sentence of a place was pasted.
    pub(crate) fn shows(&mut self, place: &Range<usize>, starts_line: bool) -> bool {
        let line = &self.text[place.clone()];
        let is_pasted = prose::is_pasted(line);
        // What stands between tags may be indented.
        let begins = names_test(line) || is_pasted && !prose::is_tag(line);
        if starts_line {
            // What a test says stands below its name.
            let goes_on = || self.text[..place.start].ends_with([' ', '\t']);
            self.is_on = begins || self.is_on && (goes_on() || says_error(line));
        }
        self.is_on || begins || is_pasted || self.marked.iter().any(|it| it.contains(&place.start))
    }
}

/// Whether a line says what went wrong as programs do.
pub(crate) fn says_error(line: &str) -> bool {
    is_error_line(line) || names_place(line)
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
    }
}
