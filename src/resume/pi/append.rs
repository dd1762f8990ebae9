//! Appending a compaction to a pi session without removing any line.
//!
//! pi reads the last compaction, the entries from the first one that it keeps, and those behind it. Kept
//! entries are seldom exactly the end of a session, and its recorded size is the old one; so this compaction
//! keeps no entry before it, and copies of the kept entries follow.

use super::{Entry, set_recorded_size};
use crate::dialect::pi::path::Path;
use crate::dialect::pi::write_messages;
use crate::dialect::shared::derived_id;
use crate::document::Document;
use crate::draft::{Draft, Drafted};
use crate::json::{Json, quote};

/// The lines that carry the draft out without touching an existing line. If nothing is summarised, a kept
/// summary is repeated, or else a note takes its place; `None` if there is neither, because pi has no record
/// of an edit.
pub(in crate::resume) fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<String>> {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let path = Path::of(units);
    let mut drafted = draft.take_up_to(conversation.messages.len());
    let repeated = path.compaction.map(|(last, _)| path.branch[last]);
    let repeated = conversation.messages.iter().position(|m| repeated == m.units.first().copied());
    let repeated = repeated.filter(|&at| !draft.is_dropped(at));
    let is_summary = |it: &Drafted<'_>| matches!(it, Drafted::New(new) if new.is_summary);
    let is_note = |it: &Drafted<'_>| repeated.is_none() && matches!(it, Drafted::New(_));
    let summary = drafted.iter().position(is_summary).or_else(|| drafted.iter().position(is_note));
    let summary = match summary.map(|at| drafted.remove(at)) {
        Some(Drafted::New(summary)) => quote(&summary.texts()),
        _ => conversation.messages[repeated?].content?.source().to_owned(),
    };
    let recorded = set_recorded_size(draft, &path, tokens);
    let stamp = units.iter().rev().find_map(|unit| unit.json.member("timestamp"));
    let time = stamp.map_or("null", Json::source);
    let leaf = path.branch.last().and_then(|&unit| units[unit].json.member("id"));
    let mut branch = Branch {
        has_ids: path.has_ids,
        parent: leaf.map_or("null", Json::source).to_owned(),
        lines: Vec::new(),
    };
    let line = units.len();
    branch.put(&summary, |entry| entry.compaction(time, &summary, (entry.id, line), recorded));
    for message in drafted {
        match message {
            Drafted::New(message) => {
                for body in draft.with_edited(document, &message, write_messages) {
                    branch.put(&body, |entry| entry.message(time, &body));
                }
            }
            Drafted::Kept(at) if repeated == Some(at) => {}
            Drafted::Kept(at) => {
                for (_, text) in draft.written_units(document, at) {
                    branch.put(&text, |entry| entry.copy(Json::from_checked(&text)));
                }
            }
        }
    }
    Some(branch.lines)
}

/// A sequence of new entries.
struct Branch {
    has_ids: bool,
    /// The id of the last one, as JSON.
    parent: String,
    lines: Vec<String>,
}

impl Branch {
    /// Adds an entry, whose id is derived from its content.
    fn put(&mut self, says: &str, write: impl FnOnce(&Entry<'_>) -> String) {
        let id = quote(&derived_id(says, &self.parent));
        let entry = Entry { has_ids: self.has_ids, id: &id, parent: &self.parent };
        self.lines.push(write(&entry));
        self.parent = id;
    }
}
