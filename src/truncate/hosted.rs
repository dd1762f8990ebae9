//! Results of tools that the provider runs itself: they stand beside the model's words, and no message
//! answers their calls.
//!
//! Responsible for telling them apart. The answer of an MCP server is sent back as plain text and may be
//! shortened; the findings of a search or the output of a program are signed or have a form of their own, and
//! stay.

use crate::conversation::{Kind, Message, Part};
use crate::digest::{Hosted, hosted};
use crate::pairing::server_results;

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
    if !message.parts.iter().any(is_it) {
        return Vec::new();
    }
    let joined = server_results(message.placed(0));
    let results = message.parts.iter().enumerate().filter(|(_, part)| is_it(part));
    let named = results.map(|(index, part)| {
        let at = joined.binary_search_by_key(&index, |it| it.place.1).ok();
        let call = at.and_then(|at| joined[at].call).map_or(part, |(_, at)| &message.parts[at]);
        let name = call.json.str_member("name").map(Into::into).or_else(|| kind(part));
        (index, name.unwrap_or_default())
    });
    named.collect()
}

fn kind(part: &Part<'_>) -> Option<String> {
    let other = Some(part).filter(|part| part.kind == Kind::Other)?;
    // What a program printed that Gemini ran has no type.
    let is_result = || matches!(hosted(part), Some(Hosted::Result));
    let untyped = || is_result().then(|| "code_execution_tool_result".to_owned());
    other.json.str_member("type").map(Into::into).or_else(untyped)
}
