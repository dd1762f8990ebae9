//! Tool calls that are written in a text, presented as calls.
//!
//! If a model has no calls of its own, an agent lets it write them into its text, and returns the output of
//! the tool as the user's words. Responsible for presenting such a conversation with calls and results to
//! code that asks what was done; no provider gets it in this form. It relies on the conversation for which
//! messages are the output of a program. Invariant: the messages are the same, and a message with calls of
//! its own is unchanged.

mod answer;
mod notation;

use std::collections::HashSet;

use crate::conversation::{Conversation, Kind, Message, Origin, Part, Role};
use crate::json::{Json, quote};
use crate::message::observation::{speaks, words_of_user};

use answer::{Answer, answers, named, parted};
use notation::{Notation, Written};

/// The messages that hold written calls or their answers, with the parts that they really consist of.
pub(crate) struct TextCalls {
    messages: Vec<(usize, Vec<Said>)>,
}

/// A part of such a message, as JSON; for a result also whether it is an error.
enum Said {
    Words(String),
    Call(String),
    Result(String, bool),
}

/// The notations and the tools of those written calls that are answered.
#[derive(Default)]
struct Known {
    notations: Vec<Notation>,
    tools: HashSet<String>,
}

impl TextCalls {
    /// Finds the written calls and their answers.
    pub(crate) fn of(conversation: &Conversation<'_>) -> Self {
        let messages = &conversation.messages;
        let mut found = Self { messages: Vec::new() };
        let mut known = Known::default();
        let mut writers = Vec::new();
        for (caller, message) in messages.iter().enumerate() {
            if !may_write_calls(message) {
                continue;
            }
            writers.push(caller);
            let answers = answers(&messages[caller + 1..]);
            if answers.is_empty() {
                continue;
            }
            let text = message.text();
            let calls = answered_calls(&text, &answers);
            if calls.is_empty() {
                continue;
            }
            writers.pop();
            known.take(&calls, &answers);
            found.messages.push((caller, said_by_model(caller, &text, &calls)));
            found.take_answers(caller, &calls, &parted(answers, &calls));
        }
        if found.messages.is_empty() {
            return found;
        }
        for at in writers {
            let text = messages[at].text();
            let calls = known.calls_in(&text, at + 1 == messages.len());
            if !calls.is_empty() {
                found.messages.push((at, said_by_model(at, &text, &calls)));
            }
        }
        found
    }

    /// Whether no message holds a written call or an answer to one.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Records the answers to `calls`, in their order.
    fn take_answers(&mut self, caller: usize, calls: &[Written], answers: &[Answer]) {
        for (index, answer) in answers.iter().enumerate() {
            let at = caller + 1 + answer.message;
            let told = answer.told();
            let mut said = Vec::new();
            if calls.get(index).is_some_and(|call| speaks(&call.tool).is_some()) {
                let Some(words) = words_of_user(&told.text) else { continue };
                said.push(Said::Words(quote(words)));
            } else {
                let (id, content) = (quote(&id_of(caller, index)), quote(&told.text));
                let json = format!("{{\"id\":{id},\"content\":{content}}}");
                said.push(Said::Result(json, told.is_error));
            }
            said.extend(told.words.as_deref().map(|words| Said::Words(quote(words))));
            match self.messages.last_mut() {
                Some((last, parts)) if *last == at => parts.extend(said),
                _ => self.messages.push((at, said)),
            }
        }
    }

    /// The conversation with these calls and results as parts.
    pub(crate) fn told<'t>(&'t self, conversation: &Conversation<'t>) -> Conversation<'t> {
        let mut messages = conversation.messages.clone();
        for (at, said) in &self.messages {
            let message = &mut messages[*at];
            let is_told = |part: &Part<'_>| {
                matches!(part.kind, Kind::Text | Kind::ToolResult) && !part.is_injected
            };
            let place = message.parts.iter().position(is_told).unwrap_or(0);
            let mut parts: Vec<Part<'_>> =
                message.parts.iter().filter(|part| !is_told(part)).copied().collect();
            parts.splice(place..place, said.iter().map(Said::part));
            message.parts = parts.into();
            message.origin = Origin::Spoken;
        }
        Conversation { source: conversation.source.clone(), messages, ..*conversation }
    }
}

/// The calls in a text that these answers belong to.
fn answered_calls(text: &str, answers: &[Answer]) -> Vec<Written> {
    let named = named(answers);
    let Some(tool) = named.first() else {
        let mut calls = notation::tagged(text, |notation, _| notation != Notation::Element);
        if calls.is_empty() && answers[0].is_shells {
            calls.extend(notation::action(text).or_else(|| notation::block(text)));
        }
        let first = calls.first().map(|call| call.notation);
        calls.retain(|call| Some(call.notation) == first);
        return calls;
    };
    let mut calls = notation::tagged(text, |notation, name| {
        notation != Notation::Element || named.iter().any(|tool| tool == name)
    });
    // The call that the answer names decides the notation; other notations are only mentioned.
    let is_asked = |call: &&Written| call.tool == *tool || call.notation == Notation::Element;
    let of = calls.iter().find(is_asked).map(|call| call.notation);
    calls.retain(|call| Some(call.notation) == of);
    if calls.is_empty() {
        calls.extend(notation::lone_element(text, tool));
    }
    calls
}

impl Known {
    fn take(&mut self, calls: &[Written], answers: &[Answer]) {
        let notation = calls[0].notation;
        if !self.notations.contains(&notation) {
            self.notations.push(notation);
        }
        self.tools.extend(calls.iter().map(|call| call.tool.clone()));
        // The tool of an MCP server is called by way of another tool.
        self.tools.extend(answers.iter().filter_map(|answer| answer.tool.clone()));
    }

    /// The calls in a text that nothing answers; `is_last` says that nothing follows the text.
    fn calls_in(&self, text: &str, is_last: bool) -> Vec<Written> {
        let is_known = |notation: &Notation| self.notations.contains(notation);
        let mut calls = notation::tagged(text, |notation, tool| {
            let names_tool = || self.tools.contains(tool) || speaks(tool).is_some();
            is_known(&notation) && (notation != Notation::Element || names_tool())
        });
        if calls.is_empty() && is_last {
            let action = is_known(&Notation::Action).then(|| notation::action(text)).flatten();
            calls.extend(action);
        }
        calls
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

/// Whether a message is the model's and has no calls except in its text.
fn may_write_calls(message: &Message<'_>) -> bool {
    message.role == Role::Assistant
        && message.origin == Origin::Spoken
        && message.has(Kind::Text)
        && !message.has(Kind::ToolCall)
}

/// The parts of a message of the model: words, and calls in their places.
fn said_by_model(at: usize, text: &str, calls: &[Written]) -> Vec<Said> {
    let mut parts = Vec::new();
    let mut from = 0;
    let words = |parts: &mut Vec<Said>, words: &str| {
        if !words.trim().is_empty() {
            parts.push(Said::Words(quote(words.trim())));
        }
    };
    for (index, call) in calls.iter().enumerate() {
        words(&mut parts, text.get(from..call.span.start).unwrap_or_default());
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
    // Text behind the last call is left out: the model made it up before it saw the answer.
    parts
}

/// The id that joins a call and its result; no log uses ids like it.
fn id_of(message: usize, call: usize) -> String {
    format!("text call {message}.{call}")
}
