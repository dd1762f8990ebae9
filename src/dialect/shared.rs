//! What several dialects read and write alike.
//!
//! Responsible for what stands beside a list of messages, and for pieces of text that go into new ones.

use std::borrow::Cow;

use crate::hash::fnv;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, Part, Role};

/// A text, or with the attachments of a result a list of them, without the text where it says nothing.
pub(super) fn text_and_attachments(
    part: &Part<'_>,
    text: &str,
    write_text: impl FnOnce() -> String,
) -> String {
    if part.attachments().next().is_none() {
        return quote(text);
    }
    // A list has no place for a text that says nothing.
    list((!text.is_empty()).then(write_text), part)
}

/// A list of a text, as an item of it, and the attachments of a result.
pub(super) fn list(text: Option<String>, part: &Part<'_>) -> String {
    let attachments = part.attachments().map(|item| item.source().to_owned());
    let items: Vec<String> = text.into_iter().chain(attachments).collect();
    format!("[{}]", items.join(","))
}

/// Where Bedrock's log of invocations has the messages of a request.
pub(super) const LOGGED: &str = "input.inputBodyJson.messages";

/// Objects within a recorded exchange that hold the request, and so what stands beside its list.
const REQUESTS: &[&str] =
    &["request", "body", "params", "response", "kwargs", "config", "input.inputBodyJson"];

/// The first of several members that an object has that holds a conversation, or the request in it.
pub(super) fn beside<'a>(root: &Object<'a>, names: &[&str]) -> Option<Json<'a>> {
    let own = names.iter().filter_map(|name| root.at(name));
    let requests = REQUESTS.iter().filter_map(|name| root.at(name));
    let theirs = requests.flat_map(|request| names.iter().filter_map(move |n| request.at(n)));
    own.chain(theirs).find(|value| !value.is_null())
}

/// The definitions of the tools, where they stand beside the list.
pub(crate) fn tools_beside<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    beside(root, &["tools", "functions", "toolConfig.tools"]).filter(|tools| tools.is_array())
}

/// The name of the tool that the model must call, where it stands beside the list.
pub(crate) fn chosen_tool<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    let choices =
        ["tool_choice.function.name", "tool_choice.name", "toolConfig.toolChoice.tool.name"];
    beside(root, &choices).or_else(|| beside(root, &["function_call.name"]))
}

/// Where requests hold the schema that the answer is to follow: OpenAI's, Anthropic's, Gemini's.
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

/// The schema that the answer is to follow, where it stands beside the list.
pub(crate) fn schema_beside<'a>(root: &Object<'a>) -> Option<Json<'a>> {
    beside(root, SCHEMAS).filter(|schema| schema.is_object())
}

/// A system prompt that stands beside the list: a text, or an array of texts.
pub(super) fn prompt_beside<'a>(root: &Object<'a>, names: &[&str]) -> Option<Message<'a>> {
    let prompt = beside(root, names).filter(|prompt| !prompt.is_object())?;
    let message = Message::of_one(Role::System, Part::whole(Kind::Text, prompt));
    Some(Message { content: Some(prompt), ..message })
}

/// A part that the model never gets: steps, snapshots, what the screen shows.
pub(super) fn unsaid(json: Json<'_>) -> Part<'_> {
    Part::new(Kind::Other, json).saying(Some(Json::from_checked("\"\"")))
}

/// The members of an object as they are written, without those called `names`, each with a comma.
pub(crate) fn members_but(object: Json<'_>, names: &[&str]) -> String {
    let members = object.members().filter(|(key, _)| !names.iter().any(|name| key.is(name)));
    let written =
        members.map(|(key, value)| format!("{}:{},", key.json().source(), value.source()));
    written.collect()
}

/// The type of a part that its reader knows nothing of; empty where an item of a content has none.
pub(super) fn unknown_kind<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    let is_item = part.list.is_some() && part.json.is_object();
    let kind = part.json.str_member("type").or(is_item.then_some(Cow::Borrowed("")));
    kind.filter(|_| part.kind == Kind::Other)
}

/// An id of eight digits that depends on the text and its place alone.
pub(crate) fn derived_id(text: &str, place: &str) -> String {
    format!("{:08x}", fnv(&format!("{place}{text}")) >> 32)
}
