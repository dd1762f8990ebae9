//! Finding what edits remove from a file beside messages: lines of a session log outside the conversation,
//! such as side chains, other branches, and lines before an earlier compaction.
//!
//! Responsible for finding them from the edits, whatever the reason for removing them: removed messages are
//! reported elsewhere, but these lines would disappear without notice.

use crate::conversation::Conversation;
use crate::document::{Document, Edit, take_out};
use crate::json::Json;

/// The units that belong to no message and that the sorted `edits` remove, in the order of the text.
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
    // Units inside a removed line, such as the items of an old history, are not counted again.
    let mut end = 0;
    lost.retain(|(span, _)| {
        let is_outer = span.end > end;
        end = end.max(span.end);
        is_outer
    });
    lost.into_iter().map(|(_, json)| json).collect()
}
