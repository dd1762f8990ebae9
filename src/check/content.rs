//! Rules of contents: nothing empty, inputs of the right type, not too many pictures.

use super::{Report, View, bedrock};
use crate::conversation::{Kind, Message, Role};
use crate::demands::bedrock::has_blocks;
use crate::demands::content::{
    IMAGES, empty_items, image_limit, images, is_blank_item, is_empty, is_empty_array,
    is_good_input, is_prompt, is_wordless_error, may_be_empty_at_the_end, reads_inputs, sends_list,
    type_name,
};
use crate::demands::media_types::{Wrong, media, mislabelled};
use crate::demands::part_types::is_custom;
use crate::dialect::Provider;
use crate::json::Json;

/// Whether this is the last message, which may be empty for this provider.
fn is_last_word(view: &View<'_, '_>, message: usize) -> bool {
    may_be_empty_at_the_end(&view.messages()[message], view.provider)
        && view.turns.last().and_then(|turn| turn.members.last()) == Some(&message)
}

/// The messages that the provider reads as messages.
fn said<'c, 'a>(view: &View<'c, 'a>) -> impl Iterator<Item = (usize, &'c Message<'a>)> {
    let all = view.messages().iter().enumerate();
    // A text in place of the list is no message that could be dropped.
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

pub(super) fn empty_messages<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if has_blocks(view.conversation, view.provider) {
        bedrock::lone_documents(view, found);
    }
    for (at, message) in said(view) {
        let is_list = message.content.is_some_and(Json::is_array) && view.wire.has_list_rule;
        // Content of the wrong type is reported by another rule.
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
        bedrock::toolless(view, found);
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
        // A piece of a streamed answer may be empty, other contents may not.
        let content = message.content.filter(|_| message.units.len() < 2);
        for (key, list) in [("content", content), ("tool_calls", bare_calls(view, message))] {
            if is_empty_array(list) && !is_last_word(view, at) {
                let report = Report::message(at, format!("\"{key}\" is an empty array"));
                found.push(report.at(list).blank("key", &key).note_if(view.wire.log));
            }
        }
    }
}

/// The `tool_calls` array of a message that makes no calls.
fn bare_calls<'a>(view: &View<'_, 'a>, message: &Message<'a>) -> Option<Json<'a>> {
    let may = view.provider == Provider::OpenAi && message.role != Role::Tool;
    if may && !message.has(Kind::ToolCall) { message.json.member("tool_calls") } else { None }
}

pub(super) fn empty_conversations<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    // OpenAI counts a system prompt as a message.
    let has_prompt = view.wire.prompts_inside && view.messages().iter().any(Message::is_sent);
    if view.turns.is_empty() && !has_prompt {
        let report = Report::new("the conversation has no message");
        found.push(report.note_if(!sends_list(view.conversation, view.provider)));
    }
}

pub(super) fn empty_error_results<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (place, _) in view.parts().filter(|(_, part)| is_wordless_error(part)) {
        found.push(Report::part(place, "result is an error and says nothing"));
    }
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
            // The provider's sentences speak of functions only.
            found.push(report.unsaid_if(is_custom(part)));
        }
    }
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

pub(super) fn media_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.foreign {
        return;
    }
    for (place, part) in view.parts() {
        // Pictures stand in the order of the items.
        let mut items = part.body.into_iter().flat_map(Json::items).enumerate();
        for medium in media(part) {
            let index = items.find(|(_, item)| item.is(medium)).map(|(index, _)| index);
            let Some(fault) = mislabelled(medium) else { continue };
            let what = fault.what();
            let name = fault.label.and_then(Json::text).unwrap_or_default();
            let text = match fault.wrong {
                Wrong::Missing | Wrong::Unread if name.is_empty() => {
                    format!("{what} has no media type")
                }
                Wrong::Missing | Wrong::Unread => format!("{what} has the media type \"{name}\""),
                Wrong::Contradicted => format!("{what} is no {name}"),
                Wrong::Linked => format!("{what} is a link, no base64"),
            };
            let sentence = match (fault.wrong, fault.is_document) {
                (Wrong::Unread, false) => 0,
                (Wrong::Contradicted, false) => 1,
                (Wrong::Missing, false) => 2,
                (Wrong::Unread | Wrong::Contradicted, true) => 3,
                (Wrong::Missing, true) => 4,
                (Wrong::Linked, false) => 5,
                (Wrong::Linked, true) => 6,
            };
            let link = fault.link.map(|(link, _)| link);
            let at = link.or(fault.label).unwrap_or(fault.source);
            let report = Report::part(place, text).at(Some(at)).sentence(sentence);
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
