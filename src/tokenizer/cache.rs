//! A cache for the token counts of pieces.
//!
//! Direct-mapped: each piece has one slot, which the piece counted last keeps. Slots hold the whole piece, so
//! an answer is never wrong. Allocated on the heap on first use, because a static or thread-local array would
//! be cleared at program start. It is small enough to leave room for the tables in a core's cache; more slots
//! are no faster.

#![allow(clippy::cast_possible_truncation, reason = "fields are cut out of words")]

use super::pieces::Head;

/// Slots of a few words each. A slot holds the bytes of a piece, a byte 1 behind them that marks its end,
/// zeros, and the count in the highest seven bits; so a piece may have one byte less. The number of slots is
/// a power of two.
struct Slots<const WORDS: usize, const SLOTS: usize>(Box<[[u64; WORDS]; SLOTS]>);

const COUNT_SHIFT: u32 = 57;
const PIECE: u64 = u64::MAX >> (64 - COUNT_SHIFT);

/// A cache of counts, with slots for pieces of fewer than 8, 16, 32 and 128 bytes.
pub(super) struct Cache {
    tiny: Slots<1, { 1 << 15 }>,
    short: Slots<2, { 1 << 13 }>,
    middle: Slots<4, { 1 << 12 }>,
    long: Slots<16, { 1 << 8 }>,
}

impl Cache {
    /// Returns an empty cache.
    pub(super) fn new() -> Self {
        Self {
            tiny: Slots::empty(),
            short: Slots::empty(),
            middle: Slots::empty(),
            long: Slots::empty(),
        }
    }

    /// Returns the count of a piece, whose head may be given.
    #[inline]
    pub(super) fn count(
        &mut self,
        piece: &[u8],
        head: Option<Head>,
        count: impl FnOnce() -> usize,
    ) -> usize {
        match (head, piece.len()) {
            (Some([word, _]), len @ 0..8) => self.tiny.look_up([word | 1 << (8 * len)], count),
            (Some([first, second]), len @ 8..16) => {
                self.short.look_up([first, second | 1 << (8 * (len - 8))], count)
            }
            _ => self.any(piece, count),
        }
    }

    #[inline(never)]
    fn any(&mut self, piece: &[u8], count: impl FnOnce() -> usize) -> usize {
        match piece.len() {
            0..8 => self.tiny.look_up(key(piece), count),
            8..16 => self.short.look_up(key(piece), count),
            16..32 => self.middle.look_up(key(piece), count),
            32..128 => self.long.look_up(key(piece), count),
            _ => count(),
        }
    }
}

impl<const WORDS: usize, const SLOTS: usize> Slots<WORDS, SLOTS> {
    /// Returns slots with bytes that occur in no text. They are written at once, because a zeroed page would
    /// be faulted in twice: when it is first read, and again when it is first written.
    fn empty() -> Self {
        let slots: Box<[_]> = vec![[u64::MAX; WORDS]; SLOTS].into();
        Self(slots.try_into().unwrap_or_else(|_| unreachable!("there are as many as asked for")))
    }

    #[inline]
    fn look_up(&mut self, key: [u64; WORDS], count: impl FnOnce() -> usize) -> usize {
        let hash = key.iter().fold(0, |hash: u64, word| {
            (hash.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let slot = &mut self.0[(hash >> (64 - SLOTS.trailing_zeros())) as usize % SLOTS];
        let mut piece = *slot;
        piece[WORDS - 1] &= PIECE;
        if piece != key {
            *slot = key;
            slot[WORDS - 1] |= (count() as u64) << COUNT_SHIFT;
        }
        (slot[WORDS - 1] >> COUNT_SHIFT) as usize
    }
}

fn key<const WORDS: usize>(piece: &[u8]) -> [u64; WORDS] {
    let mut bytes = [[0; 8]; WORDS];
    let flat = bytes.as_flattened_mut();
    flat[..piece.len()].copy_from_slice(piece);
    flat[piece.len()] = 1;
    bytes.map(u64::from_le_bytes)
}
