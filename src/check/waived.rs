//! Rules that are waived for a conversation if no provider is named.
//!
//! Servers of OpenAI's shape accept what OpenAI refuses: calls whose arguments are objects, as Ollama and
//! chat templates write them. A session may hold rows that its client shows again. Responsible for
//! recognising such conversations, and for the rules that are waived for them.

use super::Rule;
use super::rules::table::{INPUT_TYPE, INTERNAL_ROW, MISSING_CALL_ID, PART_TYPE, UNKNOWN_ROLE};
use crate::conversation::{Conversation, Message, Role};
use crate::demands::content::is_function;
use crate::dialect::Provider;
use crate::json::Json;
use crate::wire::is_request;

/// OpenAI's rules that do not apply to such servers.
pub(crate) static OBJECTS: &[&Rule] = &[&INPUT_TYPE, &MISSING_CALL_ID, &PART_TYPE, &UNKNOWN_ROLE];

/// The rule that does not apply to lists in OpenAI's shape: there are servers that take any role, and agents
/// that keep rows of their own in them.
static ROLES: &[&Rule] = &[&UNKNOWN_ROLE];

/// What other providers call the user and the assistant.
const NAMES: &[&str] = &["model", "human", "ai", "bot"];

/// The rule that does not apply to sessions whose client reads rows that it never sends.
static OWN_ROWS: &[&Rule] = &[&INTERNAL_ROW];

/// Whether the calls of a conversation are for such a server: all of them hold objects.
pub(crate) fn takes_objects(conversation: &Conversation<'_>) -> bool {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let mut calls = parts.filter(|part| is_function(part)).peekable();
    calls.peek().is_some() && calls.all(|call| call.body.is_some_and(Json::is_object))
}

/// Whether a conversation in OpenAI's shape has unknown roles, and may be for a server that takes any role or hold
/// rows of an agent's: no role is another provider's, and where it names a model none with a content is unknown.
fn may_have_any_role(conversation: &Conversation<'_>) -> bool {
    let is_others = |message: &Message<'_>| {
        message.json.member("role").is_some_and(|role| NAMES.iter().any(|name| role.says(name)))
    };
    let is_sent = is_request(conversation);
    let strange = conversation.messages.iter().filter(|message| message.role == Role::Other);
    let mut strange = strange.peekable();
    conversation.dialect.provider() == Provider::OpenAi
        && strange.peek().is_some()
        && strange.all(|message| !is_others(message) && (!is_sent || message.content.is_none()))
}

/// The rules waived for a conversation if the user names no provider: one rule if its client shows its own
/// rows again, some of OpenAI's if its calls hold objects and neither they nor their results have ids.
pub(crate) fn waived(conversation: &Conversation<'_>) -> &'static [&'static Rule] {
    if conversation.dialect.facts().shows_internal {
        return OWN_ROWS;
    }
    let mut parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let has_ids = parts.any(|part| part.id().is_some());
    if !has_ids && takes_objects(conversation) {
        OBJECTS
    } else if may_have_any_role(conversation) {
        ROLES
    } else {
        &[]
    }
}
