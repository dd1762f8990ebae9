//! Encodes one piece: finds the tokens with which byte-pair merging ends, without merging.
//!
//! Takes the longest token that fits and checks that it may follow the one before; otherwise tries the next
//! shorter one, and steps back if none may. A position from which the rest can't be encoded is remembered and
//! never tried again, so the time is linear. The algorithm is the one published in the `bpe` crate (MIT).
//! Short pieces that are only counted are merged after all. Relies on every token being the encoding of its
//! own bytes, which the build script asserts.

use super::layout::Pair;
use super::vocabulary::Vocabulary;

/// Pieces of fewer bytes are encoded on the stack.
const SHORT: usize = 128;
/// Pieces of at most this many bytes are merged: examining each token in them is faster than searching for
/// tokens that may meet.
const FEW: usize = 8;
/// How many answers are remembered for long pieces: a run of one character asks the same slow questions again
/// and again.
const REMEMBERED: usize = 1 << 10;

/// Returns the number of tokens of a piece, which is not empty.
///
/// Of three bytes that are no token together, two stay together if they are a token; which two does not
/// matter for the count. Such pieces are the most frequent ones in ids and base64.
#[inline]
pub(super) fn count_tokens(vocabulary: &Vocabulary, piece: &[u8]) -> usize {
    let (first, len) = vocabulary.longest_prefix(piece);
    match (piece.len(), len) {
        (all, len) if all == len => 1,
        (2, _) | (3, 2) => 2,
        (3, _) => 4 - vocabulary.longest_prefix(&piece[1..]).1,
        (4..=FEW, _) => count_by_merging(vocabulary, piece),
        _ => with_more_tokens(vocabulary, piece, first, <[u32]>::len),
    }
}

/// Returns the number of tokens of a piece of at most [`FEW`] bytes by merging, as the encoding is defined:
/// of all neighbours that together are a token, those with the lowest id merge first.
fn count_by_merging(vocabulary: &Vocabulary, piece: &[u8]) -> usize {
    let mut tokens = [[u32::MAX; FEW + 1]; FEW];
    for (start, tokens) in tokens.iter_mut().enumerate().take(piece.len()) {
        for (token, len) in vocabulary.prefixes(&piece[start..]) {
            tokens[start + len] = token;
        }
    }
    let mut cuts: [usize; FEW + 1] = std::array::from_fn(|at| at);
    let mut count = piece.len();
    loop {
        let merged = |at: usize| tokens[cuts[at]][cuts[at + 2]];
        let first = (0..count - 1).min_by_key(|&at| merged(at));
        let Some(first) = first.filter(|&at| merged(at) < u32::MAX) else { return count };
        cuts.copy_within(first + 2..=count, first + 1);
        count -= 1;
    }
}

/// Calls `then` with the tokens of a piece, which is not empty.
pub(super) fn with_tokens<T>(
    vocabulary: &Vocabulary,
    piece: &[u8],
    then: impl FnOnce(&[u32]) -> T,
) -> T {
    let (first, len) = vocabulary.longest_prefix(piece);
    if len == piece.len() {
        return then(&[first]);
    }
    with_more_tokens(vocabulary, piece, first, then)
}

/// Calls `then` with the tokens of a piece, whose longest prefix `first` is not the whole piece.
#[inline]
fn with_more_tokens<T>(
    vocabulary: &Vocabulary,
    piece: &[u8],
    first: u32,
    then: impl FnOnce(&[u32]) -> T,
) -> T {
    let after = |last, token| vocabulary.longest_after(last, token);
    if piece.len() < SHORT {
        let mut tokens = [0; SHORT];
        let mut dead = [0; SHORT / 64];
        let count = backtrack(vocabulary, piece, first, &mut tokens, &mut dead, after);
        then(&tokens[..count])
    } else {
        let mut tokens = vec![0; piece.len()];
        let mut dead = vec![0; piece.len() / 64 + 1];
        let after = remembering(after);
        let count = backtrack(vocabulary, piece, first, &mut tokens, &mut dead, after);
        then(&tokens[..count])
    }
}

/// Returns a function that remembers the latest answers of `answer`.
fn remembering(answer: impl Fn(u32, u32) -> Option<u32>) -> impl FnMut(u32, u32) -> Option<u32> {
    let mut answers = vec![None; REMEMBERED];
    move |last, token| {
        let slot = &mut answers[Pair::new(last, token).hash(REMEMBERED.trailing_zeros())];
        match *slot {
            Some((question, answer)) if question == (last, token) => answer,
            _ => {
                let answer = answer(last, token);
                *slot = Some(((last, token), answer));
                answer
            }
        }
    }
}

/// Writes the tokens of `piece`, whose longest prefix is `first`, and returns their number.
///
/// There must be room for one token per byte, and one bit per position, the end included. `after` returns the
/// longest prefix of a token that may follow another one.
#[inline]
fn backtrack(
    vocabulary: &Vocabulary,
    piece: &[u8],
    first: u32,
    tokens: &mut [u32],
    dead: &mut [u64],
    mut after: impl FnMut(u32, u32) -> Option<u32>,
) -> usize {
    let mut count = 0;
    let mut at = 0;
    let mut token = Some(first);
    loop {
        if count > 0 {
            token = token.and_then(|token| after(tokens[count - 1], token));
        }
        if let Some(fitting) = token {
            let info = vocabulary.info(fitting);
            let end = at + info.len();
            if dead[end / 64] >> (end % 64) & 1 != 0 {
                token = info.shorter();
                continue;
            }
            tokens[count] = fitting;
            count += 1;
            at = end;
            if at == piece.len() {
                return count;
            }
            token = Some(vocabulary.longest_prefix(&piece[at..]).0);
        } else {
            dead[at / 64] |= 1 << (at % 64);
            count -= 1;
            let info = vocabulary.info(tokens[count]);
            at -= info.len();
            token = info.shorter();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokenizer::vocabulary::{CL100K_BASE, O200K_BASE};

    proptest! {
        #[test]
        fn few_bytes_merge_to_the_tokens_that_are_found(
            piece in "[aeinrst]{1,8}|[A-Za-z+/]{1,8}|[ =_-]{1,8}|[aé中]{1,2}"
        ) {
            let piece = piece.as_bytes();
            for vocabulary in [&O200K_BASE, &CL100K_BASE] {
                let found = with_tokens(vocabulary, piece, <[u32]>::len);
                prop_assert_eq!(count_by_merging(vocabulary, piece), found);
                prop_assert_eq!(count_tokens(vocabulary, piece), found);
            }
        }
    }
}
