//! The types that providers require of parts.

use crate::conversation::{Kind, Part, Role};
use crate::demands::calls::{call_named, result_named};
use crate::demands::content::is_function;
use crate::dialect::Provider;
use crate::json::Json;
use crate::wire::Wire;

/// A type that is missing in an object or wrong, though the provider requires it.
pub(crate) struct WantedType<'a> {
    /// The part, or an item in the body of a result.
    pub(crate) object: Json<'a>,
    pub(crate) kind: &'static str,
    /// The name of the object, for findings and repairs.
    pub(crate) of: String,
    /// The type that stands there now, if there is one.
    pub(crate) told: Option<Json<'a>>,
    /// The provider's sentence, if it is known.
    pub(crate) sentence: Option<usize>,
}

/// The types that a part of a message should have; `call` is what it answers.
pub(crate) fn wanted_types<'a>(
    part: &Part<'a>,
    call: Option<&Part<'a>>,
    role: Role,
    provider: Provider,
    wire: Wire,
) -> Vec<WantedType<'a>> {
    let mut wanted = Vec::new();
    if !wire.is_sent_as_it_is() {
        return wanted;
    }
    let told = part.json.member("type").filter(|kind| !kind.is_null());
    // The part becomes a text, whatever it was.
    let has_text = part.json.member("text").is_some();
    let is = |name: &str| told.is_some_and(|kind| kind.says(name));
    let mut want = |kind, of, sentence| {
        wanted.push(WantedType { object: part.json, kind, of, told, sentence });
    };
    match (provider, part.kind) {
        (Provider::OpenAi, Kind::ToolCall) if is_function(part) && !is("function") => {
            want("function", call_named(part), Some(usize::from(told.is_some())));
        }
        (Provider::OpenAi, Kind::ToolCall) if is_custom(part) && !is("custom") => {
            want("custom", call_named(part), Some(usize::from(told.is_some())));
        }
        (Provider::Responses, Kind::ToolCall) if told.is_none() => {
            want("function_call", call_named(part), Some(1));
        }
        (Provider::Responses, Kind::Text | Kind::Other) if part.list.is_some() => {
            let of = told.map(|_| format!("text of the {}", role.name()));
            if let Some((kind, sentence)) = type_for_side(told, role, has_text) {
                want(kind, of.unwrap_or_else(|| "text".to_owned()), sentence);
            }
        }
        (Provider::Responses, Kind::ToolResult) if told.is_none() || is_output(part) => {
            if let Some(kind) = type_of_output(told, call) {
                want(kind, result_named(part), told.is_none().then_some(1));
            }
            let items = part.body.into_iter().flat_map(Json::items);
            wanted.extend(items.filter_map(misnamed_output));
        }
        (_, Kind::Text) if part.list.is_some() && told.is_none() && has_text => {
            let kind = match provider {
                Provider::OpenAi | Provider::Anthropic => "text",
                _ => return wanted,
            };
            want(kind, "text".to_owned(), Some(2));
        }
        (Provider::OpenAi | Provider::Anthropic, Kind::ToolResult) => {
            let items = part.body.into_iter().flat_map(Json::items).filter(|it| is_untyped(*it));
            wanted.extend(items.map(|object| WantedType {
                object,
                kind: "text",
                of: "text of a result".to_owned(),
                told: None,
                sentence: None,
            }));
        }
        _ => {}
    }
    wanted
}

/// The type of a text in Responses, which names the side that wrote it, and the provider's sentence, if it has
/// another type or none.
fn type_for_side(
    told: Option<Json<'_>>,
    role: Role,
    has_text: bool,
) -> Option<(&'static str, Option<usize>)> {
    let is_assistants = role == Role::Assistant;
    let own = if is_assistants { "output_text" } else { "input_text" };
    match told {
        None => has_text.then_some((own, Some(2))),
        Some(told) => match told.text()?.as_ref() {
            "text" => Some((own, Some(3))),
            "input_text" if is_assistants => Some((own, Some(0))),
            // What the provider answers for instructions is not known.
            "output_text" if !is_assistants => Some((own, (role == Role::User).then_some(4))),
            _ => None,
        },
    }
}

/// The type of an output, if it has none or not that of its call.
fn type_of_output(told: Option<Json<'_>>, call: Option<&Part<'_>>) -> Option<&'static str> {
    let kind = call.and_then(|call| call.json.str_member("type"));
    let own = match kind.as_deref() {
        Some("custom_tool_call") => "custom_tool_call_output",
        Some("function_call") => "function_call_output",
        _ => return told.is_none().then_some("function_call_output"),
    };
    told.is_none_or(|told| !told.says(own)).then_some(own)
}

/// Whether a result is the output of a function, as a request of Responses holds it.
fn is_output(part: &Part<'_>) -> bool {
    let kind = part.json.member("type");
    let is = |name: &str| kind.is_some_and(|kind| kind.says(name));
    is("function_call_output") || is("custom_tool_call_output")
}

/// The type of a text in an output, if it has that of a chat's or of the model's.
fn misnamed_output(object: Json<'_>) -> Option<WantedType<'_>> {
    let told = object.member("type")?;
    let sentence = match told.text()?.as_ref() {
        "output_text" => Some(5),
        "text" => None,
        _ => return None,
    };
    let of = "text of a result".to_owned();
    Some(WantedType { object, kind: "input_text", of, told: Some(told), sentence })
}

/// Whether a call is `{"custom": {"name", "input"}}` or `{"type": "custom_tool_call", "input"}`, whose input
/// is a text.
pub(crate) fn is_custom(part: &Part<'_>) -> bool {
    let [custom, kind] = part.json.pick(["custom", "type"]);
    custom.is_some_and(Json::is_object) || kind.is_some_and(|kind| kind.says("custom_tool_call"))
}

/// Whether a value is an object with a text but without a type.
pub(crate) fn is_untyped(item: Json<'_>) -> bool {
    let [kind, text] = item.pick(["type", "text"]);
    kind.is_none_or(Json::is_null) && text.is_some_and(Json::is_string)
}

/// Types of parts that only Anthropic has.
const ANTHROPICS: &[&str] = &["tool_use", "tool_result", "server_tool_use", "redacted_thinking"];

/// Types of parts that only Responses has.
const RESPONSES: &[&str] = &["input_text", "output_text", "input_image", "input_file"];

/// Members that name no part of Gemini's or Bedrock's, but parts of others.
const MEMBERS: &[&str] = &["type", "image_url", "tool_use", "tool_result"];

/// Whether a type that the provider does not have is one of another provider's, so that no server like it takes
/// it either. For Gemini and Bedrock, the member that names a part.
pub(crate) fn is_of_another(kind: &str, provider: Provider) -> bool {
    let is_in = |lists: &[&[&str]]| lists.iter().any(|list| list.contains(&kind));
    match provider {
        Provider::OpenAi => is_in(&[ANTHROPICS, RESPONSES]),
        Provider::Responses => is_in(&[ANTHROPICS, &["image_url"]]),
        Provider::Anthropic => is_in(&[RESPONSES, &["image_url", "input_audio", "function_call"]]),
        Provider::Gemini => is_in(&[MEMBERS, &["toolUse", "toolResult"]]),
        Provider::Bedrock => is_in(&[MEMBERS, &["functionCall", "functionResponse", "inlineData"]]),
        Provider::Mistral => false,
    }
}
