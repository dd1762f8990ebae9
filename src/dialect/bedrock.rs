//! AWS Bedrock's Converse: blocks that are named by their only member, results in user messages, and the
//! system prompt as a list of blocks beside the messages.
//!
//! Contents are lists, never a plain text, and so are the bodies of results; a body of one `json` object is
//! read as that object. Amazon's own models take the same messages when they are invoked directly.

use std::borrow::Cow;

use crate::dialect::anthropic::FRAMING;
use crate::dialect::contract::{Dialect, Facts, Provider, Sign, Site};
use crate::dialect::shared::{LOGGED, beside, list, object_saying, prompt_beside, unsaid};
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};

pub(super) struct Bedrock;

/// Members that only Bedrock's requests have.
const REQUEST: &[&str] = &[
    "modelId", "inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields",
];

/// Members that name a block; each block has one of them.
pub(crate) const BLOCK_NAMES: [&str; 12] = [
    "text", "toolUse", "toolResult", "image", "document", "video", "audio", "reasoningContent",
    "guardContent", "cachePoint", "citationsContent", "searchResult",
];

impl Dialect for Bedrock {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "bedrock",
            about: "AWS Bedrock Converse: messages, requests with a system prompt beside them",
            provider: Provider::Bedrock,
            is_wire: true,
            framing: FRAMING,
            holders: &["messages", "request.messages", "body.messages", LOGGED],
            names_parts: true,
            takes_lists: true,
            ..Facts::USUAL
        }
    }

    fn object_of<'a>(&self, part: &Part<'a>) -> Json<'a> {
        let [call, result] = part.json.pick(["toolUse", "toolResult"]);
        call.or(result).filter(|inner| inner.is_object()).unwrap_or(part.json)
    }

    fn result_member(&self, text: &str) -> (&'static str, String) {
        let said = Some(write_text(text)).filter(|_| !text.is_empty());
        ("content", format!("[{}]", said.unwrap_or_default()))
    }

    fn call_id_member(&self, _part: &Part<'_>) -> Option<&'static str> {
        Some("toolUseId")
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        let is_known = part.json.pick(BLOCK_NAMES).iter().flatten().next().is_some();
        let (key, _) = part.json.members().next()?;
        (part.kind == Kind::Other && !is_known).then(|| key.text())
    }

    fn is_mistaken(&self, part: &Part<'_>) -> bool {
        is_mistaken(part.json)
    }

    fn words_beside<'a>(&self, part: &Part<'a>) -> Option<Json<'a>> {
        let text = part.json.member("text").filter(|_| part.list.is_some());
        text.filter(|text| part.body.is_none_or(|body| !body.is(*text)))
    }

    fn root_sign(&self, root: &Object<'_>) -> Sign {
        let is_block = |block: Json<'_>| sign_of(block).is_some_and(|sign| sign > Sign::None);
        let prompt = beside(root, &["system"]).filter(|system| system.is_array());
        let has_prompt = prompt.is_some_and(|system| system.items().any(is_block));
        if has_prompt || beside(root, REQUEST).is_some() { Sign::Certain } else { Sign::None }
    }

    fn may_be_in(&self, root: &Object<'_>) -> bool {
        let is_prompt = |system: Json<'_>| system.is_array();
        beside(root, &["model"]).is_none() && beside(root, &["system"]).is_none_or(is_prompt)
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [role, content, kind, calls] = unit.pick(["role", "content", "type", "tool_calls"]);
        let role = role.and_then(Json::text).map_or(Role::Other, |role| Role::of_three(&role));
        let blocks = content.filter(|it| it.is_array() && role != Role::Other);
        let blocks = blocks.filter(|_| kind.or(calls).is_none());
        let mut signs = blocks.into_iter().flat_map(Json::items).map(sign_of);
        let strongest = signs.try_fold(Sign::None, |most, sign| Some(most.max(sign?)));
        strongest.unwrap_or(Sign::None)
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let [role, content] = unit.pick(["role", "content"]);
        let mut message = Message::new(Role::of_three(&role?.text()?), unit);
        message.content = content;
        message.parts = content.map_or_else(Vec::new, blocks).into();
        Some(message)
    }

    fn preamble<'a>(&self, root: &Object<'a>) -> Vec<Message<'a>> {
        let prompt = prompt_beside(root, &["system"]);
        let read = |it: Message<'a>| Message { parts: blocks(it.json).into(), ..it };
        prompt.map(read).into_iter().collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, _site: &Site<'_, '_>) -> Vec<String> {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let blocks: Vec<String> = message.parts.iter().map(write_block).collect();
        vec![format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))]
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        write_block(part)
    }

    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        let is_content = |body: Json<'_>| {
            part.json.at("toolResult.content").is_some_and(|content| content.is(body))
        };
        match part.body {
            Some(body) if body.is_object() => object_saying(text),
            Some(body) if body.is_string() && !is_content(body) => quote(text),
            _ => list((!text.is_empty()).then(|| write_text(text)), part),
        }
    }
}

/// How strongly a block speaks for this dialect; texts without a type may be others' too. `None` if it speaks
/// against it, as a block with a type or a picture given as a link does.
fn sign_of(block: Json<'_>) -> Option<Sign> {
    if !block.is_object() || block.member("type").is_some() {
        return None;
    }
    let [text, named @ ..] = block.pick(BLOCK_NAMES);
    match named.into_iter().flatten().find(|value| !value.is_null()) {
        Some(value) => value.is_object().then_some(Sign::Certain),
        None if text.is_some_and(Json::is_string) => Some(Sign::Likely),
        None => Some(Sign::None),
    }
}

/// The parts of a list of blocks. A plain text is read too, although Bedrock refuses it.
fn blocks(content: Json<'_>) -> Vec<Part<'_>> {
    Part::all_of(content, read_block)
}

/// Whether the status of a result says that the tool failed, in whatever words.
pub(crate) fn is_failure(status: Json<'_>) -> bool {
    let words = status.text().unwrap_or_default().to_lowercase();
    words.contains("err") || words.contains("fail")
}

/// Reads a block. A block with several names, which Bedrock refuses, counts as a call or result if it has
/// one, and as a text before thinking and marks.
fn read_block(item: Json<'_>) -> Part<'_> {
    if item.is_string() {
        return Part::whole(Kind::Text, item);
    }
    let [text, named @ ..] = item.pick(BLOCK_NAMES);
    let [call, result, image, document, video, audio, thought, guard, mark, cited, found] =
        named.map(|value| value.filter(|value| value.is_object()));
    if let Some(call) = call {
        let [call_id, name, input] = call.pick(["toolUseId", "name", "input"]);
        Part { call_id, name, ..Part::new(Kind::ToolCall, item).saying(input) }
    } else if let Some(result) = result {
        let [call_id, content, status] = result.pick(["toolUseId", "content", "status"]);
        let is_error = status.is_some_and(is_failure);
        let body = content.map(|content| said_as_json(content).unwrap_or(content));
        Part { call_id, is_error, ..Part::new(Kind::ToolResult, item).saying(body) }
    } else if let Some(guarded) = guard.and_then(|guard| guard.at("text.text")) {
        Part::new(Kind::Text, item).saying(Some(guarded))
    } else if image.is_some() || guard.is_some_and(|guard| guard.member("image").is_some()) {
        Part::new(Kind::Image, item)
    } else if document.or(video).or(audio).is_some() {
        Part::new(Kind::File, item)
    } else if let Some(cited) = cited.or(found) {
        Part::new(Kind::Other, item).saying(cited.member("content"))
    } else if text.is_some() {
        Part::new(Kind::Text, item).saying(text)
    } else if let Some(thought) = thought {
        Part::new(Kind::Reasoning, item).saying(thought.at("reasoningText.text"))
    } else if mark.is_some() {
        unsaid(item)
    } else if is_mistaken(item) {
        Part::whole(Kind::Other, item)
    } else {
        Part::new(Kind::Other, item)
    }
}

/// Whether a block is empty or none of its named members is an object.
fn is_mistaken(block: Json<'_>) -> bool {
    let [text, named @ ..] = block.pick(BLOCK_NAMES);
    let mut named = named.into_iter().flatten().filter(|value| !value.is_null()).peekable();
    let is_none = named.peek().is_some() && !named.any(Json::is_object);
    (text.is_none() && is_none) || block.is_empty_object()
}

/// The JSON of a result whose content is a single `json` object: the object, or the text that is its only
/// content.
fn said_as_json(content: Json<'_>) -> Option<Json<'_>> {
    let mut items = content.items();
    let object = items.next()?.member("json").filter(|json| json.is_object())?;
    if items.next().is_some() {
        return None;
    }
    let mut members = object.members();
    match (members.next(), members.next()) {
        (Some((_, text)), None) if text.is_string() => Some(text),
        _ => Some(object),
    }
}

fn write_text(text: &str) -> String {
    format!(r#"{{"text":{}}}"#, quote(text))
}

fn write_block(part: &NewPart<'_>) -> String {
    match part {
        NewPart::Text(text) => write_text(text),
        NewPart::Result { call_id, text, .. } => format!(
            r#"{{"toolResult":{{"toolUseId":{},"content":[{}]}}}}"#,
            quote(call_id),
            write_text(text)
        ),
        NewPart::Source(source) => (*source).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(content: &str) -> Sign {
        let unit = format!(r#"{{"role":"user","content":{content}}}"#);
        Bedrock.sign(&Object::of(Json::from_checked(&unit)))
    }

    #[test]
    fn blocks_that_a_member_names_are_its_own_and_typed_ones_are_not() {
        assert_eq!(sign(r#"[{"text":"a"},{"toolUse":{}}]"#), Sign::Certain);
        assert_eq!(sign(r#"[{"text":"a"},{"newer":{}}]"#), Sign::Likely);
        for other in [
            r#"[{"type":"text","text":"a"},{"toolUse":{}}]"#,
            r#"[{"text":"a"},{"image":"https://example.org/a.png"}]"#,
            r#"["a"]"#,
            r#""a""#,
            "[]",
        ] {
            assert_eq!(sign(other), Sign::None, "{other}");
        }
    }

    #[test]
    fn a_result_says_something_else_in_the_form_that_it_has() {
        for (content, said, written) in [
            (r#"[{"text":"a"}]"#, "a", r#"[{"text":"b"}]"#),
            (r#"[{"text":"a"},{"image":{}}]"#, "a", r#"[{"text":"b"},{"image":{}}]"#),
            (r#"[{"json":{"n":1}}]"#, r#"{"n":1}"#, r#"{"output":"b"}"#),
            (r#"[{"json":{"n":"a"}}]"#, "a", r#""b""#),
            (
                r#"[{"text":"a"},{"document":{"name":"n","source":{"text":"c"}}}]"#,
                "a\nc",
                r#"[{"text":"b"}]"#,
            ),
            (r#"[{"json":1}]"#, r#"[{"json":1}]"#, r#"[{"text":"b"}]"#),
            (r#""a""#, "a", r#"[{"text":"b"}]"#),
        ] {
            let item = format!(r#"{{"toolResult":{{"toolUseId":"t","content":{content}}}}}"#);
            let part = read_block(Json::from_checked(&item));
            assert_eq!(part.text(), said, "{content}");
            assert_eq!(Bedrock.write_result(&part, "b"), written, "{content}");
        }
        let item = r#"{"toolResult":{"content":[{"json":{"n":[1,2,3]}}]}}"#;
        let part = read_block(Json::from_checked(item));
        assert_eq!(Bedrock.write_result(&part, r#"{"n":["…"]}"#), r#"{"n":["…"]}"#);
    }
}
