//! Roles that are missing, written where another member tells them.
//!
//! Responsible for doing so before anything else is repaired. A message without a role is not read, so that
//! calls and results in it can be paired only in what is read once the role is there.

use super::alone;
use super::normalized::{Left, Normalized, PlacedRepair, Target};
use crate::check::locate;
use crate::check::table::CONTENT_TYPE;
use crate::demands::told_role::{ToldRole, told_roles};
use crate::document::Edit;
use crate::placed::Placed;

impl Target<'_> {
    /// Writes the roles that other members tell, and repairs what is read then; `None` if no role is told, or
    /// the result can't be read by itself.
    pub(super) fn with_roles(
        &self,
        placed: &Placed<'_, '_>,
        known: &mut Vec<&'static str>,
    ) -> Option<Normalized> {
        let told = told_roles(placed.conversation);
        if told.is_empty() {
            return None;
        }
        let edits: Vec<_> = told.iter().map(|told| written(placed, told)).collect();
        let more = alone::read(placed, &edits, |read| self.settled(read, known)).ok()??;
        let (left, again) = (Left::Messages, more.again);
        let repairs = repairs(placed, &told);
        let mut done = Normalized { edits, repairs, left, again, has_roles: true };
        // Only now these messages have numbers.
        done.join(more, placed, |_, message| message);
        Some(done)
    }
}

/// The edit that writes a role.
fn written(placed: &Placed<'_, '_>, told: &ToldRole<'_>) -> Edit {
    let ToldRole { unit, role, .. } = *told;
    let inside = placed.document.span(unit).start + 1;
    match unit.member("role") {
        Some(wrong) => Edit { span: placed.document.span(wrong), text: format!("\"{role}\"") },
        None => Edit { span: inside..inside, text: format!("\"role\":\"{role}\",") },
    }
}

fn repairs(placed: &Placed<'_, '_>, told: &[ToldRole<'_>]) -> Vec<PlacedRepair> {
    let members: Vec<_> = told.iter().map(|told| Some((told.unit, told.told_by))).collect();
    let found = locate(placed.document, &members);
    let repairs = told.iter().zip(found).map(|(told, place)| PlacedRepair {
        start: Some(placed.document.span(told.unit).start),
        message: None,
        rule: Some(&CONTENT_TYPE),
        call_id: None,
        text: format!("role \"{}\" written, which {} tells", told.role, place.pointer),
        loses: false,
    });
    repairs.collect()
}
