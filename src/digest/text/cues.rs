//! Finding the words of several lists in a text, many at a time.
//!
//! Responsible for one pass over a text that tells which lists have a word in it. A word of a list is found
//! where a word of the text begins with it, regardless of the case of its ASCII letters and of its first
//! letter: `pass` finds `Passed` but not `bypass`. In scripts without spaces it is found anywhere.

use std::borrow::Cow;

/// Lists of words, each with its own bit.
pub(crate) struct Cues {
    /// For each byte, whether it continues a word of a text ([`LETTER`]) and whether a word of a list
    /// begins with it ([`FIRST`]).
    kinds: [u8; 256],
    /// The words of the lists, in slots by their first two bytes.
    by_pair: Vec<Beginning>,
}

/// The words of the lists that begin with the same two bytes.
#[derive(Clone, Default)]
struct Beginning {
    /// A bit for each third byte that these words have; several bytes share a bit.
    thirds: u32,
    words: Vec<(Cow<'static, [u8]>, u16)>,
}

const LETTER: u8 = 1;
const FIRST: u8 = 2;

const PAIRS: usize = 1024;

/// The slot of words that begin with these two bytes, regardless of case.
fn slot(first: u8, second: u8) -> usize {
    let (first, second) = (first.to_ascii_lowercase(), second.to_ascii_lowercase());
    (usize::from(first) << 5 ^ usize::from(second)) % PAIRS
}

/// The bit of the third byte of a word, regardless of case; all bits for a word of two bytes.
fn third_bit(word: &[u8]) -> u32 {
    word.get(2).map_or(u32::MAX, |byte| 1 << (byte & 31))
}

/// A word with its first letter in upper case; `None` for an ASCII letter or one without case.
fn capital(word: &str) -> Option<Cow<'static, [u8]>> {
    let first = word.chars().next().filter(|c| !c.is_ascii() && c.is_lowercase())?;
    let upper: String = first.to_uppercase().chain(word.chars().skip(1)).collect();
    Some(upper.into_bytes().into())
}

/// Whether a byte begins a letter of a script with spaces between words: Latin or Cyrillic.
fn begins_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, 0xC3..=0xC5 | 0xD0..=0xD1)
}

impl Cues {
    /// Compiles the lists. Their words have at least two bytes; list `n` gets bit `n`.
    pub(crate) fn new(lists: &[&[&'static str]]) -> Self {
        let mut kinds = [0; 256];
        for (kind, byte) in kinds.iter_mut().zip(0_u8..=u8::MAX) {
            *kind = if byte.is_ascii_alphanumeric() { LETTER } else { 0 };
        }
        let mut by_pair = vec![Beginning::default(); PAIRS];
        for (bit, list) in lists.iter().enumerate() {
            let words = list.iter().map(|word| Cow::Borrowed(word.as_bytes()));
            for word in words.chain(list.iter().filter_map(|word| capital(word))) {
                for first in [word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase()] {
                    kinds[usize::from(first)] |= FIRST;
                }
                let beginning = &mut by_pair[slot(word[0], word[1])];
                beginning.thirds |= third_bit(&word);
                beginning.words.push((word, 1 << bit));
            }
        }
        Self { kinds, by_pair }
    }

    /// The bits of the lists that have a word in `text`.
    pub(crate) fn find(&self, text: &str) -> u16 {
        let bytes = text.as_bytes();
        let mut found = 0;
        let mut before = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let kind = self.kinds[usize::from(byte)];
            if kind & FIRST != 0 && before & kind & LETTER == 0 {
                found |= self.matching(&bytes[at..], |_| true);
            }
            before = kind;
        }
        found
    }

    /// The bits of the lists with a word at the beginning of `text` that ends where a word of the text
    /// does; in scripts without spaces it may end anywhere.
    pub(crate) fn whole_at(&self, text: &[u8]) -> u16 {
        self.matching(text, |word| {
            let last = word.iter().rposition(|byte| !matches!(byte, 0x80..0xC0));
            let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| begins_letter(*byte));
            !(is_letter(last.map(|at| &word[at])) && is_letter(text.get(word.len())))
        })
    }

    /// The bits of the lists with a word at the beginning of `text` that `ends` accepts.
    fn matching(&self, text: &[u8], ends: impl Fn(&[u8]) -> bool) -> u16 {
        let [first, second, ..] = *text else { return 0 };
        let beginning = &self.by_pair[slot(first, second)];
        if beginning.thirds & third_bit(text) == 0 {
            return 0;
        }
        // The last byte differs most often, so it is compared first.
        let matches = |word: &[u8]| {
            let last = word.len() - 1;
            text.get(last).is_some_and(|byte| byte.eq_ignore_ascii_case(&word[last]))
                && text[..last].eq_ignore_ascii_case(&word[..last])
                && ends(word)
        };
        let words = beginning.words.iter();
        words.filter(|(word, _)| matches(word)).fold(0, |all, (_, bit)| all | bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_where_they_begin() {
        let cues = Cues::new(&[&["pass", "决定"], &["not found"]]);
        assert_eq!(cues.find("All tests PASSED."), 1);
        assert_eq!(cues.find("bypass"), 0);
        assert_eq!(cues.find("file not found"), 2);
        assert_eq!(cues.find("我们决定"), 1);
        let cues = Cues::new(&[&["нельзя", "но"], &["é"]]);
        assert_eq!((cues.find("Нельзя"), cues.find("É isso")), (1, 2));
        assert_eq!((cues.whole_at("Но да".as_bytes()), cues.whole_at("Новый".as_bytes())), (1, 0));
    }
}
