//! OpenAI Chat Completions, and the many servers and tools that use its form.
//!
//! A system prompt is message 0. Calls stand beside the content, results are messages of the role `tool`;
//! older files have `function_call` and the role `function`, without ids. Recorded answers hold their message
//! in `choices`, of which the first counts. Agents add rows of their own, whose roles begin with an
//! underscore; except for the system prompt these are never sent.

use std::borrow::Cow;

use crate::dialect::anthropic::is_thinking_of_mistral;
use crate::dialect::contract::{Dialect, Facts, Framing, Member, Provider, Sign, Site};
use crate::dialect::shared::{prompt_beside, unknown_kind};
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};

pub(super) struct OpenAi;

/// As OpenAI's own example counts: 3 per message and 1 for its role, 1 per name, 3 for the reply.
pub(super) const FRAMING: Framing =
    Framing { message: 4, name: 1, conversation: 3, ..Framing::NONE };

impl Dialect for OpenAi {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "openai",
            about: "OpenAI Chat Completions and compatible: messages, requests, fine-tuning data",
            provider: Provider::OpenAi,
            is_wire: true,
            framing: FRAMING,
            holders: &[
                "messages", "traj", "request.messages", "body.messages", "kwargs.messages",
                "history", "conversations", "conversation", "samples.*.messages", "choices",
                "response.choices",
            ],
            ..Facts::USUAL
        }
    }

    fn call_id_member(&self, part: &Part<'_>) -> Option<&'static str> {
        match part.kind {
            // A legacy `function_call` stands in no list and has no id, nor has its result. Calls of data
            // sets that write `{"type", "value"}` have none either.
            Kind::ToolCall if part.json.member("value").is_some() => None,
            Kind::ToolCall => part.list.map(|_| "id"),
            _ if part.json.member("role").is_some_and(|role| role.says("function")) => None,
            _ => Some("tool_call_id"),
        }
    }

    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        (holder_of_name(part.json), "name")
    }

    /// A call that has neither a name nor arguments lacks the object that holds them.
    fn named<'a>(&self, part: &Part<'a>, name: &str) -> Vec<Member<'a>> {
        let (holder, key) = self.tool_name_member(part);
        if part.list.is_none() || part.body.is_some() || !holder.is(part.json) {
            return vec![(holder, key, Some(quote(name)))];
        }
        let function = format!(r#"{{"name":{},"arguments":"{{}}"}}"#, quote(name));
        let kind = quote("function");
        vec![(part.json, "type", Some(kind)), (part.json, "function", Some(function))]
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        unknown_kind(part)
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [role, content, calls, call, call_id, kind] =
            unit.pick(["role", "content", "tool_calls", "function_call", "tool_call_id", "type"]);
        let Some(role) = role.and_then(Json::text) else {
            let is_choice = chosen(unit.pick(CHOICE)).is_some();
            return if is_choice { Sign::Typical } else { Sign::None };
        };
        match role.as_ref() {
            _ if kind.is_some_and(|kind| kind.says("message")) => Sign::None,
            "tool" if call_id.is_some() || content.is_some() => Sign::Typical,
            "assistant" if calls.or(call).is_some_and(|calls| !calls.is_null()) => Sign::Typical,
            "system" | "_system_prompt" | "developer" | "function" if content.is_some() => {
                Sign::Typical
            }
            role if role.starts_with('_') => Sign::Possible,
            "user" | "assistant" if content.is_some_and(is_content) => Sign::Possible,
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        message(unit).or_else(|| {
            // Further choices are other answers to the same request.
            let index = unit.member("index");
            let is_first = index.is_none_or(|index| index.as_u64() == Some(0));
            message(chosen(unit.pick(CHOICE)).filter(|_| is_first)?)
        })
    }

    fn preamble<'a>(&self, root: &Object<'a>) -> Vec<Message<'a>> {
        prompt_beside(root, &["system_prompt"]).into_iter().collect()
    }

    fn more_lists<'a>(&self, root: &Object<'a>) -> Vec<Json<'a>> {
        let answers = ["response.choices", "choices"].iter().filter_map(|path| root.at(path));
        answers.filter(|list| list.is_array()).collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let units = write_messages(message);
        if site.neighbour().and_then(|unit| chosen(unit.pick(CHOICE))).is_some() {
            let choice = |message| format!(r#"{{"index":0,"message":{message}}}"#);
            return units.into_iter().map(choice).collect();
        }
        units
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        match part {
            NewPart::Text(text) => format!(r#"{{"type":"text","text":{}}}"#, quote(text)),
            NewPart::Result { text, .. } => quote(text),
            NewPart::Source(source) => (*source).to_owned(),
        }
    }
}

/// Members of an entry of `choices`, one of several answers to a request.
const CHOICE: [&str; 3] = ["index", "finish_reason", "message"];

/// The message of a recorded answer.
fn chosen([index, reason, message]: [Option<Json<'_>>; 3]) -> Option<Json<'_>> {
    message.filter(|message| message.is_object() && index.or(reason).is_some())
}

/// Reads an object that has a role.
fn message(json: Json<'_>) -> Option<Message<'_>> {
    // Pictures drawn by OpenRouter's models, or shown to Ollama's, stand beside the text.
    let [role, content, calls, call, name, call_id, refusal, tool, images, tool_name, thought @ ..] =
        json.pick([
            "role", "content", "tool_calls", "function_call", "name", "tool_call_id", "refusal",
            "function", "images", "tool_name", THOUGHTS[0], THOUGHTS[1], THOUGHTS[2], THOUGHTS[3],
        ]);
    let said = role?.text()?;
    let mut message = Message::new(role_of(&said), json);
    if message.role == Role::Other && said.starts_with('_') {
        message.origin = Origin::Internal;
        return Some(message);
    }
    message.content = content;
    // A tool message with parts of another shape answers calls of that shape, which are not read here.
    let is_result = call_id.is_some() || !content.is_some_and(holds_unknown_parts);
    let images = images.into_iter().flat_map(Json::items);
    let images = images.map(|image| Part::new(Kind::Image, image));
    if message.role == Role::Tool && is_result {
        // One benchmark puts the call's id into the `id` of the tool message.
        let call_id = call_id.or_else(|| json.member("id")).filter(|id| id.is_string());
        let name = name.or(tool).or(tool_name).filter(|name| name.is_string());
        let result = Part::new(Kind::ToolResult, json).saying(content);
        message.parts.push(Part { call_id, name, ..result });
        message.parts.extend(images);
        return Some(message);
    }
    message.name = name.filter(|name| name.is_string());
    message.parts.extend(thoughts(thought));
    message.parts.extend(content.into_iter().flat_map(content_parts));
    let refused = refusal.filter(|text| text.is_string());
    message.parts.extend(refused.map(|text| Part::new(Kind::Text, text).saying(refusal)));
    let items = calls.into_iter().flat_map(Json::items);
    message.parts.extend(items.map(|item| {
        let part = if item.is_object() { call_part(item) } else { Part::new(Kind::Other, item) };
        Part { list: calls, ..part }
    }));
    message.parts.extend(call.filter(|call| call.is_object()).map(call_part));
    if message.parts.iter().all(|part| part.kind == Kind::Text && part.is_blank()) {
        message.parts.extend(said_otherwise(json));
    }
    message.parts.extend(images);
    Some(message)
}

/// Members of a message that hold thinking, under the names that servers use: pieces, encrypted or not, and
/// texts with the same content.
pub(super) const THOUGHTS: [&str; 4] =
    ["reasoning_details", "reasoning_content", "reasoning", "thinking"];

/// The thinking parts in the values of [`THOUGHTS`].
pub(super) fn thoughts([details, texts @ ..]: [Option<Json<'_>>; 4]) -> Vec<Part<'_>> {
    let says = |text: &Json<'_>| text.is_filled_string();
    let pieces = details.into_iter().flat_map(Json::objects).filter_map(|piece| {
        let [text, summary, data] = piece.pick(["text", "summary", "data"]);
        let said = text.filter(says).or(summary.filter(says));
        said.or(data.filter(says))?;
        Some(Part::new(Kind::Reasoning, piece).saying(said))
    });
    let mut thoughts: Vec<_> = pieces.collect();
    let text = texts.into_iter().flatten().find(says);
    if let Some(text) = text.filter(|_| thoughts.iter().all(|piece| piece.body.is_none())) {
        thoughts.insert(0, Part::whole(Kind::Reasoning, text));
    }
    thoughts
}

/// The part of a message with neither a text nor a call: a sound that the server keeps, or thoughts that only
/// the server can read.
fn said_otherwise(message: Json<'_>) -> Option<Part<'_>> {
    let [audio, details] = message.pick(["audio", "reasoning_details"]);
    let says = |value: &Json<'_>| !matches!(value.source(), "null" | "\"\"" | "[]" | "{}");
    let audio = audio.filter(says).map(|audio| Part::new(Kind::Other, audio));
    audio.or(details.filter(says).map(|details| Part::new(Kind::Reasoning, details)))
}

/// Writes a message as one unit, and each result in it as a unit of its own.
fn write_messages(message: &NewMessage<'_>) -> Vec<String> {
    let mut units = Vec::new();
    let mut texts = Vec::new();
    for part in &message.parts {
        match part {
            NewPart::Text(text) => texts.push(text.as_ref()),
            // The answer to a call of Ollama's, or to a legacy `function_call`: neither has an id.
            NewPart::Result { call, call_id, name, text } if call_id.is_empty() => {
                let [role, key] =
                    if is_legacy(call) { ["function", "name"] } else { ["tool", "tool_name"] };
                let (name, text) = (quote(name), quote(text));
                units.push(format!(r#"{{"role":"{role}","{key}":{name},"content":{text}}}"#));
            }
            NewPart::Result { call_id, text, .. } => units.push(format!(
                r#"{{"role":"tool","tool_call_id":{},"content":{}}}"#,
                quote(call_id),
                quote(text)
            )),
            NewPart::Source(source) => units.push((*source).to_owned()),
        }
    }
    if !texts.is_empty() {
        let role = message.role.name();
        let content = quote(&texts.join("\n\n"));
        units.push(format!(r#"{{"role":"{role}","content":{content}}}"#));
    }
    units
}

/// Whether a call, as it is written, is a legacy `function_call`, which is nothing but a name and arguments.
fn is_legacy(call: &str) -> bool {
    let others = Json::from_checked(call).pick(["id", "type", "function", "custom"]);
    others.iter().all(Option::is_none)
}

fn role_of(role: &str) -> Role {
    match role {
        "_system_prompt" => Role::System,
        "function" => Role::Tool,
        role => Role::named(role),
    }
}

/// The types of the parts of a content.
const PARTS: &[&str] = &[
    "text", "image_url", "input_audio", "file", "refusal", "image", "audio", "think", "reasoning",
    "tool_call", "document_url", "reference",
];

/// Whether a content can be of this dialect: no part has a type of another dialect.
fn is_content(content: Json<'_>) -> bool {
    let is_part = |item: Json<'_>| {
        let is_known = |kind: Cow<'_, str>| PARTS.contains(&&*kind);
        is_thinking_of_mistral(item) || item.str_member("type").is_none_or(is_known)
    };
    content.is_string() || content.items().all(is_part)
}

fn content_parts(content: Json<'_>) -> Vec<Part<'_>> {
    Part::all_of(content, |item| {
        let [kind, text, value, think, thinking] =
            item.pick(["type", "text", "value", "think", "thinking"]);
        match kind.and_then(Json::text).as_deref() {
            Some("image_url" | "image") => Part::new(Kind::Image, item),
            Some(
                "input_audio" | "file" | "video_url" | "audio_url" | "audio" | "video"
                | "document_url",
            ) => Part::new(Kind::File, item),
            Some("think" | "thinking" | "reasoning") => {
                Part::new(Kind::Reasoning, item).saying(think.or(thinking).or(text).or(value))
            }
            // In fine-tuning data, one text holds the name and the arguments.
            Some("tool_call") if value.is_some() => Part::new(Kind::ToolCall, item).saying(value),
            Some("text") => Part::new(Kind::Text, item).saying(text.or(value)),
            Some("refusal") => {
                Part::new(Kind::Text, item).saying(item.member("refusal").or(text).or(value))
            }
            None if item.is_string() || text.or(value).is_some() => {
                let text = if item.is_string() { Some(item) } else { text.or(value) };
                Part::new(Kind::Text, item).saying(text)
            }
            _ => Part::new(Kind::Other, item).saying(text),
        }
    })
}

/// Whether a content has objects among its parts whose form this dialect does not know.
fn holds_unknown_parts(content: Json<'_>) -> bool {
    content_parts(content)
        .iter()
        .any(|part| part.kind == Kind::Other && part.list.is_some() && part.json.is_object())
}

/// The object that holds the name and the arguments of a call.
pub(super) fn holder_of_name(call: Json<'_>) -> Json<'_> {
    let [function, custom] = call.pick(["function", "custom"]);
    function.or(custom).filter(|inner| inner.is_object()).unwrap_or(call)
}

/// Reads a call in one of the shapes `{id, function: {name, arguments}}`, `{name, arguments}` and `{function:
/// name, arguments}`, or as Anthropic writes it.
pub(super) fn call_part(call: Json<'_>) -> Part<'_> {
    let [id, function, custom, name, arguments, own] =
        call.pick(["id", "function", "custom", "name", "arguments", "input"]);
    let inner = function.or(custom);
    let [inner_name, inner_arguments, input] =
        inner.map_or([None; 3], |inner| inner.pick(["name", "arguments", "input"]));
    Part {
        call_id: id.filter(|id| id.is_string()),
        name: inner_name.or(name).or(function.filter(|name| name.is_string())),
        ..Part::new(Kind::ToolCall, call).saying(inner_arguments.or(input).or(arguments).or(own))
    }
}
