//! A part of a conversation, as a text that is read as that part.
//!
//! Responsible for what has to be removed together with messages outside the part. A log holds much beside
//! its messages, and lines that were not read might be read again once the messages they belonged to are
//! gone. It relies on `resume` for the agent's other needs, as after any edit.

use std::ops::Range;

use crate::conversation::{Conversation, Kind};
use crate::dialect::Scope;
use crate::document::{Document, Edit};
use crate::draft::Draft;
use crate::resume;

/// The edits that leave only the messages of `range`, in the shape of the input.
pub fn edits_to_part<'a>(
    document: &Document<'a>,
    conversation: &Conversation<'a>,
    range: &Range<usize>,
) -> Vec<Edit> {
    let mut draft = Draft::new(conversation);
    let others = (0..conversation.messages.len()).filter(|at| !range.contains(at));
    for at in others {
        draft.drop_message(at);
        let message = &conversation.messages[at];
        // A text in place of the list becomes an empty list.
        if message.units.is_empty() && !message.is_instruction() {
            draft.set_beside(message.json, "[]".to_owned());
        }
    }
    let dialect = conversation.dialect;
    let is_live = conversation.scope == Scope::Live;
    if is_live && (dialect.is_log() || conversation.is_tree()) {
        drop_unread(&mut draft, document);
        say_cleared(&mut draft, document);
    }
    if is_live {
        // The recorded sizes stay as they are.
        resume::make_resumable(&mut draft, document, usize::MAX);
    }
    if dialect.is_log() {
        draft.keep_broken_only(within(document, conversation, range));
    } else if !(is_live && conversation.is_tree()) {
        let goes = conversation.goes_with(|at| range.contains(&at));
        let is_message = conversation.units_in_messages();
        for unit in (0..goes.len()).filter(|&unit| !goes[unit] && !is_message[unit]) {
            draft.drop_unit(unit);
        }
    }
    draft.edits(document)
}

/// The byte range from the first of the messages to the first message behind them, so that each line in
/// between is in one part.
fn within<'a>(
    document: &Document<'a>,
    conversation: &Conversation<'a>,
    range: &Range<usize>,
) -> Range<usize> {
    let start_of = |at: usize| match conversation.messages.get(at) {
        _ if at == 0 => 0,
        Some(message) => document.span(message.json).start,
        None => document.bytes().len(),
    };
    start_of(range.start)..start_of(range.end)
}

/// Writes the text of results into the results themselves, if another line now changes what they say.
fn say_cleared<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>) {
    for (at, message) in draft.conversation().messages.iter().enumerate() {
        if draft.is_dropped(at) {
            continue;
        }
        for (index, part) in message.parts_of(Kind::ToolResult) {
            let is_shown = part.body.is_none_or(|body| document.holds(body));
            if !is_shown && part.json.member("content").is_some() {
                draft.set_text((at, index), part.text());
            }
        }
    }
}

/// Drops units that belong to no kept message: dead branches, messages replaced by a summary, events for the
/// screen.
fn drop_unread<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>) {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let mut is_read = vec![false; units.len()];
    let mut starts = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        if !draft.is_dropped(at) {
            message.units.iter().for_each(|&unit| is_read[unit] = true);
            starts.push(document.span(message.json).start);
        }
    }
    starts.sort_unstable();
    for (unit, value) in units.iter().enumerate().filter(|(unit, _)| !is_read[*unit]) {
        // A record may hold messages of its own.
        let span = document.span(value.json);
        let holds_any = starts.get(starts.partition_point(|start| *start < span.start));
        if holds_any.is_none_or(|start| *start >= span.end)
            && !conversation.dialect.is_frame(value.json)
        {
            draft.drop_unit(unit);
        }
    }
}
