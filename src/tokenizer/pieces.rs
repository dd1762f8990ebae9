//! Splitting a text into pieces: many at once if a window can tell, otherwise one by one.

use super::scan::Pattern;
use super::window::{Chunk, WIDTH, Window};

/// The first bytes of a piece of fewer than sixteen, padded with zeros, as two words.
pub(super) type Head = [u64; 2];

/// Passes the pieces of a text to `take`, in order and with their heads if available, until one is refused.
#[inline]
pub(super) fn each_piece<'t, P: Pattern, E>(
    text: &'t str,
    mut take: impl FnMut(&'t [u8], Option<Head>) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = text.as_bytes();
    // The ends of pieces in the window, one bit per position; ends that were used are cleared.
    let (mut chunk, mut ends) = (beginning(rest), 0);
    let mut start = 0;
    loop {
        if ends == 0 {
            rest = &rest[start..];
            if rest.is_empty() {
                return Ok(());
            }
            start = 0;
            chunk = beginning(rest);
            ends = ends_in::<P>(&chunk, rest.len());
        }
        let (end, head) = if ends == 0 {
            (P::end(rest, 0), None)
        } else {
            let end = ends.trailing_zeros() as usize % WIDTH;
            (end, head(&chunk, start, end - start))
        };
        take(&rest[start..end], head)?;
        start = end;
        ends &= ends.wrapping_sub(1);
    }
}

/// The first bytes of a text, padded with zeros.
#[inline]
fn beginning(text: &[u8]) -> Chunk {
    text.first_chunk().copied().unwrap_or_else(|| {
        let mut chunk = [0; size_of::<Chunk>()];
        chunk[..text.len()].copy_from_slice(text);
        chunk
    })
}

/// The ends of pieces in a window, for a text of `len` bytes; 0 if the window can't tell.
#[inline(never)]
fn ends_in<P: Pattern>(chunk: &Chunk, len: usize) -> u64 {
    if begins_in_ascii(chunk) { Window::of(chunk).starts::<P>(len) & !1 } else { 0 }
}

/// Whether using a window is worthwhile.
#[inline]
fn begins_in_ascii(chunk: &Chunk) -> bool {
    chunk.first_chunk::<8>().is_some_and(|bytes| bytes.is_ascii())
}

/// The head of the piece in a chunk that begins at `start`, if the piece is short.
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
    use std::convert::Infallible;

    use super::*;
    use crate::tokenizer::scan::{Cl100k, O200k};

    #[track_caller]
    fn assert_as_scanned<P: Pattern>(text: &str) {
        let mut at = 0;
        let all = each_piece::<P, Infallible>(text, |piece, head| {
            let end = P::end(text.as_bytes(), at);
            assert_eq!(piece, &text.as_bytes()[at..end], "at {at} of {text:?}");
            if let Some([first, second]) = head {
                let bytes = [first.to_le_bytes(), second.to_le_bytes()].concat();
                assert!(bytes.starts_with(piece) && bytes[piece.len()..].iter().all(|b| *b == 0));
            }
            at = end;
            Ok(())
        });
        assert_eq!((all, at), (Ok(()), text.len()));
    }

    /// Uses few kinds of characters, so that every neighbourhood occurs at every place of a window.
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
