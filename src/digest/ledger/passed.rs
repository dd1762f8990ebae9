//! When each command passed last, and what that settles.
//!
//! Responsible for knowing what failed again: the command, or each of its steps among those of others, in the same
//! folder, however an earlier digest tells it.

use super::Ledger;
use super::errors::command_of;
use super::fold::{Earlier, Quoted};
use crate::conversation::Conversation;
use crate::digest::calls::commands::is_whole;
use crate::digest::calls::folder::Folder;
use crate::digest::calls::steps::steps;
use crate::digest::text::labels;
use crate::digest::text::point::Point;
use crate::line::on_one_line;
use crate::verbatim::pointer;

impl Ledger {
    /// Enters that a command passed, and each step of it; of a part of one nobody knows which it is.
    pub(super) fn pass(&mut self, command: &str, within: &Folder, now: Point) {
        if command.ends_with('…') {
            return;
        }
        self.passed.insert(whole(command, within), now);
        let steps = steps(command, within).into_iter().filter(|step| step.is_told);
        self.passed.extend(steps.map(|step| (step.key(), now)));
    }

    /// When a command that failed with `why` had passed as a whole, or each step that may have failed with it, if
    /// that was behind a place.
    pub(in crate::digest) fn passed_since(
        &self,
        command: &str,
        within: &Folder,
        why: &str,
        place: Point,
    ) -> Option<Point> {
        let since = |key: &String| {
            let passed = self.passed.get(key).copied();
            passed.filter(|passed| passed.order() > place.order())
        };
        since(&whole(command, within)).or_else(|| {
            let steps = steps(command, within);
            let passed = steps.iter().filter(|step| step.may_fail_with(why)).map(|step| {
                let keys = [Some(step.key()), step.key_of_all()];
                keys.iter().flatten().filter_map(since).max_by_key(|passed| passed.order())
            });
            let passed: Option<Vec<Point>> = passed.collect();
            passed?.into_iter().max_by_key(|passed| passed.order())
        })
    }

    /// The same of a command that an earlier digest tells.
    pub(super) fn passed_as_told(&self, command: &str, why: &str, place: Point) -> Option<Point> {
        self.passed_since(command, &Folder::of(&self.home, command), why, place)
    }

    /// Says of what failed at an earlier time that it has passed since, where it has.
    pub(in crate::digest) fn bring_up_to_date(
        &self,
        earlier: &mut [Earlier],
        conversation: &Conversation<'_>,
    ) {
        for earlier in earlier {
            let text = conversation.messages[earlier.message].parts[earlier.part].text();
            for found in &mut earlier.found {
                self.settle(found, &text);
            }
        }
    }

    /// The same of one, whose lines stand in a text.
    fn settle(&self, found: &mut Quoted<String>, text: &str) {
        let Quoted { heading, lines } = found;
        let Some(open) = heading.strip_suffix(labels::HAS_FAILED) else { return };
        let failed = pointer(open.trim_start_matches("- "));
        let failed = failed.and_then(|text| Point::parse(text, 0));
        let command = command_of(open).filter(|command| is_whole(command));
        let why: String = lines.iter().flat_map(|line| [&text[line.clone()], "\n"]).collect();
        if failed
            .zip(command)
            .is_some_and(|(at, command)| self.passed_as_told(command, &why, at).is_some())
        {
            *heading = format!("{open}{}", labels::PASSED_SINCE);
        }
    }
}

/// What finds a command as a whole; no step is found by it.
fn whole(command: &str, within: &Folder) -> String {
    within.apart(on_one_line(command))
}
