//! When each command last passed, and what that settles.
//!
//! Responsible for recognising a failed command in one that passed: as a whole, or each of its steps among
//! those of other commands, in the same folder, and also as an earlier digest tells it.

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
    /// Enters that a command passed, and each of its steps that must have passed with it. A shortened
    /// command is ignored, since nobody knows which one it is.
    pub(super) fn pass(&mut self, command: &str, within: &Folder, now: Point) {
        if command.ends_with('…') {
            return;
        }
        self.passed.insert(whole(command, within), now);
        for step in steps(command, within, &self.home).into_iter().filter(|it| it.is_told) {
            self.passed_steps.entry(step.run().to_owned()).or_default().insert(step, now);
        }
    }

    /// When a command that failed with `why` last passed after `place`: as a whole, or each step that may
    /// have failed so. `None` if it has not.
    pub(in crate::digest) fn passed_since(
        &self,
        command: &str,
        within: &Folder,
        why: &str,
        place: Point,
    ) -> Option<Point> {
        let is_since = |passed: &Point| passed.order() > place.order();
        let at_once = self.passed.get(&whole(command, within)).copied();
        at_once.filter(is_since).or_else(|| {
            let steps = steps(command, within, &self.home);
            let passed = steps.iter().filter(|step| step.may_fail_with(why)).map(|step| {
                let same = self.passed_steps.get(step.run()).into_iter().flatten();
                let covers = same.filter(|(passed, _)| passed.covers(step));
                let passed = covers.map(|(_, passed)| *passed).filter(is_since);
                passed.max_by_key(|passed| passed.order())
            });
            let passed: Option<Vec<Point>> = passed.collect();
            passed?.into_iter().max_by_key(|passed| passed.order())
        })
    }

    /// As [`Ledger::passed_since`], for a command as an earlier digest tells it.
    pub(super) fn passed_as_told(&self, command: &str, why: &str, place: Point) -> Option<Point> {
        self.passed_since(command, &Folder::of(&self.home, command), why, place)
    }

    /// Marks the failures of earlier digests whose commands have passed since, and the processes that have ended.
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
            for line in &mut earlier.state {
                self.over.iter().for_each(|over| over.enter_in(line));
            }
        }
    }

    /// Marks a failure as passed since, if it was. Its lines are ranges of `text`.
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

/// The key of a whole command.
fn whole(command: &str, within: &Folder) -> String {
    within.apart(on_one_line(command))
}
