//! Room for the lines of a section, in tokens.
//!
//! Responsible for the cost of a line, and for taking it both from the share of its section and from all
//! that is left.

use crate::digest::Counter;

/// The tokens left for all sections.
pub(super) struct Left<'c> {
    pub(super) tokens: usize,
    pub(super) counter: Counter<'c>,
}

impl<'c> Left<'c> {
    /// The cost of a line in tokens, with its line break.
    pub(super) fn cost(&self, line: &str) -> usize {
        (self.counter.text)(line) + 1
    }

    /// A share of the tokens that are left, or all of them if they are fewer.
    pub(super) fn room(&mut self, share: usize) -> Room<'_, 'c> {
        Room { share: share.min(self.tokens), left: self }
    }

    /// Whether a line fits into all that is left; if so, takes its room.
    pub(super) fn fits(&mut self, line: &str) -> bool {
        self.room(usize::MAX).fits(line)
    }
}

/// The tokens left of a share, and of all that it is part of.
pub(super) struct Room<'l, 'c> {
    share: usize,
    pub(super) left: &'l mut Left<'c>,
}

impl Room<'_, '_> {
    /// Whether a line fits; if so, takes its room.
    pub(super) fn fits(&mut self, line: &str) -> bool {
        self.takes(self.left.cost(line))
    }

    /// Whether a longer line fits in place of one that has its room; if so, takes the difference.
    pub(super) fn fits_instead(&mut self, long: &str, short: &str) -> bool {
        self.takes(self.left.cost(long).saturating_sub(self.left.cost(short)))
    }

    fn takes(&mut self, cost: usize) -> bool {
        let fits = cost <= self.share;
        if fits {
            self.share -= cost;
            self.left.tokens -= cost;
        }
        fits
    }
}
