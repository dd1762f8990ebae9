//! The window that a conversation has to fit, and flags that would let it be larger.
//!
//! Responsible for refusing those: what is above the window does not fit, whatever is asked for.

use crate::cli::Limits;
use crate::command::Trouble;
use crate::defaults::WINDOW;
use crate::line::counted;

/// The window: the one that is given, or the model's. Where neither is known a threshold beyond the default
/// says that it is larger.
///
/// # Errors
///
/// The threshold is above a window that is known.
pub(super) fn window(limits: &Limits, of_model: Option<usize>) -> Result<usize, Trouble> {
    // A ratio is of any window.
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
/// It does.
pub(super) fn keep_within(window: usize, flag: &str, tokens: Option<usize>) -> Result<(), Trouble> {
    match tokens.filter(|tokens| *tokens > window) {
        None => Ok(()),
        Some(tokens) => Err(Trouble::new(
            format!("{flag} {tokens} is above the window of {}", counted(window, "token")),
            format!("{flag} {window} at the most, or a larger --window"),
        )),
    }
}
