//! What a line of the digest quotes of a message.
//!
//! Responsible for naming the place, so that nothing is told twice.

use std::ops::Range;

/// The ranges of a message's text that are quoted.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) message: usize,
    pub(crate) ranges: Vec<Range<usize>>,
}
