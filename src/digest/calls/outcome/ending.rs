//! How a call ended, for those who write no digest.
//!
//! Responsible for the words that an audit and a reader of results need: whether it failed, and what is told of it.

use super::super::Does;
use super::{FAILED, OK, Of, Outcome, Unended, judge};
use crate::conversation::Part;

/// Whether a tool says that it failed: by its flag, by an exit status, or by its first words or its
/// last line; or that it was never run, for the user or a rule refused it or another call failed, or that the
/// user stopped it. `does` is what the call does.
#[must_use]
pub fn has_failed(result: &Part<'_>, does: &Does) -> bool {
    ending(Some(result), does).is_none_or(|ending| ending.is_bad)
}

/// How a call ended that was run.
pub struct Ending {
    /// In a word or two.
    pub word: &'static str,
    /// Whether it failed or was stopped.
    pub is_bad: bool,
}

/// How a call ended, by its result if it has one; `None` where it was never run, for the user or a rule refused it
/// or its agent cancelled it. `does` is what it does.
#[must_use]
pub fn ending(result: Option<&Part<'_>>, does: &Does) -> Option<Ending> {
    let of = Of::new(does.command.as_deref(), !does.changes.is_empty());
    let outcome = result.map(|result| judge(result, of));
    let (word, is_bad) = match outcome {
        None => (Unended::Abandoned.words(), false),
        Some(outcome) if outcome.never_ran() => return None,
        Some(Outcome { failed: true, .. }) => (FAILED, true),
        Some(Outcome { unended: Some(unended), .. }) => {
            (unended.words(), unended == Unended::Interrupted)
        }
        Some(_) => (OK, false),
    };
    Some(Ending { word, is_bad })
}
