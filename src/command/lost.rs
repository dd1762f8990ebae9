//! Lines of a session log that are removed although they are no part of its conversation.
//!
//! Responsible for reporting them: side chains and branches are removed from a log that is made
//! shorter.

use crate::command::Shell;
use crate::line::counted;

/// Reports how many lines are removed; `goes` tells how, and where they are kept.
pub(super) fn tell_lost(shell: &Shell, place: &str, lines: usize, goes: &str) {
    let are = if lines == 1 { "is" } else { "are" };
    if lines > 0 {
        let lines = counted(lines, "line");
        let what = format_args!("{lines} that {are} no part of the conversation");
        shell.done(format_args!("{place}: {what} {goes}"));
    }
}
