//! How the tables are packed into words.
//!
//! The build script packs with these functions and the crate reads with them, so that the two can't diverge.
//! All words are little-endian. The widths hold any vocabulary of fewer than 2¹⁸ tokens of at most 255 bytes;
//! the build script asserts that they suffice.

#![allow(clippy::cast_possible_truncation, reason = "fields are cut out of words")]

/// Bits of a token id.
const ID_BITS: u32 = 18;
/// Bits of an index into the trie.
const INDEX_BITS: u32 = 22;

const ID_MASK: u64 = (1 << ID_BITS) - 1;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;

/// The number of single-byte tokens, whose ids come first.
pub(crate) const BYTES: u32 = 256;

/// The number of ids that fit into the id bits.
pub(crate) const MAX_IDS: usize = 1 << ID_BITS;
/// The number of trie cells that fit into the index bits.
pub(crate) const MAX_CELLS: usize = 1 << INDEX_BITS;

/// One cell of the double-array trie: a node, the token that ends there, and the place of its children.
///
/// A child is at `base ^ byte` and stores the byte that leads to it, as no two nodes have the same base.
/// Sixteen bits tell which children may exist, so that most missing ones are not looked up.
#[derive(Clone, Copy)]
pub(crate) struct Cell(pub(crate) u64);

const BYTE_SHIFT: u32 = ID_BITS + INDEX_BITS;
const CHILDREN_SHIFT: u32 = BYTE_SHIFT + 8;

impl Cell {
    pub(crate) fn pack(token: Option<u32>, base: u32, byte: u8, children: &[u8]) -> Self {
        let token = token.map_or(0, |id| u64::from(id) + 1);
        let children = children.iter().fold(0, |bits, child| bits | Self::bit_of(*child));
        Self(token | u64::from(base) << ID_BITS | u64::from(byte) << BYTE_SHIFT | children)
    }

    #[inline]
    fn bit_of(child: u8) -> u64 {
        1 << (CHILDREN_SHIFT + u32::from(child & 15))
    }

    /// The id of the token that ends at this node, plus one; 0 if none does.
    #[inline]
    pub(crate) fn token_plus_one(self) -> u32 {
        (self.0 & ID_MASK) as u32
    }

    /// The index of the child for `byte`, if there may be one.
    #[inline]
    pub(crate) fn child(self, byte: u8) -> Option<u32> {
        let index = (self.0 >> ID_BITS & INDEX_MASK) as u32 ^ u32::from(byte);
        (self.0 & Self::bit_of(byte) != 0).then_some(index)
    }

    /// The byte that leads here.
    #[inline]
    pub(crate) fn byte(self) -> u8 {
        (self.0 >> BYTE_SHIFT) as u8
    }
}

/// The facts about a token that the encoder needs.
///
/// The left half of a one-byte token is that byte; it has no right half.
#[derive(Clone, Copy)]
pub(crate) struct Info(pub(crate) u64);

impl Info {
    pub(crate) fn pack(left: u32, right: u32, shorter: Option<u32>, len: usize) -> Self {
        let shorter = shorter.map_or(ID_MASK, u64::from);
        Self(
            u64::from(left)
                | u64::from(right) << ID_BITS
                | shorter << (2 * ID_BITS)
                | (len as u64) << (3 * ID_BITS),
        )
    }

    /// The left half of the last merge that makes this token.
    #[inline]
    pub(crate) fn left(self) -> u32 {
        (self.0 & ID_MASK) as u32
    }

    /// The byte of a one-byte token.
    #[inline]
    pub(crate) fn byte(self) -> u8 {
        self.0 as u8
    }

    /// The right half of the last merge that makes this token.
    #[inline]
    pub(crate) fn right(self) -> u32 {
        (self.0 >> ID_BITS & ID_MASK) as u32
    }

    /// The longest token that is a proper prefix of this one.
    #[inline]
    pub(crate) fn shorter(self) -> Option<u32> {
        let id = self.0 >> (2 * ID_BITS) & ID_MASK;
        (id != ID_MASK).then_some(id as u32)
    }

    /// The number of bytes of this token.
    #[inline]
    pub(crate) fn len(self) -> usize {
        (self.0 >> (3 * ID_BITS)) as usize
    }
}

/// Two tokens as one key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair(u64);

impl Pair {
    #[inline]
    pub(crate) fn new(left: u32, right: u32) -> Self {
        Self(u64::from(left) << ID_BITS | u64::from(right))
    }

    /// Returns the top `bits` bits of the hash.
    #[inline]
    pub(crate) fn hash(self, bits: u32) -> usize {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
    }

    /// The slot of the pair table that stores what this pair merges to; never 0, since a merged id is not 0.
    pub(crate) fn slot(self, merged: u32) -> u64 {
        self.0 << ID_BITS | u64::from(merged)
    }

    /// The token that the pair merges to, if this slot belongs to the pair.
    #[inline]
    pub(crate) fn merged(self, slot: u64) -> Option<u32> {
        (slot >> ID_BITS == self.0).then_some((slot & ID_MASK) as u32)
    }
}

/// The bits of an index into the filter of the pair table; at most one in eight filter bits is set.
pub(crate) const FILTER_BITS: u32 = 21;

/// The code points in one block of the class table.
pub(crate) const BLOCK: usize = 128;
/// The blocks that the class table covers.
pub(crate) const BLOCKS: usize = 0x11_0000 / BLOCK;

/// The classes of characters that the patterns distinguish, one bit each.
pub(crate) mod class {
    /// Lu and Lt.
    pub(crate) const UPPER: u8 = 1;
    /// Ll.
    pub(crate) const LOWER: u8 = 2;
    /// Lm and Lo.
    pub(crate) const CASELESS: u8 = 4;
    /// M.
    pub(crate) const MARK: u8 = 8;
    /// N.
    pub(crate) const NUMBER: u8 = 16;
    /// Carriage return and line feed.
    pub(crate) const NEWLINE: u8 = 32;
    /// Any other white space.
    pub(crate) const SPACE: u8 = 64;
    /// All others.
    pub(crate) const OTHER: u8 = 128;
}
