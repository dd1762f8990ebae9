//! Finding words of a list in a text, many at a time.
//!
//! Responsible for one pass over a text that tells which kinds of words begin anywhere in it. A word
//! of the list counts where a word of the text begins with it, whatever the case of its ASCII
//! letters: `pass` finds `Passed` and not `bypass`. In scripts without spaces it counts anywhere.

/// Lists of words, each with the bit that stands for it.
pub(super) struct Cues {
    by_first: Vec<Vec<(&'static [u8], u16)>>,
}

impl Cues {
    /// The lists; list `n` sets bit `n`.
    pub(super) fn new(lists: &[&[&'static str]]) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for (bit, list) in lists.iter().enumerate() {
            for word in *list {
                let first = word.as_bytes()[0].to_ascii_lowercase();
                by_first[usize::from(first)].push((word.as_bytes(), 1 << bit));
            }
        }
        Self { by_first }
    }

    /// Which lists have a word in `text`.
    pub(super) fn find(&self, text: &str) -> u16 {
        let bytes = text.as_bytes();
        let mut found = 0;
        let mut inside = false;
        for (at, &byte) in bytes.iter().enumerate() {
            let is_letter = byte.is_ascii_alphanumeric();
            if !inside || !is_letter {
                found |= self.at(&bytes[at..]);
            }
            inside = is_letter;
        }
        found
    }

    /// Which lists have a word that `text` begins with.
    pub(super) fn at(&self, text: &[u8]) -> u16 {
        let Some(first) = text.first() else { return 0 };
        let candidates = &self.by_first[usize::from(first.to_ascii_lowercase())];
        let matches = |word: &&[u8]| {
            text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        candidates.iter().filter(|(word, _)| matches(word)).fold(0, |all, (_, bit)| all | bit)
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
    }
}
