//! Rules of thinking: it leads its message, it is signed, and it goes with what it led to.

use super::{Report, View};
use crate::conversation::{Conversation, Kind, Message, Part, Role};
use crate::dialect::Provider;
use crate::json::Json;
use crate::thinking::{claude_version, open_loop, proof};
use crate::wire::{Side, Wire};

/// The thinking parts of one turn of the assistant that break the order: all of a message that
/// something else leads, and those that end the turn.
pub(crate) fn out_of_order(messages: &[(usize, Vec<(usize, &Part<'_>)>)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let thinks = |part: &Part<'_>| part.kind == Kind::Reasoning;
    for (message, parts) in messages {
        if parts.first().is_some_and(|(_, first)| !thinks(first)) {
            let inner = parts.iter().filter(|(_, part)| thinks(part));
            found.extend(inner.map(|(index, _)| (*message, *index)));
        }
    }
    let all = messages.iter().flat_map(|(message, parts)| {
        parts.iter().map(move |(index, part)| ((*message, *index), *part))
    });
    let end: Vec<_> = all.collect();
    let end = end.iter().rev().take_while(|(place, part)| thinks(part) || found.contains(place));
    let end: Vec<_> = end.map(|(place, _)| *place).filter(|place| !found.contains(place)).collect();
    found.extend(end);
    found.sort_unstable();
    found
}

pub(super) fn thinking_orders<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.log || !view.wire.knows_thinking {
        return;
    }
    for turn in view.turns.iter().filter(|turn| turn.side == Side::Assistant) {
        let members: Vec<_> = turn
            .members
            .iter()
            .map(|&at| (at, view.messages()[at].parts.iter().enumerate().collect()))
            .collect();
        for place in out_of_order(&members) {
            let parts = &view.messages()[place.0].parts;
            let leads = parts[0].kind == Kind::Reasoning;
            let text = if leads {
                "thinking ends its message"
            } else {
                "thinking does not lead its message"
            };
            let first = parts[0].json.str_member("type").unwrap_or_default();
            let report = Report::part(place, text).sentence(usize::from(!leads));
            found.push(report.blank("type", &first));
        }
    }
}

/// Whether a thinking part of a message of Anthropic's lacks the signature that proves it.
pub(crate) fn is_unsigned(part: &Part<'_>) -> bool {
    let is_proven = || proof(part.json).and_then(Json::text).is_some_and(|text| !text.is_empty());
    part.kind == Kind::Reasoning && !is_proven()
}

/// Whether a block of thinking has no place for what was thought: one that is empty the server fills.
pub(crate) fn is_unspoken(part: &Part<'_>) -> bool {
    let [kind, thinking] = part.json.pick(["type", "thinking"]);
    let thinks = kind.is_some_and(|kind| kind.says("thinking"));
    part.kind == Kind::Reasoning && thinks && !thinking.is_some_and(Json::is_string)
}

pub(super) fn thinking_bounds<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    match view.provider {
        Provider::Responses => {
            let messages = view.messages().iter().enumerate();
            for at in lone_reasoning(view.conversation, view.wire, messages) {
                let id = view.messages()[at].json.str_member("id").unwrap_or_default();
                let report = Report::message(at, "reasoning stands without the item it led to");
                found.push(report.blank("item", &id));
            }
        }
        Provider::Gemini => {
            for place in unsigned_steps(view) {
                let text =
                    format!("call of {} lacks its thought signature", view.part(place).tool());
                found.push(Report::part(place, text));
            }
        }
        _ if !view.wire.knows_thinking || view.wire.log => {}
        _ => {
            let is_refused = |part: &Part<'_>| is_unsigned(part) || is_unspoken(part);
            for (place, part) in view.parts().filter(|(_, part)| is_refused(part)) {
                let is_redacted =
                    part.json.str_member("type").as_deref() == Some("redacted_thinking");
                let sentence = match part.texts().all(|text| text.is_empty()) {
                    _ if is_redacted => 1,
                    true => 2,
                    false => 0,
                };
                let what = if is_unsigned(part) { "signature" } else { "text" };
                let text = format!("thinking has no {what}");
                found.push(Report::part(place, text).sentence(sentence));
            }
        }
    }
}

/// Items of reasoning with an id, which the server knows, that nothing of the assistant follows in these
/// messages of a conversation.
pub(crate) fn lone_reasoning<'c, 'a: 'c>(
    conversation: &Conversation<'_>,
    wire: Wire,
    messages: impl DoubleEndedIterator<Item = (usize, &'c Message<'a>)>,
) -> Vec<usize> {
    if wire.log || conversation.dialect.provider() != Provider::Responses {
        return Vec::new();
    }
    let is_reasoning = |message: &Message<'_>| {
        message.json.str_member("type").as_deref() == Some("reasoning")
            && message.json.str_member("id").is_some()
    };
    let mut lone = Vec::new();
    let mut follows = false;
    for (at, message) in messages.rev() {
        if !message.is_sent() {
            continue;
        }
        if is_reasoning(message) {
            if !follows {
                lone.push(at);
            }
        } else {
            follows = message.role == Role::Assistant;
        }
    }
    lone.reverse();
    lone
}

/// Whether a call of Gemini's carries the signature of the thought that led to it.
pub(crate) fn is_signed(call: &Part<'_>) -> bool {
    let [camel, snake] = call.json.pick(["thoughtSignature", "thought_signature"]);
    camel.or(snake).is_some()
}

/// Whether the calls of a conversation need their signatures: where nobody says whether its model `signs` them,
/// one that has some does.
pub(crate) fn is_to_sign<'c, 'a: 'c>(
    wire: Wire,
    signs: Option<bool>,
    mut parts: impl Iterator<Item = &'c Part<'a>>,
) -> bool {
    let has_some = || parts.any(|part| part.kind == Kind::ToolCall && is_signed(part));
    !wire.foreign && !wire.log && signs.unwrap_or_else(has_some)
}

/// The first calls of the current turn's steps that have no signature, in a conversation whose model
/// signs.
fn unsigned_steps(view: &View<'_, '_>) -> Vec<crate::conversation::Place> {
    if !is_to_sign(view.wire, view.signatures.are_needed, view.parts().map(|(_, part)| part)) {
        return Vec::new();
    }
    let start = view.messages().iter().rposition(Message::is_request).unwrap_or(0);
    let steps = view.messages().iter().enumerate().skip(start);
    let firsts = steps.filter_map(|(at, message)| {
        let (index, call) = message.parts_of(Kind::ToolCall).next()?;
        (!is_signed(call)).then_some((at, index))
    });
    firsts.collect()
}

/// Whether the request switches thinking on, for a model that then wants the open tool loop to begin
/// with it; `None` where nothing says which model.
pub(crate) fn wants_thinking(request: Json<'_>) -> Option<bool> {
    if request.at("thinking.type").is_none_or(|kind| !kind.says("enabled")) {
        return Some(false);
    }
    let model = request.member("model")?.text()?;
    Some(claude_version(&model).is_some_and(|version| version <= (4, 5)))
}

/// The assistant's message that begins the open tool loop without thinking.
fn open_loop_without_thinking(view: &View<'_, '_>) -> Option<usize> {
    let messages = view.messages();
    let start = open_loop(view.conversation);
    let first = messages[start..].iter().position(|message| message.has(Kind::ToolCall))? + start;
    (messages[first].parts[0].kind != Kind::Reasoning).then_some(first)
}

pub(super) fn missing_thinking<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let Some(request) = view.conversation.source.request().filter(|_| view.wire.knows_thinking)
    else {
        return;
    };
    let wants = wants_thinking(request);
    if wants == Some(false) {
        return;
    }
    if let Some(message) = open_loop_without_thinking(view) {
        let first = view.messages()[message].parts[0].json.str_member("type").unwrap_or_default();
        let report = Report::message(message, "the open tool loop does not begin with thinking");
        found.push(report.blank("type", &first).note_if(wants.is_none()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_up_to_4_5_wants_thinking_however_it_is_named() {
        let wants = |model: &str| {
            let text = format!(r#"{{"model":"{model}","thinking":{{"type":"enabled"}}}}"#);
            wants_thinking(Json::parse(&text).unwrap())
        };
        for model in ["claude-sonnet-4", "claude-4-sonnet", "claude-opus-4@20250514"] {
            assert_eq!(wants(model), Some(true), "{model}");
        }
        for model in ["claude-3-7-sonnet-20250219", "us.anthropic.claude-opus-4-20250514-v1:0"] {
            assert_eq!(wants(model), Some(true), "{model}");
        }
        for model in ["claude-opus-4-7", "claude-sonnet-5", "kimi-k2"] {
            assert_eq!(wants(model), Some(false), "{model}");
        }
    }
}
