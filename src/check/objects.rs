//! Servers of OpenAI's shape that take what OpenAI refuses: calls that hold objects, as Ollama and chat
//! templates have them.
//!
//! Responsible for telling such conversations, and for the rules that do not hold of them.

use super::rules::table::{INPUT_TYPE, MISSING_CALL_ID};
use super::{Rule, is_function};
use crate::conversation::Conversation;
use crate::json::Json;

/// The rules of OpenAI's that do not hold for such servers.
pub(crate) static OBJECTS: &[&Rule] = &[&INPUT_TYPE, &MISSING_CALL_ID];

/// Whether the calls of a conversation are for such a server: each of them holds an object.
pub(crate) fn takes_objects(conversation: &Conversation<'_>) -> bool {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let mut calls = parts.filter(|part| is_function(part)).peekable();
    calls.peek().is_some() && calls.all(|call| call.body.is_some_and(Json::is_object))
}

/// The rules that do not hold of a conversation of which nobody says whose it is: where no id joins its
/// calls and results either, it is for such a server.
pub(crate) fn waived(conversation: &Conversation<'_>) -> &'static [&'static Rule] {
    let mut parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let is_joined = parts.any(|part| part.id().is_some_and(|id| !id.is_empty()));
    if !is_joined && takes_objects(conversation) { OBJECTS } else { &[] }
}
