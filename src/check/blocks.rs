//! Rules of Bedrock's blocks: a block says one thing under one name, and a document is never alone.
//!
//! Which members a block may have, and which of several stays, is decided here, for `check` and `normalize`
//! alike.

use super::request::{CACHE_CONTROLS, has_cache_point, lacks_tools};
use super::{Report, View};
use crate::conversation::{Conversation, Kind, Part};
use crate::dialect::{BLOCK_NAMES, Provider, is_failure};
use crate::json::{Json, Key};

/// Whether the messages are written in Bedrock's blocks, and Bedrock reads them so.
pub(crate) fn has_blocks(conversation: &Conversation<'_>, provider: Provider) -> bool {
    provider == Provider::Bedrock && conversation.dialect.facts().names_parts
}

/// The members that name what a block is, in their order: there may be one.
pub(crate) fn named(block: Json<'_>) -> Vec<(&'static str, Json<'_>)> {
    let name = |(key, value): (Key<'_>, _)| {
        Some((BLOCK_NAMES.into_iter().find(|name| key.is(name))?, value))
    };
    block.members().filter_map(name).filter(|(_, value): &(_, Json<'_>)| !value.is_null()).collect()
}

/// Whether a block is a mark of the cache that Bedrock can't read, and nothing else.
pub(crate) fn is_broken_point(block: Json<'_>) -> bool {
    matches!(named(block)[..], [("cachePoint", point)] if !point.is_object())
}

/// What stands in a block beside its name: a type, marks of other APIs. Nothing may.
pub(crate) fn beside_name(block: Json<'_>) -> Vec<(Key<'_>, Json<'_>)> {
    let is_name = |key: &Key<'_>| BLOCK_NAMES.iter().any(|name| key.is(name));
    let beside = block.members().filter(|(key, _)| !is_name(key));
    if named(block).is_empty() { Vec::new() } else { beside.collect() }
}

/// The status of a result that is none, and what it should be.
pub(crate) fn strange_status<'a>(part: &Part<'a>) -> Option<(Json<'a>, &'static str)> {
    let status = part.json.at("toolResult.status").filter(|_| part.kind == Kind::ToolResult)?;
    let is_known = status.is_null() || status.says("success") || status.says("error");
    let meant = if is_failure(status) { "error" } else { "success" };
    (!is_known).then_some((status, meant))
}

pub(super) fn forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (place, part) in view.parts().filter(|(_, part)| part.list.is_some()) {
        let is_prompt = view.messages()[place.0].units.is_empty();
        let names = named(part.json);
        if names.len() > 1 {
            let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
            let text = format!("one block is {}", names.join(" and "));
            found.push(Report::part(place, text).unsaid_if(is_prompt));
        }
        for (key, value) in beside_name(part.json) {
            let key = key.text();
            let text = match key.as_ref() {
                "type" => "block has a type beside its name".to_owned(),
                other => format!("block has \"{other}\" beside its name"),
            };
            let report = Report::part(place, text).at(Some(value)).sentence(1);
            found.push(report.blank("member", &key).unsaid_if(is_prompt));
        }
        if let Some((status, _)) = strange_status(part) {
            let name = status.text().unwrap_or_else(|| status.source().into());
            let text = format!("status of a result is \"{name}\"");
            let report = Report::part(place, text).at(Some(status)).sentence(2);
            found.push(report.blank("status", &name));
        }
    }
}

/// Whether a part is a document that Bedrock takes beside a text alone, or is one too. In the block of a result
/// nothing else stays.
pub(crate) fn is_document(part: &Part<'_>) -> bool {
    let document = part.json.member("document").filter(|document| !document.is_null());
    document.is_some() && part.kind != Kind::ToolResult
}

/// Whether a block has words that may stand beside a document.
pub(crate) fn has_words(block: Json<'_>) -> bool {
    block.str_member("text").is_some_and(|text| !text.trim().is_empty())
}

pub(super) fn lone_documents<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, message) in view.messages().iter().enumerate().filter(|(_, it)| it.is_sent()) {
        let document = message.parts.iter().position(is_document);
        if let Some(document) =
            document.filter(|_| !message.parts.iter().any(|it| has_words(it.json)))
        {
            found.push(
                Report::part((at, document), "no text stands beside the document").sentence(2),
            );
        }
    }
}

/// The list of tools of a request that lists none.
pub(crate) fn empty_tools<'a>(conversation: &Conversation<'a>) -> Option<Json<'a>> {
    conversation.tools.filter(|tools| tools.items().next().is_none())
}

pub(super) fn toolless<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if let Some(tools) = empty_tools(view.conversation).filter(|_| !lacks_tools(view)) {
        found.push(Report::new("\"tools\" is an empty array").at(Some(tools)));
    }
}

/// Whether a block marks what is cached before it is anything else.
fn leads_with_point(block: Json<'_>) -> bool {
    named(block).first().is_some_and(|(name, _)| *name == "cachePoint")
}

pub(super) fn cache_points<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let points: Vec<_> = view.parts().filter(|(_, part)| has_cache_point(part.json)).collect();
    for (place, part) in points.iter().filter(|(_, part)| leads_with_point(part.json)) {
        let before = place.1.checked_sub(1).map(|before| view.part((place.0, before)));
        if before.is_some_and(|before| before.kind == Kind::Reasoning) {
            let report = Report::part(*place, "cache point stands behind thinking");
            found.push(report.at(Some(part.json)).sentence(1));
        }
    }
    let tools = view.conversation.tools.into_iter().flat_map(Json::items);
    let tools = tools.filter(|tool| has_cache_point(*tool)).count();
    let count = points.len() + tools;
    if count > CACHE_CONTROLS {
        let text = format!("{count} cache points, {CACHE_CONTROLS} are allowed");
        let over = points.get(CACHE_CONTROLS.saturating_sub(tools));
        let report = match over {
            Some((place, _)) => Report::part(*place, text),
            None => Report::new(text),
        };
        found.push(report.blank("count", &count));
    }
}
