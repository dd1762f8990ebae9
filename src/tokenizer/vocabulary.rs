//! The tables of an encoding, read directly from the binary.
//!
//! Relies on the build script for their content and on `layout` for their form. Nothing is parsed, allocated
//! or initialised: a lookup is a load of eight bytes.

use super::layout::{BYTES, Cell, FILTER_BITS, Info, Pair};

/// A table aligned so that no load of a word crosses two cache lines.
#[repr(align(64))]
struct Aligned<T: ?Sized>(T);

/// The words of a table.
type Words = [[u8; 8]];

/// Embeds a table that the build script wrote.
macro_rules! words {
    ($name:literal) => {{
        static BYTES: &Aligned<[u8]> =
            &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $name)));
        BYTES.0.as_chunks().0
    }};
}

/// The tables of one encoding.
pub(super) struct Vocabulary {
    trie: &'static Words,
    info: &'static Words,
    pairs: &'static Words,
    filter: &'static Words,
}

/// The vocabulary of `o200k_base`.
pub(super) static O200K_BASE: Vocabulary = Vocabulary {
    trie: words!("o200k_base.trie"),
    info: words!("o200k_base.info"),
    pairs: words!("o200k_base.pairs"),
    filter: words!("o200k_base.filter"),
};

/// The vocabulary of `cl100k_base`.
pub(super) static CL100K_BASE: Vocabulary = Vocabulary {
    trie: words!("cl100k_base.trie"),
    info: words!("cl100k_base.info"),
    pairs: words!("cl100k_base.pairs"),
    filter: words!("cl100k_base.filter"),
};

impl Vocabulary {
    /// Returns the halves, the next shorter prefix and the length of a token.
    #[inline]
    pub(super) fn info(&self, token: u32) -> Info {
        Info(u64::from_le_bytes(self.info[token as usize]))
    }

    /// Returns the number of tokens.
    pub(super) fn len(&self) -> usize {
        self.info.len()
    }

    /// Returns the longest token that `text` begins with, and its length. `text` is not empty.
    #[inline]
    pub(super) fn longest_prefix(&self, text: &[u8]) -> (u32, usize) {
        let longest = self.prefixes(text).last();
        debug_assert!(longest.is_some(), "every byte is a token");
        longest.unwrap_or_default()
    }

    /// Returns the tokens that `text` begins with, and their lengths, the shortest first.
    #[inline]
    pub(super) fn prefixes(&self, text: &[u8]) -> impl Iterator<Item = (u32, usize)> {
        let mut cell = self.cell(0);
        let nodes = text.iter().map_while(move |&byte| {
            cell = self.cell(cell.child(byte)?);
            (cell.byte() == byte).then_some(cell)
        });
        let tokens = nodes.zip(1..).map(|(node, len)| (node.token_plus_one(), len));
        tokens.filter(|(token, _)| *token != 0).map(|(token, len)| (token - 1, len))
    }

    #[inline]
    fn cell(&self, index: u32) -> Cell {
        Cell(u64::from_le_bytes(self.trie[index as usize]))
    }

    /// Returns `token`, or else its longest prefix, that may follow another token.
    #[inline]
    pub(super) fn longest_after(&self, last: u32, mut token: u32) -> Option<u32> {
        while !self.may_meet(last, token) {
            token = self.info(token).shorter()?;
        }
        Some(token)
    }

    /// Tells whether an encoder that merges step by step would leave these two tokens side by side.
    ///
    /// Undoes the merges around the boundary, the latest first. The answer is no if two tokens meet there
    /// that would have merged before either became part of something longer.
    fn may_meet(&self, mut left: u32, mut right: u32) -> bool {
        // Merges with this id or later ones come after those undone so far.
        let mut limit = u32::MAX;
        loop {
            if self.merged(left, right).is_some_and(|merged| merged < limit) {
                return false;
            }
            // The token with the higher id was made later; if they are equal, the right one was.
            if left.max(right) < BYTES {
                return true;
            }
            if left > right {
                limit = left;
                left = self.info(left).right();
            } else {
                limit = right + 1;
                right = self.info(right).left();
            }
        }
    }

    /// Returns the token that two tokens merge to, if they do.
    #[inline]
    fn merged(&self, left: u32, right: u32) -> Option<u32> {
        let pair = Pair::new(left, right);
        let bit = pair.hash(FILTER_BITS);
        let word = u64::from_le_bytes(self.filter[bit / 64]);
        if word >> (bit % 64) & 1 == 0 {
            return None;
        }
        let mask = self.pairs.len() - 1;
        let mut at = pair.hash(self.pairs.len().trailing_zeros());
        loop {
            let slot = u64::from_le_bytes(self.pairs[at & mask]);
            if slot == 0 {
                return None;
            }
            if let Some(merged) = pair.merged(slot) {
                return Some(merged);
            }
            at += 1;
        }
    }

    /// Appends the bytes of a token; none if there is no such token.
    pub(super) fn decode(&self, token: u32, bytes: &mut Vec<u8>) {
        if token as usize >= self.len() {
            return;
        }
        let mut stack = vec![token];
        while let Some(token) = stack.pop() {
            let info = self.info(token);
            if info.len() == 1 {
                bytes.push(info.byte());
            } else {
                stack.extend([info.right(), info.left()]);
            }
        }
    }
}
