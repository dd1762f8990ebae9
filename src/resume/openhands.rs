//! Events of OpenHands after some edits.
//!
//! Responsible for condensations: what they hid, and where their summaries are read.

use crate::dialect::openhands::condensation::Condensation;
use crate::draft::Draft;

/// Keeps what each condensation says true.
pub(super) fn mend(draft: &mut Draft<'_, '_>) {
    for (at, message) in draft.conversation().messages.iter().enumerate() {
        if let Some(condensation) = Condensation::read(message.json) {
            place(&condensation, at, draft);
        }
    }
}

/// Lets the summary of message `at` stand where the draft has it; with it goes what it hid.
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
    // The event may stand behind messages that are read after it: new ones go between those.
    let (before, behind) = (draft.take_inserted(at), draft.take_inserted(at + 1));
    let next = (at + 1).min(conversation.messages.len());
    for message in before.into_iter().chain(behind) {
        draft.insert_message(next, message);
    }
}
