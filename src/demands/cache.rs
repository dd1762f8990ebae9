//! Cache marks: how many there may be, and how long what they mark is kept.

use crate::conversation::{Conversation, Kind, Part};
use crate::json::Json;

/// How many blocks of a request may have a `cache_control`.
pub(crate) const CACHE_CONTROLS: usize = 4;

/// The blocks of a part that have a cache mark: the part itself, or blocks in a result. Thinking can't have
/// one.
pub(crate) fn cached<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let own = part.list.map(|_| part.json).filter(|_| part.kind != Kind::Reasoning);
    let inner = part.body.filter(|_| part.kind == Kind::ToolResult);
    let all = own.into_iter().chain(inner.into_iter().flat_map(Json::items));
    all.filter(|block| has_cache_control(*block))
}

/// Whether a block is a cache point or has one beside its value.
pub(crate) fn has_cache_point(block: Json<'_>) -> bool {
    block.member("cachePoint").is_some_and(|point| !point.is_null())
}

pub(crate) fn has_cache_control(block: Json<'_>) -> bool {
    block.member("cache_control").is_some_and(|mark| !mark.is_null())
}

/// The lifetime of a block's cache, if that is an hour; the usual one is five minutes.
pub(crate) fn hour(block: Json<'_>) -> Option<Json<'_>> {
    block.at("cache_control.ttl").filter(|lifetime| lifetime.says("1h"))
}

/// Whether a part is thinking with a cache mark, which is not allowed.
pub(crate) fn is_cached_thinking(part: &Part<'_>) -> bool {
    part.kind == Kind::Reasoning && part.json.member("cache_control").is_some()
}

/// The definitions of tools that have a cache mark.
pub(crate) fn cached_tools<'a>(
    conversation: &Conversation<'a>,
) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let tools = conversation.tools.into_iter().flat_map(Json::items);
    tools.filter(|tool| has_cache_control(*tool))
}
