//! Which files git puts back as they were at its last commit.
//!
//! Responsible for finding them by what a command names: a file, a folder, or nothing, which means everything. It
//! relies on the [`Repository`](super::repository::Repository) for what becomes of each file.

use super::Ledger;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::fates::Order;
use crate::digest::files::paths::is_absolute;

impl Ledger {
    /// Takes back what was done to a file, or to all files in a folder.
    pub(super) fn restore(&mut self, touch: &Touch, now: Order) {
        let path = touch.path.trim_start_matches("./").trim_end_matches('/');
        let mut is_last = touch.deed == Deed::Restored;
        let files: Vec<u32> = if path.is_empty() {
            // Files outside the root are not in this repository.
            let is_near = |path: &str| self.paths.root.is_empty() || !is_absolute(path);
            let numbered = (0..).zip(&self.files);
            numbered.filter(|(_, file)| is_near(&file.path)).map(|(number, _)| number).collect()
        } else {
            let inside = self.paths.inside(path).into_iter().map(|(_, number)| number);
            let mut found: Vec<u32> =
                self.paths.number_of(path).into_iter().chain(inside).collect();
            if found.is_empty() && !is_absolute(path) {
                (found, is_last) = (self.paths.below_any(path), false);
            }
            found
        };
        for number in files {
            self.repository.put_back(&mut self.files[number as usize], is_last, now);
        }
    }
}
