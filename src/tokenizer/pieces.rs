//! Splitting a text into pieces: many at once where a window can tell, one by one where it can't.

use std::marker::PhantomData;

use super::scan::Pattern;
use super::window::{Chunk, WIDTH, Window};

/// The first bytes of a piece of fewer than sixteen, and zeros, as two words.
pub(super) type Head = [u64; 2];

/// The pieces of a text, in order, with their heads where those are at hand.
pub(super) struct Pieces<'t, P> {
    /// What begins with the window.
    text: &'t [u8],
    chunk: Chunk,
    /// Where pieces end in the window, a bit a place; those handed out are gone.
    ends: u64,
    /// Where the next piece begins in the window.
    start: usize,
    pattern: PhantomData<P>,
}

impl<'t, P: Pattern> Pieces<'t, P> {
    pub(super) fn of(text: &'t str) -> Self {
        let (text, chunk) = (text.as_bytes(), [0; size_of::<Chunk>()]);
        Self { text, chunk, ends: 0, start: 0, pattern: PhantomData }
    }

    /// Moves the window to the next piece. Returns it, if it does not end in the window.
    #[inline(never)]
    fn move_on(&mut self) -> Option<&'t [u8]> {
        self.text = &self.text[self.start..];
        self.start = 0;
        if let Some(chunk) = self.text.first_chunk() {
            self.chunk = *chunk;
        } else {
            self.chunk[..self.text.len()].copy_from_slice(self.text);
            self.chunk[self.text.len()..].fill(0);
        }
        if begins_in_ascii(&self.chunk) {
            self.ends = Window::of(&self.chunk).starts::<P>(self.text.len()) & !1;
        }
        if self.ends != 0 || self.text.is_empty() {
            return None;
        }
        self.start = P::end(self.text, 0);
        Some(&self.text[..self.start])
    }
}

impl<'t, P: Pattern> Iterator for Pieces<'t, P> {
    type Item = (&'t [u8], Option<Head>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ends == 0 {
            let long = self.move_on();
            if self.ends == 0 {
                return long.map(|piece| (piece, None));
            }
        }
        let start = self.start;
        self.start = self.ends.trailing_zeros() as usize % WIDTH;
        self.ends &= self.ends - 1;
        let piece = &self.text[start..self.start];
        Some((piece, head(&self.chunk, start, piece.len())))
    }
}

/// Whether a window is worth its while.
#[inline]
fn begins_in_ascii(chunk: &Chunk) -> bool {
    chunk.first_chunk::<8>().is_some_and(|bytes| bytes.is_ascii())
}

/// The head of the piece of a chunk that begins at `start`, if it is a short one.
#[inline]
fn head(chunk: &Chunk, start: usize, len: usize) -> Option<Head> {
    let word = |at: usize| Some(u64::from_le_bytes(*chunk.get(at..)?.first_chunk()?));
    if len < 8 {
        Some([word(start)? & ((1 << (8 * len)) - 1), 0])
    } else if len < 16 {
        Some([word(start)?, word(start + 8)? & ((1 << (8 * (len - 8))) - 1)])
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::scan::{Cl100k, O200k};

    #[track_caller]
    fn assert_as_scanned<P: Pattern>(text: &str) {
        let mut at = 0;
        for (piece, head) in Pieces::<P>::of(text) {
            let end = P::end(text.as_bytes(), at);
            assert_eq!(piece, &text.as_bytes()[at..end], "at {at} of {text:?}");
            if let Some([first, second]) = head {
                let bytes = [first.to_le_bytes(), second.to_le_bytes()].concat();
                assert!(bytes.starts_with(piece) && bytes[piece.len()..].iter().all(|b| *b == 0));
            }
            at = end;
        }
        assert_eq!(at, text.len());
    }

    /// Few kinds of characters, so that every neighbourhood comes up at every place of a window.
    #[test]
    fn a_window_finds_what_the_scanner_finds() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let kinds =
            ["a", "bc", "S", "'s", "'", " ", "  ", "\t", "\n", "\r\n", "1", "(", "//", "é", "ſ"];
        for _ in 0..20_000 {
            let few: Vec<&str> = (0..2 + random(6)).map(|_| kinds[random(kinds.len())]).collect();
            let text: String = (0..random(150)).map(|_| few[random(few.len())]).collect();
            assert_as_scanned::<O200k>(&text);
            assert_as_scanned::<Cl100k>(&text);
        }
    }
}
