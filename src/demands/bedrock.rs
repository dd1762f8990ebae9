//! Bedrock's blocks: a block says one thing under one name, and which of several members stays.

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

/// The list of tools of a request that lists none.
pub(crate) fn empty_tools<'a>(conversation: &Conversation<'a>) -> Option<Json<'a>> {
    conversation.tools.filter(|tools| tools.items().next().is_none())
}
