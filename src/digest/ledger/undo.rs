//! What git puts back: files as they were when it committed last.
//!
//! Responsible for taking back of each file what was done since, and for saying where nobody knows what
//! that was. It relies on the ledger for what git has kept.

use super::Ledger;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::fates::{Order, time};
use crate::digest::files::paths::is_absolute;
use crate::digest::text::point::Point;

impl Ledger {
    /// Takes back what was done to a file, or to those in a folder.
    pub(super) fn restore(&mut self, touch: &Touch, now: Order) {
        let path = touch.path.trim_start_matches("./").trim_end_matches('/');
        let mut is_last = touch.deed == Deed::Restored;
        let files: Vec<u32> = if path.is_empty() {
            // What lies elsewhere git does not follow here.
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
            self.put_back(number, is_last, now);
        }
    }

    /// Takes back what was done to a file since git committed last, or says that some of it may be gone
    /// where nobody knows what.
    fn put_back(&mut self, number: u32, is_last: bool, now: Order) {
        if self.is_stashed(&self.files[number as usize]) {
            // What is put away is not there.
            return;
        }
        let file = &mut self.files[number as usize];
        if !file.is_changed() || is_last && file.fates.is_restored() {
            return;
        }
        let (committed, partly) = (self.committed.map(time), self.partly.map(time));
        let (first, last) = (file.first.map(Point::order), file.last.map(Point::order));
        let may_be_kept = partly > committed && first <= partly && last > committed;
        // What git does not know yet stays.
        if file.created && first > committed.max(partly) {
            return;
        }
        if is_last && !may_be_kept && !file.moved {
            if last > committed {
                file.deleted = false;
                // One that git keeps as it was made need not have been edited.
                file.edits = if file.created { 0 } else { file.edits };
                file.restore(now, self.committed);
            }
        } else if !is_last || last > committed {
            file.doubt(now);
        }
    }
}
