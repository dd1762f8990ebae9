//! Results of tools that the provider runs itself: they stand beside the model's words, and no message
//! answers the call.
//!
//! Responsible for telling them apart. What an MCP server said is sent back as the text that it is, and may
//! say less; what a search found or a program printed is signed or has a form of its own, and stays.

use crate::conversation::{Kind, Message, Part};

/// Whether a part is a result that may say less.
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

/// Whether a part is a result that stays as it is.
pub fn is_sealed(part: &Part<'_>) -> bool {
    let asked = ["arguments", "action", "queries", "code", "input", "error"];
    let is_asked = |body| part.json.pick(asked).into_iter().flatten().any(|asked| asked.is(body));
    kind(part).is_some_and(|kind| {
        let has_result = kind.ends_with("_call") && part.body.is_some_and(|body| !is_asked(body));
        (kind.ends_with("_tool_result") || has_result) && !is_open(part)
    })
}

/// The name of the tool of such a result: what it is called itself, or what its call is, or its type.
/// The call stands before it, mostly right before.
pub fn tool(message: &Message<'_>, index: usize) -> String {
    let result = &message.parts[index];
    let id = result.json.str_member("tool_use_id").filter(|id| !id.is_empty());
    let call = id.and_then(|id| {
        let mut before = message.parts[..index].iter().rev();
        before.find(|part| part.json.str_member("id").as_ref() == Some(&id))
    });
    let call = call.unwrap_or(result);
    let name = call.json.str_member("name").or_else(|| result.json.str_member("type"));
    name.unwrap_or_default().into_owned()
}

fn kind(part: &Part<'_>) -> Option<String> {
    let other = Some(part).filter(|part| part.kind == Kind::Other)?;
    other.json.str_member("type").map(Into::into)
}
