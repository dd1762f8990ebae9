//! The tests that a tool runs beside what it is called for, as an editor that checks each edit.
//!
//! Responsible for knowing by the totals of the result that some failed, and for telling that apart from the
//! edit, which was made. It relies on totals that nothing else looks like: a line of numbers and what they count.

use super::Call;
use super::outcome::{self, Outcome};
use crate::conversation::Part;
use crate::digest::files::deed::Deed;

/// How the tool is named that ran them.
const RUN_BY: &str = "tests run by ";

/// A call of its own for tests that failed in the result of one that changed a file, and so was made.
pub(super) fn own_run(call: &Call, answer: &Part<'_>) -> Option<Call> {
    if call.command.is_some() || !call.deed.changes() || !call.outcome.went_well() {
        return None;
    }
    let text = answer.text();
    let (passed, line) = outcome::tested(&text)?;
    let outcome =
        Outcome { failed: !passed, is_total: true, line: Some(line), ..Outcome::default() };
    let tool = format!("{RUN_BY}{}", call.tool).into();
    Some(Call {
        place: call.place,
        result: call.result,
        deed: Deed::Other,
        tool,
        outcome,
        ..Call::default()
    })
}
