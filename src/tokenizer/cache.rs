//! Remembers how many tokens a piece has.
//!
//! Direct-mapped: a piece has one slot, and the last one that was counted keeps it. Slots hold the whole
//! piece, so an answer is never wrong. Made on the heap, where it is needed: a static or thread-local array
//! would be cleared when the program starts. It is small enough to leave room for the tables in the cache of
//! a core; more slots are no faster.

#![allow(clippy::cast_possible_truncation, reason = "fields are cut out of words")]

use super::pieces::Head;

/// A slot of a few words: the bytes of a piece, a one behind them that tells its length, zeros, and in the
/// highest seven bits its count. There is one byte less than that for the piece.
type Slots<const WORDS: usize> = Box<[[u64; WORDS]]>;

const COUNT_SHIFT: u32 = 57;
const PIECE: u64 = u64::MAX >> (64 - COUNT_SHIFT);

/// A cache of counts, with slots for pieces of fewer than 8, 16, 32 and 128 bytes.
pub(super) struct Cache {
    tiny: Slots<1>,
    short: Slots<2>,
    middle: Slots<4>,
    long: Slots<16>,
}

impl Cache {
    /// Returns an empty cache. The number of slots of each kind is a power of two.
    pub(super) fn new() -> Self {
        Self { tiny: empty(16), short: empty(14), middle: empty(12), long: empty(8) }
    }

    /// Returns the count of a piece, whose head may be at hand.
    #[inline]
    pub(super) fn count(
        &mut self,
        piece: &[u8],
        head: Option<Head>,
        count: impl FnOnce() -> usize,
    ) -> usize {
        match (head, piece.len()) {
            (Some([word, _]), len @ 0..8) => {
                look_up(&mut self.tiny, [word | 1 << (8 * len)], count)
            }
            (Some([first, second]), len @ 8..16) => {
                look_up(&mut self.short, [first, second | 1 << (8 * (len - 8))], count)
            }
            _ => self.any(piece, count),
        }
    }

    #[inline(never)]
    fn any(&mut self, piece: &[u8], count: impl FnOnce() -> usize) -> usize {
        match piece.len() {
            0..8 => look_up(&mut self.tiny, key(piece), count),
            8..16 => look_up(&mut self.short, key(piece), count),
            16..32 => look_up(&mut self.middle, key(piece), count),
            32..128 => look_up(&mut self.long, key(piece), count),
            _ => count(),
        }
    }
}

/// Returns slots of bytes that no text has. They are written at once, for each page of zeroed memory would be
/// brought in twice: when it is first read, and again when it is first written.
fn empty<const WORDS: usize>(bits: u32) -> Slots<WORDS> {
    vec![[u64::MAX; WORDS]; 1 << bits].into()
}

fn key<const WORDS: usize>(piece: &[u8]) -> [u64; WORDS] {
    let mut bytes = [[0; 8]; WORDS];
    let flat = bytes.as_flattened_mut();
    flat[..piece.len()].copy_from_slice(piece);
    flat[piece.len()] = 1;
    bytes.map(u64::from_le_bytes)
}

#[inline]
fn look_up<const WORDS: usize>(
    slots: &mut [[u64; WORDS]],
    key: [u64; WORDS],
    count: impl FnOnce() -> usize,
) -> usize {
    let hash = key.iter().fold(0, |hash: u64, word| {
        (hash.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    let slot = &mut slots[(hash >> (64 - slots.len().trailing_zeros())) as usize];
    let mut piece = *slot;
    piece[WORDS - 1] &= PIECE;
    if piece != key {
        *slot = key;
        slot[WORDS - 1] |= (count() as u64) << COUNT_SHIFT;
    }
    (slot[WORDS - 1] >> COUNT_SHIFT) as usize
}
