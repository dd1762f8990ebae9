//! Anthropic Messages: blocks in the content, results in user messages, the system prompt beside the list.
//!
//! Editors keep their histories in this shape, with a time and marks of their own in each message.
//! The reading of blocks serves the session logs of Claude Code too.

use std::borrow::Cow;

use crate::dialect::contract::{Dialect, Facts, Framing, Provider, Sign, Site};
use crate::dialect::shared::{LOGGED, beside, prompt_beside, tools_beside, unknown_kind};
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};

pub(super) struct Anthropic;

/// The API's framing is not published; all that is known is that a request of one character bills 7 or 8
/// tokens.
pub(super) const FRAMING: Framing = Framing { message: 3, call: 4, result: 4, ..Framing::NONE };

impl Dialect for Anthropic {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "anthropic",
            about: "Anthropic Messages: messages and requests with a system prompt beside them",
            provider: Provider::Anthropic,
            is_wire: true,
            framing: FRAMING,
            // Batches have their messages under `params`, in one line each or all in one request.
            holders: &[
                "messages", "request.messages", "body.messages", "params.messages", LOGGED,
                "requests.*.params.messages",
            ],
            ..Facts::USUAL
        }
    }

    fn call_id_member(&self, part: &Part<'_>) -> Option<&'static str> {
        Some(if part.kind == Kind::ToolCall { "id" } else { "tool_use_id" })
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        unknown_block(part)
    }

    fn root_sign(&self, root: &Object<'_>) -> Sign {
        if beside(root, &["anthropic_version"]).is_some() {
            return Sign::Certain;
        }
        let has_prompt = beside(root, &["system"]).is_some();
        match has_prompt {
            // Then a system prompt among the messages is for Anthropic to refuse.
            true if (asks_as_anthropic(root) || calls(root)) && !asks_as_openai(root) => {
                Sign::Certain
            }
            true => Sign::Typical,
            false if asks_as_anthropic(root) && !asks_as_openai(root) => Sign::Likely,
            false => Sign::None,
        }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [role, content, time, calls] = unit.pick(["role", "content", "ts", "tool_calls"]);
        let Some(content) = content else { return Sign::None };
        let calls_beside = calls.is_some_and(|calls| calls.items().next().is_some());
        if calls_beside
            || content.items().any(is_thinking_of_mistral)
            || !role.is_some_and(|role| role.says("user") || role.says("assistant"))
        {
            return Sign::None;
        }
        let blocks = content.items().map(|block| match block.str_member("type").as_deref() {
            Some(
                "thinking" | "redacted_thinking" | "document" | "search_result"
                | "container_upload",
            ) => Sign::Typical,
            Some(kind) if is_of_tools(kind) => Sign::Typical,
            Some("text" | "image") if time.is_some() => Sign::Typical,
            Some("image") if has_typed_source(block) => Sign::Likely,
            Some("text" | "image") => Sign::Possible,
            _ => Sign::None,
        });
        let start = if content.is_string() || content.items().next().is_none() {
            Sign::Possible
        } else {
            Sign::None
        };
        blocks.fold(start, Sign::max)
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        message(unit)
    }

    fn preamble<'a>(&self, root: &Object<'a>) -> Vec<Message<'a>> {
        let prompt = prompt_beside(root, &["system", "system_prompt"]);
        let read = |it: Message<'a>| Message { parts: blocks(it.json).into(), ..it };
        prompt.map(read).into_iter().collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, _site: &Site<'_, '_>) -> Vec<String> {
        vec![write_message(message)]
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        write_block(part)
    }
}

/// Members that only requests of OpenAI's form have.
const OPENAI: [&str; 8] = [
    "max_completion_tokens", "reasoning_effort", "response_format", "stream_options", "stop", "n",
    "frequency_penalty", "presence_penalty",
];

/// The messages of a request.
fn messages<'a>(root: &Object<'a>) -> impl Iterator<Item = Json<'a>> {
    beside(root, &["messages"]).into_iter().flat_map(Json::objects)
}

/// Whether a request has OpenAI's form. Gateways accept members of Anthropic's in it as well.
fn asks_as_openai(root: &Object<'_>) -> bool {
    let mut tools = tools_beside(root).into_iter().flat_map(Json::items);
    let is_openais = |message: Json<'_>| {
        let [role, content, calls] = message.pick(["role", "content", "tool_calls"]);
        let mut parts = content.into_iter().flat_map(Json::items);
        calls.is_some()
            || !role.is_some_and(|r| ["user", "assistant", "system"].iter().any(|n| r.says(n)))
            || parts.any(|part| part.member("image_url").or(part.member("input_audio")).is_some())
    };
    beside(root, &OPENAI).is_some()
        || tools.any(|tool| tool.member("function").is_some())
        || messages(root).any(is_openais)
}

/// Whether a request has members that OpenAI's does not have or that look different there, or all members
/// that Anthropic requires.
fn asks_as_anthropic(root: &Object<'_>) -> bool {
    let stops = beside(root, &["stop_sequences"]).is_some_and(Json::is_array);
    let context = beside(root, &["context_management"]).is_some_and(Json::is_object);
    // Other providers have `thinking` too, but without a budget.
    let thinking = beside(root, &["thinking"]).is_some_and(|thinking| {
        let [budget, kind] = thinking.pick(["budget_tokens", "type"]);
        budget.is_some() || kind.is_some_and(|kind| kind.says("adaptive"))
    });
    let mut tools = tools_beside(root).into_iter().flat_map(Json::items);
    let is_its = |tool: Json<'_>| tool.member("input_schema").is_some() || is_anthropics(tool);
    let model = beside(root, &["model"]).and_then(Json::text);
    // Routers to several providers put a name before the model's.
    let names_claude = model.is_some_and(|model| model.starts_with("claude-"));
    let is_limited = beside(root, &["max_tokens"]).is_some();
    stops || context || thinking || tools.any(is_its) || (names_claude && is_limited)
}

/// Whether a message of a request has a block that calls a tool or answers a call.
fn calls(root: &Object<'_>) -> bool {
    let mut blocks = messages(root)
        .filter_map(|message| message.member("content"))
        .flat_map(Json::items)
        .filter_map(|block| block.str_member("type"));
    blocks.any(|kind| is_of_tools(&kind))
}

/// Whether a block of this type is a call or a result, including those of tools that the server runs.
fn is_of_tools(kind: &str) -> bool {
    kind.ends_with("tool_use") || kind.ends_with("tool_result")
}

/// Whether a picture names the type of its source, as only Anthropic's pictures do.
fn has_typed_source(picture: Json<'_>) -> bool {
    let kind = picture.member("source").and_then(|source| source.member("type"));
    kind.is_some_and(|kind| ["base64", "url", "file"].iter().any(|name| kind.says(name)))
}

/// Whether a block is thinking as Mistral writes it, as a list of texts.
pub(super) fn is_thinking_of_mistral(block: Json<'_>) -> bool {
    block.member("thinking").is_some_and(Json::is_array)
}

/// Reads an object that has a role and a content of blocks.
pub(super) fn message(json: Json<'_>) -> Option<Message<'_>> {
    let [role, content, summary, metadata] =
        json.pick(["role", "content", "isSummary", "metadata"]);
    let mut message = Message::new(Role::of_three(&role?.text()?), json);
    message.content = content;
    message.parts = content.map_or_else(Vec::new, blocks).into();
    let kind = metadata.and_then(|metadata| metadata.member("kind"));
    let is_summary = kind.is_some_and(|kind| kind.says("compaction_summary"));
    if is_summary || summary.is_some_and(Json::is_true) {
        message.origin = Origin::Summary;
    }
    Some(message)
}

/// The parts of a content: a string, or an array of blocks.
pub(super) fn blocks(content: Json<'_>) -> Vec<Part<'_>> {
    Part::all_of(content, read_block)
}

fn read_block(block: Json<'_>) -> Part<'_> {
    let [kind, text, id, name, input, tool_use_id, content, thinking, is_error] = block.pick([
        "type", "text", "id", "name", "input", "tool_use_id", "content", "thinking", "is_error",
    ]);
    if block.is_string() {
        return Part::whole(Kind::Text, block);
    }
    match kind.and_then(Json::text).as_deref() {
        Some("text") => Part::new(Kind::Text, block).saying(text),
        // A text without a type is refused, and yet a text.
        None if text.is_some_and(Json::is_string) => Part::new(Kind::Text, block).saying(text),
        Some("image") => Part::new(Kind::Image, block),
        Some("document" | "container_upload") => Part::new(Kind::File, block),
        Some("thinking") => Part::new(Kind::Reasoning, block).saying(thinking),
        Some("redacted_thinking") => Part::new(Kind::Reasoning, block),
        Some("tool_use") => {
            Part { call_id: id, name, ..Part::new(Kind::ToolCall, block).saying(input) }
        }
        Some("tool_result") => Part {
            call_id: tool_use_id,
            is_error: is_error.is_some_and(Json::is_true),
            ..Part::new(Kind::ToolResult, block).saying(content)
        },
        // Run by the server, which answers them itself: `server_tool_use` and its results.
        _ => Part::new(Kind::Other, block).saying(text.or(content).or(input)),
    }
}

/// Whether a tool is one that Anthropic defines: its type ends with a date.
fn is_anthropics(tool: Json<'_>) -> bool {
    let kind = tool.str_member("type").unwrap_or_default();
    let date = kind.rsplit_once('_').map_or("", |(_, date)| date);
    date.len() == 8 && date.starts_with("20") && date.bytes().all(|byte| byte.is_ascii_digit())
}

/// The type of a block that is neither known nor run or made by the server.
pub(super) fn unknown_block<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    unknown_kind(part).filter(|kind| {
        let is_servers = kind.ends_with("_tool_use") || kind.ends_with("_tool_result");
        !is_servers && !matches!(kind.as_ref(), "search_result" | "tool_reference" | "compaction")
    })
}

/// A message whose content is a string if it is a single text, else a list of blocks.
pub(super) fn write_message(message: &NewMessage<'_>) -> String {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    let content = match message.parts.as_slice() {
        [NewPart::Text(text)] => quote(text),
        parts => format!("[{}]", parts.iter().map(write_block).collect::<Vec<_>>().join(",")),
    };
    format!(r#"{{"role":"{role}","content":{content}}}"#)
}

pub(super) fn write_block(part: &NewPart<'_>) -> String {
    match part {
        NewPart::Text(text) => format!(r#"{{"type":"text","text":{}}}"#, quote(text)),
        NewPart::Result { call_id, text, .. } => format!(
            r#"{{"type":"tool_result","tool_use_id":{},"content":{}}}"#,
            quote(call_id),
            quote(text)
        ),
        NewPart::Source(source) => (*source).to_owned(),
    }
}
