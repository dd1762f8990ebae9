//! Rules of the request around the messages, and of rows that are no messages of the API.

use std::collections::HashSet;

use super::blocks::{self, has_blocks};
use super::content::type_name;
use super::types::role_fault;
use super::{Report, View};
use crate::conversation::{Conversation, Kind, List, Message, Origin, Part, Role};
use crate::dialect::Provider;
use crate::json::Json;
use crate::wire::is_request;

/// Whether the file holds a whole request that calls tools and defines none.
pub(crate) fn lacks_tools(view: &View<'_, '_>) -> bool {
    let tools = view.conversation.tools.filter(|tools| tools.items().next().is_some());
    is_request(view.conversation)
        && tools.is_none()
        && view.parts().any(|(_, part)| part.kind == Kind::ToolCall)
}

pub(super) fn missing_tools<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if lacks_tools(view) {
        found.push(Report::new("tools are called and none is defined"));
    }
}

pub(super) fn internal_rows<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, message) in view.messages().iter().enumerate() {
        if message.origin == Origin::Internal {
            found.push(Report::message(at, "row is internal and never sent"));
        }
    }
}

pub(super) fn unknown_roles<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let conversation = view.conversation;
    for (at, message) in view.messages().iter().enumerate() {
        // Where there is none at all, another rule says so.
        let is_word = || role_fault(conversation, message.json).is_none();
        if message.role == Role::Other && message.origin != Origin::Internal && is_word() {
            let unit = message.units.first().map(|&unit| conversation.source.units[unit].json);
            let unit = unit.unwrap_or(message.json);
            let role = conversation.dialect.role_named(message.json, unit).unwrap_or_default();
            let report = Report::message(at, format!("role \"{role}\" is not known"));
            found.push(report.note_if(true).unsaid_if(true));
        } else if is_misnamed(conversation, view.provider, message) {
            found.push(Report::message(at, "the model's role is \"assistant\""));
        }
    }
}

/// Whether a message of Gemini's model has the name of an assistant.
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

pub(super) fn unknown_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let mut seen = HashSet::new();
    for (place, part) in view.parts() {
        let kind = view.conversation.dialect.unknown_type(part);
        if let Some(kind) = kind.filter(|kind| !seen.contains(kind)) {
            let known = format!("type \"{kind}\" is not known");
            let text = if kind.is_empty() { "a part has no type".to_owned() } else { known };
            found.push(Report::part(place, text));
            seen.insert(kind);
        }
    }
}

/// How many blocks of a request may have a `cache_control`.
pub(crate) const CACHE_CONTROLS: usize = 4;

/// The blocks of a part that end what is cached: itself, or what a result holds. Thinking can't.
pub(crate) fn cached<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let own = part.list.map(|_| part.json).filter(|_| part.kind != Kind::Reasoning);
    let inner = part.body.filter(|_| part.kind == Kind::ToolResult);
    let all = own.into_iter().chain(inner.into_iter().flat_map(Json::items));
    all.filter(|block| has_cache_control(*block))
}

/// Whether a block marks what is cached, or does so beside what it is.
pub(crate) fn has_cache_point(block: Json<'_>) -> bool {
    block.member("cachePoint").is_some_and(|point| !point.is_null())
}

fn has_cache_control(block: Json<'_>) -> bool {
    block.member("cache_control").is_some_and(|mark| !mark.is_null())
}

/// Whether a part is thinking that is to end what is cached.
pub(crate) fn is_cached_thinking(part: &Part<'_>) -> bool {
    part.kind == Kind::Reasoning && part.json.member("cache_control").is_some()
}

/// The definitions of tools that end what is cached.
pub(crate) fn cached_tools<'a>(
    conversation: &Conversation<'a>,
) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let tools = conversation.tools.into_iter().flat_map(Json::items);
    tools.filter(|tool| has_cache_control(*tool))
}

pub(super) fn cache_controls<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.log || view.wire.foreign {
        return;
    }
    if has_blocks(view.conversation, view.provider) {
        blocks::cache_points(view, found);
        return;
    }
    for (place, part) in view.parts().filter(|(_, part)| is_cached_thinking(part)) {
        let kind = part.json.str_member("type").unwrap_or_default();
        let report = Report::part(place, "thinking has a cache_control").sentence(1);
        found.push(report.blank("type", &kind));
    }
    let blocks = view.parts().flat_map(|(place, part)| cached(part).map(move |it| (place.0, it)));
    let blocks: Vec<_> = blocks.collect();
    let tools = cached_tools(view.conversation).count();
    let count = blocks.len() + tools;
    if count > CACHE_CONTROLS {
        let text = format!("{count} blocks have a cache_control, {CACHE_CONTROLS} are allowed");
        let over = blocks.get(CACHE_CONTROLS.saturating_sub(tools));
        let report = match over {
            Some(&(message, block)) => Report::message(message, text).at(Some(block)),
            None => Report::new(text),
        };
        found.push(report.blank("count", &count));
    }
}

/// A value that stands among the messages and is none: no object, or one that has nothing of a message.
pub(crate) struct Stray {
    /// Its index in [`Source::units`](crate::conversation::Source::units).
    pub(crate) unit: usize,
    /// What it is, with an article.
    pub(crate) what: &'static str,
    /// Whether it stands in an array that a provider reads, and refuses for it.
    pub(crate) is_sent: bool,
}

/// The values among the messages that are none.
pub(crate) fn strays(conversation: &Conversation<'_>) -> impl Iterator<Item = Stray> {
    let lists = &conversation.source.lists;
    let units = conversation.source.units.iter().enumerate();
    let dialect = conversation.dialect;
    units.filter_map(move |(unit, value)| {
        // Answers stand in lists of their own, behind the one that is sent.
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

pub(super) fn stray_values<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let units = &view.conversation.source.units;
    for Stray { unit, what, is_sent } in strays(view.conversation) {
        let value = units[unit];
        let report = Report::new(format!("{what} is no message")).at(Some(value.json));
        let report = report.blank("n", &unit).blank("type", &what);
        let report = report.sentence(usize::from(value.json.is_object()));
        found.push(report.note_if(!is_sent).unsaid_if(!is_sent));
    }
}
