//! The role of a message that has none, where another of its members tells it.
//!
//! Responsible for members that only one role can have: who calls a tool is the assistant, what answers a
//! call is a result. Texts tell nothing, because everybody writes them.

use crate::conversation::Conversation;
use crate::demands::content_types::roleless;
use crate::dialect::Provider;
use crate::json::Json;

/// A role that another member tells.
pub(crate) struct ToldRole<'a> {
    /// The message.
    pub(crate) unit: Json<'a>,
    /// The role, as its provider calls it.
    pub(crate) role: &'static str,
    /// The member that tells it, or the part.
    pub(crate) told_by: Json<'a>,
}

/// The roles that are missing, or no string, and told by another member of their message.
pub(crate) fn told_roles<'a>(conversation: &Conversation<'a>) -> Vec<ToldRole<'a>> {
    let dialect = conversation.dialect;
    let units = roleless(conversation).filter(|_| dialect.is_wire()).map(|(_, unit, _)| unit);
    units.filter_map(|unit| told_role(dialect.provider(), unit)).collect()
}

/// The role that the members of a message tell; `None` if none tells it, or two tell different ones.
fn told_role(provider: Provider, unit: Json<'_>) -> Option<ToldRole<'_>> {
    let [content, parts, result, calls, call] =
        unit.pick(["content", "parts", "tool_call_id", "tool_calls", "function_call"]);
    let beside = [
        result.filter(|id| id.is_filled_string()).map(|id| ("tool", id)),
        calls.filter(|calls| calls.objects().next().is_some()).map(|calls| ("assistant", calls)),
        call.filter(|call| call.is_object()).map(|call| ("assistant", call)),
    ];
    let beside = beside.into_iter().flatten().filter(|_| is_openais(provider));
    let parts = content.or(parts).into_iter().flat_map(Json::objects);
    let parts = parts.filter_map(|part| Some((role_of_part(provider, part)?, part)));
    let mut told = beside.chain(parts);
    let (role, told_by) = told.next()?;
    told.all(|(other, _)| other == role).then_some(ToldRole { unit, role, told_by })
}

/// Whether calls and the ids of results stand beside the content.
fn is_openais(provider: Provider) -> bool {
    matches!(provider, Provider::OpenAi | Provider::Mistral)
}

/// The only role that a part of this kind may have.
fn role_of_part(provider: Provider, part: Json<'_>) -> Option<&'static str> {
    let has = |keys: [&str; 2]| part.pick(keys).iter().any(Option::is_some);
    match provider {
        Provider::Gemini if has(["functionCall", "function_call"]) => Some("model"),
        Provider::Gemini if has(["functionResponse", "function_response"]) => Some("user"),
        Provider::Bedrock if has(["toolUse", "reasoningContent"]) => Some("assistant"),
        Provider::Bedrock if part.member("toolResult").is_some() => Some("user"),
        Provider::Gemini | Provider::Bedrock | Provider::OpenAi | Provider::Mistral => None,
        Provider::Responses => match &*part.str_member("type")? {
            "output_text" | "refusal" => Some("assistant"),
            _ => None,
        },
        Provider::Anthropic => match &*part.str_member("type")? {
            "tool_use" | "thinking" | "redacted_thinking" => Some("assistant"),
            "tool_result" => Some("user"),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn only_one_role_may_be_told() {
        use Provider::{Anthropic, Bedrock, Gemini, OpenAi, Responses};
        for (provider, unit, role) in [
            (OpenAi, r#"{"tool_call_id":"c","content":"a"}"#, Some("tool")),
            (OpenAi, r#"{"content":null,"tool_calls":[{"id":"c"}]}"#, Some("assistant")),
            (OpenAi, r#"{"content":null,"function_call":{"name":"f"}}"#, Some("assistant")),
            (OpenAi, r#"{"tool_call_id":"c","tool_calls":[{"id":"c"}]}"#, None),
            (OpenAi, r#"{"tool_call_id":"","content":"a","tool_calls":[]}"#, None),
            (OpenAi, r#"{"content":"a","name":"f"}"#, None),
            (Anthropic, r#"{"content":[{"type":"text"},{"type":"tool_use"}]}"#, Some("assistant")),
            (Anthropic, r#"{"content":[{"type":"tool_result"}]}"#, Some("user")),
            (Anthropic, r#"{"content":[{"type":"tool_result"},{"type":"tool_use"}]}"#, None),
            (Anthropic, r#"{"content":"a","tool_call_id":"c"}"#, None),
            (Bedrock, r#"{"content":[{"toolResult":{}}]}"#, Some("user")),
            (Responses, r#"{"content":[{"type":"output_text"}]}"#, Some("assistant")),
            (Responses, r#"{"content":[{"type":"input_text"}]}"#, None),
            (Gemini, r#"{"role":5,"parts":[{"functionCall":{}}]}"#, Some("model")),
        ] {
            let document = Document::parse(unit.as_bytes()).unwrap();
            let told = told_role(provider, document.values()[0]);
            assert_eq!(told.map(|told| told.role), role, "{unit}");
        }
    }
}
