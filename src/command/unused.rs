//! Why a result uses little of the room that it was given.
//!
//! Responsible for saying so: messages stay or go whole, and newest ones that are too large leave a
//! result without an end.

use crate::command::Shell;

/// Says that the newest messages went for want of room, where most of it is left: of the budget so many
/// tokens are used. `hint` is what shortens them.
pub(super) fn warn_of_unused(
    shell: &Shell,
    place: &str,
    (used, budget): (usize, usize),
    hint: &str,
) {
    if used < budget / 2 {
        let what = "the newest messages do not fit and go";
        let line = format_args!("{place}: {what}: {used} of {budget} tokens are used");
        shell.warn_with_hint(line, Some(hint));
    }
}
