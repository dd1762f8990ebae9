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

/// Visits each statement with a rule in a text of the user, as it is told.
pub(crate) fn each(text: &str, mut visit: impl FnMut(&str)) {
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
