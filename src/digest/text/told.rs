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

impl Told {
    /// Whether both quote the same bytes of one message.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meets = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
        self.message == other.message
            && self.ranges.iter().any(|own| other.ranges.iter().any(|range| meets(own, range)))
    }
}
