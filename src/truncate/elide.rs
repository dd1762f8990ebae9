//! Dropping whole exchanges, oldest first, with one note in their place.
//!
//! Responsible for the window: what is dropped is one run behind the head, cut at legal places, and
//! the newest request is never in it. The note is a user's message, so that what follows may begin
//! with any role; an earlier note goes when a new one comes, so notes never add up.

use std::ops::Range;

use crate::conversation::{Conversation, Message, Origin, Role};
use crate::count::{Count, Meter};
use crate::draft::{Draft, NewMessage};
use crate::marks;
use crate::pairing::{Cuts, Pairs};
use crate::thinking;

/// Messages at the beginning that a window keeps.
pub const FIRST_MESSAGES: usize = 3;

/// The note that stands for dropped messages. It does not say how many, so that it stays the same
/// when more of them go.
pub fn note<'a>() -> NewMessage<'a> {
    NewMessage::text(Role::User, format!("{}.]", marks::ELISION_OPENER))
}

/// Whether a message is such a note.
pub fn is_note(message: &Message<'_>) -> bool {
    message.role == Role::User
        && message.opening().is_some_and(|text| text.starts_with(marks::ELISION_OPENER))
}

/// The leading instructions: how many messages they are.
pub fn head(conversation: &Conversation<'_>) -> usize {
    conversation.messages.iter().take_while(|message| message.is_instruction()).count()
}

/// The newest message in which a person says something; where nobody does, the newest that an agent
/// says for the user, as the text that a command of its own stands for.
pub fn newest_request(conversation: &Conversation<'_>) -> Option<usize> {
    let is_said = |message: &Message<'_>| message.is_request() && !is_note(message);
    let is_command = |message: &Message<'_>| {
        let text = message.text();
        message.role == Role::User
            && message.origin == Origin::Injected
            && !text.trim_start().is_empty()
            && !text.trim_start().starts_with(['<', '[', '#'])
    };
    let messages = &conversation.messages;
    messages.iter().rposition(is_said).or_else(|| messages.iter().rposition(is_command))
}

/// The budget can't be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The least budget that can, in tokens.
    pub least: usize,
}

/// Drops the oldest pieces behind the head until the draft counts at most `budget`; returns how many
/// messages went.
///
/// # Errors
///
/// The head, the newest request and the note alone count more.
pub fn drop_oldest(
    draft: &mut Draft<'_, '_>,
    cuts: &Cuts,
    meter: &Meter,
    count: &Count,
    budget: usize,
) -> Result<usize, Infeasible> {
    let conversation = draft.conversation();
    let total = meter.draft(draft, count);
    if total <= budget {
        return Ok(0);
    }
    let (head, all) = (head(conversation), conversation.messages.len());
    let pinned = newest_request(conversation);
    let sizes: Vec<usize> = (0..all).map(|at| meter.drafted(draft, at, count)).collect();
    let note = note();
    // A note of another step stands already: there is only ever one.
    let has_note = draft.new_messages().any(|(_, new)| *new == note);
    let own = if has_note { 0 } else { meter.new_message(conversation.dialect, &note) };
    let mut total = total + own;
    let mut end = head;
    for piece in cuts.pieces(cuts.at_or_after(head)..all) {
        if total <= budget {
            break;
        }
        total -= piece.clone().filter(|at| Some(*at) != pinned).map(|at| sizes[at]).sum::<usize>();
        end = piece.end;
    }
    if total > budget {
        return Err(Infeasible { least: total });
    }
    Ok(drop_run(draft, head..end, pinned, note))
}

/// Keeps the first messages and of the rest as many that `most` stay, out to legal cuts;
/// returns how many messages went. Notes do not count as messages.
pub fn keep_window(
    draft: &mut Draft<'_, '_>,
    cuts: &Cuts,
    pairs: &Pairs,
    meter: &Meter,
    count: &Count,
    most: usize,
) -> usize {
    let conversation = draft.conversation();
    let real: Vec<usize> = (0..conversation.messages.len())
        .filter(|&at| !is_note(&conversation.messages[at]))
        .collect();
    if real.len() <= most {
        return 0;
    }
    let first = FIRST_MESSAGES.min(most);
    let start = cuts.at_or_after(real[first]);
    let tail = real.len() - (most - first);
    let behind = Cuts::behind_edit(conversation, pairs, thinking::bound_until(conversation));
    let end = real.get(tail).map_or(conversation.messages.len(), |&at| behind.at_or_before(at));
    let pinned = newest_request(conversation);
    let goes = |at: usize| Some(at) != pinned && !is_note(&conversation.messages[at]);
    if start >= end || !(start..end).any(goes) {
        return 0;
    }
    let saved: usize =
        (start..end).filter(|&at| goes(at)).map(|at| meter.drafted(draft, at, count)).sum();
    if saved <= meter.new_message(conversation.dialect, &note()) {
        return 0;
    }
    drop_run(draft, start..end, pinned, note())
}

fn drop_run<'a>(
    draft: &mut Draft<'_, 'a>,
    run: Range<usize>,
    pinned: Option<usize>,
    note: NewMessage<'a>,
) -> usize {
    let conversation = draft.conversation();
    // Messages without units stand outside the list and can't go.
    let goes: Vec<usize> = run
        .filter(|&at| Some(at) != pinned && !conversation.messages[at].units.is_empty())
        .collect();
    for &at in &goes {
        draft.drop_message(at);
    }
    if let Some(&first) = goes.first() {
        let is_note = |(at, new): (usize, &NewMessage<'a>)| (*new == note).then_some(at);
        let earlier: Vec<usize> = draft.new_messages().filter_map(is_note).collect();
        for at in earlier {
            draft.take_inserted(at);
        }
        draft.insert_message(first, note);
    }
    goes.len()
}
