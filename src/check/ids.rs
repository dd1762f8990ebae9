//! Rules of names: call ids and tool names that the provider can read.
//!
//! What an id may look like is decided here, for `check` and `normalize` alike.

use std::collections::HashSet;

use super::surrogates::lone_surrogates;
use super::{Report, View, is_vague};
use crate::conversation::{Conversation, Kind, Message, Part};
use crate::dialect::{Provider, chosen_tool};
use crate::json::Json;
use crate::pairing::is_server_call;
use crate::wire::Wire;

/// How long a call id may be, and whether it must consist of letters, digits, `_` and `-`.
pub(crate) fn id_form(provider: Provider) -> (usize, bool) {
    match provider {
        Provider::OpenAi => (40, false),
        Provider::Bedrock => (64, true),
        Provider::Mistral => (9, true),
        Provider::Anthropic => (usize::MAX, true),
        Provider::Responses | Provider::Gemini => (usize::MAX, false),
    }
}

/// Whether a call id has the form that the provider asks for.
pub(crate) fn is_good_id(provider: Provider, id: &str) -> bool {
    let (limit, is_plain) = id_form(provider);
    match provider {
        Provider::Mistral => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        _ => (!is_plain || id.bytes().all(is_plain_byte)) && id.chars().count() <= limit,
    }
}

/// Whether the id of a call holds half a character: nobody could write it again.
pub(crate) fn has_half(call: &Part<'_>) -> bool {
    call.call_id.is_some_and(|id| !lone_surrogates(id).is_empty())
}

/// Whether a result stands in a message of the role `function`, which has no ids: such answer no calls that have some.
pub(crate) fn is_functions(result: &Part<'_>) -> bool {
    result.json.member("role").is_some_and(|role| role.says("function"))
}

/// How long the name of a tool may be.
pub(crate) fn name_limit(provider: Provider) -> usize {
    match provider {
        Provider::Anthropic | Provider::Responses => 128,
        _ => 64,
    }
}

/// Whether the provider takes this for the name of a tool.
pub(crate) fn is_good_name(provider: Provider, name: &str) -> bool {
    let is_plain = || name.len() <= name_limit(provider) && name.bytes().all(is_plain_byte);
    !name.is_empty() && (provider == Provider::Gemini || is_plain())
}

pub(crate) fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// What the ids of calls begin with that Anthropic's server makes.
pub(crate) const SERVER_ID: &str = "srvtoolu_";

/// Whether a call of a tool that Anthropic's server runs has an id that the server could have made.
pub(crate) fn is_good_server_id(id: &str) -> bool {
    let own = id.strip_prefix(SERVER_ID).unwrap_or_default();
    !own.is_empty() && own.bytes().all(|byte| is_plain_byte(byte) && byte != b'-')
}

pub(super) fn call_id_forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let is_its = view.provider == Provider::Anthropic && !view.wire.foreign;
    for (place, part) in view.parts().filter(|(_, part)| is_its && is_server_call(part)) {
        let id = part.json.str_member("id").unwrap_or_default();
        if !is_good_server_id(&id) {
            let text = format!("call id \"{id}\" has a form that is refused");
            found.push(Report::part(place, text).at(part.json.member("id")).sentence(1));
        }
    }
    for (place, part) in view.parts().filter(|(_, part)| part.kind == Kind::ToolCall) {
        let Some(id) = part.id().filter(|id| !id.is_empty()) else { continue };
        let is_broken = has_half(part);
        if is_broken || !is_good_id(view.provider, &id) {
            let text = format!("call id \"{id}\" has a form that is refused");
            let length = id.chars().count();
            let report = Report::part(place, text).at(part.call_id).blank("length", &length);
            found.push(report.unsaid_if(is_broken));
        }
    }
}

pub(super) fn missing_call_ids<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let dialect = view.conversation.dialect;
    for (place, part) in view.parts() {
        if part.id().is_some_and(|id| !id.is_empty()) {
            continue;
        }
        // The result of a call of old, which has no id, needs none.
        let call = view.pairs.call_of(place).filter(|call| view.messages()[call.0].is_sent());
        let call = call.map(|call| view.part(call));
        let is_result = part.kind == Kind::ToolResult
            && call.is_some_and(|call| dialect.call_id_member(call).is_some());
        if part.kind != Kind::ToolCall && !is_result {
            continue;
        }
        let is_old = is_result && is_functions(part);
        if dialect.call_id_member(part).is_none() && !is_old {
            continue;
        }
        let text = if is_old {
            "result stands in a message of a `function`".to_owned()
        } else if is_result {
            "result does not say which call it answers".to_owned()
        } else {
            match part.tool() {
                tool if tool.is_empty() => "call has no id".to_owned(),
                tool => format!("call of {tool} has no id"),
            }
        };
        let report = Report::part(place, text).sentence(usize::from(!is_result));
        found.push(report.unsaid_if(is_old));
    }
}

/// What the Agents SDK calls each item that came from another API; it sends none of them.
const NO_ID: &str = "__fake_id__";

/// The messages whose item has the id of an item before it, with that id.
pub(crate) fn repeated_items<'a>(
    conversation: &Conversation<'a>,
    provider: Provider,
    wire: Wire,
) -> Vec<(usize, Json<'a>)> {
    if provider != Provider::Responses || wire.foreign || wire.log {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let mut repeats = |message: &Message<'a>| {
        let id = message.json.member("id")?;
        // Some name their call by it.
        let is_call_id = message.parts.iter().any(|part| part.call_id.is_some_and(|it| it.is(id)));
        let text = id.text().filter(|text| !is_call_id && !text.is_empty() && text != NO_ID)?;
        (!seen.insert(text)).then_some(id)
    };
    let items = conversation.messages.iter().enumerate().filter(|(_, message)| message.is_sent());
    items.filter_map(|(at, message)| Some((at, repeats(message)?))).collect()
}

/// Whether an item says something without its id: what a client sends may have none, but for calls of these types.
pub(crate) fn may_lack_id(message: &Message<'_>) -> bool {
    message.content.is_some()
        || message.has(Kind::ToolResult)
        || is_call(message) && !needs_id(message)
}

/// Whether an item is a call that the provider asks to have an id: two like it are two calls.
pub(crate) fn needs_id(message: &Message<'_>) -> bool {
    const WITH_ID: &[&str] = &["computer_call", "local_shell_call"];
    let kind = message.json.str_member("type");
    is_call(message) && kind.is_some_and(|kind| WITH_ID.contains(&kind.as_ref()))
}

fn is_call(message: &Message<'_>) -> bool {
    message.has(Kind::ToolCall)
}

pub(super) fn duplicate_item_ids<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, id) in repeated_items(view.conversation, view.provider, view.wire) {
        let name = id.text().unwrap_or_default();
        let report = Report::message(at, format!("item id \"{name}\" is used twice"));
        found.push(report.at(Some(id)).blank("id", &name));
    }
}

/// Whether a call or result has a name for its tool, or should have one: a result needs it where it
/// has no id, as those of the role `function` and Gemini's.
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

/// The names of tools that stand beside the messages: in each definition, and in the choice of one.
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

pub(super) fn tool_name_forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (place, part) in view.parts().filter(|(_, part)| is_named(part)) {
        let name = part.tool();
        if !is_good_name(view.provider, &name) {
            let text = format!("tool name \"{name}\" has a form that is refused");
            let is_other = match view.provider {
                Provider::Gemini => part.kind == Kind::ToolResult,
                _ => !name.is_empty() && name.bytes().all(is_plain_byte),
            };
            let report = Report::part(place, text).at(part.name).sentence(usize::from(is_other));
            found.push(report.blank("name", &name).blank("length", &name.len()));
        }
    }
    for name in names_beside(view.conversation) {
        let text = name.text().unwrap_or_default();
        if !is_good_name(view.provider, &text) {
            let report = Report::new(format!("tool name \"{text}\" has a form that is refused"));
            found.push(report.at(Some(name)).unsaid_if(true));
        }
    }
}
