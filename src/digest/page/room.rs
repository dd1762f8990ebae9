//! Room for the lines of a section, in tokens.
//!
//! Responsible for what a line takes, and for taking it both of the share of a section and of all that is left.

use crate::digest::Request;

/// What is left of a share, and of all that it is part of.
pub(super) struct Room<'r> {
    request: &'r Request<'r, 'r>,
    share: usize,
    left: &'r mut usize,
}

/// What a line counts, with its end.
pub(super) fn cost(request: &Request<'_, '_>, line: &str) -> usize {
    (request.count)(line) + 1
}

impl<'r> Room<'r> {
    /// So many tokens of those that are left, or all of these where they are fewer.
    pub(super) fn of(request: &'r Request<'r, 'r>, share: usize, left: &'r mut usize) -> Self {
        Self { request, share: share.min(*left), left }
    }

    /// All that is left.
    pub(super) fn whole(request: &'r Request<'r, 'r>, left: &'r mut usize) -> Self {
        Self::of(request, usize::MAX, left)
    }

    /// Whether a line fits, which then takes its room.
    pub(super) fn fits(&mut self, line: &str) -> bool {
        self.takes(cost(self.request, line))
    }

    /// Whether a longer line fits in place of one that has its room.
    pub(super) fn fits_instead(&mut self, long: &str, short: &str) -> bool {
        self.takes(cost(self.request, long).saturating_sub(cost(self.request, short)))
    }

    fn takes(&mut self, cost: usize) -> bool {
        let fits = cost <= self.share;
        if fits {
            self.share -= cost;
            *self.left -= cost;
        }
        fits
    }
}
