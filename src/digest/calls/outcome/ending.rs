//! How a call ended, for callers outside of the digest.
//!
//! Responsible for what an audit and a reader of results need: whether the call failed, and the words for its
//! outcome.

use super::super::Does;
use super::{FAILED, OK, Of, Outcome, Unended, judge};
use crate::conversation::Part;

/// Whether a call failed: by its flag, its exit status, its first words or its last line. A call that the user
/// stopped counts as failed, and so does one that never ran because the user or a rule refused it or another
/// call failed. `does` is what the call does.
#[must_use]
pub fn has_failed(result: &Part<'_>, does: &Does) -> bool {
    ending(Some(result), does).is_none_or(|ending| ending.is_bad)
}

/// How a call that ran has ended.
pub struct Ending {
    /// The outcome in a word or two.
    pub word: &'static str,
    /// Whether it failed or was stopped.
    pub is_bad: bool,
}

/// How a call ended, by its result if it has one. `None` if it never ran, because the user or a rule refused it
/// or its agent cancelled it. `does` is what the call does.
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
