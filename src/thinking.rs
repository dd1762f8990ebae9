//! Thinking behind an edit: its signature binds it to what stood before, so it goes.
//!
//! Responsible for the drafts of Anthropic conversations that change something in the middle. From
//! the 5.x models on the provider refuses thinking after an edit; up to 4.5 it wants a tool loop that
//! is still open to begin with its thinking. Where nobody says which model reads the result, all
//! thinking behind the edit goes but that of an open loop: both kinds of model accept this.

use crate::conversation::{Conversation, Kind, Message, Role};
use crate::dialect::Provider;
use crate::draft::Draft;

/// Removes the thinking that stands behind the first change of a draft; returns how many parts went.
pub fn drop_behind_edits(draft: &mut Draft<'_, '_>) -> usize {
    let conversation = draft.conversation();
    if conversation.dialect.provider() != Provider::Anthropic {
        return 0;
    }
    let touched = (0..conversation.messages.len()).find(|&at| draft.is_touched(at));
    let inserted = draft.new_messages().map(|(at, _)| at).min();
    let Some(first) = touched.into_iter().chain(inserted).min() else { return 0 };
    let mut gone = 0;
    for at in first..open_loop(conversation) {
        let message = &conversation.messages[at];
        if draft.is_dropped(at) || message.role != Role::Assistant {
            continue;
        }
        let thoughts: Vec<usize> =
            message.parts_of(Kind::Reasoning).map(|(index, _)| index).collect();
        if thoughts.is_empty() {
            continue;
        }
        gone += thoughts.len();
        if thoughts.len() == message.parts.len() {
            draft.drop_message(at);
            continue;
        }
        for &index in &thoughts {
            draft.remove_part((at, index));
        }
        drop_emptied_lines(draft, message, &thoughts);
    }
    gone
}

/// Where a tool loop begins that the model has not ended yet; the end, if there is none.
pub fn open_loop(conversation: &Conversation<'_>) -> usize {
    let messages = &conversation.messages;
    let is_ended = |last: &Message<'_>| last.role == Role::Assistant && !last.has(Kind::ToolCall);
    if messages.last().is_none_or(|last| is_ended(last) || last.is_request()) {
        return messages.len();
    }
    messages.iter().rposition(Message::is_request).map_or(0, |request| request + 1)
}

/// In a session log a message may be several lines: one that held nothing but thinking goes whole.
fn drop_emptied_lines(draft: &mut Draft<'_, '_>, message: &Message<'_>, thoughts: &[usize]) {
    if message.units.len() < 2 {
        return;
    }
    for &unit in &message.units {
        let line = draft.conversation().source.units[unit].json;
        let mut own = message.parts.iter().enumerate().filter(|(_, part)| line.holds(part.json));
        if own.all(|(index, _)| thoughts.contains(&index)) {
            draft.drop_unit(unit);
        }
    }
}
