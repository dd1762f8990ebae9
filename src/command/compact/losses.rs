//! What was lost although it should have stayed.
//!
//! Responsible for wording; the rebuild decides what has room.

use crate::compact::rebuild::Rebuild;
use crate::line::{clip, counted, on_one_line};
use crate::subject::Subject;

/// How much is shown of a lost instruction, in bytes.
const SHOWN: usize = 60;

/// The content that was lost although it should have stayed.
pub(super) fn losses(subject: &Subject<'_, '_>, rebuild: &Rebuild<'_, '_>) -> Vec<String> {
    let mut losses = Vec::new();
    let mut tell = |lost: &str| losses.push(lost.to_owned());
    let later = rebuild.dropped_instructions();
    if let [newest, ..] = later[..] {
        let text = on_one_line(&subject.conversation.messages[newest].text());
        let (messages, begins) = (counted(later.len(), "message"), clip(&text, SHOWN));
        tell(&format!("later instructions ({messages}) leave no room and go: {begins:?}"));
    }
    if rebuild.drops_calls_in_flight() {
        tell("calls without a result yet leave no room and go: their results would answer nothing");
    }
    if rebuild.drops_opaque_summary() {
        tell("an earlier summary goes: only its provider can read it, and it leaves no room");
    }
    if rebuild.clips_newest_request() {
        tell("the newest request is cut, it leaves no room");
    }
    if rebuild.lacks_users {
        tell("fewer user messages stay than --keep-users asks for: there is no more room");
    }
    losses
}
