//! Hashes that are the same on every machine.
//!
//! Responsible for a hash that is also the same in every version, for names that are derived from content,
//! and for a quick hash, for tables that are consulted for every line of a long conversation.

use std::hash::{BuildHasherDefault, Hasher};

/// The FNV-1a hash of a text, 64 bits.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

/// Mixes a word into the state of a quick hash.
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

/// The hasher for the keys of quick tables.
#[derive(Default)]
pub(crate) struct Quick(u64);

/// Builds the hasher of a quick table.
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

    /// A table uses the lowest bits, but the highest bits are the best mixed.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
