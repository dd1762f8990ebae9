//! Tests that a tool runs in addition, such as an editor that checks each edit.
//!
//! Responsible for recognising their totals in the result, and for telling the tests apart from the edit, which
//! was made. It relies on totals that look like nothing else: a line of numbers and what they count.

use super::Call;
use super::outcome::{self, Outcome};
use crate::conversation::Part;
use crate::digest::files::deed::Deed;

/// The beginning of the tool's name in such a call.
const RUN_BY: &str = "tests run by ";

/// A separate call for the tests whose totals stand in the result of a call that changed a file; `None` if
/// there are none.
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
