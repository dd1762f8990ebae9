//! Code that several dialects have in common.
//!
//! Responsible for values beside a list of messages, and for pieces of text that go into new messages.

use std::borrow::Cow;

use crate::hash::fnv;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, Part, Role};

/// The body of a result that says `text`: a string, or with attachments a list that begins with the text if
/// it is not empty.
pub(super) fn text_and_attachments(
    part: &Part<'_>,
    text: &str,
    write_text: impl FnOnce() -> String,
) -> String {
    if part.attachments().next().is_none() {
        return quote(text);
    }
    // A list has no place for an empty text.
    list((!text.is_empty()).then(write_text), part)
}

/// The object of a result that says `text`: JSON that was cut as JSON stays an object.
pub(super) fn object_saying(text: &str) -> String {
    match Json::parse(text).filter(|json| json.is_object()) {
        Some(object) => object.source().to_owned(),
        None => format!(r#"{{"output":{}}}"#, quote(text)),
    }
}

/// A list of `text`, already written as an item, and the attachments of a result.
pub(super) fn list(text: Option<String>, part: &Part<'_>) -> String {
    let attachments = part.attachments().map(|item| item.source().to_owned());
    let items: Vec<String> = text.into_iter().chain(attachments).collect();
    format!("[{}]", items.join(","))
}

/// The path of the messages in Bedrock's log of invocations.
pub(super) const LOGGED: &str = "input.inputBodyJson.messages";

/// Objects within a recorded exchange that hold the request, and so the values beside its list.
const REQUESTS: &[&str] =
    &["request", "body", "params", "response", "kwargs", "config", "input.inputBodyJson"];

/// The first of the members `names` that is present in the object around a conversation, or in the request
/// inside it.
pub(super) fn beside<'a>(root: &Object<'a>, names: &[&str]) -> Option<Json<'a>> {
    let own = names.iter().filter_map(|name| root.at(name));
    let requests = REQUESTS.iter().filter_map(|name| root.at(name));
    let theirs = requests.flat_map(|request| names.iter().filter_map(move |n| request.at(n)));
    own.chain(theirs).find(|value| !value.is_null())
}

/// The definitions of the tools beside the list: an array, or as in some data sets the text of one.
pub(crate) fn tools_beside<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    let is_written = |tools: Json<'_>| tools.text().is_some_and(|text| text.starts_with('['));
    beside(root, &["tools", "functions", "toolConfig.tools"])
        .filter(|tools| tools.is_array() || is_written(*tools))
}

/// The name of the tool that the model must call, if the request names one.
pub(crate) fn chosen_tool<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    let choices =
        ["tool_choice.function.name", "tool_choice.name", "toolConfig.toolChoice.tool.name"];
    beside(root, &choices).or_else(|| beside(root, &["function_call.name"]))
}

/// Paths at which requests hold the schema of the answer: OpenAI's, Anthropic's, Gemini's.
const SCHEMAS: &[&str] = &[
    "response_format.json_schema.schema",
    "text.format.schema",
    "output_config.format.schema",
    "output_format.schema",
    "generationConfig.responseSchema",
    "generationConfig.responseJsonSchema",
    "generation_config.response_schema",
    "generation_config.response_json_schema",
    "responseSchema",
    "responseJsonSchema",
];

/// The schema of the answer, if the request has one.
pub(crate) fn schema_beside<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    beside(root, SCHEMAS).filter(|schema| schema.is_object())
}

/// The system prompt beside the list: a text, or an array of texts.
pub(super) fn prompt_beside<'a>(root: &Object<'a>, names: &[&str]) -> Option<Message<'a>> {
    let prompt = beside(root, names).filter(|prompt| !prompt.is_object())?;
    let message = Message::of_one(Role::System, Part::whole(Kind::Text, prompt));
    Some(Message { content: Some(prompt), ..message })
}

/// A part that the model never gets: a step, a snapshot, something shown on the screen.
pub(super) fn unsaid(json: Json<'_>) -> Part<'_> {
    Part::new(Kind::Other, json).saying(Some(Json::from_checked("\"\"")))
}

/// The members of an object as written, except those called `names`, each followed by a comma.
pub(crate) fn members_but(object: Json<'_>, names: &[&str]) -> String {
    let members = object.members().filter(|(key, _)| !names.iter().any(|name| key.is(name)));
    let written =
        members.map(|(key, value)| format!("{}:{},", key.json().source(), value.source()));
    written.collect()
}

/// The type of a part that its reader does not know; empty for an item of a content list without a type.
pub(super) fn unknown_kind<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    let is_item = part.list.is_some() && part.json.is_object();
    let kind = part.json.str_member("type").or(is_item.then_some(Cow::Borrowed("")));
    kind.filter(|_| part.kind == Kind::Other)
}

/// An id of eight hex digits that depends only on the text and its place.
pub(crate) fn derived_id(text: &str, place: &str) -> String {
    format!("{:08x}", fnv(&format!("{place}{text}")) >> 32)
}
