//! The next eight bytes of a text, looked at all at once.
//!
//! Most pieces are ASCII and shorter than that. Their end is found here with a few operations on a
//! machine word and hardly a branch, instead of a loop over characters. Where eight bytes cannot tell,
//! because a piece is longer or something else than ASCII is near, the answer is `None`.
//!
//! A set of bytes is a word with the highest bit of each of them. Places in it are counted in bits, which
//! saves conversions: the first byte is at 0, the second at 8.

#![allow(clippy::cast_possible_truncation, reason = "bytes are cut out of words")]

/// Eight bytes, the first the lowest.
#[derive(Clone, Copy)]
pub(super) struct Window(u64);

/// The highest bit of each byte.
const HIGH: u64 = repeat(0x80);
/// The place of the last byte. It is in no piece: at most it is the one behind.
const LAST: u32 = 8 * 7;

/// For each byte, how many bits of it may stand before a word: 8 or 0.
const PREFIX: [u8; 256] = {
    let mut bits = [0; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        if !byte.is_ascii_alphanumeric() && byte != b'\r' && byte != b'\n' {
            bits[byte as usize] = 8;
        }
        byte += 1;
    }
    bits
};

const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

impl Window {
    /// The bytes at a place, unless the text ends before there are enough of them.
    #[inline]
    pub(super) fn load(text: &[u8], at: usize) -> Option<Self> {
        text[at..].first_chunk().map(|bytes| Self(u64::from_le_bytes(*bytes)))
    }

    /// Returns the first `len` bytes, of which there are one to seven.
    #[inline]
    pub(super) fn first(self, len: usize) -> u64 {
        self.0 & u64::MAX >> (64 - 8 * len)
    }

    /// Returns the length of the o200k piece that starts here, and whether a contraction may follow.
    ///
    /// In ASCII both alternatives for a word come to capitals, then small letters, either of which may be
    /// missing.
    #[inline]
    pub(super) fn o200k(self) -> Option<(usize, bool)> {
        let prefix = self.prefix();
        let letters = self.letters();
        // The bit that tells the case of a letter, moved to the top.
        let lower = letters & self.0 << 2;
        let end = run(lower, run(letters & !lower, prefix));
        let len = self.sure(end)?;
        if end > prefix {
            Some((len, self.byte(end) == b'\''))
        } else {
            self.no_word(letters, true).map(|len| (len, false))
        }
    }

    /// Returns the length of the cl100k piece that starts here.
    #[inline]
    pub(super) fn cl100k(self) -> Option<usize> {
        if self.byte(0) == b'\'' {
            return None;
        }
        let prefix = self.prefix();
        let letters = self.letters();
        let end = run(letters, prefix);
        let len = self.sure(end)?;
        if end > prefix { Some(len) } else { self.no_word(letters, false) }
    }

    /// Returns the length of the piece that starts here and is no word. Newlines, and in o200k slashes,
    /// come after symbols.
    #[inline]
    fn no_word(self, letters: u64, slashes: bool) -> Option<usize> {
        let digits = self.between(b'0', b'9');
        if has(digits, 0) {
            let end = run(digits, 0);
            return if end < 3 * 8 { self.sure(end) } else { Some(3) };
        }
        let spaces = self.between(b' ', b' ');
        let white = self.between(b'\t', b'\r') | spaces;
        let symbols = !(letters | digits | white | self.0) & HIGH;
        let newlines = self.between(b'\n', b'\n') | self.between(b'\r', b'\r');
        let start = spaces as u32 >> 4 & 8;
        let end = run(symbols, start);
        if end > start {
            let slashes = if slashes { self.between(b'/', b'/') } else { 0 };
            return self.sure(run(newlines | slashes, end));
        }
        let end = run(white, 0);
        let len = self.sure(end)?;
        let newlines = newlines & !(u64::MAX << end);
        if newlines != 0 {
            return Some(8 - newlines.leading_zeros() as usize / 8);
        }
        // The last space belongs to what follows, if it is not the only one.
        Some(len.max(2) - 1)
    }

    #[inline]
    fn byte(self, place: u32) -> u8 {
        (self.0 >> place) as u8
    }

    #[inline]
    fn prefix(self) -> u32 {
        u32::from(PREFIX[usize::from(self.byte(0))])
    }

    #[inline]
    fn letters(self) -> u64 {
        Self(self.0 | repeat(0x20)).between(b'a', b'z')
    }

    /// Returns the set of the bytes between two ASCII characters, both included.
    #[inline]
    fn between(self, first: u8, last: u8) -> u64 {
        let low = self.0 & !HIGH;
        (low + repeat(0x80 - first)) & !(low + repeat(0x7F - last)) & !self.0 & HIGH
    }

    /// Returns the length of a piece, if that is sure: there is a byte behind it, and it is ASCII.
    #[inline]
    fn sure(self, end: u32) -> Option<usize> {
        (end < LAST && !has(self.0, end)).then_some(end as usize / 8)
    }
}

#[inline]
fn has(set: u64, place: u32) -> bool {
    set >> place & 0x80 != 0
}

/// Returns the place of the first byte from `at` on that is not in the set, at most the last.
#[inline]
fn run(set: u64, at: u32) -> u32 {
    let others = (!set & HIGH | 0x80 << LAST) & u64::MAX << at;
    others.trailing_zeros() & !7
}
