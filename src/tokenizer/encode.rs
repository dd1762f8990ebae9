//! Encodes one piece: which tokens byte pair merging ends with, without merging.
//!
//! Takes the longest token that fits, checks that it may stand behind the one before, else tries the next
//! shorter one, and steps back where none may. A place from which the rest cannot be encoded is
//! remembered and never tried again, so the time is linear. The algorithm is the one published in the
//! `bpe` crate (MIT). Relies on every token being what its own bytes are encoded to, which the build
//! script asserts.

use super::vocabulary::Vocabulary;

/// Pieces of fewer bytes are encoded on the stack.
const SHORT: usize = 64;

/// Calls `then` with the tokens of a piece, which is not empty.
#[inline]
pub(super) fn with_tokens<T>(
    vocabulary: &Vocabulary,
    piece: &[u8],
    then: impl FnOnce(&[u32]) -> T,
) -> T {
    let first = vocabulary.longest_prefix(piece);
    if vocabulary.info(first).len() == piece.len() {
        return then(&[first]);
    }
    if piece.len() < SHORT {
        let mut tokens = [0; SHORT];
        let count = backtrack(vocabulary, piece, first, &mut tokens, &mut [0]);
        then(&tokens[..count])
    } else {
        let mut tokens = vec![0; piece.len()];
        let mut dead = vec![0; piece.len() / 64 + 1];
        let count = backtrack(vocabulary, piece, first, &mut tokens, &mut dead);
        then(&tokens[..count])
    }
}

/// Writes the tokens of `piece`, of which `first` is the longest prefix, and returns their number.
///
/// There is room for a token a byte, and for a bit at every place, the end included.
#[inline(always)]
fn backtrack(
    vocabulary: &Vocabulary,
    piece: &[u8],
    first: u32,
    tokens: &mut [u32],
    dead: &mut [u64],
) -> usize {
    let mut count = 0;
    let mut at = 0;
    let mut token = first;
    loop {
        let info = vocabulary.info(token);
        let end = at + info.len();
        let alive = dead[end / 64] >> (end % 64) & 1 == 0;
        if alive && (count == 0 || vocabulary.may_meet(tokens[count - 1], token)) {
            tokens[count] = token;
            count += 1;
            at = end;
            if at == piece.len() {
                return count;
            }
            token = vocabulary.longest_prefix(&piece[at..]);
        } else if let Some(shorter) = info.shorter() {
            token = shorter;
        } else {
            dead[at / 64] |= 1 << (at % 64);
            count -= 1;
            token = tokens[count];
            at -= vocabulary.info(token).len();
        }
    }
}
