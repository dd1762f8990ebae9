//! A cache of what is known of short words, which occur again and again.

use crate::digest::text::index::Id;
use crate::digest::text::packed::{self, LONGEST, packed};
use crate::digest::text::talk::Person;

/// What is known of a word that is no name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// Its number in the index, if it is salient.
    pub(super) id: Option<Id>,
    /// The person that it speaks of.
    pub(super) person: Person,
}

/// The size of the cache, a power of two. A word has one place, and the last word put there stays.
const WORDS: usize = 2048;

/// The cached words as numbers, with what is known of them; empty until a word is put in.
#[derive(Default)]
pub(super) struct Meanings(Vec<(u64, Meaning)>);

impl Meanings {
    pub(super) fn get(&self, word: &str) -> Option<Meaning> {
        let (key, place) = place(word)?;
        let (known, what) = *self.0.get(place)?;
        (known == key).then_some(what)
    }

    pub(super) fn put(&mut self, word: &str, what: Meaning) {
        if let Some((key, place)) = place(word) {
            self.0.resize(WORDS, (0, Meaning::default()));
            self.0[place] = (key, what);
        }
    }
}

/// A short word as a number, and its place in the cache; `None` if the word is too long.
fn place(word: &str) -> Option<(u64, usize)> {
    let key = packed(word.as_bytes());
    (word.len() <= LONGEST).then(|| (key, packed::place(key, WORDS)))
}
