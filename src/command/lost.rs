//! Lines of a session log that are no part of its conversation, and go.
//!
//! Responsible for saying so, and for refusing where that would be the end of another session: side chains and
//! branches go with a log that is to be shorter, and nobody asked for less of a session that is not read.

use std::collections::HashSet;

use crate::cli::Writing;
use crate::command::{Shell, Trouble, Visit, replaces};
use crate::document::Edit;
use crate::json::Json;
use crate::line::counted;
use crate::resume::lost::lost_units;
use crate::resume::sessions::lines_of_others;

impl<'a> Visit<'_, 'a> {
    /// What edits take from the file that is no part of the conversation.
    pub(super) fn lost(&self, edits: &[Edit]) -> Vec<Json<'a>> {
        lost_units(self.document, self.conversation, edits)
    }

    /// Refuses edits that take lines of another session from the file that they replace: nothing else may
    /// hold them. `remedy` is what saves them.
    ///
    /// # Errors
    ///
    /// They do.
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

/// Says how many lines go; `goes` says how, and where they are then.
pub(super) fn tell_lost(shell: &Shell, place: &str, lines: usize, goes: &str) {
    let are = if lines == 1 { "is" } else { "are" };
    if lines > 0 {
        let lines = counted(lines, "line");
        let what = format_args!("{lines} that {are} no part of the conversation");
        shell.done(format_args!("{place}: {what} {goes}"));
    }
}
