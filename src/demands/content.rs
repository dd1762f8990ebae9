//! Which contents are empty, which inputs calls need, and which pictures are accepted.

use crate::conversation::{Conversation, Kind, List, Message, Part, Role};
use crate::demands::part_types::is_custom;
use crate::dialect::Provider;
use crate::json::Json;
use crate::models;
use crate::wire::{Wire, is_output};

/// The most pictures that Anthropic accepts in a request: with a small window, and otherwise.
pub(crate) const IMAGES: (usize, usize) = (100, 600);

/// The largest window, in tokens, for which the lower limit of pictures applies.
const SMALL_WINDOW: usize = 200_000;

/// Whether a part is a blank text in a list.
pub(crate) fn is_blank_item(part: &Part<'_>) -> bool {
    part.kind == Kind::Text && part.list.is_some() && part.is_blank()
}

/// Whether a message of these parts is empty, so that the provider refuses it.
pub(crate) fn is_empty(parts: &[&Part<'_>], role: Role, provider: Provider, wire: Wire) -> bool {
    if provider == Provider::OpenAi && wire.foreign {
        // It is sent with an empty text, which OpenAI accepts.
        return false;
    }
    if provider.has_blocks() {
        // A blank text that is the whole content; blank texts in a list are a rule of their own.
        let is_blank =
            |part: &&Part<'_>| part.kind == Kind::Text && part.list.is_none() && part.is_blank();
        return parts.iter().all(|part| is_blank(part) || part.is_cache_point());
    }
    match parts {
        [] => true,
        [result, ..] if role == Role::Tool && result.kind == Kind::ToolResult => {
            let is_said = |body: Json<'_>| body.is_string() || body.is_array() || body.is_object();
            // In files of another shape, parts beside the result become content when they are converted.
            let is_alone = parts.len() == 1 || !wire.foreign;
            is_alone && result.list.is_none() && !result.body.is_some_and(is_said)
        }
        _ => false,
    }
}

/// Whether a value is an array without items.
pub(crate) fn is_empty_array(value: Option<Json<'_>>) -> bool {
    value.is_some_and(|value| value.is_array() && value.items().next().is_none())
}

/// Whether a message may be empty if it is the last: Anthropic accepts that of the assistant, if it has a
/// content at all.
pub(crate) fn may_be_empty_at_the_end(message: &Message<'_>, provider: Provider) -> bool {
    provider == Provider::Anthropic
        && message.role == Role::Assistant
        && message.content.is_some_and(|content| !content.is_null())
}

/// Whether a message is the system prompt beside the list.
pub(crate) fn is_prompt(message: &Message<'_>) -> bool {
    message.units.is_empty() && message.role.is_instruction()
}

/// The empty texts in the list of a result.
pub(crate) fn empty_items<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let list = part.body.filter(|_| part.kind == Kind::ToolResult);
    list.into_iter().flat_map(Json::items).filter(|item| is_empty_text(*item))
}

/// Whether a block is an empty text.
pub(crate) fn is_empty_text(block: Json<'_>) -> bool {
    let [kind, text] = block.pick(["type", "text"]);
    kind.is_some_and(|kind| kind.says("text")) && text.is_some_and(|text| text.source() == "\"\"")
}

/// Whether the messages are the list of a request that is sent as it is.
pub(crate) fn sends_list(conversation: &Conversation<'_>, provider: Provider) -> bool {
    let is_list = matches!(conversation.source.lists.first(), Some(List::Array(_)));
    let wire = Wire::of(conversation, provider);
    is_list && !wire.log && !is_output(conversation)
}

/// Whether a result reports an error without a text or an attachment.
pub(crate) fn is_wordless_error(part: &Part<'_>) -> bool {
    part.kind == Kind::ToolResult
        && part.is_error
        && part.texts().all(|text| text.is_empty())
        && part.attachments().next().is_none()
}

/// Whether the input of a call has the type that the provider reads.
pub(crate) fn is_good_input(part: &Part<'_>, provider: Provider) -> bool {
    match part.body {
        // Gemini accepts null in place of no arguments.
        body if part.json.member("functionCall").is_some() => {
            body.is_none_or(|body| body.is_object() || body.is_null())
        }
        Some(body) if body.is_object() => !wants_string(part, provider),
        Some(body) if body.is_string() => match provider {
            Provider::OpenAi | Provider::Responses | Provider::Mistral => true,
            // An argument string is parsed on the way; the input of a block is not.
            _ if !is_function(part) => !is_tool_use(part),
            _ => body.text().and_then(|text| Some(Json::parse(&text)?.is_object())) == Some(true),
        },
        None | Some(_) => !is_function(part) && !is_tool_use(part) && !wants_string(part, provider),
    }
}

/// Whether the input of a call has to be a string, which holds JSON.
pub(crate) fn wants_string(part: &Part<'_>, provider: Provider) -> bool {
    match provider {
        Provider::OpenAi => is_function(part) || is_custom(part),
        Provider::Responses => {
            let [kind, call_id, arguments] = part.json.pick(["type", "call_id", "arguments"]);
            let is_untyped = kind.is_none() && call_id.and(arguments).is_some();
            is_custom(part) || is_untyped || kind.is_some_and(|kind| kind.says("function_call"))
        }
        _ => false,
    }
}

/// Whether the provider's rule applies to these calls: an agent of OpenAI's mends its own log.
pub(crate) fn reads_inputs(provider: Provider, wire: Wire) -> bool {
    provider != Provider::Responses || !wire.log
}

/// Whether a call is `{"function": {"name", "arguments"}}`, whose arguments are a string.
pub(crate) fn is_function(part: &Part<'_>) -> bool {
    part.json.member("function").is_some_and(Json::is_object)
}

/// Whether a call is `{"type": "tool_use", "input"}` or Bedrock's `{"toolUse": {"input"}}`, whose input is an
/// object.
pub(crate) fn is_tool_use(part: &Part<'_>) -> bool {
    let [kind, call] = part.json.pick(["type", "toolUse"]);
    call.is_some() || kind.is_some_and(|kind| kind.says("tool_use"))
}

/// The type of a value, with an article.
pub(crate) fn type_name(value: Json<'_>) -> &'static str {
    match value {
        _ if value.is_object() => "an object",
        _ if value.is_array() => "an array",
        _ if value.is_string() => "a string",
        _ if value.is_null() => "null",
        _ if matches!(value.source(), "true" | "false") => "a boolean",
        number if number.source().contains(['.', 'e', 'E']) => "a decimal",
        _ => "an integer",
    }
}

/// Every picture, in order: those that are parts, and those in results.
pub(crate) fn images<'a>(parts: impl Iterator<Item = (usize, Part<'a>)>) -> Vec<(usize, Json<'a>)> {
    parts.flat_map(|(message, part)| pictures(&part).map(move |json| (message, json))).collect()
}

/// The pictures of a part: the part itself, or those in a result.
pub(crate) fn pictures<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let own = (part.kind == Kind::Image && part.list.is_some()).then_some(part.json);
    let inner = (part.kind == Kind::ToolResult).then(|| part.attachments());
    let is_image =
        |item: &Json<'a>| item.str_member("type").is_some_and(|kind| kind.contains("image"));
    own.into_iter().chain(inner.into_iter().flatten().filter(is_image))
}

/// How many pictures the request may have. Depends on the given window or on that of a model that the
/// conversation names; `None` if neither is known.
pub(crate) fn image_limit(conversation: &Conversation<'_>, window: Option<usize>) -> Option<usize> {
    let model = || conversation.models().find_map(|name| models::named(&name).ok());
    let window = window.or_else(|| model().map(|model| model.window))?;
    Some(if window <= SMALL_WINDOW { IMAGES.0 } else { IMAGES.1 })
}
