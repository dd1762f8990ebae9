//! Remembers how many tokens a piece has.
//!
//! Direct-mapped: a piece has one slot, and the last one that was counted keeps it. Slots hold the whole
//! piece, so an answer is never wrong. Made on the heap, of zeroed memory that is not touched before it
//! is used: a static or thread-local array would be cleared when the program starts.

use super::window::Window;

/// Slots for pieces of fewer than 16 bytes; a power of two.
const SHORT: usize = 1 << 16;
/// Slots for pieces of 16 to 31 bytes; a power of two.
const LONG: usize = 1 << 13;
/// The longest piece that has a slot.
pub(super) const LONGEST: usize = 31;

/// A slot is the piece, four bits of its length, and four bits of its count, at the top.
const COUNT_SHIFT: u32 = 124;
const COUNT: u128 = 0xF << COUNT_SHIFT;

/// A cache of counts.
pub(super) struct Cache {
    short: Box<[u128]>,
    long: Box<[[u128; 2]]>,
}

impl Cache {
    pub(super) fn new() -> Self {
        Self {
            short: vec![0; SHORT].into_boxed_slice(),
            long: vec![[0; 2]; LONG].into_boxed_slice(),
        }
    }

    /// Returns the count of a piece of at most [`LONGEST`] bytes, whose first bytes `window` holds.
    #[inline]
    pub(super) fn count(
        &mut self,
        window: Window,
        piece: &[u8],
        count: impl FnOnce() -> usize,
    ) -> usize {
        if piece.len() < 16 {
            let key = tagged(window.first(piece.len()), piece.len());
            let slot = &mut self.short[hash(key) >> (64 - SHORT.trailing_zeros())];
            if *slot & !COUNT == key {
                return (*slot >> COUNT_SHIFT) as usize;
            }
            let count = count();
            *slot = key | (count as u128) << COUNT_SHIFT;
            count
        } else {
            let rest = Window::load(piece, 16).first(15);
            let key = [window.all(), tagged(rest, piece.len() - 16)];
            let hash = hash(key[0]) ^ hash(key[1]).rotate_left(32);
            let slot = &mut self.long[hash >> (64 - LONG.trailing_zeros())];
            if slot[0] == key[0] && slot[1] & !COUNT == key[1] {
                return (slot[1] >> COUNT_SHIFT) as usize;
            }
            let count = count();
            if count < 16 {
                *slot = [key[0], key[1] | (count as u128) << COUNT_SHIFT];
            }
            count
        }
    }
}

#[inline]
fn tagged(bytes: u128, len: usize) -> u128 {
    bytes | (len as u128) << 120
}

#[inline]
fn hash(key: u128) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let low = low.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let high = high.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    (low ^ high) as usize
}
