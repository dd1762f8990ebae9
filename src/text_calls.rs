//! Calls that stand in a text, as the calls that they are.
//!
//! Where a model has no calls of its own, an agent lets it write them into what it says, and hands what a tool answered
//! over as the user's words. Responsible for telling such a conversation with calls and results, for those who
//! ask what was done: no provider gets it so. It relies on the conversation for which messages a program answered.
//! Invariant: there are the same messages, and none that has calls of its own is another.

mod answer;
mod notation;

use std::collections::HashSet;

use crate::conversation::{Conversation, Kind, Message, Origin, Part, Role};
use crate::json::{Json, quote};
use crate::message::observation::{speaks, words_of_user};

use answer::{Answer, answers, named, parted};
use notation::{Notation, Written};

/// The messages that write calls or answer them, as what they say.
pub(crate) struct TextCalls {
    messages: Vec<(usize, Vec<Said>)>,
}

/// A part of such a message, with its JSON.
enum Said {
    Words(String),
    Call(String),
    Result(String, bool),
}

/// How the calls of a conversation are written that are answered, and their tools.
#[derive(Default)]
struct Known {
    notations: Vec<Notation>,
    tools: HashSet<String>,
}

impl TextCalls {
    /// Finds them.
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

    /// Whether every call is one of its own.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Takes the answers of calls, in their order.
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

    /// The conversation with these calls and results.
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

/// The calls of a text that these answers are to.
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
    // The one that the answer names decides how they are written: others are spoken of.
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
        // A tool of a server is called by another one.
        self.tools.extend(answers.iter().filter_map(|answer| answer.tool.clone()));
    }

    /// The calls of a text that nothing answers; `is_last` says that nothing follows it.
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
    // What a model says behind its last call it made up, before it saw the answer.
    parts
}

/// What joins a call and its result: no id of a log is like it.
fn id_of(message: usize, call: usize) -> String {
    format!("text call {message}.{call}")
}
