//! What a line of the digest quotes of a message.
//!
//! Responsible for naming the place, so that nothing is told twice.

use std::ops::Range;

/// What is quoted of a message: where it stands in its text.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) message: usize,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Told {
    /// Whether both quote a part of one message.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meets = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
        self.message == other.message
            && self.ranges.iter().any(|own| other.ranges.iter().any(|range| meets(own, range)))
    }
}
