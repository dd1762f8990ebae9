//! Where a piece of a text stands in it.
//!
//! Responsible for telling it by two addresses, without a search. It relies on the piece being a view of the
//! text, and not only equal to a piece of it.

use std::ops::Range;

/// Where a view of a piece of `whole` stands in it.
pub(crate) fn span_in(whole: impl AsRef<[u8]>, piece: &str) -> Range<usize> {
    let whole = whole.as_ref();
    let start = piece.as_ptr().addr() - whole.as_ptr().addr();
    debug_assert!(start + piece.len() <= whole.len(), "it is a piece of the text");
    start..start + piece.len()
}
