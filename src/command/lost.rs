//! Lines of a session log that are removed although they are no part of its conversation.
//!
//! Responsible for finding and reporting them: side chains and branches are removed from a log that is made
//! shorter.

use crate::command::{Shell, Visit};
use crate::document::Edit;
use crate::json::Json;
use crate::line::counted;
use crate::resume::lost::lost_units;

impl<'a> Visit<'_, 'a> {
    /// The units that edits remove although they are no part of the conversation.
    pub(super) fn lost(&self, edits: &[Edit]) -> Vec<Json<'a>> {
        lost_units(self.document, self.conversation, edits)
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
