//! Exact counts: a vocabulary and its pattern, put to work on texts.
//!
//! Relies on the pattern for where the pieces of a text end and on `encode` for the tokens of a piece.
//! The ids are those of tiktoken's `encode_ordinary`: no part of a text is ever a special token.

use super::Tokenizer;
use super::encode::with_tokens;
use super::scan::{Cl100k, O200k, Pattern};
use super::vocabulary::{CL100K_BASE, O200K_BASE, Vocabulary};

/// Where the piece of a text that starts at a place ends.
type End = fn(&[u8], usize) -> usize;

/// A byte pair encoder.
pub struct Bpe {
    vocabulary: &'static Vocabulary,
    end: End,
}

impl Bpe {
    /// Returns an encoder for `o200k_base`.
    pub fn o200k_base() -> Self {
        Self { vocabulary: &O200K_BASE, end: O200k::end }
    }

    /// Returns an encoder for `cl100k_base`.
    pub fn cl100k_base() -> Self {
        Self { vocabulary: &CL100K_BASE, end: Cl100k::end }
    }

    /// Returns the ids of the tokens of a text.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        for piece in self.pieces(text) {
            with_tokens(self.vocabulary, piece, |tokens| ids.extend_from_slice(tokens));
        }
        ids
    }

    /// Returns the bytes that the tokens stand for. An id that is no token's stands for none.
    pub fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &id in ids {
            self.vocabulary.decode(id, &mut bytes);
        }
        bytes
    }

    fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t [u8]> {
        let bytes = text.as_bytes();
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            at = if start < bytes.len() {
                (self.end)(bytes, start)
            } else {
                return None;
            };
            Some(&bytes[start..at])
        })
    }
}

impl Tokenizer for Bpe {
    fn count(&self, text: &str) -> usize {
        self.pieces(text).map(|piece| with_tokens(self.vocabulary, piece, <[u32]>::len)).sum()
    }
}
