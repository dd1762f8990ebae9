//! Results of tools that the provider runs itself: they stand beside the model's words, and no message
//! answers their calls.
//!
//! Responsible for telling them apart. The answer of an MCP server is sent back as plain text and may be
//! shortened; the findings of a search or the output of a program are signed or have a form of their own, and
//! stay.

use std::collections::HashMap;

use crate::conversation::{Kind, Message, Part};
use crate::digest::{Hosted, hosted};

/// Whether a part is such a result and may be shortened.
pub fn is_open(part: &Part<'_>) -> bool {
    let Some(kind) = kind(part) else { return false };
    let output = || part.json.member("output").zip(part.body);
    let is_output = || output().is_some_and(|(output, body)| body.is(output) && body.is_string());
    match kind.as_str() {
        "mcp_tool_result" => part.body.is_some() && part.attachments().next().is_none(),
        "mcp_call" => is_output(),
        _ => false,
    }
}

/// Whether a part is such a result and must stay as it is.
pub fn is_sealed(part: &Part<'_>) -> bool {
    let is_error = |body| part.json.member("error").is_some_and(|error| error.is(body));
    let is_asked = |body| matches!(hosted(part), Some(Hosted::Call(_))) || is_error(body);
    kind(part).is_some_and(|kind| {
        let has_result = kind.ends_with("_call") && part.body.is_some_and(|body| !is_asked(body));
        (kind.ends_with("_tool_result") || has_result) && !is_open(part)
    })
}

/// The results of a message that `is_it` accepts, each with the name of its tool: its own name, that of the
/// call before it, or else its type.
pub fn results(message: &Message<'_>, is_it: fn(&Part<'_>) -> bool) -> Vec<(usize, String)> {
    let mut results = Vec::new();
    if !message.parts.iter().any(is_it) {
        return results;
    }
    let mut calls = HashMap::new();
    for (index, part) in message.parts.iter().enumerate() {
        if is_it(part) {
            let id = part.json.str_member("tool_use_id").filter(|id| !id.is_empty());
            let call = id.and_then(|id| calls.get(&id).copied()).unwrap_or(part);
            let name = call.json.str_member("name").map(Into::into).or_else(|| kind(part));
            results.push((index, name.unwrap_or_default()));
        }
        if let Some(id) = part.json.str_member("id") {
            calls.insert(id, part);
        }
    }
    results
}

fn kind(part: &Part<'_>) -> Option<String> {
    let other = Some(part).filter(|part| part.kind == Kind::Other)?;
    // What a program printed that Gemini ran has no type.
    let is_result = || matches!(hosted(part), Some(Hosted::Result));
    let untyped = || is_result().then(|| "code_execution_tool_result".to_owned());
    other.json.str_member("type").map(Into::into).or_else(untyped)
}
