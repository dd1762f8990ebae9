//! Rules of what messages hold: nothing empty, inputs of the right type, not too many pictures.
//!
//! What counts as empty is decided here, for `check` and `normalize` alike.

use super::blocks::{self, has_blocks};
use super::kinds::is_custom;
use super::{Report, View};
use crate::conversation::{Conversation, Kind, List, Message, Part, Role};
use crate::dialect::Provider;
use crate::json::Json;
use crate::media;
use crate::models;
use crate::wire::Wire;

/// Pictures that Anthropic takes in a request: with a small window, and at most.
pub(crate) const IMAGES: (usize, usize) = (100, 600);

/// The largest window, in tokens, that takes fewer pictures.
const SMALL_WINDOW: usize = 200_000;

/// Whether a part is a text, an item of a list, that says nothing.
pub(crate) fn is_blank_item(part: &Part<'_>) -> bool {
    part.kind == Kind::Text && part.list.is_some() && part.is_blank()
}

/// Whether a message of these parts says nothing, so that the provider refuses it.
pub(crate) fn is_empty(parts: &[&Part<'_>], role: Role, provider: Provider, wire: Wire) -> bool {
    if provider == Provider::OpenAi && wire.foreign {
        // It is sent with an empty text, which OpenAI takes.
        return false;
    }
    if matches!(provider, Provider::Anthropic | Provider::Bedrock) {
        // A text that is the whole content; one in a list is a rule of its own.
        let is_blank =
            |part: &&Part<'_>| part.kind == Kind::Text && part.list.is_none() && part.is_blank();
        return parts.iter().all(|part| is_blank(part) || part.is_cache_point());
    }
    match parts {
        [] => true,
        [result, ..] if role == Role::Tool && result.kind == Kind::ToolResult => {
            let is_said = |body: Json<'_>| body.is_string() || body.is_array() || body.is_object();
            // What another shape has beside the result says something where that is converted.
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

/// Whether this is the last message, and may be empty.
fn is_last_word(view: &View<'_, '_>, message: usize) -> bool {
    may_be_empty_at_the_end(&view.messages()[message], view.provider)
        && view.turns.last().and_then(|turn| turn.members.last()) == Some(&message)
}

/// Whether a message may be empty where it is the last: the assistant's may at Anthropic, if it has a
/// content at all.
pub(crate) fn may_be_empty_at_the_end(message: &Message<'_>, provider: Provider) -> bool {
    provider == Provider::Anthropic
        && message.role == Role::Assistant
        && message.content.is_some_and(|content| !content.is_null())
}

/// The messages that the provider reads as messages.
fn said<'c, 'a>(view: &View<'c, 'a>) -> impl Iterator<Item = (usize, &'c Message<'a>)> {
    let all = view.messages().iter().enumerate();
    // The text in the place of a list is no message that could go.
    let is_said = |at: usize, message: &Message<'_>| {
        (view.turn_of(at).is_some() || view.wire.prompts_inside) && !message.units.is_empty()
    };
    all.filter(move |(at, message)| message.is_sent() && is_said(*at, message))
}

pub(super) fn empty_texts<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, message) in said(view) {
        for (index, part) in message.parts_of(Kind::Text).filter(|(_, part)| is_blank_item(part)) {
            let is_white = part.texts().any(|text| !text.is_empty());
            let report = Report::part((at, index), "text says nothing");
            found.push(report.sentence(usize::from(is_white)).note_if(view.wire.log));
        }
    }
    if view.provider != Provider::Anthropic || view.wire.foreign {
        return;
    }
    for (place, part) in view.parts() {
        if is_blank_item(part) && is_prompt(&view.messages()[place.0]) {
            found.push(Report::part(place, "text of the prompt says nothing").sentence(2));
        }
        for item in empty_items(part) {
            let report = Report::part(place, "text of a result says nothing");
            found.push(report.at(Some(item)).note_if(view.wire.log));
        }
    }
}

/// Whether a message is the prompt beside the list.
pub(crate) fn is_prompt(message: &Message<'_>) -> bool {
    message.units.is_empty() && message.role.is_instruction()
}

/// The texts in the list of a result that are empty.
fn empty_items<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let list = part.body.filter(|_| part.kind == Kind::ToolResult);
    list.into_iter().flat_map(Json::items).filter(|item| is_empty_text(*item))
}

/// Whether a block is a text without a letter.
pub(crate) fn is_empty_text(block: Json<'_>) -> bool {
    let [kind, text] = block.pick(["type", "text"]);
    kind.is_some_and(|kind| kind.says("text")) && text.is_some_and(|text| text.source() == "\"\"")
}

pub(super) fn empty_messages<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if has_blocks(view.conversation, view.provider) {
        blocks::lone_documents(view, found);
    }
    for (at, message) in said(view) {
        let is_list = message.content.is_some_and(Json::is_array) && view.wire.has_list_rule;
        // What says something of the wrong type is another rule's.
        if message.strange_content().is_some() {
            continue;
        }
        let parts: Vec<_> = message.parts.iter().collect();
        if is_empty(&parts, message.role, view.provider, view.wire)
            && !is_list
            && !is_last_word(view, at)
        {
            let is_text = message.content.is_some_and(Json::is_string);
            let report =
                Report::message(at, "message says nothing").sentence(usize::from(!is_text));
            found.push(report.blank("m", &0).note_if(view.wire.log));
        }
    }
}

pub(super) fn empty_arrays<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if has_blocks(view.conversation, view.provider) {
        blocks::toolless(view, found);
    }
    if !view.wire.has_list_rule {
        return;
    }
    for (at, message) in said(view) {
        if view.provider == Provider::Gemini && message.parts.is_empty() {
            let report = Report::message(at, "\"parts\" is empty");
            found.push(report.at(message.content).note_if(view.wire.log));
            continue;
        }
        // A piece of an answer that was streamed may be empty, where others are not.
        let content = message.content.filter(|_| message.units.len() < 2);
        for (key, list) in [("content", content), ("tool_calls", bare_calls(view, message))] {
            if is_empty_array(list) && !is_last_word(view, at) {
                let report = Report::message(at, format!("\"{key}\" is an empty array"));
                found.push(report.at(list).blank("key", &key).note_if(view.wire.log));
            }
        }
    }
}

/// The array for calls of a message that makes none.
fn bare_calls<'a>(view: &View<'_, 'a>, message: &Message<'a>) -> Option<Json<'a>> {
    let may = view.provider == Provider::OpenAi && message.role != Role::Tool;
    if may && !message.has(Kind::ToolCall) { message.json.member("tool_calls") } else { None }
}

pub(super) fn empty_conversations<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    // OpenAI takes a system prompt for a message.
    let has_prompt = view.wire.prompts_inside && view.messages().iter().any(Message::is_sent);
    if view.turns.is_empty() && !has_prompt {
        let report = Report::new("the conversation has no message");
        found.push(report.note_if(!sends_list(view.conversation, view.provider)));
    }
}

/// Whether the messages are the list of a request, which is sent as it is.
pub(super) fn sends_list(conversation: &Conversation<'_>, provider: Provider) -> bool {
    let is_list = matches!(conversation.source.lists.first(), Some(List::Array(_)));
    let wire = Wire::of(conversation, provider);
    is_list && !wire.log && !wire.answer
}

/// Whether a result says that the tool failed, and nothing else.
pub(crate) fn is_wordless_error(part: &Part<'_>) -> bool {
    part.kind == Kind::ToolResult
        && part.is_error
        && part.texts().all(|text| text.is_empty())
        && part.attachments().next().is_none()
}

pub(super) fn empty_error_results<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (place, _) in view.parts().filter(|(_, part)| is_wordless_error(part)) {
        found.push(Report::part(place, "result is an error and says nothing"));
    }
}

/// Whether the input of a call has the type that the provider reads.
pub(crate) fn is_good_input(part: &Part<'_>, provider: Provider) -> bool {
    match part.body {
        // Gemini takes null for what is not there.
        body if part.json.member("functionCall").is_some() => {
            body.is_none_or(|body| body.is_object() || body.is_null())
        }
        Some(body) if body.is_object() => !wants_string(part, provider),
        Some(body) if body.is_string() => match provider {
            Provider::OpenAi | Provider::Responses | Provider::Mistral => true,
            // An argument string is read on the way; a block's input is not.
            _ if !is_function(part) => !is_tool_use(part),
            _ => body.text().and_then(|text| Some(Json::parse(&text)?.is_object())) == Some(true),
        },
        None | Some(_) => !is_function(part) && !is_tool_use(part) && !wants_string(part, provider),
    }
}

/// Whether the input of a call is a text, which holds JSON.
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

/// Whether the provider's rule is about these calls: an agent of OpenAI's mends what it logged.
pub(crate) fn reads_inputs(provider: Provider, wire: Wire) -> bool {
    provider != Provider::Responses || !wire.log
}

/// `{"function": {"name", "arguments"}}`, whose arguments are a string.
pub(crate) fn is_function(part: &Part<'_>) -> bool {
    part.json.member("function").is_some_and(Json::is_object)
}

/// `{"type": "tool_use", "input"}` or Bedrock's `{"toolUse": {"input"}}`, whose input is an object.
pub(crate) fn is_tool_use(part: &Part<'_>) -> bool {
    let [kind, call] = part.json.pick(["type", "toolUse"]);
    call.is_some() || kind.is_some_and(|kind| kind.says("tool_use"))
}

pub(super) fn input_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if !reads_inputs(view.provider, view.wire) {
        return;
    }
    for (place, part) in view.parts().filter(|(_, part)| part.kind == Kind::ToolCall) {
        if !is_good_input(part, view.provider) {
            let text = "input of the call has the wrong type";
            let what = part.body.map_or("nothing", type_name);
            let report = Report::part(place, text).sentence(usize::from(part.body.is_none()));
            let report = report.at(part.body).blank("type", &what);
            // The sentences are about functions.
            found.push(report.unsaid_if(is_custom(part)));
        }
    }
}

/// What a value is, with an article.
pub(super) fn type_name(value: Json<'_>) -> &'static str {
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

/// The pictures of a part: itself, or those in a result.
pub(crate) fn pictures<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let own = (part.kind == Kind::Image && part.list.is_some()).then_some(part.json);
    let inner = (part.kind == Kind::ToolResult).then(|| part.attachments());
    let is_image =
        |item: &Json<'a>| item.str_member("type").is_some_and(|kind| kind.contains("image"));
    own.into_iter().chain(inner.into_iter().flatten().filter(is_image))
}

/// How many pictures the request may have: it depends on the window, the one that is given or that of a
/// model which the conversation names. `None` where nobody knows that.
pub(crate) fn image_limit(conversation: &Conversation<'_>, window: Option<usize>) -> Option<usize> {
    let model = || conversation.models().find_map(|name| models::named(&name).ok());
    let window = window.or_else(|| model().map(|model| model.window))?;
    Some(if window <= SMALL_WINDOW { IMAGES.0 } else { IMAGES.1 })
}

pub(super) fn media_counts<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let images = images(view.parts().map(|(place, part)| (place.0, *part)));
    if images.len() <= IMAGES.0 {
        return;
    }
    let known = image_limit(view.conversation, view.window);
    let is_fault = images.len() > known.unwrap_or(IMAGES.1);
    let limit = known.unwrap_or(if is_fault { IMAGES.1 } else { IMAGES.0 });
    if let Some(over) = images.len().checked_sub(limit + 1) {
        let (message, json) = images[over];
        let text = format!("{} pictures, {limit} are allowed", images.len());
        let report = Report::message(message, text).at(Some(json)).blank("count", &images.len());
        found.push(report.blank("limit", &limit).note_if(!is_fault));
    }
}

/// The formats of pictures that Anthropic reads.
const MEDIA_TYPES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The media type of a picture of Anthropic's that says another format than it has, or one that nobody reads,
/// with the one that it should say, if there is one.
pub(crate) fn mislabelled(picture: Json<'_>) -> Option<(Json<'_>, Option<&'static str>)> {
    let source = picture.member("source")?;
    let [kind, label, data] = source.pick(["type", "media_type", "data"]);
    let said = label.filter(|_| kind.is_some_and(|kind| kind.says("base64")))?;
    let name = said.text()?;
    match data.and_then(media::picture_type) {
        Some(held) => (held != name).then_some((said, Some(held))),
        None if MEDIA_TYPES.contains(&name.as_ref()) => None,
        None => Some((said, (name == "image/jpg").then_some("image/jpeg"))),
    }
}

pub(super) fn media_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.foreign {
        return;
    }
    for (place, part) in view.parts() {
        // They stand in the order of the items.
        let mut items = part.body.into_iter().flat_map(Json::items).enumerate();
        for picture in pictures(part) {
            let index = items.find(|(_, item)| item.is(picture)).map(|(index, _)| index);
            let Some((label, _)) = mislabelled(picture) else { continue };
            let name = label.text().unwrap_or_default();
            let is_known = MEDIA_TYPES.contains(&name.as_ref());
            let text = if is_known {
                format!("picture is no {name}")
            } else {
                format!("picture has the media type \"{name}\"")
            };
            let report = Report::part(place, text).at(Some(label)).sentence(usize::from(is_known));
            let inner = index
                .map(|item| format!("{}.tool_result.content.{item}", view.index_in_list(place)));
            let report = match inner {
                Some(index) => report.blank("m", &index),
                None => report,
            };
            found.push(report.blank("type", &name));
        }
    }
}
