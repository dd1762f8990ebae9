//! The next sixteen bytes of a text, looked at all at once.
//!
//! Most pieces are ASCII words of fewer bytes. Their end is found here with a few operations on words of
//! the machine instead of a loop over characters, and the same bytes are the key into the piece cache.
//! Where a window cannot tell (something else than ASCII, a longer word, a contraction), it says so.

use super::classes::ascii;
use super::scan::PREFIX;

/// Sixteen bytes, the first the lowest; zeros behind the end of the text.
#[derive(Clone, Copy)]
pub(super) struct Window(u128);

/// The highest bit of each byte.
const HIGH: u128 = repeat(0x80);
/// The last byte of a window, in which nothing is taken for a part of a word: it is the one behind.
const LAST: u128 = 0x80 << 120;

const fn repeat(byte: u8) -> u128 {
    u128::from_le_bytes([byte; 16])
}

impl Window {
    #[inline]
    pub(super) fn load(text: &[u8], at: usize) -> Self {
        let bytes = text[at..].first_chunk().copied().unwrap_or_else(|| {
            let mut bytes = [0; 16];
            bytes[..text.len() - at].copy_from_slice(&text[at..]);
            bytes
        });
        Self(u128::from_le_bytes(bytes))
    }

    #[inline]
    pub(super) fn all(self) -> u128 {
        self.0
    }

    #[inline]
    fn byte(self, at: usize) -> u8 {
        (self.0 >> (8 * at)) as u8
    }

    /// Returns the first `len` bytes, at most 15.
    #[inline]
    pub(super) fn first(self, len: usize) -> u128 {
        self.0 & !(u128::MAX << (8 * len))
    }

    /// Sets the high bit of each byte that is an ASCII letter, whatever its case.
    #[inline]
    fn letters(self) -> u128 {
        let small = self.0 & !HIGH | repeat(0x20);
        let from_a = small + repeat(0x80 - b'a');
        let beyond_z = small + repeat(0x7F - b'z');
        from_a & !beyond_z & !self.0 & HIGH
    }

    /// Returns 1 if the first character is ASCII and may stand before a word.
    #[inline]
    fn prefix(self) -> usize {
        let byte = self.0 as u8;
        usize::from(byte < 0x80 && ascii(byte & 0x7F) & PREFIX != 0)
    }

    /// Returns the length of the o200k word that starts here, if the window can tell.
    ///
    /// In ASCII both alternatives of the pattern come to capitals, then small letters, either of which may
    /// be missing.
    #[inline]
    pub(super) fn o200k_word(self) -> Option<usize> {
        let prefix = self.prefix();
        let letters = self.letters();
        // Moves the bit of each byte that tells its case to the top.
        let lower = letters & self.0 << 2;
        let upper = letters & !lower;
        let middle = run(upper, prefix);
        let end = run(lower, middle);
        let behind = self.byte(end);
        (end > prefix && end < 15 && behind < 0x80 && behind != b'\'').then_some(end)
    }

    /// Returns the length of the cl100k word that starts here, if the window can tell.
    #[inline]
    pub(super) fn cl100k_word(self) -> Option<usize> {
        let prefix = self.prefix();
        let end = run(self.letters(), prefix);
        (end > prefix && end < 15 && self.byte(end) < 0x80 && self.0 as u8 != b'\'').then_some(end)
    }
}

/// Returns the place of the first byte from `at` on whose bit is not set, at most 15.
#[inline]
fn run(bits: u128, at: usize) -> usize {
    let unset = (!bits | LAST) & HIGH & u128::MAX << (8 * at);
    unset.trailing_zeros() as usize / 8
}
