//! What an edit takes from a file beside messages: lines of a session log that are no part of the
//! conversation, as side chains, other branches, and what stands before an earlier compaction.
//!
//! Responsible for finding them in the edits themselves, whatever reason there was: what became of a
//! message is told elsewhere, and what is in no message would be gone without a word.

use crate::conversation::Conversation;
use crate::document::{Document, Edit, take_out};
use crate::json::Json;

/// The units that stand in no message and that the sorted `edits` remove, in the order of the text.
pub(crate) fn lost_units<'a>(
    document: &Document<'a>,
    conversation: &Conversation<'a>,
    edits: &[Edit],
) -> Vec<Json<'a>> {
    if edits.iter().all(|edit| edit.span.is_empty()) {
        return Vec::new();
    }
    let units = &conversation.source.units;
    let untold = units.iter().zip(conversation.units_in_messages()).filter(|(_, is_told)| !is_told);
    let mut lost: Vec<_> = untold
        .map(|(unit, _)| (document.span(unit.json), unit.json))
        .filter(|(span, _)| take_out(edits, span))
        .collect();
    lost.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    // What stands in a line that goes, as the items of an old history, goes with it.
    let mut end = 0;
    lost.retain(|(span, _)| {
        let is_outer = span.end > end;
        end = end.max(span.end);
        is_outer
    });
    lost.into_iter().map(|(_, json)| json).collect()
}
