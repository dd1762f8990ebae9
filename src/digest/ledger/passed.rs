//! When each command passed last, and what that settles.
//!
//! Responsible for knowing a command that failed again by which of its runs have the same identity in the same
//! folder, however an earlier digest tells it.

use super::Ledger;
use super::fold::Earlier;
use crate::digest::calls::{commands, within};
use crate::digest::text::labels;
use crate::digest::text::point::Point;
use crate::verbatim::pointer;

impl Ledger {
    /// Enters that a command passed; of a part of one nobody knows which it is.
    pub(super) fn pass(&mut self, command: &str, within: &str, now: Point) {
        if !command.ends_with('…') {
            self.passed.insert(commands::placed(commands::identity(command), within), now);
        }
    }

    /// When a command passed last, if that was behind a place.
    pub(in crate::digest) fn passed_since(
        &self,
        command: &str,
        within: &str,
        place: Point,
    ) -> Option<Point> {
        let command = commands::placed(commands::identity(command), within);
        let passed = self.passed.get(&command).copied();
        passed.filter(|passed| passed.order() > place.order())
    }

    /// The same of a command that an earlier digest tells.
    pub(super) fn passed_as_told(&self, command: &str, place: Point) -> Option<Point> {
        self.passed_since(command, &within::told_by(&self.home, command), place)
    }

    /// Says of what failed at an earlier time that it has passed since, where it has.
    pub(in crate::digest) fn bring_up_to_date(&self, earlier: &mut [Earlier]) {
        for heading in earlier.iter_mut().flat_map(|earlier| &mut earlier.found) {
            let heading = &mut heading.heading;
            let Some(open) = heading.strip_suffix(labels::HAS_FAILED) else { continue };
            let failed = pointer(open.trim_start_matches("- "));
            let failed = failed.and_then(|text| Point::parse(text, 0));
            let command = open.split('`').nth(1).filter(|command| commands::is_whole(command));
            if failed
                .zip(command)
                .is_some_and(|(at, command)| self.passed_as_told(command, at).is_some())
            {
                *heading = format!("{open}{}", labels::PASSED_SINCE);
            }
        }
    }
}
