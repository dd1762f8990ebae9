//! Lines of a session log that are removed although they are no part of its conversation.
//!
//! Responsible for reporting them, and for refusing to remove another session. Side chains and branches are
//! removed from a log that is made shorter, but no one asked to shorten a session that is not read.

use std::collections::HashSet;

use crate::cli::Writing;
use crate::command::{Shell, Trouble, Visit, replaces};
use crate::document::Edit;
use crate::json::Json;
use crate::line::counted;
use crate::resume::lost::lost_units;
use crate::resume::sessions::lines_of_others;

impl<'a> Visit<'_, 'a> {
    /// The units that edits remove although they are no part of the conversation.
    pub(super) fn lost(&self, edits: &[Edit]) -> Vec<Json<'a>> {
        lost_units(self.document, self.conversation, edits)
    }

    /// Refuses edits that would remove lines of another session from the file that is replaced, because these
    /// lines may exist nowhere else. `remedy` tells how to save them.
    ///
    /// # Errors
    ///
    /// The edits would remove such lines.
    pub(super) fn keep_other_sessions(
        &self,
        edits: &[Edit],
        writing: &Writing,
        remedy: &str,
    ) -> Result<(), Trouble> {
        let others = if replaces(writing, self.name) {
            lines_of_others(self.conversation)
        } else {
            Vec::new()
        };
        if others.is_empty() {
            return Ok(());
        }
        let place = |line: &Json<'_>| line.source().as_ptr();
        let lost: HashSet<_> = self.lost(edits).iter().map(place).collect();
        match others.iter().filter(|line| lost.contains(&place(line))).count() {
            0 => Ok(()),
            lost => {
                let lines = counted(lost, "line");
                Err(Trouble::new(format!("{lines} of another session would be lost"), remedy))
            }
        }
    }
}

/// Reports how many lines are removed; `goes` tells how, and where they are kept.
pub(super) fn tell_lost(shell: &Shell, place: &str, lines: usize, goes: &str) {
    let are = if lines == 1 { "is" } else { "are" };
    if lines > 0 {
        let lines = counted(lines, "line");
        let what = format_args!("{lines} that {are} no part of the conversation");
        shell.done(format_args!("{place}: {what} {goes}"));
    }
}
