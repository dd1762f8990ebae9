//! The words of a line, and whether they explain a name among them.
//!
//! Responsible for the one rule that decides which lines are worth showing: a line is worth showing for a name only
//! if it says something about it. It relies on [`names`](super::names) for finding the words.

use std::ops::Range;

use super::common;
use crate::digest::narrow;

/// A word of at least three letters that is not too common.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: u32,
    end: u32,
    is_plain: bool,
    /// A bit for each of its letters, regardless of case: a name that lacks one cannot contain the word.
    letters: u32,
}

/// The words of a line, identifiers among them, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    found: Vec<Word>,
    /// The number of words in scripts without spaces, by their length.
    wide: u16,
}

/// A name, and its place in the line whose words are counted.
struct Name<'t> {
    text: &'t [u8],
    letters: u32,
    place: Range<u32>,
}

impl<'t> Name<'t> {
    fn at(place: &Range<usize>, line: &'t str) -> Self {
        let text = &line.as_bytes()[place.clone()];
        Self { text, letters: letters(text), place: narrow(place.start)..narrow(place.end) }
    }

    /// The name beside the words of another line.
    fn elsewhere(self) -> Self {
        Self { place: 0..0, ..self }
    }

    /// Whether a word is a part of the name. The place is tested first: mostly the word stands there.
    fn has<'w>(&self, word: &Word, text: impl FnOnce() -> &'w [u8]) -> bool {
        self.place.start <= word.start && word.end <= self.place.end
            || word.letters & !self.letters == 0 && contains(self.text, text())
    }
}

/// How many other words explain a name at least. Measured: with fewer a reader can do nothing with it.
const OTHERS: usize = 3;
/// How many of the words that explain a name are plain at least.
const PLAIN: usize = 2;

/// The number of words that explain any name.
const ENOUGH: usize = 14;

impl Words {
    /// Forgets the words of the line before.
    pub(crate) fn clear(&mut self) {
        self.found.clear();
        self.wide = 0;
    }

    /// Adds the words of a script without spaces.
    pub(crate) fn push_wide(&mut self, words: usize) {
        self.wide = self.wide.saturating_add(u16::try_from(words).unwrap_or(u16::MAX));
    }

    /// The number of words.
    pub(crate) fn count(&self) -> usize {
        self.found.len() + usize::from(self.wide)
    }

    /// Adds a word of the line, unless it was added before or says nothing.
    pub(crate) fn push(&mut self, text: &[u8], start: usize, end: usize, is_plain: bool) {
        let word = &text[start..end];
        if self.found.len() >= ENOUGH
            || word.len() < 3
            || !word[0].is_ascii_alphabetic()
            || common::is_common(word)
        {
            return;
        }
        let letters = letters(word);
        let same = |known: &Word| {
            known.letters == letters
                && word.eq_ignore_ascii_case(&text[known.start as usize..known.end as usize])
        };
        if !self.found.iter().any(same) {
            self.found.push(Word { start: narrow(start), end: narrow(end), is_plain, letters });
        }
    }

    /// How many words of a line are not part of a name, and how many of these are plain. Counting stops once both
    /// reach `most`.
    fn beside(&self, line: &str, name: &Name<'_>, most: (usize, usize)) -> (usize, usize) {
        let (mut all, mut plain) = (usize::from(self.wide), usize::from(self.wide));
        for word in &self.found {
            if all >= most.0 && plain >= most.1 {
                break;
            }
            let range = word.start as usize..word.end as usize;
            if !name.has(word, || &line.as_bytes()[range]) {
                all += 1;
                plain += usize::from(word.is_plain);
            }
        }
        (all, plain)
    }

    /// Whether the words of `line` explain the name at a place in it.
    pub(crate) fn explain(&self, line: &str, place: &Range<usize>) -> bool {
        if self.found.len() >= ENOUGH {
            return true;
        }
        if self.count() < OTHERS {
            return false;
        }
        let (all, plain) = self.beside(line, &Name::at(place, line), (OTHERS, PLAIN));
        all >= OTHERS && plain >= PLAIN
    }

    /// How well the words of two neighbouring lines explain a name in the first: the number of words to spare, at
    /// most one; `None` if they do not explain it.
    pub(crate) fn explain_with(
        &self,
        line: &str,
        other: (&Words, &str),
        place: &Range<usize>,
    ) -> Option<usize> {
        if self.count() + other.0.count() < OTHERS {
            return None;
        }
        let name = Name::at(place, line);
        let most = (OTHERS + 1, PLAIN + 1);
        let (all, plain) = self.beside(line, &name, most);
        let (more, more_plain) = other.0.beside(other.1, &name.elsewhere(), most);
        (all + more).checked_sub(OTHERS).min((plain + more_plain).checked_sub(PLAIN))
    }
}

/// The approximate number of words in a text: those between spaces, and in scripts without spaces one for every
/// four characters.
pub(crate) fn number_of(text: &str) -> usize {
    let is_wide = |c: &char| matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}');
    let wide = if text.is_ascii() { 0 } else { text.chars().filter(is_wide).count() };
    text.split_whitespace().count() + wide / 4
}

/// A bit for each letter of a text, regardless of case; digits and marks share the remaining bits.
fn letters(text: &[u8]) -> u32 {
    text.iter().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

/// Whether `name` contains `word`, regardless of case.
fn contains(name: &[u8], word: &[u8]) -> bool {
    let Some(last) = name.len().checked_sub(word.len()) else { return false };
    let (small, capital) = (word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase());
    memchr::memchr2_iter(small, capital, &name[..=last])
        .any(|at| name[at + 1..at + word.len()].eq_ignore_ascii_case(&word[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::text::kinds::Kinds;
    use crate::digest::text::names::scan;

    #[test]
    fn counts_words_without_blanks_between_them() {
        assert_eq!(number_of("It is so."), 3);
        assert_eq!(number_of("Готово."), 1);
        assert!(number_of("好的。") < 3);
        assert!(number_of("已经修复了令牌过期的问题，所有测试都通过了。") > 3);
    }

    #[test]
    fn a_name_is_explained_by_three_words_two_of_them_plain() {
        let explains = |line: &str, name: &str| {
            let mut words = Words::default();
            scan(line, Kinds::of(line).all(), &mut words, |_| {});
            let start = line.find(name).unwrap();
            words.explain(line, &(start..start + name.len()))
        };
        assert!(explains("parse_header reads the first line", "parse_header"));
        assert!(!explains("parse_header(first_line)", "parse_header"));
        // Words that the name is made of say nothing more of it.
        assert!(!explains("func FetchTreeData (*TreeData, error)", "FetchTreeData"));
    }
}
