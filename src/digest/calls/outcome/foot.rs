//! The end of what a program printed.
//!
//! Responsible for how much of it is read: totals and last words stand there, however long the output is.

/// How many bytes at the end of a result are searched for totals.
const NEAR: usize = 4000;

/// The end of a text.
pub(super) fn foot(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(NEAR))..]
}
