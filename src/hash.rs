//! Hashes that are the same on every machine.
//!
//! Responsible for one that is the same in every version too, for names that are derived from what they
//! name, and for a quick one, for tables that are looked into for every line of a long conversation.

use std::hash::{BuildHasherDefault, Hasher};

/// FNV-1a of 64 bits.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

/// Puts a word into a quick hash.
pub(crate) fn mix(state: u64, word: u64) -> u64 {
    (state.rotate_left(5) ^ word).wrapping_mul(FACTOR)
}

/// A quick hash: multiplicative, eight bytes at a time.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = mix(words.fold(bytes.len() as u64, mix), u64::from_le_bytes(last));
    state ^ (state >> 32)
}

/// The quick hash of the keys of a table.
#[derive(Default)]
pub(crate) struct Quick(u64);

/// Makes a table quick.
pub(crate) type BuildQuick = BuildHasherDefault<Quick>;

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = mix(self.0, hash(bytes));
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 = mix(self.0, byte.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }

    /// A table takes the lowest bits, and the highest are the best.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
