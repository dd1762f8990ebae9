//! Trajectories of OpenHands: events, each an action or an observation.
//!
//! An observation names its action by `cause`, and both carry the call's id in `tool_call_metadata`; without
//! it, the names of action and observation agree. The model's words beside a call stand in the answer that
//! the metadata repeats. A condensation takes events out of the conversation and may insert a summary.

pub(crate) mod condensation;

use std::collections::HashMap;

use crate::dialect::contract::{Dialect, Facts, Provider, Scope, Sign, Site};
use crate::dialect::session::Naming;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};
use crate::source::Source;

use condensation::Condensation;

pub(super) struct OpenHands;

impl Dialect for OpenHands {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "openhands",
            about: "OpenHands trajectories",
            provider: Provider::OpenAi,
            written: Some("timestamp"),
            framing: super::openai::FRAMING,
            holders: &["history", "trajectory"],
            reads_across: true,
            ..Facts::USUAL
        }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [id, source, action, observation, args, content] =
            unit.pick(["id", "source", "action", "observation", "args", "content"]);
        let is_event = action.and(args).or(observation.and(content)).is_some();
        if is_event && id.and(source).is_some() { Sign::Certain } else { Sign::None }
    }

    fn naming<'a>(&self, unit: &Object<'a>) -> Option<Naming<'a>> {
        // Events name no session, but are numbered within it.
        unit.member("id").is_some_and(|id| id.source() == "0").then(|| Naming::header(None))
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        match unit.pick(["action", "observation"]) {
            [Some(action), _] => acted(unit, action),
            [None, Some(observation)] => observed(unit, observation),
            [None, None] => None,
        }
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let mut messages: Vec<Message<'a>> = Vec::new();
        let mut calls: HashMap<&'a str, bool> = HashMap::new();
        for (at, unit) in source.units.iter().enumerate() {
            let [id, cause] = unit.json.pick(["id", "cause"]);
            let message = self.message(unit.json);
            if let Some(id) = id {
                let is_call = message.as_ref().is_some_and(|message| message.has(Kind::ToolCall));
                calls.insert(id.source(), is_call);
            }
            let Some(mut message) = message else { continue };
            message.units.push(at);
            // The outcome of an action that the model did not call is told to the model as a text.
            let is_answer = cause.is_none_or(|cause| calls.get(cause.source()) != Some(&false));
            if !is_answer && message.role == Role::Tool {
                message.role = Role::User;
                message.origin = Origin::Injected;
                for part in message.parts.iter_mut() {
                    *part = Part::new(Kind::Text, part.json).saying(part.body);
                }
            }
            message.judge_origin();
            messages.push(message);
        }
        for (at, unit) in source.units.iter().enumerate().filter(|_| scope == Scope::Live) {
            if let Some(condensation) = Condensation::read(unit.json) {
                condensation.apply(at, &source.units, &mut messages);
            }
        }
        messages
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let numbers =
            || site.source.units.iter().filter_map(|unit| unit.json.member("id")?.as_u64());
        let time = site.neighbour().and_then(|unit| unit.member("timestamp"));
        let time = time.map_or("\"\"", Json::source);
        let source = if message.role == Role::Assistant { "agent" } else { "user" };
        let units = message.parts.iter().map(|part| match part {
            NewPart::Text(text) => {
                let (id, text) = (site.ids.next(numbers), quote(text));
                format!(
                    r#"{{"id":{id},"timestamp":{time},"source":"{source}","message":{text},"action":"message","args":{{"content":{text},"image_urls":null,"wait_for_response":false}}}}"#
                )
            }
            NewPart::Result { call_id, name, text, .. } => {
                let (text, name, call_id) = (quote(text), quote(name), quote(call_id));
                let id = site.ids.next(numbers);
                format!(
                    r#"{{"id":{id},"timestamp":{time},"source":"agent","observation":"run","content":{text},"tool_call_metadata":{{"function_name":{name},"tool_call_id":{call_id}}}}}"#
                )
            }
            NewPart::Source(source) => (*source).to_owned(),
        });
        units.collect()
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        part.written(quote)
    }
}

/// Reads the words or the call of an action; `None` for an action of the screen.
fn acted<'a>(unit: Json<'a>, action: Json<'a>) -> Option<Message<'a>> {
    let [source, args, metadata] = unit.pick(["source", "args", "tool_call_metadata"]);
    let [content, thought, final_thought, images, command] = args.map_or([None; 5], |args| {
        args.pick(["content", "thought", "final_thought", "image_urls", "command"])
    });
    let text = |said: Option<Json<'a>>| {
        said.filter(|text| text.is_filled_string()).map(|text| Part::whole(Kind::Text, text))
    };
    let by_user = source.is_some_and(|source| source.says("user"));
    let role = if by_user { Role::User } else { Role::Assistant };
    let mut message = Message::new(role, unit);
    match action.text()?.as_ref() {
        "change_agent_state" | "null" | "recall" | "condensation" | "condensation_request" => {
            return None;
        }
        "system" => {
            message.role = Role::System;
            message.parts.extend(text(content));
        }
        "message" => {
            message.parts.extend(text(content));
            let images = images.into_iter().flat_map(Json::items);
            message.parts.extend(images.map(|image| Part::new(Kind::Image, image)));
        }
        "finish" => message.parts.extend(text(final_thought).or(text(thought))),
        // A command of the user.
        _ if by_user => {
            message.origin = Origin::Injected;
            message.parts.extend(text(command).map(|text| Part { is_run: true, ..text }));
        }
        _ => {
            message.parts.extend(text(thought));
            message.parts.push(call(unit, action, args, metadata));
        }
    }
    // An action without content is not sent, but its outcome is.
    (!message.parts.is_empty()).then_some(message)
}

/// The call of an action, as the model wrote it if the metadata still holds its answer.
fn call<'a>(
    unit: Json<'a>,
    action: Json<'a>,
    args: Option<Json<'a>>,
    metadata: Option<Json<'a>>,
) -> Part<'a> {
    let [call_id, name, answer] = metadata.map_or([None; 3], |metadata| {
        metadata.pick(["tool_call_id", "function_name", "model_response"])
    });
    let calls = answer.and_then(|answer| answer.at("choices.0.message.tool_calls"));
    let is_it = |call: &Json<'a>| {
        let [id, wanted] = [call.str_member("id"), call_id.and_then(Json::text)];
        id.is_some() && id == wanted
    };
    let written = calls.into_iter().flat_map(Json::items).find(is_it);
    let arguments = written.and_then(|call| call.at("function.arguments"));
    let part = Part::new(Kind::ToolCall, unit).saying(arguments.or(args));
    Part { call_id, name: name.or(Some(action)), ..part }
}

/// Reads the outcome of an action; `None` for outcomes that only the screen shows.
fn observed<'a>(unit: Json<'a>, observation: Json<'a>) -> Option<Message<'a>> {
    let kind = observation.text()?;
    if matches!(kind.as_ref(), "agent_state_changed" | "null" | "agent_condensation") {
        return None;
    }
    let [content, metadata, source] = unit.pick(["content", "tool_call_metadata", "source"]);
    let [call_id, name] =
        metadata.map_or([None; 2], |metadata| metadata.pick(["tool_call_id", "function_name"]));
    let told = matches!(kind.as_ref(), "recall" | "error") && metadata.is_none();
    if told || source.is_some_and(|source| source.says("user")) {
        let mut message = Message::new(Role::User, unit);
        let content = content.filter(|text| text.source() != "\"\"")?;
        message.parts.push(Part::whole(Kind::Text, content));
        message.origin = Origin::Injected;
        return Some(message);
    }
    let mut message = Message::new(Role::Tool, unit);
    message.parts.push(Part {
        call_id,
        name: name.or(Some(observation)),
        is_error: kind == "error",
        ..Part::new(Kind::ToolResult, unit).saying(content)
    });
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::decode;
    use crate::document::Document;

    #[test]
    fn a_command_of_the_user_and_its_output_are_texts() {
        let text = r#"[
            {"id":7,"source":"user","action":"run","args":{"command":"pwd"}},
            {"id":8,"source":"agent","observation":"run","content":"/w","cause":7}]"#;
        let document = Document::parse(text.as_bytes()).unwrap();
        let source = Source::array(None, document.values()[0]);
        let conversation = decode(&OpenHands, source, Scope::Live);
        for (message, said) in conversation.messages.iter().zip(["pwd", "/w"]) {
            assert_eq!((message.role, message.origin), (Role::User, Origin::Injected));
            assert_eq!(message.text(), said);
        }
    }
}
