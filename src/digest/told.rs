//! What a line of the digest quotes of a message.
//!
//! Responsible for naming the place, so that nothing is told twice.

use std::ops::Range;

/// What is quoted of a message: where it stands in its text.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) message: usize,
    pub(super) ranges: Vec<Range<usize>>,
}
