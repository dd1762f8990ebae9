//! Which two tokens merge, and to what: a hash table, and a bit filter that stands before it.

use crate::layout::{FILTER_BITS, Pair};
use crate::vocabulary::Merge;

/// Returns the table: open addressing, a power of two in size, at most four fifths full.
pub(crate) fn table(merges: &[Merge]) -> Vec<u64> {
    let size = (merges.len() * 5 / 4).next_power_of_two();
    let mut slots = vec![0; size];
    for merge in merges {
        let pair = Pair::new(merge.left, merge.right);
        let mut at = pair.hash(size.trailing_zeros());
        while slots[at] != 0 {
            at = (at + 1) % size;
        }
        slots[at] = pair.slot(merge.whole);
    }
    slots
}

/// Returns the filter: the bit of a pair is set if the pair, or one of the same hash, is in the table.
pub(crate) fn filter(merges: &[Merge]) -> Vec<u64> {
    let mut words = vec![0; (1 << FILTER_BITS) / 64];
    for merge in merges {
        let bit = Pair::new(merge.left, merge.right).hash(FILTER_BITS);
        words[bit / 64] |= 1 << (bit % 64);
    }
    words
}
