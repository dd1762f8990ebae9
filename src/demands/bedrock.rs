//! Bedrock's blocks: each has one name, and if it has several, which of them stays.

use crate::conversation::{Conversation, Kind, Part};
use crate::dialect::{BLOCK_NAMES, Provider, is_failure};
use crate::json::{Json, Key};

/// Whether the messages are written in Bedrock's blocks and sent to Bedrock.
pub(crate) fn has_blocks(conversation: &Conversation<'_>, provider: Provider) -> bool {
    provider == Provider::Bedrock && conversation.dialect.facts().names_parts
}

/// The members that name the block, in order; only one is allowed.
pub(crate) fn named(block: Json<'_>) -> Vec<(&'static str, Json<'_>)> {
    let name = |(key, value): (Key<'_>, _)| {
        Some((BLOCK_NAMES.into_iter().find(|name| key.is(name))?, value))
    };
    block.members().filter_map(name).filter(|(_, value): &(_, Json<'_>)| !value.is_null()).collect()
}

/// Whether a block is nothing but a cache point that Bedrock can't read.
pub(crate) fn is_broken_point(block: Json<'_>) -> bool {
    matches!(named(block)[..], [("cachePoint", point)] if !point.is_object())
}

/// The members beside the name of a block, such as a type or marks of other APIs; none are allowed.
pub(crate) fn beside_name(block: Json<'_>) -> Vec<(Key<'_>, Json<'_>)> {
    let is_name = |key: &Key<'_>| BLOCK_NAMES.iter().any(|name| key.is(name));
    let beside = block.members().filter(|(key, _)| !is_name(key));
    if named(block).is_empty() { Vec::new() } else { beside.collect() }
}

/// A result's status that Bedrock does not know, and the status that is meant.
pub(crate) fn strange_status<'a>(part: &Part<'a>) -> Option<(Json<'a>, &'static str)> {
    let status = part.json.at("toolResult.status").filter(|_| part.kind == Kind::ToolResult)?;
    let is_known = status.is_null() || status.says("success") || status.says("error");
    let meant = if is_failure(status) { "error" } else { "success" };
    (!is_known).then_some((status, meant))
}

/// Whether a part holds a document, which Bedrock accepts only beside a text. Not in a block that is a
/// result, because only the result stays of that.
pub(crate) fn is_document(part: &Part<'_>) -> bool {
    let document = part.json.member("document").filter(|document| !document.is_null());
    document.is_some() && part.kind != Kind::ToolResult
}

/// Whether a block has a text that may stand beside a document.
pub(crate) fn has_words(block: Json<'_>) -> bool {
    block.str_member("text").is_some_and(|text| !text.trim().is_empty())
}

/// The list of tools of a request, if it is empty.
pub(crate) fn empty_tools<'a>(conversation: &Conversation<'a>) -> Option<Json<'a>> {
    conversation.tools.filter(|tools| tools.is_array() && tools.items().next().is_none())
}
