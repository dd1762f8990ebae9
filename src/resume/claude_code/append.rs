//! A draft as lines behind an untouched Claude Code session.
//!
//! Responsible for the records with which the client itself says that something changed or went.

use super::{Session, Step, drop_screen_copies};
use crate::dialect::claude_code::record::Compaction;
use crate::document::Document;
use crate::draft::Draft;

/// The lines that carry the draft out without touching one of the session's own: changed copies of
/// lines, which take their place, new ones, and, where anything goes or comes, the record that names
/// what stays. Where nothing is summarised a note of what was left out takes the summary's place.
pub(in crate::resume) fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<String>> {
    let mut session = Session::of(draft.conversation());
    session.log.leaf()?;
    drop_screen_copies(draft);
    let (summary, mut steps) = session.take_new(draft);
    let note = steps.iter().position(|step| matches!(step, Step::New(_)));
    let note = note.filter(|_| summary.is_none()).map(|at| steps.remove(at));
    let summary = summary.or(match note {
        Some(Step::New(message)) => Some(message),
        _ => None,
    });
    let gone = draft.gone_units();
    let Some(summary) = summary else {
        let goes = session
            .live
            .order
            .iter()
            .any(|&at| session.message_of(at).is_some_and(|own| draft.is_dropped(own)));
        session.lower_usage(draft, u64::try_from(tokens).unwrap_or(u64::MAX));
        return (!goes).then(|| changed_copies(draft, document));
    };
    let mut lines = changed_copies(draft, document);
    let mut kept: Vec<String> = Vec::new();
    let mut timestamp = session.timestamp();
    for step in &steps {
        match step {
            Step::New(message) => {
                let parent = kept.last().map_or("null", String::as_str);
                let line = draft.with_edited(document, message, |message| {
                    session.scribe.message(message, parent, timestamp)
                });
                lines.push(line.json);
                kept.push(line.uuid);
            }
            &Step::Line(at) => {
                let line = session.line(at);
                timestamp = line.timestamp.or(timestamp);
                let is_said = session.message_of(at).is_some() || line.is_clearing();
                if is_said && !gone[line.unit] {
                    kept.extend(line.uuid.map(str::to_owned));
                }
            }
        }
    }
    let last = session.log.leaf().map(|at| *session.line(at));
    let record = Compaction {
        summary: &summary,
        last: last.and_then(|line| line.uuid),
        timestamp: last.and_then(|line| line.timestamp).or(session.timestamp()),
        before: session.recorded(),
        tokens,
        kept: &kept,
    };
    lines.extend(session.scribe.compaction(&record).map(|line| line.json));
    Some(lines)
}

/// The lines of messages that stay, as far as they say something else now.
fn changed_copies<'a>(draft: &Draft<'_, 'a>, document: &Document<'a>) -> Vec<String> {
    let conversation = draft.conversation();
    let stays = (0..conversation.messages.len()).filter(|&at| !draft.is_dropped(at));
    let written = stays.flat_map(|at| draft.written_units(document, at));
    let is_new = |(unit, text): (usize, String)| {
        (conversation.source.units[unit].json.source() != text).then_some(text)
    };
    written.filter_map(is_new).collect()
}
