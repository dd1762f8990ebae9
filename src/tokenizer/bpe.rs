//! Exact counts: applies a vocabulary and its pattern to texts.
//!
//! Relies on the pattern for the ends of pieces, and on `encode` for the tokens of a piece. The ids are those
//! of tiktoken's `encode_ordinary`: no part of a text is ever a special token.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::ops::Range;

use super::cache::Cache;
use super::encode::{count_tokens, with_tokens};
use super::pieces::each_piece;
use super::scan::{Cl100k, O200k, Pattern};
use super::vocabulary::{CL100K_BASE, O200K_BASE, Vocabulary};
use super::{LONGEST_TOKEN, Lines, Tokenizer};

/// The bytes of text that are counted without a cache before one is made.
const CACHE_FROM: usize = 1 << 15;

/// A byte-pair encoder.
pub struct Bpe {
    vocabulary: &'static Vocabulary,
    pattern: Kind,
    /// The bytes of all texts counted so far.
    counted: Cell<usize>,
    cache: RefCell<Option<Cache>>,
}

/// The pattern that splits the texts.
#[derive(Clone, Copy)]
enum Kind {
    O200k,
    Cl100k,
}

/// The piece with which a count exceeded its limit, and the count before that piece.
struct Over {
    piece: Range<usize>,
    before: usize,
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
        match self.pattern {
            Kind::O200k => self.encode_by::<O200k>(text),
            Kind::Cl100k => self.encode_by::<Cl100k>(text),
        }
    }

    /// Returns the id of the token that equals this text, if there is one.
    pub fn token(&self, text: &str) -> Option<u32> {
        let is_whole = |(_, length): &(u32, usize)| *length == text.len();
        let longest = || self.vocabulary.longest_prefix(text.as_bytes());
        (!text.is_empty()).then(longest).filter(is_whole).map(|(token, _)| token)
    }

    fn encode_by<P: Pattern>(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let Ok(()) = each_piece::<P, Infallible>(text, |piece, _| {
            with_tokens(self.vocabulary, piece, |tokens| ids.extend_from_slice(tokens));
            Ok(())
        });
        ids
    }

    /// Returns the bytes that the tokens stand for; an unknown id stands for none.
    pub fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &id in ids {
            self.vocabulary.decode(id, &mut bytes);
        }
        bytes
    }

    /// Kept out of the loop over pieces, most of which are in the cache.
    #[inline(never)]
    fn count_piece(&self, piece: &[u8]) -> usize {
        count_tokens(self.vocabulary, piece)
    }

    /// Counts the tokens of a text, or returns the piece that exceeds the limit.
    fn walk(&self, text: &str, limit: usize) -> Result<usize, Over> {
        match self.pattern {
            Kind::O200k => self.walk_by::<O200k>(text, limit),
            Kind::Cl100k => self.walk_by::<Cl100k>(text, limit),
        }
    }

    fn walk_by<P: Pattern>(&self, text: &str, limit: usize) -> Result<usize, Over> {
        self.counted.set(self.counted.get().saturating_add(text.len()));
        let mut cache = self.cache.borrow_mut();
        if self.counted.get() >= CACHE_FROM {
            cache.get_or_insert_with(Cache::new);
        }
        let (mut total, mut at) = (0, 0);
        each_piece::<P, Over>(text, |piece, head| {
            let count = || self.count_piece(piece);
            let before = total;
            total += match &mut *cache {
                Some(cache) => cache.count(piece, head, count),
                None => count(),
            };
            let end = at + piece.len();
            if total > limit {
                return Err(Over { piece: at..end, before });
            }
            at = end;
            Ok(())
        })?;
        Ok(total)
    }

    /// Returns where the first `tokens` tokens of a text end, possibly inside a character.
    fn end_of_tokens(&self, text: &str, tokens: usize) -> usize {
        match self.walk(text, tokens) {
            Ok(_) => text.len(),
            Err(over) => {
                let piece = &text.as_bytes()[over.piece.clone()];
                let len = with_tokens(self.vocabulary, piece, |ids| {
                    let first = &ids[..tokens - over.before];
                    first.iter().map(|&id| self.vocabulary.info(id).len()).sum::<usize>()
                });
                over.piece.start + len
            }
        }
    }
}

impl Tokenizer for Bpe {
    fn count(&self, text: &str) -> usize {
        self.walk(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// A piece ends behind a line break, unless white space or a slash continues it.
    fn count_lines(&self, text: &str, known: &mut Lines) -> usize {
        let bytes = text.as_bytes();
        let begins = |byte: &u8| byte.is_ascii_graphic() && *byte != b'/';
        let breaks = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        let ends = breaks.filter(|&at| bytes.get(at).is_some_and(begins)).chain([text.len()]);
        known.make_room();
        let (mut total, mut start) = (0, 0);
        for end in ends {
            let line = &text[start..end];
            total += known.tokens(line, || self.count(line));
            start = end;
        }
        total
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        if text.len().div_ceil(LONGEST_TOKEN) > limit {
            return None;
        }
        self.walk(text, limit).ok()
    }

    /// Takes the first tokens. Their text can have more tokens when nothing follows it, because the pattern
    /// looks ahead or because it ends inside a character; then it is shortened until it fits.
    fn prefix<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        // One piece may be all of a long text, so only a bounded beginning is examined.
        let most = max_tokens.saturating_add(1).saturating_mul(LONGEST_TOKEN).min(text.len());
        let mut end = self.end_of_tokens(&text[..text.floor_char_boundary(most)], max_tokens);
        for step in STEPS {
            end = text.floor_char_boundary(end);
            if self.count_up_to(&text[..end], max_tokens).is_some() {
                return &text[..end];
            }
            end = end.saturating_sub(step);
        }
        ""
    }

    /// Leaves out the first tokens of a bounded end of the text.
    fn suffix<'t>(&self, text: &'t str, max_tokens: usize) -> &'t str {
        if self.count_up_to(text, max_tokens).is_some() {
            return text;
        }
        let mut len = max_tokens.saturating_mul(4);
        let (part, tokens) = loop {
            let part = &text[text.ceil_char_boundary(text.len().saturating_sub(len))..];
            let tokens = self.count(part);
            if tokens > max_tokens {
                break (part, tokens);
            }
            len = len.saturating_mul(2).max(64);
        };
        let mut start = self.end_of_tokens(part, tokens - max_tokens);
        for step in STEPS {
            let rest = &part[part.ceil_char_boundary(start)..];
            if self.count_up_to(rest, max_tokens).is_some() {
                return rest;
            }
            start = part.len() - rest.len() + step;
        }
        ""
    }
}

/// By how many bytes a cut is moved each time its text has too many tokens; after the last step nothing is
/// kept.
const STEPS: [usize; 8] = [1, 1, 2, 4, 16, 256, 4096, 65_536];

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses few kinds of characters, so that all combinations occur around line breaks.
    #[test]
    fn lines_count_what_their_text_counts() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let kinds =
            ["ab", "S", "'s", " ", "\t", "\n", "\n\n", "\r\n", "1", "(", "/", "é", "\u{a0}"];
        for bpe in [Bpe::o200k_base(), Bpe::cl100k_base()] {
            let mut known = Lines::default();
            for _ in 0..20_000 {
                let text: String = (0..random(12)).map(|_| kinds[random(kinds.len())]).collect();
                assert_eq!(bpe.count_lines(&text, &mut known), bpe.count(&text), "{text:?}");
            }
        }
    }
}
