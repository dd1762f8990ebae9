//! Roles that are missing: written where another member tells them, else a reason to refuse.
//!
//! Responsible for doing so before anything else is repaired. A message without a role is not read, so that
//! calls and results in it can be paired only in what is read once the role is there.

use super::{Left, Repaired, Repairing, ToldRepair, again};
use crate::check::locate;
use crate::check::table::CONTENT_TYPE;
use crate::command::Visit;
use crate::demands::content_types::roleless;
use crate::demands::told_role::{ToldRole, told_roles};
use crate::document::Edit;
use crate::json::Json;

impl Repairing<'_> {
    /// Writes the roles that other members tell, and repairs what is read then; `None` if no role is told, or
    /// the result can't be read by itself.
    pub(super) fn with_roles(
        &self,
        visit: &Visit<'_, '_>,
        known: &mut Vec<&'static str>,
    ) -> Option<Repaired> {
        let told = told_roles(visit.conversation);
        if told.is_empty() {
            return None;
        }
        let edits: Vec<_> = told.iter().map(|told| written(visit, told)).collect();
        let more = again::read(visit, &edits, |read| self.settled(read, known)).ok()??;
        let (left, again) = (Left::Messages, more.again);
        let mut done =
            Repaired { edits, lines: reports(visit, &told), left, again, has_roles: true };
        // Only now these messages have numbers.
        done.join(more, visit, |_, message| message);
        Some(done)
    }
}

/// The edit that writes a role.
fn written(visit: &Visit<'_, '_>, told: &ToldRole<'_>) -> Edit {
    let ToldRole { unit, role, .. } = *told;
    let inside = visit.document.span(unit).start + 1;
    match unit.member("role") {
        Some(wrong) => Edit { span: visit.document.span(wrong), text: format!("\"{role}\"") },
        None => Edit { span: inside..inside, text: format!("\"role\":\"{role}\",") },
    }
}

/// The reports on the roles, each with the offset of its message.
fn reports(visit: &Visit<'_, '_>, told: &[ToldRole<'_>]) -> Vec<(ToldRepair, Option<usize>)> {
    let places: Vec<_> = told.iter().map(|told| Some((told.unit, told.told_by))).collect();
    let places = locate(visit.document, &places);
    let reports = told.iter().zip(places).map(|(told, place)| {
        let report = ToldRepair {
            file: visit.name.plain(),
            line: Some(visit.lines + place.line),
            message: None,
            rule: Some(CONTENT_TYPE.name),
            call_id: None,
            text: format!("role \"{}\" written, which {} tells", told.role, place.pointer),
            loses_content: false,
        };
        (report, Some(visit.document.span(told.unit).start))
    });
    reports.collect()
}

/// The place of the first message whose role nobody can tell, with the reason and a hint; `has_roles` says
/// whether the roles that can be told are written.
pub(super) fn left_out(visit: &Visit<'_, '_>, has_roles: bool) -> Option<(String, String, String)> {
    let conversation = visit.conversation;
    let told = if has_roles { told_roles(conversation) } else { Vec::new() };
    let is_told = |unit: Json<'_>| told.iter().any(|told| told.unit.is(unit));
    let (_, unit, wanted) = roleless(conversation).find(|(_, unit, _)| !is_told(*unit))?;
    let pointer = locate(visit.document, &[Some((unit, unit))]).remove(0).pointer;
    let (fault, rule) = (wanted.name(None), CONTENT_TYPE.name);
    let reason = format!("{fault} at {pointer}, and nobody can tell whose it is [{rule}]");
    let hint = "`ctx check` names all of them: write each role into the file".to_owned();
    Some((visit.place_at(visit.line_of(unit)), reason, hint))
}
