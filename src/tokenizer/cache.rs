//! Remembers how many tokens a piece has.
//!
//! Direct-mapped: a piece has one slot, and the last one that was counted keeps it. Slots hold the whole
//! piece, so an answer is never wrong. Made on the heap, of zeroed memory that is not touched before it
//! is used: a static or thread-local array would be cleared when the program starts.

use super::window::Window;

/// Slots for pieces of fewer than 8 bytes, of fewer than 16, and of fewer than 32; powers of two.
const SHORT: usize = 1 << 16;
const MIDDLE: usize = 1 << 15;
const LONG: usize = 1 << 13;

/// At the top of a slot: four bits of the length, to tell pieces that end in zero bytes, and of the count.
const COUNT: u64 = 0xF << COUNT_SHIFT;
const COUNT_SHIFT: u32 = 60;
const LEN_SHIFT: u32 = 56;

/// A cache of counts.
pub(super) struct Cache {
    short: Box<[u64]>,
    middle: Box<[[u64; 2]]>,
    long: Box<[[u64; 4]]>,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            short: vec![0; SHORT].into_boxed_slice(),
            middle: vec![[0; 2]; MIDDLE].into_boxed_slice(),
            long: vec![[0; 4]; LONG].into_boxed_slice(),
        }
    }

    /// Returns the count of a piece of fewer than 8 bytes, which `window` starts with.
    #[inline]
    pub(super) fn short(
        &mut self,
        window: Window,
        len: usize,
        count: impl FnOnce() -> usize,
    ) -> usize {
        let key = window.first(len) | (len as u64) << LEN_SHIFT;
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = &mut self.short[(hash >> (64 - SHORT.trailing_zeros())) as usize];
        if *slot & !COUNT != key {
            *slot = key | (count() as u64) << COUNT_SHIFT;
        }
        (*slot >> COUNT_SHIFT) as usize
    }

    /// Returns the count of a piece.
    pub(super) fn any(&mut self, piece: &[u8], count: impl FnOnce() -> usize) -> usize {
        match piece.len() {
            0..16 => look_up(&mut self.middle, words(piece), count),
            16..32 => look_up(&mut self.long, words(piece), count),
            _ => count(),
        }
    }
}

/// Returns the bytes of a piece as words, with its length in the last byte.
fn words<const WORDS: usize>(piece: &[u8]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(piece.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(padded);
    }
    words[WORDS - 1] |= (piece.len() as u64 & 0xF) << LEN_SHIFT;
    words
}

fn look_up<const WORDS: usize>(
    slots: &mut [[u64; WORDS]],
    mut key: [u64; WORDS],
    count: impl FnOnce() -> usize,
) -> usize {
    let hash = key.iter().fold(0, |hash: u64, word| {
        (hash.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    let slot = &mut slots[(hash >> (64 - slots.len().trailing_zeros())) as usize];
    let mut found = *slot;
    let known = found[WORDS - 1] >> COUNT_SHIFT;
    found[WORDS - 1] &= !COUNT;
    // An empty slot looks like sixteen zero bytes, but no piece has no tokens.
    if found == key && known != 0 {
        return known as usize;
    }
    let count = count();
    if count < 16 {
        key[WORDS - 1] |= (count as u64) << COUNT_SHIFT;
        *slot = key;
    }
    count
}
