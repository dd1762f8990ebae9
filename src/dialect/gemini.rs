//! Gemini `generateContent`: contents of parts, the system prompt beside them.
//!
//! Calls and results mostly have no ids: order and name join them. A result is an object; if its only member
//! is a text, that text is its body. Recorded answers hold their contents in `candidates`; the pieces of a
//! streamed answer, one after the other, are one message. As in every protocol buffer, one object may stand
//! in place of a list: one content, one part.

use std::borrow::Cow;

use crate::dialect::contract::{Dialect, Facts, Framing, Provider, Scope, Sign, Site};
use crate::dialect::shared::{beside, object_saying};
use crate::few::Few;
use crate::json::{Json, Key, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};
use crate::source::Source;

pub(super) struct Gemini;

/// An assumption, because the framing is not published.
pub(super) const FRAMING: Framing = Framing { message: 2, call: 3, result: 3, ..Framing::NONE };

/// The members of a request that hold the system prompt.
const PROMPTS: &[&str] = &["systemInstruction", "system_instruction"];

/// Members that make a part a call or a response.
const CALLS: [&str; 4] = ["functionCall", "function_call", "functionResponse", "function_response"];

impl Dialect for Gemini {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "gemini",
            about: "Gemini generateContent: contents, requests with a system instruction, recorded answers",
            provider: Provider::Gemini,
            is_wire: true,
            framing: FRAMING,
            holders: &["contents", "response", "request.contents", "body.contents", "history"],
            reads_across: true,
            takes_lists: true,
            ..Facts::USUAL
        }
    }

    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        let holder = part.json.pick(CALLS).into_iter().flatten().find(|it| !it.is_null());
        (holder.unwrap_or(part.json), "name")
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        unknown_part(part)
    }

    fn is_mistaken(&self, part: &Part<'_>) -> bool {
        is_mistaken(part.json) || part.json.is_empty_object()
    }

    fn attached<'a>(&self, part: &Part<'a>) -> Option<Json<'a>> {
        attached(part)
    }

    fn root_sign(&self, root: &Object<'_>) -> Sign {
        if beside(root, PROMPTS).is_some() { Sign::Certain } else { Sign::None }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [role, parts, candidates] = unit.pick(["role", "parts", "candidates"]);
        if candidates.is_some_and(Json::is_array) {
            return Sign::Certain;
        }
        let is_one = |parts: Json<'_>| parts.is_object() && part(parts).kind != Kind::Other;
        let is_list = |parts: &Json<'_>| parts.is_array() || is_one(*parts);
        let Some(parts) = parts.filter(is_list) else { return Sign::None };
        let is_part = |part: Json<'_>| part.is_string() || part.is_object();
        let foreign = parts.items().any(|part| !is_part(part) || part.member("type").is_some());
        match role.and_then(Json::text).as_deref() {
            _ if foreign => Sign::None,
            Some("model") => Sign::Certain,
            Some("user" | "function") | None => Sign::Typical,
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        match unit.member("candidates") {
            Some(candidates) => content(candidates.items().next()?.member("content")?),
            None => content(unit),
        }
    }

    fn preamble<'a>(&self, root: &Object<'a>) -> Vec<Message<'a>> {
        let read = |system: Json<'a>| {
            let parts = system.member("parts");
            let mut message = Message::new(Role::System, system);
            message.content = parts;
            message.parts = match parts {
                Some(parts) => parts_of(parts).into(),
                None => Few::One(Part::whole(Kind::Text, system)),
            };
            message
        };
        beside(root, PROMPTS).map(read).into_iter().collect()
    }

    fn messages<'a>(&self, source: &mut Source<'a>, _scope: Scope) -> Vec<Message<'a>> {
        let mut messages = source.root.as_ref().map_or_else(Vec::new, |root| self.preamble(root));
        let mut in_answer = false;
        for (at, unit) in source.units.iter().enumerate() {
            let is_piece = unit.json.member("candidates").is_some();
            let read = self.message(unit.json);
            match (messages.last_mut(), read) {
                (Some(answer), Some(piece))
                    if is_piece && in_answer && piece.role == answer.role =>
                {
                    answer.parts.extend(piece.parts);
                    answer.units.push(at);
                }
                (_, Some(message)) => {
                    messages.push(message.in_unit(at));
                    in_answer = is_piece;
                }
                (_, None) => {}
            }
        }
        messages
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        let parts: Vec<String> = message.parts.iter().map(write_part).collect();
        let content = format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.join(","));
        if site.neighbour().is_some_and(|unit| unit.member("candidates").is_some()) {
            return vec![format!(r#"{{"candidates":[{{"content":{content}}}]}}"#)];
        }
        vec![content]
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        write_part(part)
    }

    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        write_result(part, text)
    }
}

/// The body of a result that says `text`: a string if the body was one, else an object.
pub(super) fn write_result(part: &Part<'_>, text: &str) -> String {
    match part.body {
        Some(body) if body.is_object() => object_saying(text),
        _ => quote(text),
    }
}

/// Reads `{role, parts}`.
fn content(json: Json<'_>) -> Option<Message<'_>> {
    let [role, parts] = json.pick(["role", "parts"]);
    role.or(parts)?;
    let read: Few<Part<'_>> = parts.map_or_else(Vec::new, parts_of).into();
    // Only the model calls tools.
    let calls = read.iter().any(|part| part.kind == Kind::ToolCall);
    let role = match role.and_then(Json::text).as_deref() {
        // `assistant` is refused, and yet means the model.
        Some("model" | "assistant") => Role::Assistant,
        None if calls => Role::Assistant,
        Some("user") | None => Role::User,
        Some("function") => Role::Tool,
        Some("system") => Role::System,
        Some(_) => Role::Other,
    };
    let mut message = Message::new(role, json);
    message.content = parts;
    message.parts = read;
    Some(message)
}

/// The parts of a list, or the one part in its place; a string is read as the text of a part, as the client
/// libraries do.
pub(super) fn parts_of(list: Json<'_>) -> Vec<Part<'_>> {
    if list.is_object() {
        return vec![part(list)];
    }
    let parts = list.items().map(|item| Part { list: Some(list), ..part(item) });
    let text = list.is_string().then(|| Part::whole(Kind::Text, list));
    parts.chain(text).chain(Part::of_strange_content(list)).collect()
}

fn part(item: Json<'_>) -> Part<'_> {
    let [text, thought, call, response, data, file, code, output] = item.pick([
        "text", "thought", "functionCall", "functionResponse", "inlineData", "fileData",
        "executableCode", "codeExecutionResult",
    ]);
    if is_mistaken(item) {
        return Part::whole(Kind::Other, item);
    }
    let is_said = |value: &Json<'_>| !value.is_null();
    if let Some(call) = call.or_else(|| item.member("function_call")).filter(is_said) {
        let [id, name, arguments] = call.pick(["id", "name", "args"]);
        return Part { call_id: id, name, ..Part::new(Kind::ToolCall, item).saying(arguments) };
    }
    let response = response.or_else(|| item.member("function_response"));
    if let Some(response) = response.filter(is_said) {
        return Part { json: item, ..function_response(response) };
    }
    if let Some(data) = data.or(file).or_else(|| item.member("inline_data")) {
        let [camel, snake] = data.pick(["mimeType", "mime_type"]);
        let mime = camel.or(snake).and_then(Json::text);
        let is_image = mime.is_some_and(|mime| mime.starts_with("image/"));
        return Part::new(if is_image { Kind::Image } else { Kind::File }, item);
    }
    match text {
        Some(_) if thought.is_some_and(Json::is_true) => {
            Part::new(Kind::Reasoning, item).saying(text)
        }
        Some(_) => Part::new(Kind::Text, item).saying(text),
        None if item.is_string() => Part::whole(Kind::Text, item),
        None => {
            let said = code.and_then(|code| code.member("code"));
            let said = said.or_else(|| output.and_then(|output| output.member("output")));
            Part::new(Kind::Other, item).saying(said)
        }
    }
}

/// Whether a part holds a call or a response that is not an object.
fn is_mistaken(part: Json<'_>) -> bool {
    let named = part.pick(CALLS).into_iter().flatten().find(|it| !it.is_null());
    named.is_some_and(|named| !named.is_object())
}

/// The member that names a part of an unknown kind.
fn unknown_part<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    if is_mistaken(part.json) {
        return None;
    }
    let mut members = part.json.members().map(|(key, _)| key);
    let is_known = |key: &Key<'a>| KNOWN.iter().any(|name| key.is(name));
    let key = members.find(|key| part.kind == Kind::Other && !is_known(key))?;
    Some(key.text())
}

/// Members that hold code, and members that stand beside the one that names a part.
const KNOWN: &[&str] = &[
    "executableCode", "codeExecutionResult", "thought", "thoughtSignature", "thought_signature",
    "videoMetadata", "mediaResolution", "partMetadata",
];

/// Reads `{id?, name, response, parts?}`.
pub(super) fn function_response(json: Json<'_>) -> Part<'_> {
    let [id, name, response] = json.pick(["id", "name", "response"]);
    let mut members = response.into_iter().flat_map(Json::members);
    let only = match (members.next(), members.next()) {
        (Some((_, text)), None) if text.is_string() => Some(text),
        _ => None,
    };
    Part {
        call_id: id,
        name,
        is_error: response.is_some_and(|response| response.member("error").is_some()),
        ..Part::new(Kind::ToolResult, json).saying(only.or(response))
    }
}

/// The media beside the response of a part.
pub(super) fn attached<'a>(part: &Part<'a>) -> Option<Json<'a>> {
    let [camel, snake] = part.json.pick(["functionResponse", "function_response"]);
    let holder = camel.or(snake).unwrap_or(part.json);
    let media = holder.member("parts").filter(|media| media.is_array());
    media.filter(|_| part.kind == Kind::ToolResult)
}

fn write_part(part: &NewPart<'_>) -> String {
    match part {
        NewPart::Text(text) => format!(r#"{{"text":{}}}"#, quote(text)),
        NewPart::Result { call_id, name, text, .. } => {
            let id = match call_id.as_ref() {
                "" => String::new(),
                id => format!(r#""id":{},"#, quote(id)),
            };
            format!(
                r#"{{"functionResponse":{{{id}"name":{},"response":{{"output":{}}}}}}}"#,
                quote(name),
                quote(text)
            )
        }
        NewPart::Source(source) => (*source).to_owned(),
    }
}
