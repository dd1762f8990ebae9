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
    /// What an agent showed, from its first mark to the end of what stands behind the last.
    marked: Range<usize>,
    is_on: bool,
}

impl<'t> Screen<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, marked: marked(text), is_on: false }
    }

    /// Whether the sentence of a place was pasted.
    pub(crate) fn shows(&mut self, place: &Range<usize>, starts_line: bool) -> bool {
        let line = &self.text[place.clone()];
        let begins = prose::is_pasted(line) || names_test(line);
        if starts_line {
            // What a test says stands below its name.
            let goes_on = || self.text[..place.start].ends_with([' ', '\t']);
            self.is_on = begins || self.is_on && (goes_on() || says_error(line));
        }
        self.is_on || begins || self.marked.contains(&place.start)
    }
}

/// Whether a line says what went wrong as programs do.
pub(crate) fn says_error(line: &str) -> bool {
    is_error_line(line) || names_place(line)
}

fn marked(text: &str) -> Range<usize> {
    let Some(start) = text.find(MARKS) else { return 0..0 };
    let mut end = start;
    let (mut at, mut goes_on) = (start, true);
    for line in text[start..].split_inclusive('\n') {
        goes_on = line.trim_start().starts_with(MARKS) || goes_on && line != "\n";
        at += line.len();
        if goes_on {
            end = at;
        }
    }
    start..end
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
    }
}
