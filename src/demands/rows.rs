//! Values among the messages that are no messages, and roles named as by another provider.

use crate::conversation::{Conversation, Kind, List, Message};
use crate::demands::content::type_name;
use crate::dialect::Provider;
use crate::json::Json;
use crate::wire::is_request;

/// Whether a message of Gemini's model is named as another provider's assistant.
pub(crate) fn is_misnamed(
    conversation: &Conversation<'_>,
    provider: Provider,
    message: &Message<'_>,
) -> bool {
    provider == Provider::Gemini
        && conversation.dialect.is_wire()
        && conversation.dialect.provider() == provider
        && message.json.member("role").is_some_and(|role| role.says("assistant"))
}

/// A value among the messages that is no message: not an object, or an object with no member of a message.
pub(crate) struct Stray {
    /// Its index in [`Source::units`](crate::conversation::Source::units).
    pub(crate) unit: usize,
    /// A description of the value, with an article.
    pub(crate) what: &'static str,
    /// Whether the value stands in an array that the provider reads, so that the request is refused.
    pub(crate) is_sent: bool,
}

/// The values among the messages that are no messages.
pub(crate) fn strays(conversation: &Conversation<'_>) -> impl Iterator<Item = Stray> {
    let lists = &conversation.source.lists;
    let units = conversation.source.units.iter().enumerate();
    let dialect = conversation.dialect;
    units.filter_map(move |(unit, value)| {
        // Answers stand in separate lists, behind the one that is sent.
        let is_array = matches!(lists[value.list], List::Array(_));
        let is_sent = dialect.is_wire() && value.list == 0 && is_array;
        let is_none = !value.json.is_object()
            || (is_sent
                && has_none_of_a_message(value.json)
                && dialect.message(value.json).is_none());
        is_none.then_some(Stray { unit, what: type_name(value.json), is_sent })
    })
}

/// Whether an object has no member that makes it a message, or holds one.
fn has_none_of_a_message(unit: Json<'_>) -> bool {
    let members = [
        "role", "type", "content", "parts", "tool_calls", "message", "raw_item", "rawItem",
        "candidates",
    ];
    unit.pick(members).iter().all(Option::is_none)
}

/// Whether the file holds a whole request that calls tools and defines none.
pub(crate) fn lacks_tools(conversation: &Conversation<'_>) -> bool {
    let tools = conversation.tools.filter(|tools| tools.items().next().is_some());
    let mut sent = conversation.messages.iter().filter(|message| message.is_sent());
    is_request(conversation) && tools.is_none() && sent.any(|message| message.has(Kind::ToolCall))
}
