//! Thinking behind an edit: it is removed if its signature binds it to what stood before.
//!
//! Responsible for drafts of Anthropic conversations that change something in the middle. From the 5.x models
//! on, the provider refuses thinking after an edit; up to 4.5 it requires an open tool loop to begin with its
//! thinking. If the model is not known, all thinking behind the edit goes except that of an open loop, which
//! both kinds of model accept best.

use std::borrow::Cow;

use crate::conversation::{Conversation, Kind, Message, Role};
use crate::draft::Draft;
use crate::json::Json;

/// Whether signatures bind thinking to what stands before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// They do not (Claude up to 4.5): thinking stays.
    Unbound,
    /// They do (Claude from 5 on): thinking behind an edit is removed.
    Bound,
    /// The model is unknown: thinking behind an edit is removed, except in an open tool loop.
    #[default]
    Unknown,
}

/// How the model that will read a conversation treats the signatures of thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signatures {
    /// Whether signatures bind thinking.
    pub binding: Binding,
    /// Whether the model refuses calls without a signature; `None` if the model is not known.
    pub are_needed: Option<bool>,
}

impl Signatures {
    /// The behaviour of the model `asked`. If none is given or it is of another kind, that of the model that
    /// the conversation names: in its request, else in the newest answer.
    pub fn of(conversation: &Conversation<'_>, asked: Option<&str>) -> Self {
        let names = || asked.map(Cow::from).into_iter().chain(conversation.models());
        let binding = match names().find_map(|model| claude_version(&model)) {
            Some((5.., _)) => Binding::Bound,
            Some((..=3, _) | (4, ..=5)) => Binding::Unbound,
            _ => Binding::Unknown,
        };
        Self { binding, are_needed: names().find_map(|model| signs(&model)) }
    }
}

/// The version in the name of a Claude model: `claude-3-5-sonnet-20241022`, `claude-opus-4-7`.
pub(crate) fn claude_version(model: &str) -> Option<(u32, u32)> {
    let name = &model[model.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':'])
        .filter_map(|piece| piece.parse().ok())
        .filter(|number| *number < 100);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// Whether a Gemini model refuses calls without the signature of their thought: from version 3 on, except
/// models that draw. `None` for the name of any other model.
fn signs(model: &str) -> Option<bool> {
    let name = &model[model.find("gemini-")? + "gemini-".len()..];
    let number = name.split(['-', '.']).next()?.parse::<u32>().ok()?;
    Some(number >= 3 && !name.contains("image"))
}

/// Removes the thinking behind the first change of a draft; returns how many parts were removed.
pub fn drop_behind_edits(draft: &mut Draft<'_, '_>) -> usize {
    let conversation = draft.conversation();
    let touched = (0..conversation.messages.len()).find(|&at| draft.is_touched(at));
    let inserted = draft.new_messages().map(|(at, _)| at).min();
    let Some(first) = touched.into_iter().chain(inserted).min() else { return 0 };
    let mut gone = 0;
    for at in first..bound_until(conversation) {
        let message = &conversation.messages[at];
        if draft.is_dropped(at) || message.role != Role::Assistant {
            continue;
        }
        let thoughts: Vec<usize> =
            message.parts_of(Kind::Reasoning).map(|(index, _)| index).collect();
        if thoughts.is_empty() {
            continue;
        }
        gone += thoughts.len();
        let marks = message.parts.iter().filter(|part| part.is_cache_point()).count();
        if thoughts.len() + marks == message.parts.len() {
            draft.drop_message(at);
            continue;
        }
        for &index in &thoughts {
            draft.remove_part((at, index));
        }
    }
    gone
}

/// The proof that a thinking part is the model's own: its signature, or its data if it is redacted.
pub(crate) fn proof(part: Json<'_>) -> Option<Json<'_>> {
    let [kind, signature, data, thought] =
        part.pick(["type", "signature", "data", "reasoningContent"]);
    match thought {
        Some(thought) => {
            thought.at("reasoningText.signature").or_else(|| thought.member("redactedContent"))
        }
        None if kind.is_some_and(|kind| kind.says("redacted_thinking")) => data,
        None => signature,
    }
}

/// The number of thinking parts in a conversation.
pub fn parts(conversation: &Conversation<'_>) -> usize {
    conversation.messages.iter().map(|it| it.parts_of(Kind::Reasoning).count()).sum()
}

/// The index up to which thinking is removed when something before it is edited.
pub fn bound_until(conversation: &Conversation<'_>) -> usize {
    if !conversation.dialect.provider().has_claude() {
        return 0;
    }
    match Signatures::of(conversation, None).binding {
        Binding::Unbound => 0,
        Binding::Bound => conversation.messages.len(),
        Binding::Unknown => open_loop(conversation),
    }
}

/// The index of the message with which an open tool loop begins; the number of messages if none is open.
pub fn open_loop(conversation: &Conversation<'_>) -> usize {
    let messages = &conversation.messages;
    let is_answer = |message: &Message<'_>| message.role == Role::Assistant && message.is_sent();
    let Some(last) = messages.iter().rposition(is_answer) else { return messages.len() };
    let after = &messages[last + 1..];
    let is_open = messages[last].has(Kind::ToolCall)
        || after.iter().any(|message| message.has(Kind::ToolResult));
    if !is_open || after.iter().any(Message::is_request) {
        return messages.len();
    }
    messages.iter().rposition(Message::is_request).map_or(0, |request| request + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gemini_signs_from_3_on() {
        for model in ["gemini-3-pro-preview", "models/gemini-3.1-pro", "google/gemini-3-flash"] {
            assert_eq!(signs(model), Some(true), "{model}");
        }
        for model in ["gemini-2.5-pro", "gemini-3-pro-image-preview"] {
            assert_eq!(signs(model), Some(false), "{model}");
        }
        for model in ["gemini-flash-latest", "gpt-5"] {
            assert_eq!(signs(model), None, "{model}");
        }
    }
}
