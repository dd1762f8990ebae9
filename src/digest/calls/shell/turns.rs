//! What a loop does in each of its turns.
//!
//! Responsible for replacing the loop's variable in the words of its parts, if the loop lists all values and does
//! the same with each. It relies on loops not being nested.

use std::borrow::Cow;
use std::ops::Range;

use super::{is_in_name, unopened};

/// The variable and the values of a loop: `for f in a.rs b.rs; do …; done`.
#[derive(Default)]
pub(super) struct Turns<'c> {
    name: &'c str,
    values: Vec<&'c str>,
    /// Whether a condition decides what is done in a turn.
    is_choosy: bool,
}

/// How many turns are followed.
const MOST_TURNS: usize = 40;

impl<'c> Turns<'c> {
    /// Begins or ends the loop, if a part does.
    pub(super) fn follow(&mut self, words: &[&'c str]) {
        match words {
            ["for", name, "in", values @ ..] => {
                let known = values.iter().copied().filter(|value| !value.contains(['$', '`', '(']));
                let values = known.take(MOST_TURNS).collect();
                *self = Self { name, values, is_choosy: false };
            }
            ["done", ..] => *self = Self::default(),
            _ if matches!(
                unopened(words).first(),
                Some(&("[" | "[[" | "test" | "if" | "case"))
            ) =>
            {
                self.is_choosy = true;
            }
            _ => {}
        }
    }

    /// The words of a part in each turn; `None` if they do not name the variable.
    pub(super) fn each(&self, words: &[&'c str]) -> Option<Vec<Vec<Cow<'c, str>>>> {
        if self.name.is_empty() || !words.iter().any(|word| self.at(word).is_some()) {
            return None;
        }
        let in_turn =
            |value: &&str| unopened(words).iter().map(|word| self.told(word, value)).collect();
        let values = self.values.iter().filter(|_| !self.is_choosy);
        Some(values.map(in_turn).collect())
    }

    /// The range of the variable in a word.
    fn at(&self, word: &str) -> Option<Range<usize>> {
        word.match_indices('$').find_map(|(at, _)| {
            let behind = &word[at + 1..];
            let rest = behind.strip_prefix(self.name).filter(|rest| !rest.starts_with(is_in_name));
            let braced = || behind.strip_prefix('{')?.strip_prefix(self.name)?.strip_prefix('}');
            Some(at..word.len() - rest.or_else(braced)?.len())
        })
    }

    /// A word with the variable replaced by a value.
    fn told(&self, word: &'c str, value: &str) -> Cow<'c, str> {
        let Some(Range { start, end }) = self.at(word) else { return Cow::Borrowed(word) };
        format!("{}{value}{}", &word[..start], self.told(&word[end..], value)).into()
    }
}
