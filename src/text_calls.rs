//! Calls that stand in a text, as the calls that they are.
//!
//! Where a model has no calls of its own, an agent lets it write them into what it says, and hands what a tool answered
//! over as the user's words. Responsible for telling such a conversation with calls and results, for those who
//! ask what was done: no provider gets it so. It relies on the conversation for which messages a program answered.
//! Invariant: there are the same messages, and none that has calls of its own is another.

mod answer;
mod notation;

use std::collections::BTreeSet;

use crate::conversation::{Conversation, Kind, Message, Origin, Part, Role};
use crate::json::{Json, quote};
use crate::message::observation::{SPEAKING, words_of_user};

use answer::{Answer, answers};
use notation::{Written, calls_in};

/// The messages that write calls or answer them, as what they say.
pub struct TextCalls {
    messages: Vec<(usize, Vec<Said>)>,
}

/// A part of such a message, with its JSON.
enum Said {
    Words(String),
    Call(String),
    Result(String, bool),
}

impl TextCalls {
    /// Finds them; none where every call is one of its own.
    pub fn of(conversation: &Conversation<'_>) -> Option<Self> {
        let messages = &conversation.messages;
        let mut found = Self { messages: Vec::new() };
        let mut tools = BTreeSet::new();
        let mut at = 1;
        while at < messages.len() {
            let caller = at - 1;
            at += 1;
            if !may_write_calls(&messages[caller]) {
                continue;
            }
            let answers = answers(&messages[caller + 1..]);
            let Some(first) = answers.first() else { continue };
            let text = messages[caller].text();
            let calls = calls_in(&text, first.tool.as_deref(), first.is_shells);
            if calls.is_empty() {
                continue;
            }
            tools.extend(calls.iter().map(|call| call.tool.clone()));
            found.messages.push((caller, said_by_model(caller, &text, &calls)));
            found.answered(caller, &calls, &answers);
        }
        if found.messages.is_empty() {
            return None;
        }
        found.unanswered(messages, &tools);
        Some(found)
    }

    /// Takes the answers of calls, in their order.
    fn answered(&mut self, caller: usize, calls: &[Written], answers: &[Answer]) {
        for (index, answer) in answers.iter().enumerate() {
            let at = caller + 1 + answer.message;
            let said = if calls.get(index).is_some_and(|call| speaks(&call.tool).is_some()) {
                match words_of_user(&answer.text) {
                    Some(words) => Said::Words(quote(words)),
                    None => continue,
                }
            } else {
                let id = quote(&id_of(caller, index));
                let content = quote(&answer.text);
                let json = format!("{{\"id\":{id},\"content\":{content}}}");
                Said::Result(json, answer.is_error)
            };
            let words = answer.words.as_deref().map(|words| Said::Words(quote(words)));
            let said = std::iter::once(said).chain(words);
            match self.messages.last_mut() {
                Some((last, parts)) if *last == at => parts.extend(said),
                _ => self.messages.push((at, said.collect())),
            }
        }
    }

    /// Takes the calls that nothing answers, in a notation that is known from the others.
    fn unanswered(&mut self, messages: &[Message<'_>], tools: &BTreeSet<String>) {
        let known: BTreeSet<usize> = self.messages.iter().map(|(at, _)| *at).collect();
        for (at, message) in messages.iter().enumerate() {
            if known.contains(&at) || !may_write_calls(message) {
                continue;
            }
            let text = message.text();
            let named =
                tools.iter().map(String::as_str).chain(SPEAKING.iter().map(|[tool, _]| *tool));
            let tool = named.into_iter().find(|tool| notation::has_element(&text, tool));
            let calls = calls_in(&text, tool, false);
            if !calls.is_empty() {
                self.messages.push((at, said_by_model(at, &text, &calls)));
            }
        }
    }

    /// The conversation with these calls and results.
    pub fn told<'t>(&'t self, conversation: &Conversation<'t>) -> Conversation<'t> {
        let mut messages = conversation.messages.clone();
        for (at, said) in &self.messages {
            let message = &mut messages[*at];
            message.parts = said.iter().map(Said::part).collect::<Vec<_>>().into();
            message.origin = Origin::Spoken;
        }
        Conversation { source: conversation.source.clone(), messages, ..*conversation }
    }
}

impl Said {
    fn part(&self) -> Part<'_> {
        let of = |kind, source, body| {
            let json = Json::from_checked(source);
            let [call_id, name, body] = json.pick(["id", "name", body]);
            Part { call_id, name, ..Part::new(kind, json).saying(body) }
        };
        match self {
            Self::Words(source) => Part::whole(Kind::Text, Json::from_checked(source)),
            Self::Call(source) => of(Kind::ToolCall, source, "arguments"),
            Self::Result(source, is_error) => {
                Part { is_error: *is_error, ..of(Kind::ToolResult, source, "content") }
            }
        }
    }
}

/// Whether a message is the model's and calls nothing but in its text.
fn may_write_calls(message: &Message<'_>) -> bool {
    message.role == Role::Assistant
        && message.origin == Origin::Spoken
        && message.has(Kind::Text)
        && !message.has(Kind::ToolCall)
}

/// What a message of the model's says, with its calls in their places.
fn said_by_model(at: usize, text: &str, calls: &[Written]) -> Vec<Said> {
    let mut parts = Vec::new();
    let mut from = 0;
    let words = |parts: &mut Vec<Said>, words: &str| {
        if !words.trim().is_empty() {
            parts.push(Said::Words(quote(words.trim())));
        }
    };
    for (index, call) in calls.iter().enumerate() {
        words(&mut parts, &text[from..call.span.start]);
        from = call.span.end;
        if let Some(argument) = speaks(&call.tool) {
            let arguments = Json::from_checked(&call.arguments);
            let said = arguments.str_member(argument).unwrap_or_default();
            words(&mut parts, &said);
        } else {
            let (id, name) = (quote(&id_of(at, index)), quote(&call.tool));
            let arguments = &call.arguments;
            parts.push(Said::Call(format!(
                "{{\"id\":{id},\"name\":{name},\"arguments\":{arguments}}}"
            )));
        }
    }
    // What a model says behind its last call it made up, before it saw the answer.
    parts
}

/// The argument of a tool by which the model speaks to the user.
fn speaks(tool: &str) -> Option<&'static str> {
    SPEAKING.iter().find(|[name, _]| *name == tool).map(|[_, argument]| *argument)
}

/// What joins a call and its result: no id of a log is like it.
fn id_of(message: usize, call: usize) -> String {
    format!("text call {message}.{call}")
}
