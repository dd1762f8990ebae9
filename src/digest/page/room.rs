//! Room for the lines of a section, in tokens.
//!
//! Responsible for what a line takes, and for taking it both of the share of a section and of all that is left.

use crate::digest::Counter;

/// What is left for all sections.
pub(super) struct Left<'c> {
    pub(super) tokens: usize,
    pub(super) counter: Counter<'c>,
}

impl<'c> Left<'c> {
    /// What a line counts, with its end.
    pub(super) fn cost(&self, line: &str) -> usize {
        (self.counter.text)(line) + 1
    }

    /// So many tokens of those that are left, or all of these where they are fewer.
    pub(super) fn room(&mut self, share: usize) -> Room<'_, 'c> {
        Room { share: share.min(self.tokens), left: self }
    }

    /// Whether a line fits into all that is left, which then takes its room.
    pub(super) fn fits(&mut self, line: &str) -> bool {
        self.room(usize::MAX).fits(line)
    }
}

/// What is left of a share, and of all that it is part of.
pub(super) struct Room<'l, 'c> {
    share: usize,
    pub(super) left: &'l mut Left<'c>,
}

impl Room<'_, '_> {
    /// Whether a line fits, which then takes its room.
    pub(super) fn fits(&mut self, line: &str) -> bool {
        self.takes(self.left.cost(line))
    }

    /// Whether a longer line fits in place of one that has its room.
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
