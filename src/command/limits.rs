//! The window that a conversation has to fit, and flags that exceed it.
//!
//! Responsible for refusing such flags: more tokens than the window never fit.

use crate::cli::Limits;
use crate::command::Trouble;
use crate::defaults::WINDOW;
use crate::line::counted;

/// The window in tokens: the given one, or the model's. If neither is known, a threshold above the default
/// shows that it is larger.
///
/// # Errors
///
/// The threshold is above the known window.
pub(super) fn window(limits: &Limits, of_model: Option<usize>) -> Result<usize, Trouble> {
    // A ratio makes sense for any window.
    let threshold = limits.threshold.map(|threshold| threshold.within(0));
    let Some(window) = limits.window.or(of_model) else {
        return Ok(threshold.unwrap_or_default().max(WINDOW));
    };
    keep_within(window, "--threshold", threshold).map(|()| window)
}

/// Refuses a flag that asks for more tokens than the window has.
///
/// # Errors
///
/// The flag asks for more.
pub(super) fn keep_within(window: usize, flag: &str, tokens: Option<usize>) -> Result<(), Trouble> {
    match tokens.filter(|tokens| *tokens > window) {
        None => Ok(()),
        Some(tokens) => Err(Trouble::new(
            format!("{flag} {tokens} is above the window of {}", counted(window, "token")),
            format!("{flag} {window} at the most, or a larger --window"),
        )),
    }
}
