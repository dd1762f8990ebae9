//! Messages of LangChain: flat, wrapped in `data`, or serialised with `lc` and `kwargs`.
//!
//! A call may be recorded twice, in `tool_calls` and as a `tool_use` part of the content: the list counts,
//! and the part adds nothing. Calls whose arguments are no JSON have a list of their own; older files have
//! calls only in `additional_kwargs`, as OpenAI wrote them.

use std::borrow::Cow;

use crate::dialect::contract::{Dialect, Facts, Provider, Sign, Site};
use crate::dialect::openai;
use crate::dialect::shared::unsaid;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};

pub(super) struct LangChain;

impl Dialect for LangChain {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "langchain",
            about: "LangChain and LangGraph messages, LangSmith datasets",
            provider: Provider::OpenAi,
            framing: openai::FRAMING,
            holders: &[
                "messages", "outputs.output", "outputs.messages", "values.messages",
                "inputs.messages", "kwargs.messages", "history",
            ],
            // A list may mix wrapped messages with others.
            moves_wrapped: true,
            ..Facts::USUAL
        }
    }

    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        (openai::holder_of_name(part.json), "name")
    }

    fn role_named<'a>(&self, _message: Json<'a>, unit: Json<'a>) -> Option<Cow<'a, str>> {
        shape(unit, unit.pick(SHAPE)).map(|(kind, _)| kind)
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let Some((kind, said)) = shape(unit.json(), unit.pick(SHAPE)) else { return Sign::None };
        let is_wrapped = !said.is(unit.json());
        let names = ["content", "role", "tool_call_id", "additional_kwargs", "response_metadata"];
        let [content, role, call_id, extra, metadata] =
            if is_wrapped { said.pick(names) } else { unit.pick(names) };
        if content.is_none() || role.is_some() {
            return Sign::None;
        }
        match role_of(&kind) {
            Some(Role::User | Role::Assistant) => Sign::Certain,
            Some(_) if call_id.or(extra).or(metadata).is_some() => Sign::Certain,
            Some(_) if is_wrapped => Sign::Certain,
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let (kind, said) = shape(unit, unit.pick(SHAPE))?;
        let [content, call_id, name, status, read, broken, extra] = said.pick([
            "content", "tool_call_id", "name", "status", "tool_calls", "invalid_tool_calls",
            "additional_kwargs",
        ]);
        let role = role_of(&kind).unwrap_or(Role::Other);
        let mut message = Message::new(role, said);
        message.content = content;
        if role == Role::Tool {
            message.parts.push(Part {
                call_id: call_id.filter(|id| id.is_string()),
                name: name.filter(|name| name.is_string()),
                is_error: status.is_some_and(|status| status.says("error")),
                ..Part::new(Kind::ToolResult, said).saying(content)
            });
            return Some(message);
        }
        message.name = name.filter(|name| name.is_string());
        let calls = calls([read, broken], extra);
        let has_calls = !calls.is_empty();
        let said_parts = content.map_or_else(Vec::new, |content| parts(content, has_calls));
        // Thinking in the content is repeated there.
        if said_parts.iter().all(|part| part.kind != Kind::Reasoning) {
            let extra = extra.map(|extra| openai::thoughts(extra.pick(openai::THOUGHTS)));
            message.parts.extend(extra.into_iter().flatten());
        }
        message.parts.extend(said_parts);
        message.parts.extend(calls);
        Some(message)
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let neighbour = site.neighbour();
        let write = |kind: &str, class: &str, members: String| {
            let [data, kwargs] = neighbour.map_or([None; 2], |unit| unit.pick(["data", "kwargs"]));
            match (data, kwargs) {
                (Some(_), _) => format!(r#"{{"type":"{kind}","data":{{{members}}}}}"#),
                (_, Some(_)) => format!(
                    r#"{{"lc":1,"type":"constructor","id":["langchain","schema","messages","{class}"],"kwargs":{{{members}}}}}"#
                ),
                _ => format!(r#"{{"type":"{kind}",{members}}}"#),
            }
        };
        let (kind, class) = match message.role {
            Role::Assistant => ("ai", "AIMessage"),
            Role::System | Role::Developer => ("system", "SystemMessage"),
            Role::Tool => ("function", "FunctionMessage"),
            _ => ("human", "HumanMessage"),
        };
        let units = message.parts.iter().map(|part| match part {
            NewPart::Text(text) => write(kind, class, format!(r#""content":{}"#, quote(text))),
            // The answer to a legacy `function_call`, which has no id.
            NewPart::Result { call_id, name, text, .. } if call_id.is_empty() => {
                let (name, text) = (quote(name), quote(text));
                let members = format!(r#""name":{name},"content":{text}"#);
                write("function", "FunctionMessage", members)
            }
            NewPart::Result { call_id, text, .. } => {
                let (id, text) = (quote(call_id), quote(text));
                write("tool", "ToolMessage", format!(r#""tool_call_id":{id},"content":{text}"#))
            }
            NewPart::Source(source) => (*source).to_owned(),
        });
        units.collect()
    }
}

/// Members that show how a message is wrapped.
const SHAPE: [&str; 5] = ["type", "data", "kwargs", "lc", "id"];

/// The type of a message, and the object that holds its content.
fn shape<'a>(
    unit: Json<'a>,
    [kind, data, kwargs, lc, id]: [Option<Json<'a>>; 5],
) -> Option<(Cow<'a, str>, Json<'a>)> {
    match (kwargs, lc, data) {
        // The class is the last element of the path in `id`.
        (Some(kwargs), Some(_), _) if kwargs.is_object() => {
            Some((id?.items().last()?.text()?, kwargs))
        }
        (.., Some(data)) if data.is_object() => Some((kind?.text()?, data)),
        _ => Some((kind?.text()?, unit)),
    }
}

fn role_of(kind: &str) -> Option<Role> {
    match kind {
        "human" | "HumanMessage" | "HumanMessageChunk" => Some(Role::User),
        "ai" | "AIMessage" | "AIMessageChunk" => Some(Role::Assistant),
        "system" | "SystemMessage" => Some(Role::System),
        "tool" | "function" | "ToolMessage" | "FunctionMessage" => Some(Role::Tool),
        _ => None,
    }
}

/// The calls of a message, as LangChain sends them: those of its own `lists` (valid and invalid calls), or
/// else those that OpenAI wrote.
fn calls<'a>(lists: [Option<Json<'a>>; 2], extra: Option<Json<'a>>) -> Vec<Part<'a>> {
    let mut calls: Vec<_> = lists.into_iter().flatten().flat_map(calls_of).collect();
    let [list, call] = extra.map_or([None; 2], |extra| extra.pick(["tool_calls", "function_call"]));
    if calls.is_empty() {
        calls.extend(list.into_iter().flat_map(calls_of));
    }
    if calls.is_empty() {
        calls.extend(call.filter(|call| call.is_object()).map(openai::call_part));
    }
    calls
}

/// The calls of a list in LangChain's or OpenAI's form.
fn calls_of(list: Json<'_>) -> impl Iterator<Item = Part<'_>> {
    list.objects().map(move |call| {
        let part = match call.member("args") {
            Some(arguments) => openai::call_part(call).saying(Some(arguments)),
            None => openai::call_part(call),
        };
        Part { list: Some(list), ..part }
    })
}

fn parts(content: Json<'_>, has_calls: bool) -> Vec<Part<'_>> {
    if has_calls && content.source() == "\"\"" {
        return Vec::new();
    }
    Part::all_of(content, |item| {
        let [kind, text, thinking, reasoning, summary, id, name, input] =
            item.pick(["type", "text", "thinking", "reasoning", "summary", "id", "name", "input"]);
        match kind.and_then(Json::text).as_deref() {
            Some("text") => Part::new(Kind::Text, item).saying(text),
            None if item.is_string() => Part::whole(Kind::Text, item),
            Some("thinking" | "reasoning") => {
                let said = [thinking, text, reasoning, summary].into_iter().flatten().next();
                Part::new(Kind::Reasoning, item).saying(said)
            }
            Some("tool_use") if has_calls => unsaid(item),
            Some("tool_use") => {
                let call = Part::new(Kind::ToolCall, item).saying(input);
                Part { call_id: id, name, ..call }
            }
            Some("image" | "image_url") => Part::new(Kind::Image, item),
            Some("file" | "audio" | "video" | "document") => Part::new(Kind::File, item),
            _ => Part::new(Kind::Other, item).saying(text),
        }
    })
}
