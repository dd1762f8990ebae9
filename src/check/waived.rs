//! Rules that do not hold of a conversation unless a provider is named.
//!
//! Servers of OpenAI's shape take what OpenAI refuses: calls that hold objects, as Ollama and chat templates
//! have them. A session may hold rows that its client shows again. Responsible for telling such conversations,
//! and for the rules that do not hold of them.

use super::Rule;
use super::rules::table::{INPUT_TYPE, INTERNAL_ROW, MISSING_CALL_ID, PART_TYPE};
use crate::conversation::Conversation;
use crate::demands::content::is_function;
use crate::json::Json;

/// The rules of OpenAI's that do not hold for such servers.
pub(crate) static OBJECTS: &[&Rule] = &[&INPUT_TYPE, &MISSING_CALL_ID, &PART_TYPE];

/// The rule that does not hold in sessions whose client reads rows that it never sends.
static OWN_ROWS: &[&Rule] = &[&INTERNAL_ROW];

/// Whether the calls of a conversation are for such a server: each of them holds an object.
pub(crate) fn takes_objects(conversation: &Conversation<'_>) -> bool {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let mut calls = parts.filter(|part| is_function(part)).peekable();
    calls.peek().is_some() && calls.all(|call| call.body.is_some_and(Json::is_object))
}

/// The rules that do not hold of a conversation of which nobody says whose it is: its client has its own rows
/// again, and where its calls and results have no ids either, it is for such a server.
pub(crate) fn waived(conversation: &Conversation<'_>) -> &'static [&'static Rule] {
    if conversation.dialect.facts().shows_internal {
        return OWN_ROWS;
    }
    let mut parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let has_ids = parts.any(|part| part.id().is_some());
    if !has_ids && takes_objects(conversation) { OBJECTS } else { &[] }
}
