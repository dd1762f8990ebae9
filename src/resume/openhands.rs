//! Events of OpenHands after some edits.
//!
//! Responsible for condensations: the events they hide, and the places of their summaries.

use crate::dialect::openhands::condensation::Condensation;
use crate::draft::Draft;

/// Keeps the statements of each condensation true.
pub(super) fn mend(draft: &mut Draft<'_, '_>) {
    for (at, message) in draft.conversation().messages.iter().enumerate() {
        if let Some(condensation) = Condensation::read(message.json) {
            place(&condensation, at, draft);
        }
    }
}

/// Moves the summary of message `at` to where the draft has it; if it is dropped, its hidden events are too.
fn place<'a>(condensation: &Condensation<'a>, at: usize, draft: &mut Draft<'_, 'a>) {
    let conversation = draft.conversation();
    if draft.is_dropped(at) {
        for (unit, value) in conversation.source.units.iter().enumerate() {
            if condensation.forgets(value.json) {
                draft.drop_unit(unit);
            }
        }
        return;
    }
    let new = draft.new_messages().filter(|(before, _)| *before <= at).count();
    let kept = (0..at).filter(|&message| !draft.is_dropped(message)).count();
    if let Some(offset) = condensation.offset {
        let now = (kept + new).to_string();
        if offset.source() != now {
            draft.set_value(at, offset, now);
        }
    }
    // The event may stand behind messages that are read after it, so new messages go between those.
    let (before, behind) = (draft.take_inserted(at), draft.take_inserted(at + 1));
    let next = (at + 1).min(conversation.messages.len());
    for message in before.into_iter().chain(behind) {
        draft.insert_message(next, message);
    }
}
