//! Thinking that a provider refuses: out of order, unsigned, or alone.

use crate::conversation::{Conversation, Kind, Message, Part, Role};
use crate::dialect::Provider;
use crate::json::Json;
use crate::thinking::{claude_version, proof};
use crate::wire::Wire;

/// The thinking parts of one assistant turn that break the order: all of a message that begins with something
/// else, and those at the end of the turn.
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

/// Whether a thinking part in Anthropic's form lacks the signature that proves it.
pub(crate) fn is_unsigned(part: &Part<'_>) -> bool {
    let is_proven = || proof(part.json).and_then(Json::text).is_some_and(|text| !text.is_empty());
    part.kind == Kind::Reasoning && !is_proven()
}

/// Whether a block of thinking lacks the member for the thought. If the member is empty, the server fills it.
pub(crate) fn is_unspoken(part: &Part<'_>) -> bool {
    let [kind, thinking] = part.json.pick(["type", "thinking"]);
    let thinks = kind.is_some_and(|kind| kind.says("thinking"));
    part.kind == Kind::Reasoning && thinks && !thinking.is_some_and(Json::is_string)
}

/// The reasoning items with an id, which the server knows, that no item of the assistant follows among
/// `messages`.
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

/// Whether a call of Gemini's has the signature of the thought that led to it.
pub(crate) fn is_signed(call: &Part<'_>) -> bool {
    let [camel, snake] = call.json.pick(["thoughtSignature", "thought_signature"]);
    camel.or(snake).is_some()
}

/// Whether the calls of a conversation need signatures. If it is not known whether the model `signs`, they do
/// if any call has one.
pub(crate) fn is_to_sign<'c, 'a: 'c>(
    wire: Wire,
    signs: Option<bool>,
    mut parts: impl Iterator<Item = &'c Part<'a>>,
) -> bool {
    let has_some = || parts.any(|part| part.kind == Kind::ToolCall && is_signed(part));
    wire.is_sent_as_it_is() && signs.unwrap_or_else(has_some)
}

/// Whether the request enables thinking for a model that then requires the open tool loop to begin with it;
/// `None` if the model is not known.
pub(crate) fn wants_thinking(request: Json<'_>) -> Option<bool> {
    if request.at("thinking.type").is_none_or(|kind| !kind.says("enabled")) {
        return Some(false);
    }
    let model = request.member("model")?.text()?;
    Some(claude_version(&model).is_some_and(|version| version <= (4, 5)))
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
