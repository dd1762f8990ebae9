//! Which kinds of bytes stand where in a text.
//!
//! Responsible for looking at every byte of a text once, many at a time: a kind is a bit for each byte,
//! so that the words of a line, its names and about how many tokens it has come out of a few operations
//! on such bits. A kind is given as a function, as [`Block::letters`].

use std::ops::Range;

use crate::bits::{WIDTH, planes};

/// The kinds of some bytes that stand together: each has a code of three bits.
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

    /// Parts of characters that take several bytes.
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

    /// Letters, digits and underscores, and what joins them to one name.
    pub(crate) fn of_names(self) -> u64 {
        let [a, b, c] = self.0;
        c | a & b
    }

    /// All that is neither a blank, a letter, a digit nor wide.
    pub(crate) fn marks(self) -> u64 {
        !(self.alphanumeric() | self.blanks() | self.wide())
    }
}

/// The code of a byte's kind, zero for all other marks.
///
/// Without a branch, so that the compiler can do it for many bytes at once.
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

    /// Looks at another text.
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

    /// Those of a part of the text; places in it are counted from its beginning.
    pub(crate) fn within(&self, part: &Range<usize>) -> Within<'_> {
        Within { blocks: &self.blocks, start: part.start, end: part.end }
    }
}

/// The kinds of the bytes of a part of a text.
#[derive(Clone, Copy)]
pub(crate) struct Within<'k> {
    blocks: &'k [Block],
    start: usize,
    end: usize,
}

impl<'k> Within<'k> {
    /// Where something of a kind stands first, from a place on; where there is none, the end.
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

    /// Whether there is any of a kind.
    pub(crate) fn has(self, kind: impl Fn(Block) -> u64) -> bool {
        self.find(0, kind) < self.end - self.start
    }

    /// The runs of a kind.
    #[inline]
    pub(crate) fn runs<F: Fn(Block) -> u64>(self, kind: F) -> Runs<'k, F> {
        Runs { within: self, kind, next: self.start / WIDTH, edges: 0, before: 0 }
    }

    /// How many runs of a kind there are, and how many bytes they have.
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

    /// What is of a kind in a block, and in this part of the text.
    #[inline]
    fn bits(self, block: usize, kind: impl Fn(Block) -> u64) -> u64 {
        let (start, end) = (block * WIDTH, (block + 1) * WIDTH);
        let behind = self.start.saturating_sub(start);
        let before = end.saturating_sub(self.end);
        kind(self.blocks[block]) & u64::MAX << behind & u64::MAX >> before
    }
}

/// Finds runs: they begin and end where a bit differs from the one before it.
pub(crate) struct Runs<'k, F> {
    within: Within<'k>,
    kind: F,
    /// The number of the next block, the edges that are left in the one before, and its last bit.
    next: usize,
    edges: u64,
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
