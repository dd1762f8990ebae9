//! Sessions of opencode after some edits.
//!
//! Responsible for messages that the last compaction hides.

use crate::dialect::opencode::last_compaction;
use crate::draft::Draft;
use crate::message::Message;

/// Drops the hidden messages together with the last compaction.
pub(super) fn mend(draft: &mut Draft<'_, '_>) {
    let conversation = draft.conversation();
    let Some((asked, _)) = last_compaction(&conversation.source) else { return };
    let is_it = |message: &Message<'_>| message.units.contains(&asked);
    let Some(at) = conversation.messages.iter().position(is_it) else { return };
    if draft.is_dropped(at) {
        (0..asked).for_each(|unit| draft.drop_unit(unit));
    }
}
