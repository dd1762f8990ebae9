//! The ids and names of calls, tools and items that providers accept.

use std::collections::HashSet;

use crate::conversation::{Conversation, Kind, Message, Part, Role};
use crate::demands::calls::is_vague;
use crate::demands::surrogates::lone_surrogates;
use crate::dialect::{Provider, chosen_tool};
use crate::json::Json;
use crate::wire::{Wire, is_reference};

/// The most characters of a call id, and whether it may hold only letters, digits, `_` and `-`.
pub(crate) fn id_form(provider: Provider) -> (usize, bool) {
    match provider {
        Provider::OpenAi => (40, false),
        Provider::Bedrock => (64, true),
        Provider::Responses => (64, false),
        Provider::Mistral => (9, true),
        Provider::Anthropic => (usize::MAX, true),
        Provider::Gemini => (usize::MAX, false),
    }
}

/// Whether a call id has the form that the provider requires.
pub(crate) fn is_good_id(provider: Provider, id: &str) -> bool {
    let (limit, is_plain) = id_form(provider);
    match provider {
        Provider::Mistral => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        _ => (!is_plain || id.bytes().all(is_plain_byte)) && id.chars().count() <= limit,
    }
}

/// Whether the id of a call holds half a surrogate pair, which can't be written again.
pub(crate) fn has_half(call: &Part<'_>) -> bool {
    call.call_id.is_some_and(|id| !lone_surrogates(id).is_empty())
}

/// Whether a result is a message of the role `function`, which has no ids and so answers no call with an id.
pub(crate) fn is_functions(result: &Part<'_>) -> bool {
    result.json.member("role").is_some_and(|role| role.says("function"))
}

/// Whether a result of the role `tool` answers a legacy call, which has no id: only one of the role `function`
/// does that.
pub(crate) fn should_be_functions(
    result: &Part<'_>,
    call: &Part<'_>,
    provider: Provider,
    wire: Wire,
) -> bool {
    let is_tools = result.json.member("role").is_some_and(|role| role.says("tool"));
    provider == Provider::OpenAi && wire.is_sent_as_it_is() && call.list.is_none() && is_tools
}

/// The most characters of a tool's name.
pub(crate) fn name_limit(provider: Provider) -> usize {
    match provider {
        Provider::Anthropic | Provider::Responses => 128,
        _ => 64,
    }
}

/// Whether the provider accepts a name for a tool.
pub(crate) fn is_good_name(provider: Provider, name: &str) -> bool {
    let is_plain = || name.len() <= name_limit(provider) && name.bytes().all(is_plain_byte);
    !name.is_empty() && (provider == Provider::Gemini || is_plain())
}

pub(crate) fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// How the ids of calls begin that Anthropic's server makes.
pub(crate) const SERVER_ID: &str = "srvtoolu_";

/// Whether the id of a call that Anthropic's server runs could be the server's own.
pub(crate) fn is_good_server_id(id: &str) -> bool {
    let own = id.strip_prefix(SERVER_ID).unwrap_or_default();
    !own.is_empty() && own.bytes().all(|byte| is_plain_byte(byte) && byte != b'-')
}

/// The id that the Agents SDK gives to items from other APIs; it sends none of these ids.
const NO_ID: &str = "__fake_id__";

/// The messages whose item has the id of an earlier item, with that id.
pub(crate) fn repeated_items<'a>(
    conversation: &Conversation<'a>,
    provider: Provider,
    wire: Wire,
) -> Vec<(usize, Json<'a>)> {
    if provider != Provider::Responses || !wire.is_sent_as_it_is() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let mut repeats = |message: &Message<'a>| {
        let id = item_id(message)?;
        let text = id.text().filter(|text| !text.is_empty())?;
        (!seen.insert(text)).then_some(id)
    };
    let items = conversation.messages.iter().enumerate().filter(|(_, message)| message.is_sent());
    // A reference says nothing that the item does not say, even if it stands before it.
    let (references, items): (Vec<_>, Vec<_>) =
        items.partition(|(_, message)| is_reference(message.json));
    let items = items.into_iter().chain(references);
    let mut found: Vec<_> =
        items.filter_map(|(at, message)| Some((at, repeats(message)?))).collect();
    found.sort_unstable_by_key(|(at, _)| *at);
    found
}

/// The id of an item, if it has one that is sent: in some items, it is that of the call.
fn item_id<'a>(message: &Message<'a>) -> Option<Json<'a>> {
    let id = message.json.member("id").filter(|id| !id.is_null() && !id.says(NO_ID))?;
    let is_call_id = message.parts.iter().any(|part| part.call_id.is_some_and(|it| it.is(id)));
    (!is_call_id).then_some(id)
}

/// The form of an item's id: how those of its type begin that the server makes.
const ITEM_IDS: &[(&str, &str)] = &[
    ("message", "msg"),
    ("reasoning", "rs"),
    ("function_call", "fc"),
    ("custom_tool_call", "ctc"),
];

/// The most characters of an item's id.
pub(crate) const ITEM_ID: usize = 64;

/// An item whose id has a form that is refused.
pub(crate) struct StrangeId<'a> {
    pub(crate) message: usize,
    pub(crate) id: Json<'a>,
    /// How the id should begin.
    pub(crate) prefix: &'static str,
}

/// The items whose id the server can't have made.
pub(crate) fn strange_ids<'a>(
    conversation: &Conversation<'a>,
    provider: Provider,
    wire: Wire,
) -> Vec<StrangeId<'a>> {
    if provider != Provider::Responses || !wire.is_sent_as_it_is() {
        return Vec::new();
    }
    let strange = |(at, message): (usize, &Message<'a>)| {
        let id = item_id(message)?;
        let kind = message.json.str_member("type").unwrap_or("message".into());
        let &(_, prefix) = ITEM_IDS.iter().find(|(of, _)| *of == kind)?;
        let text = id.text()?;
        let is_good =
            text.starts_with(prefix) && text.len() <= ITEM_ID && text.bytes().all(is_plain_byte);
        let is_its = message.is_sent() && message.role == Role::Assistant && !is_good;
        is_its.then_some(StrangeId { message: at, id, prefix })
    };
    conversation.messages.iter().enumerate().filter_map(strange).collect()
}

/// Whether an item is complete without its id. Items from a client may lack one, except calls of some types.
pub(crate) fn may_lack_id(message: &Message<'_>) -> bool {
    message.content.is_some()
        || message.has(Kind::ToolResult)
        || is_call(message) && !needs_id(message)
}

/// Whether an item is a call that must have an id: without ids, two equal calls could not be told apart.
pub(crate) fn needs_id(message: &Message<'_>) -> bool {
    const WITH_ID: &[&str] = &["computer_call", "local_shell_call"];
    let kind = message.json.str_member("type");
    is_call(message) && kind.is_some_and(|kind| WITH_ID.contains(&kind.as_ref()))
}

fn is_call(message: &Message<'_>) -> bool {
    message.has(Kind::ToolCall)
}

/// Whether a call or result has a tool name or should have one. A result needs it if it has no id, like those
/// of the role `function` and Gemini's.
pub(crate) fn is_named(part: &Part<'_>) -> bool {
    match part.kind {
        Kind::ToolCall => !is_vague(part),
        Kind::ToolResult => {
            let [camel, snake] = part.json.pick(["functionResponse", "function_response"]);
            part.name.or(camel).or(snake).is_some() || is_functions(part)
        }
        _ => false,
    }
}

/// The names of tools beside the messages: in each definition, and in the choice of a tool.
pub(crate) fn names_beside<'a>(conversation: &Conversation<'a>) -> Vec<Json<'a>> {
    let tools = conversation.tools.into_iter().flat_map(Json::items);
    let defined = tools.flat_map(|tool| {
        let holders = tool.pick(["function", "custom", "toolSpec"]).into_iter().flatten();
        let lists = tool.pick(["functionDeclarations", "function_declarations"]);
        let listed = lists.into_iter().flatten().flat_map(Json::items);
        holders.chain(listed).chain([tool]).filter_map(|holder| holder.member("name"))
    });
    let chosen = conversation.source.root.as_ref().and_then(chosen_tool);
    defined.chain(chosen).filter(|name| name.is_string()).collect()
}
