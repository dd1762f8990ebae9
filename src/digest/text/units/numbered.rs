//! The numbers that tools print before lines.
//!
//! Responsible for telling such a number from one that the line says: those of neighbours follow each
//! other.

use std::ops::Range;

/// What may be a line's number as tools print it: `  12→`, `L12:`, `  12|`, `12:`, `12-`.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    number: u32,
    /// How many bytes it takes, with the mark behind it.
    pub(super) length: usize,
    /// Whether nothing else looks like it.
    is_sure: bool,
}

impl Numbered {
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let blank = line.iter().take_while(|byte| **byte == b' ').count();
        let letter = usize::from(line.get(blank) == Some(&b'L'));
        let digits = line[blank + letter..].iter().take_while(|byte| byte.is_ascii_digit());
        let (mut at, mut number) = (blank + letter, 0);
        for digit in digits.take(7) {
            (at, number) = (at + 1, number * 10 + u32::from(digit - b'0'));
        }
        if !(1..=6).contains(&(at - blank - letter)) {
            return None;
        }
        let (length, is_sure) = match line.get(at..)? {
            [0xE2, 0x86, 0x92, ..] => (at + 3, true),
            [b'\t' | b'|', ..] => (at + 1, false),
            [b':' | b'-', next, ..] if !next.is_ascii_digit() => (at + 1, letter > 0),
            _ => return None,
        };
        Some(Self { number, length, is_sure })
    }

    /// Whether it is the line's number: the line before or behind has the one before or behind it.
    pub(super) fn is_one(
        &self,
        before: Option<Self>,
        behind: impl FnOnce() -> Option<Self>,
    ) -> bool {
        self.is_sure
            || before.is_some_and(|before| before.number + 1 == self.number)
            || behind().is_some_and(|behind| self.number + 1 == behind.number)
    }
}

/// Some lines of a text, with blanks for the numbers of all but the first: offsets stay.
pub(crate) fn without_numbers(text: &str, range: &Range<usize>) -> String {
    let mut out = text[range.clone()].to_owned();
    let mut start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let mut before = None;
    while start < range.end {
        let end = end_of_line(text, start);
        let number = Numbered::of(&text.as_bytes()[start..end]);
        let is_one = number.filter(|number| number.is_one(before, || after(text, end)));
        if let Some(Numbered { length, .. }) = is_one.filter(|_| start > range.start) {
            let behind = (start + length).min(range.end) - range.start;
            let at = start - range.start;
            out.replace_range(at..behind, &" ".repeat(behind - at));
        }
        (before, start) = (number, end + 1);
    }
    out
}

/// Where the line ends that begins at a place.
pub(super) fn end_of_line(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |n| start + n)
}

/// What may be the number of the line behind one that ends at a place.
pub(super) fn after(text: &str, end: usize) -> Option<Numbered> {
    let start = (end + 1).min(text.len());
    Numbered::of(&text.as_bytes()[start..end_of_line(text, start)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_the_line_says_stays() {
        let text = "12:a\n13:b\n14-way c";
        assert_eq!(without_numbers(text, &(3..18)), "a\n   b\n   way c");
        assert_eq!(without_numbers("1:a\n30-b", &(0..8)), "1:a\n30-b");
    }
}
