//! The items of OpenAI Responses: an assistant's turn is a run of items, each a message of its own.
//!
//! Responsible for reading one item and for writing new ones; requests, answers and the rollouts of
//! Codex hold the same items. `call_id` joins a call and its output, never the item's own `id`.
//! Hosted tools carry their output in the call, so nothing has to answer them.

use std::borrow::Cow;

use crate::dialect::contract::Framing;
use crate::dialect::shared::unknown_kind;
use crate::json::{Json, quote};
use crate::marks::ABORTED;
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};

/// An assumption, as the framing of items is not published; calls and outputs are items of their own.
pub(super) const FRAMING: Framing =
    Framing { message: 3, call: 3, result: 3, conversation: 3, ..Framing::NONE };

/// Reads an item; `None` if the value is no item.
pub(super) fn item(json: Json<'_>) -> Option<Message<'_>> {
    let [kind, role, call_id, arguments, output] =
        json.pick(["type", "role", "call_id", "arguments", "output"]);
    let kind = match kind {
        Some(kind) => kind.text()?,
        None if role.is_some() => "message".into(),
        // Items without a type are refused, but are a call and its output all the same.
        None if call_id.and(arguments).is_some() => "function_call".into(),
        None if call_id.and(output).is_some() => "function_call_output".into(),
        None => return None,
    };
    match kind.as_ref() {
        "message" | "agent_message" => Some(said(json, role)),
        "reasoning" => Some(thought(json)),
        "ghost_snapshot" => {
            let mut message = Message::new(Role::Other, json);
            message.origin = Origin::Internal;
            Some(message)
        }
        "compaction" | "compaction_summary" | "context_compaction" => {
            // Made by the server and opaque: it stays whole, where it stands.
            let mut message = Message::of_one(Role::User, Part::new(Kind::Other, json));
            message.origin = Origin::Summary;
            Some(message)
        }
        "image_generation_call" => {
            Some(Message::of_one(Role::Assistant, Part::new(Kind::Image, json)))
        }
        kind => {
            Some(called(json, kind).or_else(|| answered(json, kind)).unwrap_or_else(|| other(json)))
        }
    }
}

fn said<'a>(json: Json<'a>, role: Option<Json<'a>>) -> Message<'a> {
    let role = role.and_then(Json::text).map_or(Role::Other, |role| Role::named(&role));
    // A tool's output is never a message here.
    let role = if role == Role::Tool { Role::Other } else { role };
    let mut message = Message::new(role, json);
    message.content = json.member("content");
    message.parts = message.content.map_or_else(Vec::new, content).into();
    message
}

fn content(content: Json<'_>) -> Vec<Part<'_>> {
    Part::all_of(content, content_part)
}

fn content_part(item: Json<'_>) -> Part<'_> {
    let [kind, text, refusal] = item.pick(["type", "text", "refusal"]);
    match kind.and_then(Json::text).as_deref() {
        Some("input_image" | "computer_screenshot" | "image") => Part::new(Kind::Image, item),
        Some("input_file" | "input_audio" | "file") => Part::new(Kind::File, item),
        Some("encrypted_content") => Part::new(Kind::Other, item),
        Some("reasoning_text" | "summary_text") => Part::new(Kind::Reasoning, item).saying(text),
        _ if text.or(refusal).is_some() => Part::new(Kind::Text, item).saying(text.or(refusal)),
        _ => Part::whole(Kind::Other, item),
    }
}

/// The thinking of a reasoning item: its text, or nothing if it is encrypted whole, or else its summary.
fn thought(json: Json<'_>) -> Message<'_> {
    let [text, encrypted, summary] = json.pick(["content", "encrypted_content", "summary"]);
    let text = text.filter(|text| text.items().next().is_some());
    let summary = summary.filter(|_| !encrypted.is_some_and(Json::is_string));
    Message::of_one(Role::Assistant, Part::new(Kind::Reasoning, json).saying(text.or(summary)))
}

/// A call that needs an output: it has a call id, and no output of its own.
fn called<'a>(json: Json<'a>, kind: &str) -> Option<Message<'a>> {
    let [id, snake, camel, name, arguments, input, action, operation, code] = json.pick([
        "id", "call_id", "callId", "name", "arguments", "input", "action", "operation", "code",
    ]);
    let call_id = snake.or(camel);
    let is_open = match kind {
        "function_call" | "custom_tool_call" | "local_shell_call" => true,
        "program" | "computer_call" | "shell_call" | "apply_patch_call" => call_id.is_some(),
        // The server answers its own searches.
        "tool_search_call" => call_id.is_some_and(Json::is_string),
        _ => false,
    };
    if !is_open {
        return None;
    }
    let body = [arguments, input, action, operation, code].into_iter().flatten().next();
    let is_function = matches!(kind, "function_call" | "custom_tool_call");
    // The id of a function's item is not the id of its call.
    let call_id = call_id.or(id.filter(|_| !is_function));
    let part = Part {
        call_id: call_id.filter(|id| id.is_string()),
        // A tool without a name is named by its type.
        name: name.or(json.member("type").filter(|_| !is_function)),
        ..Part::new(Kind::ToolCall, json).saying(body)
    };
    Some(Message::of_one(Role::Assistant, part))
}

fn answered<'a>(json: Json<'a>, kind: &str) -> Option<Message<'a>> {
    // The Agents SDK for JavaScript uses names of its own: `function_call_result`, `callId`.
    let is_answer = kind.ends_with("_output") || kind.ends_with("_call_result");
    if !is_answer {
        return None;
    }
    let [id, snake, camel, name, output, result, success, tools] =
        json.pick(["id", "call_id", "callId", "name", "output", "result", "success", "tools"]);
    // As OpenAI specifies it, a local shell's output has the call's id for its own.
    let own = id.filter(|_| kind == "local_shell_call_output");
    let call_id = snake.or(camel).or(own).filter(|id| id.is_string());
    // Outputs that the server made itself have no call id; the output of a function must have one, so keep
    // it.
    if call_id.is_none() && !matches!(kind, "function_call_output" | "custom_tool_call_output") {
        return None;
    }
    let body = output.or(result);
    let runs_out = |run: Json<'_>| run.at("outcome.type").is_some_and(|how| how.says("timeout"));
    let runs_out = output.is_some_and(|runs| runs.items().any(runs_out));
    let is_picture =
        |body: &Json<'_>| body.pick(["image_url", "file_id"]).iter().any(Option::is_some);
    let screenshot = body.filter(|body| body.is_object() && is_picture(body));
    let body = body.filter(|_| screenshot.is_none());
    let part = Part {
        call_id,
        name,
        is_error: runs_out || success.is_some_and(|success| success.source() == "false"),
        ..Part::new(Kind::ToolResult, json).saying(body)
    };
    let mut message = Message::of_one(Role::Tool, part);
    message.parts.extend(screenshot.map(|image| Part::new(Kind::Image, image)));
    // The findings of a search for tools are no text that could be shortened.
    let found = tools.filter(|_| kind == "tool_search_output");
    message.parts.extend(found.map(|tools| Part::whole(Kind::Other, tools)));
    Some(message)
}

/// Reads hosted tools, which hold their own results, and items of unknown types.
fn other(json: Json<'_>) -> Message<'_> {
    let [arguments, action, queries, code, input, output, outputs, results, error] = json.pick([
        "arguments", "action", "queries", "code", "input", "output", "outputs", "results", "error",
    ]);
    let mut message = Message::new(Role::Assistant, json);
    let said = [arguments, action, queries, code, input, output, results, error];
    let logs = outputs.into_iter().flat_map(Json::items).filter_map(|item| item.member("logs"));
    let said = said.into_iter().flatten().filter(|value| !value.is_null()).chain(logs);
    message.parts = said.map(|body| Part::new(Kind::Other, json).saying(Some(body))).collect();
    if message.parts.is_empty() {
        message.parts.push(Part::whole(Kind::Other, json));
    }
    message
}

/// The type of an item, or of a part of one, that is not known.
pub(super) fn unknown_item<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    unknown_kind(part).filter(|kind| {
        let is_tools =
            kind.ends_with("_call") || kind.ends_with("_output") || kind.starts_with("mcp_");
        !is_tools && !SERVERS.contains(&kind.as_ref())
    })
}

/// Items of the server that have no content for others.
const SERVERS: &[&str] = &[
    "compaction", "compaction_summary", "context_compaction", "encrypted_content", "item_reference",
];

/// Writes a new message as items.
pub(crate) fn write_items(message: &NewMessage<'_>) -> Vec<String> {
    let mut items = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    let close = |texts: &mut Vec<String>, items: &mut Vec<String>| {
        if !texts.is_empty() {
            let role = match message.role {
                Role::Assistant => "assistant",
                Role::System | Role::Developer => "developer",
                _ => "user",
            };
            let content = std::mem::take(texts).join(",");
            items.push(format!(r#"{{"type":"message","role":"{role}","content":[{content}]}}"#));
        }
    };
    for part in &message.parts {
        match part {
            NewPart::Text(_) => texts.push(write_part(part, message.role)),
            NewPart::Result { call, call_id, text, .. } => {
                close(&mut texts, &mut items);
                items.push(write_output(call_id, text, call));
            }
            NewPart::Source(source) => {
                close(&mut texts, &mut items);
                items.push((*source).to_owned());
            }
        }
    }
    close(&mut texts, &mut items);
    items
}

/// Writes a new part of a message's content or of a result's output.
pub(super) fn write_part(part: &NewPart<'_>, role: Role) -> String {
    let kind = if role == Role::Assistant { "output_text" } else { "input_text" };
    part.written(|text| format!(r#"{{"type":"{kind}","text":{}}}"#, quote(text)))
}

/// The output of a call, in the type that fits the call; content that a text can't express is left out.
fn write_output(call_id: &str, text: &str, call: &str) -> String {
    let call = Json::from_checked(call);
    let kind = call.str_member("type");
    let execution = call.member("execution");
    let execution = execution.map_or("\"client\"", Json::source);
    let (id, text) = (quote(call_id), quote(text));
    let (kind, output) = match kind.as_deref() {
        Some("custom_tool_call") => ("custom_tool_call_output", format!(r#""output":{text}"#)),
        Some("shell_call") => (
            "shell_call_output",
            format!(
                r#""output":[{{"stdout":{text},"stderr":"","outcome":{{"type":"exit","exit_code":1}}}}]"#
            ),
        ),
        Some("apply_patch_call") => {
            ("apply_patch_call_output", format!(r#""status":"failed","output":{text}"#))
        }
        Some("tool_search_call") => (
            "tool_search_output",
            format!(r#""execution":{execution},"status":"completed","tools":[]"#),
        ),
        _ => ("function_call_output", format!(r#""output":{text}"#)),
    };
    format!(r#"{{"type":"{kind}","call_id":{id},{output}}}"#)
}

/// The text of a made-up result for a call that nobody answered; `None` for a computer call, whose result is
/// a picture. The result of a search for tools is a list of tools.
pub(super) fn says_unanswered(call: &Part<'_>) -> Option<&'static str> {
    match call.json.str_member("type").as_deref() {
        Some("computer_call") => None,
        Some("tool_search_call") => Some("no tools"),
        _ => Some(ABORTED),
    }
}
