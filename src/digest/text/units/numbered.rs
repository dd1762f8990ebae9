//! The numbers that tools print before lines.
//!
//! Responsible for telling such a number from one that belongs to the line: numbers of neighbouring lines are
//! consecutive, and they are aligned in a column or begin with 1. Numbers of records may be consecutive as well.

use std::ops::Range;

/// A candidate for the number of a line, as tools print it: `  12→`, `L12:`, `  12|`, `12:`, `12-`.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    number: u32,
    /// Its length in bytes, with the mark after it.
    pub(super) length: usize,
    /// Whether its form leaves no doubt.
    is_sure: bool,
    /// Whether spaces before it align it in a column.
    is_padded: bool,
    /// Whether the first line of a numbered text may begin with it.
    may_begin: bool,
}

impl Numbered {
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        // The first line may stand behind a tag: `<content>1: `.
        let tag = tag(line);
        let blank = tag + line[tag..].iter().take_while(|byte| **byte == b' ').count();
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
        let may_begin = number == 1 && matches!(line.get(at), Some(b'\t' | b':'));
        Some(Self { number, length, is_sure, is_padded: blank > 0, may_begin })
    }

    /// Whether it is the number of the line: it is sure, or the number of the line before or after it is
    /// consecutive. `is_counted` says that the line before is numbered.
    pub(super) fn is_one(
        &self,
        before: Option<Self>,
        is_counted: bool,
        behind: impl FnOnce() -> Option<Self>,
    ) -> bool {
        self.is_sure
            || (self.is_padded || is_counted) && self.follows(before)
            || (self.is_padded || self.may_begin)
                && behind().is_some_and(|behind| behind.follows(Some(*self)))
    }

    /// Whether it is the number after `before`.
    fn follows(&self, before: Option<Self>) -> bool {
        before.is_some_and(|before| before.number + 1 == self.number)
    }
}

/// The length of the tag that a line begins with.
fn tag(line: &[u8]) -> usize {
    let is_tag = line.first() == Some(&b'<');
    let name = line.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    if is_tag && name > 0 && line.get(name + 1) == Some(&b'>') { name + 2 } else { 0 }
}

/// Some lines of a text, with spaces for the numbers of all but the first, so that offsets stay valid.
pub(crate) fn without_numbers(text: &str, range: &Range<usize>) -> String {
    let mut out = text[range.clone()].to_owned();
    if !out.contains('\n') {
        return out;
    }
    let mut start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let (mut before, mut is_counted) = (None, false);
    while start < range.end {
        let end = end_of_line(text, start);
        let number = Numbered::of(&text.as_bytes()[start..end]);
        if start <= range.start {
            // If the range begins after a number, that number does not belong to the line.
            is_counted = number.is_some_and(|number| start + number.length <= range.start);
        } else {
            let is_one =
                number.filter(|number| number.is_one(before, is_counted, || after(text, end)));
            if let Some(Numbered { length, .. }) = is_one {
                let behind = (start + length).min(range.end) - range.start;
                let at = start - range.start;
                out.replace_range(at..behind, &" ".repeat(behind - at));
            }
            is_counted = is_one.is_some();
        }
        (before, start) = (number, end + 1);
    }
    out
}

/// The end of the line that begins at `start`.
pub(super) fn end_of_line(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |n| start + n)
}

/// The candidate for the number of the line after one that ends at `end`.
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
        assert_eq!(without_numbers("41|Anna\n42|Bea", &(0..14)), "41|Anna\n42|Bea");
        assert_eq!(without_numbers("1:a\n30-b", &(0..8)), "1:a\n30-b");
    }

    #[test]
    fn numbers_may_begin_behind_a_tag() {
        let lines = |text: &str| {
            let mut all = Vec::new();
            super::super::lines(text, |line| all.push(text[line].to_owned()));
            all
        };
        assert_eq!(lines("<content>41: # Lamps\n42: \n43: burn"), ["# Lamps", "burn"]);
        assert_eq!(lines("<b>1 lamp</b>\n2 lamps"), ["<b>1 lamp</b>", "2 lamps"]);
    }
}
