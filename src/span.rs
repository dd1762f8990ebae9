//! The range of a piece of a text.
//!
//! Responsible for computing it from addresses, without a search. It relies on the piece being a view into
//! the text, not just equal to a part of it.

use std::ops::Range;

/// The range in `whole` that `piece`, a view into it, covers.
pub(crate) fn span_in(whole: impl AsRef<[u8]>, piece: &str) -> Range<usize> {
    let whole = whole.as_ref();
    let start = piece.as_ptr().addr() - whole.as_ptr().addr();
    debug_assert!(start + piece.len() <= whole.len(), "it is a piece of the text");
    start..start + piece.len()
}
