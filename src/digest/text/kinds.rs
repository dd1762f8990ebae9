//! The kinds of the bytes of a text.
//!
//! Responsible for looking at every byte of a text only once, many at a time. A kind is a bit for each
//! byte, so that the words of a line, its names and its approximate number of tokens follow from a few
//! operations on bits. A kind is passed as a function such as [`Block::letters`].

use std::ops::Range;

use crate::bits::{WIDTH, planes};

/// The kinds of a block of consecutive bytes. Each byte has a code of three bits, one in each word.
#[derive(Clone, Copy)]
pub(crate) struct Block([u64; 3]);

const BLANK: u8 = 1;
const WIDE: u8 = 2;
const JOINT: u8 = 3;
const UNDERSCORE: u8 = 4;
const DIGIT: u8 = 5;
const CAPITAL: u8 = 6;
const SMALL: u8 = 7;

impl Block {
    fn of(bytes: &[u8; WIDTH]) -> Self {
        let mut codes = [0; WIDTH];
        for (code, byte) in codes.iter_mut().zip(bytes) {
            *code = code_of(*byte);
        }
        Self(planes(&codes))
    }

    pub(crate) fn blanks(self) -> u64 {
        let [a, b, c] = self.0;
        a & !b & !c
    }

    /// Bytes of multi-byte characters.
    pub(crate) fn wide(self) -> u64 {
        let [a, b, c] = self.0;
        !a & b & !c
    }

    pub(crate) fn digits(self) -> u64 {
        let [a, b, c] = self.0;
        a & !b & c
    }

    pub(crate) fn capitals(self) -> u64 {
        let [a, b, c] = self.0;
        !a & b & c
    }

    pub(crate) fn small(self) -> u64 {
        let [a, b, c] = self.0;
        a & b & c
    }

    pub(crate) fn letters(self) -> u64 {
        let [_, b, c] = self.0;
        b & c
    }

    pub(crate) fn alphanumeric(self) -> u64 {
        let [a, b, c] = self.0;
        (a | b) & c
    }

    /// Letters, digits, underscores, and the marks that join them to one name.
    pub(crate) fn of_names(self) -> u64 {
        let [a, b, c] = self.0;
        c | a & b
    }

    /// Everything that is no space, letter, digit or part of a multi-byte character.
    pub(crate) fn marks(self) -> u64 {
        !(self.alphanumeric() | self.blanks() | self.wide())
    }
}

/// The code of a byte's kind; zero for marks without a kind of their own.
///
/// It has no branches, so that the compiler can vectorise it.
fn code_of(byte: u8) -> u8 {
    let between = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    let code = |is: bool, code: u8| if is { code } else { 0 };
    code(byte == b' ', BLANK)
        | code(byte >= 0x80, WIDE)
        | code(between(b'-', b'/'), JOINT)
        | code(byte == b':' || byte == b'@' || byte == b'~', JOINT)
        | code(byte == b'#' || byte == b'+', JOINT)
        | code(byte == b'_', UNDERSCORE)
        | code(between(b'0', b'9'), DIGIT)
        | code(between(b'A', b'Z'), CAPITAL)
        | code(between(b'a', b'z'), SMALL)
}

/// The kinds of all bytes of a text.
#[derive(Default)]
pub(crate) struct Kinds {
    blocks: Vec<Block>,
    length: usize,
}

impl Kinds {
    pub(crate) fn of(text: &str) -> Self {
        let mut kinds = Self::default();
        kinds.read(text);
        kinds
    }

    /// Computes the kinds of another text.
    pub(crate) fn read(&mut self, text: &str) {
        let (blocks, rest) = text.as_bytes().as_chunks();
        self.length = text.len();
        self.blocks.clear();
        self.blocks.extend(blocks.iter().map(Block::of));
        if !rest.is_empty() {
            let mut block = [0; WIDTH];
            block[..rest.len()].copy_from_slice(rest);
            self.blocks.push(Block::of(&block));
        }
    }

    pub(crate) fn all(&self) -> Within<'_> {
        self.within(&(0..self.length))
    }

    /// The kinds of a part of the text. Offsets in it are relative to its beginning.
    pub(crate) fn within(&self, part: &Range<usize>) -> Within<'_> {
        Within { blocks: &self.blocks, start: part.start, end: part.end }
    }
}

/// The kinds of the bytes in a part of a text.
#[derive(Clone, Copy)]
pub(crate) struct Within<'k> {
    blocks: &'k [Block],
    start: usize,
    end: usize,
}

impl<'k> Within<'k> {
    /// The offset of the first byte of a kind at or after `from`; the end if there is none.
    #[inline]
    pub(crate) fn find(self, from: usize, kind: impl Fn(Block) -> u64) -> usize {
        let rest = Self { start: self.start + from, ..self };
        let mut block = rest.start / WIDTH;
        while block * WIDTH < rest.end {
            let found = rest.bits(block, &kind);
            if found != 0 {
                return block * WIDTH + found.trailing_zeros() as usize - self.start;
            }
            block += 1;
        }
        self.end - self.start
    }

    /// Whether there is any byte of a kind.
    pub(crate) fn has(self, kind: impl Fn(Block) -> u64) -> bool {
        self.find(0, kind) < self.end - self.start
    }

    /// The ranges of consecutive bytes of a kind.
    #[inline]
    pub(crate) fn runs<F: Fn(Block) -> u64>(self, kind: F) -> Runs<'k, F> {
        Runs { within: self, kind, next: self.start / WIDTH, edges: 0, before: 0 }
    }

    /// How many runs of a kind there are, and how many bytes they have in total.
    pub(crate) fn tally(self, kind: impl Fn(Block) -> u64) -> (usize, usize) {
        let (mut runs, mut bytes, mut before) = (0, 0, 0);
        for block in self.start / WIDTH..self.end.div_ceil(WIDTH) {
            let bits = self.bits(block, &kind);
            runs += (bits & !(bits << 1 | before)).count_ones() as usize;
            bytes += bits.count_ones() as usize;
            before = bits >> (WIDTH - 1);
        }
        (runs, bytes)
    }

    /// The bytes of a block that are of a kind and within this part, as bits.
    #[inline]
    fn bits(self, block: usize, kind: impl Fn(Block) -> u64) -> u64 {
        let (start, end) = (block * WIDTH, (block + 1) * WIDTH);
        let behind = self.start.saturating_sub(start);
        let before = end.saturating_sub(self.end);
        kind(self.blocks[block]) & u64::MAX << behind & u64::MAX >> before
    }
}

/// Iterates over runs, which begin and end where a bit differs from the one before it.
pub(crate) struct Runs<'k, F> {
    within: Within<'k>,
    kind: F,
    /// The number of the next block.
    next: usize,
    /// The edges that are left in the block before.
    edges: u64,
    /// The last bit of that block.
    before: u64,
}

impl<F: Fn(Block) -> u64> Runs<'_, F> {
    #[inline]
    fn edge(&mut self) -> Option<usize> {
        while self.edges == 0 {
            if self.next * WIDTH >= self.within.end {
                return None;
            }
            let bits = self.within.bits(self.next, &self.kind);
            self.edges = bits ^ (bits << 1 | self.before);
            self.before = bits >> (WIDTH - 1);
            self.next += 1;
        }
        let at = (self.next - 1) * WIDTH + self.edges.trailing_zeros() as usize;
        self.edges &= self.edges - 1;
        Some(at - self.within.start)
    }
}

impl<F: Fn(Block) -> u64> Iterator for Runs<'_, F> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.edge()?;
        let end = self.edge().unwrap_or(self.within.end - self.within.start);
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_runs_across_blocks() {
        let text = format!("{}word_1 wo…rd", " ".repeat(WIDTH - 2));
        let kinds = Kinds::of(&text);
        let runs = |kind: fn(Block) -> u64| -> Vec<&str> {
            kinds.all().runs(kind).map(|run| &text[run]).collect()
        };
        assert_eq!(runs(Block::letters), ["word", "wo", "rd"]);
        assert_eq!(runs(Block::of_names), ["word_1", "wo", "rd"]);
        assert_eq!(kinds.all().tally(Block::letters), (3, 8));
        assert_eq!(kinds.all().tally(Block::wide), (1, 3));
        let part = kinds.within(&(WIDTH..text.len()));
        assert_eq!(part.runs(Block::letters).next(), Some(0..2));
        assert!(part.has(Block::wide) && !part.has(Block::capitals));
    }
}
