//! The tokens of one encoding, and the merge that makes each of them.

use std::collections::HashMap;

use tiktoken_rs::CoreBPE;

use crate::layout::{BYTES, Info, MAX_IDS};

/// The tokens by id, which is also the order of the merges.
pub(crate) struct Vocabulary {
    pub(crate) tokens: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
}

/// The last merge that makes a token: the ids of the halves, and the id of the whole.
pub(crate) struct Merge {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) whole: u32,
}

impl Vocabulary {
    /// Reads the ordinary tokens: ids without a gap from 0 on. The special ones come after a gap.
    pub(crate) fn read(source: &CoreBPE) -> Self {
        let tokens: Vec<_> = (0..).map_while(|id| source.decode_bytes(&[id]).ok()).collect();
        assert!(tokens.len() < MAX_IDS, "token ids do not fit");
        assert!(
            tokens.iter().all(|token| !token.starts_with(b"<|")),
            "a special token follows the ordinary ones without a gap",
        );
        assert!(
            tokens.iter().zip(0..).all(|(token, id)| (token.len() == 1) == (id < BYTES)),
            "single bytes do not have the first ids",
        );
        let ids = tokens.iter().cloned().zip(0..).collect();
        Self { tokens, ids }
    }

    /// Returns the merges in the order of the tokens, without those of one byte.
    pub(crate) fn merges(&self) -> Vec<Merge> {
        let long = self.tokens.iter().zip(0..).filter(|(token, _)| token.len() > 1);
        long.map(|(token, whole)| self.last_merge(token, whole)).collect()
    }

    /// Merges the bytes of a token as an encoder would, and stops before the last merge.
    ///
    /// The encoder relies on every token being what its own bytes are encoded to; this asserts it.
    fn last_merge(&self, token: &[u8], whole: u32) -> Merge {
        let mut ends: Vec<usize> = (0..=token.len()).collect();
        while ends.len() > 3 {
            let lowest = (0..ends.len() - 2)
                .filter_map(|i| Some((*self.ids.get(&token[ends[i]..ends[i + 2]])?, i)))
                .min();
            let (id, i) = lowest.expect("a merge inside the token");
            assert!(id < whole, "token {whole} is not made of earlier ones");
            ends.remove(i + 1);
        }
        Merge { left: self.ids[&token[..ends[1]]], right: self.ids[&token[ends[1]..]], whole }
    }

    /// Returns the word of each token that tells its halves, its next shorter prefix and its length.
    pub(crate) fn info(&self, merges: &[Merge]) -> Vec<u64> {
        let mut halves: Vec<_> = self.tokens.iter().map(|token| (u32::from(token[0]), 0)).collect();
        for merge in merges {
            halves[merge.whole as usize] = (merge.left, merge.right);
        }
        let words = self.tokens.iter().zip(halves).map(|(token, (left, right))| {
            assert!(token.len() < 256, "a token's length does not fit");
            let shorter = (1..token.len()).rev().find_map(|len| self.ids.get(&token[..len]));
            Info::pack(left, right, shorter.copied(), token.len()).0
        });
        words.collect()
    }
}
