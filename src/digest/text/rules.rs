//! The rules among a user's words.
//!
//! Responsible for finding them in a text of several sentences; what makes a sentence a rule is
//! [`prose`]'s to say. A rule stays in force, so it is kept before what the user only said.

use super::{prose, units};

/// Whether a text of the user contains a rule.
#[must_use]
pub fn binds(text: &str) -> bool {
    let mut found = false;
    // What they pasted as code is none.
    units::sentences(text, |sentence| {
        found |= !sentence.is_code && prose::is_rule(&text[sentence.range]);
    });
    found
}

/// Whether the rules of a text are few enough to count as such: those of a longer one would leave no room for
/// its task.
pub(crate) fn are_few(text: &str) -> bool {
    text.len() <= FEW
}

/// The greatest length in bytes of a text with few rules.
const FEW: usize = 1500;

/// Visits each statement with a rule in a text of the user, as it is told, if they are few.
pub(crate) fn each(text: &str, mut visit: impl FnMut(&str)) {
    if !are_few(text) {
        return;
    }
    units::statements(
        text,
        |_| true,
        |statement| {
            let words = &text[statement.range];
            if !statement.is_code && binds(words) {
                visit(words);
            }
        },
    );
}
