//! Lines that a program prints much alike: a log, a progress display, a listing.
//!
//! Responsible for recognising such lines by their words without digits, and for counting each the less the
//! more there are. A single error among them is what a reader looks for.

use std::collections::HashMap;

use crate::digest::calls::outcome;
use crate::hash::hash;

/// The number of similar lines from which on they are a crowd.
const CROWD: usize = 16;
/// How many words make up the likeness of a line.
const WORDS: usize = 3;
/// How many bytes of each word of a likeness count.
const LONGEST: usize = 12;
/// The share of lines in crowds, in per cent, from which on a text is made of crowds.
const MOST: usize = 75;
/// The worth of an error that stands alone in a text made of crowds.
const ALONE: f32 = 3.0;

/// How many lines of a text are similar to each other.
#[derive(Default)]
pub(super) struct Crowds {
    sizes: HashMap<u64, usize>,
    is_made_of_crowds: bool,
}

impl Crowds {
    /// Counts the similar lines of a printed text.
    pub(super) fn of(text: &str) -> Self {
        let lines = text.lines().count();
        if lines < CROWD {
            return Self::default();
        }
        let mut sizes = HashMap::new();
        for line in text.lines() {
            *sizes.entry(likeness(line)).or_insert(0) += 1;
        }
        let in_crowds: usize = sizes.values().filter(|size| **size >= CROWD).sum();
        Self { sizes, is_made_of_crowds: in_crowds * 100 >= lines * MOST }
    }

    /// The factor for the names of a line, and its worth apart from them.
    #[allow(clippy::cast_precision_loss, reason = "a text has far fewer lines than 2^24")]
    pub(super) fn weigh(&self, line: &str) -> (f32, f32) {
        if self.sizes.is_empty() {
            return (1.0, 0.0);
        }
        let size = self.sizes.get(&likeness(line)).copied().unwrap_or(1);
        let is_alone = size < CROWD && self.is_made_of_crowds && outcome::is_error_line(line);
        (CROWD as f32 / size.max(CROWD) as f32, if is_alone { ALONE } else { 0.0 })
    }
}

/// A key that lines share if they differ only in numbers, times and what follows their first words.
fn likeness(line: &str) -> u64 {
    let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let words = line.split_ascii_whitespace().filter(|word| !has_digit(word)).take(WORDS);
    words.fold(0, |likeness, word| {
        let word = &word.as_bytes()[..word.len().min(LONGEST)];
        hash(word) ^ likeness.rotate_left(7)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_stands_alone_in_a_log() {
        let row = |at: usize| format!("2026-03-14T02:04:{at:02} INFO settled payment p{at}\n");
        let mut log: String = (0..32).map(row).collect();
        let error = "2026-03-14T02:05:00 ERROR payment p99: no such account";
        log.push_str(error);
        let crowds = Crowds::of(&log);
        assert_eq!(crowds.weigh(&row(3)), (0.5, 0.0));
        assert_eq!(crowds.weigh(error), (1.0, ALONE));
        assert_eq!(Crowds::of("a b\n").weigh("a b"), (1.0, 0.0));
    }
}
