//! Finding a byte that is probably near.

/// How many bytes count as near: for these, `memchr` is slower than looking at eight bytes at a time.
const NEAR: usize = 64;

/// The first position of `byte`, which is probably near.
#[inline]
pub(super) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    find_near(byte, bytes).or_else(|| {
        let far = bytes.get(NEAR..)?;
        memchr::memchr(byte, far).map(|length| NEAR + length)
    })
}

/// The first position of `byte`, if it is near.
#[inline]
pub(super) fn find_near(byte: u8, bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes[..bytes.len().min(NEAR)].as_chunks();
    for (at, word) in words.iter().enumerate() {
        let found = zero_bytes(u64::from_le_bytes(*word) ^ repeat(byte));
        if found != 0 {
            return Some(8 * at + found.trailing_zeros() as usize / 8);
        }
    }
    rest.iter().position(|other| *other == byte).map(|at| 8 * words.len() + at)
}

/// Where a string ends, whose text begins with `bytes`, if that is near and no escape stands before it.
#[inline]
pub(super) fn plain_end(bytes: &[u8]) -> Option<usize> {
    let words = bytes[..bytes.len().min(NEAR)].as_chunks().0;
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = zero_bytes(word ^ repeat(b'"'));
        let found = quote | zero_bytes(word ^ repeat(b'\\'));
        if found != 0 {
            let bit = found.trailing_zeros();
            return (quote >> bit & 1 != 0).then_some(8 * at + bit as usize / 8);
        }
    }
    None
}

/// A word that consists of this byte eight times.
const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// A word whose lowest set bit is the highest bit of the first zero byte; bits above that mean nothing.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(repeat(1)) & !word & repeat(0x80)
}
