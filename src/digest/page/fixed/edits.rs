//! The last edits, told with their lines.
//!
//! Responsible for what the work goes on with: where there is little room each other edit is told by one line.

use std::ops::Range;

use super::Room;
use crate::conversation::Place;
use crate::digest::Request;
use crate::digest::calls::Call;
use crate::digest::ledger::Ledger;
use crate::digest::text::labels;

/// How many are told, and in how many per cent of the budget. Measured: of what was changed readers of compactions at the
/// size of a model's summary missed what the last edits did more than anything else; of five in twice the room they
/// had no more.
const EDITS: usize = 3;
const SHARE: usize = 7;
/// In how many tokens: with fewer names are lost for them, and with more what edits wrote stands with their files.
const ROOM: Range<usize> = 1100..5000;

/// The last edits, and where they were made.
pub(super) fn last_edits(
    request: &Request<'_, '_>,
    all: &[Call],
    ledger: &Ledger,
    left: &mut usize,
) -> Vec<(String, Place)> {
    if !ROOM.contains(&request.budget) {
        return Vec::new();
    }
    let mut room = Room::of(request, request.share(SHARE), left);
    let made = all.iter().rev().filter(|call| call.outcome.went_well());
    let touched = made.flat_map(|call| call.touches.iter().rev().map(move |touch| (call, touch)));
    let edits = touched.filter_map(|(call, touch)| {
        let body = touch.edits.iter().find_map(|edit| edit.body.as_ref())?;
        let (at, path) = (call.place.0, ledger.paths.told(&touch.path));
        let file = &ledger.files[ledger.paths.number_of(&touch.path)? as usize];
        // Of what was taken back nothing is told.
        let made = file.changes.iter().find(|made| made.order == call.place)?;
        let within =
            made.change.within.as_deref().map_or(String::new(), |name| format!(" in `{name}`"));
        Some((format!("- [{at}] {}{path}: {body}{within}", labels::LAST_EDIT), call.place))
    });
    let mut edits: Vec<_> = edits.take(EDITS).take_while(|(line, _)| room.fits(line)).collect();
    edits.reverse();
    edits
}
