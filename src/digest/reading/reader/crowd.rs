//! Lines of which a program prints one like the other: a log, a progress, a listing.
//!
//! Responsible for knowing them by their words without digits, and for how much less each counts the more there
//! are; what stands alone among them is what somebody looks for.

use std::collections::HashMap;

use crate::digest::calls::outcome;
use crate::hash::hash;

/// From how many lines alike on they are a crowd.
const CROWD: usize = 16;
/// So many words say what a line is like, of each so many bytes.
const WORDS: usize = 3;
const LONGEST: usize = 12;
/// Per cent of the lines from which on a text is made of crowds.
const MOST: usize = 75;
/// What an error is worth that stands alone among them.
const ALONE: f32 = 3.0;

/// How many lines of a text are like each other.
#[derive(Default)]
pub(super) struct Crowds {
    sizes: HashMap<u64, usize>,
    is_made_of_crowds: bool,
}

impl Crowds {
    /// Counts the lines of a text that a program printed.
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

    /// How much the names of a line count, and what it is worth apart from them.
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

/// What lines have in common that differ in numbers, times and what is behind their first words.
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
