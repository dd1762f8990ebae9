//! Exact counts: a vocabulary and its pattern, put to work on texts.
//!
//! Relies on the pattern for where the pieces of a text end and on `encode` for the tokens of a piece.
//! The ids are those of tiktoken's `encode_ordinary`: no part of a text is ever a special token.

use std::cell::{Cell, RefCell};

use super::Tokenizer;
use super::cache::Cache;
use super::encode::with_tokens;
use super::scan::{Cl100k, O200k, Pattern};
use super::vocabulary::{CL100K_BASE, O200K_BASE, Vocabulary};
use super::window::Window;

/// Texts are counted without a cache until there were so many bytes of them.
const CACHE_FROM: usize = 4096;

/// A byte pair encoder.
pub struct Bpe {
    vocabulary: &'static Vocabulary,
    pattern: Kind,
    /// The bytes of all texts counted so far.
    counted: Cell<usize>,
    cache: RefCell<Option<Cache>>,
}

/// Which pattern splits the texts.
#[derive(Clone, Copy)]
enum Kind {
    O200k,
    Cl100k,
}

impl Bpe {
    /// Returns an encoder for `o200k_base`.
    pub fn o200k_base() -> Self {
        Self::new(&O200K_BASE, Kind::O200k)
    }

    /// Returns an encoder for `cl100k_base`.
    pub fn cl100k_base() -> Self {
        Self::new(&CL100K_BASE, Kind::Cl100k)
    }

    fn new(vocabulary: &'static Vocabulary, pattern: Kind) -> Self {
        Self { vocabulary, pattern, counted: Cell::new(0), cache: RefCell::new(None) }
    }

    /// Returns the ids of the tokens of a text.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        for piece in self.pieces(text) {
            with_tokens(self.vocabulary, piece, |tokens| {
                ids.extend_from_slice(tokens)
            });
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

    /// Calls `visit` with the place and the bytes of each piece, until it returns false.
    #[inline]
    fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t [u8]> {
        let bytes = text.as_bytes();
        let end = match self.pattern {
            Kind::O200k => O200k::end,
            Kind::Cl100k => Cl100k::end,
        };
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            at = if start < bytes.len() { end(bytes, start) } else { return None };
            Some(&bytes[start..at])
        })
    }

    fn count_pieces<P: Pattern>(&self, text: &str, limit: usize) -> Option<usize> {
        let text = text.as_bytes();
        self.counted.set(self.counted.get().saturating_add(text.len()));
        let mut cache = self.cache.borrow_mut();
        if self.counted.get() >= CACHE_FROM {
            cache.get_or_insert_with(Cache::new);
        }
        let mut total = 0;
        let mut at = 0;
        while at < text.len() {
            let window = Window::load(text, at);
            let short = window.and_then(|window| P::end_in_window(text, at, window));
            let end = short.unwrap_or_else(|| P::end(text, at));
            let piece = &text[at..end];
            let count = || with_tokens(self.vocabulary, piece, <[u32]>::len);
            total += match (&mut *cache, window) {
                (Some(cache), Some(window)) if piece.len() < 8 => {
                    cache.short(window, piece.len(), count)
                }
                (Some(cache), _) => cache.any(piece, count),
                (None, _) => count(),
            };
            if total > limit {
                return None;
            }
            at = end;
        }
        Some(total)
    }
}

impl Tokenizer for Bpe {
    fn count(&self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX).expect("no text has more tokens")
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        match self.pattern {
            Kind::O200k => self.count_pieces::<O200k>(text, limit),
            Kind::Cl100k => self.count_pieces::<Cl100k>(text, limit),
        }
    }
}
