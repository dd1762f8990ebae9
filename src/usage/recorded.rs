//! The sizes of requests that a provider counted and a log recorded.
//!
//! Responsible for where each dialect's logs keep these sizes (a table), and for which messages were in the
//! request. Sizes that tell nothing about this conversation are skipped: zero, of a failed request, repeated,
//! or older than the last compaction.

use std::borrow::Cow;

use crate::conversation::{Conversation, Kind, List, Message, Origin, Role};
use crate::json::Json;

/// Where logs of a dialect keep the size of a request.
struct Keeps {
    /// The dialect.
    dialect: &'static str,
    /// The path from a unit to the object that holds the numbers.
    usage: &'static str,
    /// The members whose sum is the size of the request.
    sum: &'static [&'static str],
    /// The path from a unit to the model's name.
    model: &'static str,
    /// Whether a size stands in a line of its own, not with the message that answered.
    stands_alone: bool,
}

const ANTHROPIC: &[&str] =
    &["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/// Bedrock's members, which count cached tokens separately.
const CONVERSE: &[&str] = &["inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"];

/// One row per shape of log. Cached tokens are part of the request; some logs count them separately.
static UNITS: &[Keeps] = &[
    Keeps {
        dialect: "claude-code",
        usage: "message.usage",
        sum: ANTHROPIC,
        model: "message.model",
        stands_alone: false,
    },
    Keeps {
        dialect: "codex",
        // `total_token_usage` beside it is the sum over all requests.
        usage: "payload.info.last_token_usage",
        sum: &["input_tokens"],
        model: "payload.model",
        stands_alone: true,
    },
    Keeps {
        dialect: "pi",
        usage: "message.usage",
        sum: &["input", "cacheRead", "cacheWrite"],
        model: "message.model",
        stands_alone: false,
    },
    Keeps {
        dialect: "opencode",
        usage: "info.tokens",
        sum: &["input", "cache.read", "cache.write"],
        model: "info.modelID",
        stands_alone: false,
    },
    Keeps {
        dialect: "gemini-cli",
        usage: "tokens",
        sum: &["input"],
        model: "model",
        stands_alone: false,
    },
    Keeps {
        dialect: "openhands",
        usage: "tool_call_metadata.model_response.usage",
        sum: &["prompt_tokens"],
        model: "tool_call_metadata.model_response.model",
        stands_alone: false,
    },
];

/// Where the object around a conversation keeps the size of its request.
static ROOTS: &[(&str, &[&str])] = &[
    ("response.usage", &["prompt_tokens"]),
    ("response.usage", ANTHROPIC),
    ("response.usage", CONVERSE),
    ("output.outputBodyJson.usage", CONVERSE),
    ("output.outputBodyJson.usage", ANTHROPIC),
    ("response.usageMetadata", &["promptTokenCount"]),
    ("usage", &["prompt_tokens"]),
    ("usage", ANTHROPIC),
    ("usage", CONVERSE),
    ("usageMetadata", &["promptTokenCount"]),
];

/// The size of one request, as the provider counted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<'a> {
    /// How many of the messages were in the request.
    pub messages: usize,
    /// Its size, in the provider's tokens.
    pub tokens: usize,
    /// The tokens of reasoning in the answer, if the log records them and has the reasoning only encrypted.
    pub thought: Option<usize>,
    /// The model, where the log says.
    pub model: Option<Cow<'a, str>>,
}

/// The recorded sizes of a conversation's requests, oldest first.
pub fn recorded<'a>(conversation: &Conversation<'a>) -> Vec<Recorded<'a>> {
    let name = conversation.dialect.name();
    match UNITS.iter().find(|place| place.dialect == name) {
        Some(place) if place.stands_alone => in_events(conversation, place),
        Some(place) => in_messages(conversation, place),
        None => in_root(conversation).into_iter().collect(),
    }
}

/// Reads sizes that stand with the message that answered the request.
fn in_messages<'a>(conversation: &Conversation<'a>, place: &Keeps) -> Vec<Recorded<'a>> {
    let units = &conversation.source.units;
    let summary = conversation.messages.iter().rfind(|message| message.origin == Origin::Summary);
    let is_stale = |message: &Message<'_>| {
        summary.is_some_and(|summary| {
            let written = conversation.written(message).zip(conversation.written(summary));
            message.units.last() < summary.units.first()
                || written.is_some_and(|(own, its)| own.source() < its.source())
        })
    };
    let mut found = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        if message.role != Role::Assistant || is_stale(message) {
            continue;
        }
        let lines = message.units.iter().rev().map(|&unit| units[unit].json);
        let size = lines.filter(|unit| !is_failed(*unit)).find_map(|unit| {
            let tokens = sum(unit.at(place.usage)?, place.sum).filter(|tokens| *tokens > 0)?;
            let model = unit.at(place.model).and_then(Json::text);
            Some(Recorded { messages: at, tokens, thought: None, model })
        });
        found.extend(size);
    }
    found
}

/// Reads sizes that stand in lines of their own, behind the items that answered the request.
fn in_events<'a>(conversation: &Conversation<'a>, place: &Keeps) -> Vec<Recorded<'a>> {
    let source = &conversation.source;
    let in_stream = |unit: usize| matches!(source.lists[source.units[unit].list], List::Stream);
    let compacted = source
        .units
        .iter()
        .rposition(|unit| unit.json.member("type").is_some_and(|kind| kind.says("compacted")));
    let (mut found, mut later) = (Vec::new(), 0);
    let mut model = None;
    let mut last_total = None;
    for (at, unit) in source.units.iter().enumerate().filter(|(at, _)| in_stream(*at)) {
        if let Some(name) = unit.json.at(place.model).and_then(Json::text) {
            model = Some(name);
        }
        let Some(usage) = unit.json.at(place.usage) else { continue };
        let total = unit.json.at("payload.info.total_token_usage").map(Json::source);
        let is_told_again = total.is_some() && std::mem::replace(&mut last_total, total) == total;
        let tokens = sum(usage, place.sum).filter(|tokens| *tokens > 0);
        let (Some(tokens), false, false) = (tokens, is_told_again, Some(at) < compacted) else {
            continue;
        };
        let is_later = |message: &Message<'_>| {
            message.units.first().is_some_and(|&unit| in_stream(unit) && unit > at)
        };
        // The first later message of one line is none before that of the line before.
        let messages = &conversation.messages;
        later += messages[later..].iter().position(is_later).unwrap_or(messages.len() - later);
        let before = &messages[..later];
        // The log holds reasoning only encrypted.
        let thought = sum(usage, &["reasoning_output_tokens"]);
        let messages = without_answer(before);
        found.push(Recorded { messages, tokens, thought, model: model.clone() });
    }
    found
}

/// Reads the size of the one request that an object holds, with or without its answer.
fn in_root<'a>(conversation: &Conversation<'a>) -> Option<Recorded<'a>> {
    let root = conversation.source.root.as_ref()?;
    let size = |(path, members): &(&str, &[&str])| {
        let usage = root.at(path)?;
        usage.member(members[0])?;
        sum(usage, members).filter(|tokens| *tokens > 0)
    };
    let tokens = ROOTS.iter().find_map(size)?;
    let models = ["model", "modelId", "response.model"];
    let model = models.iter().find_map(|path| root.at(path)).and_then(Json::text);
    let messages = without_answer(&conversation.messages);
    (messages > 0).then_some(Recorded { messages, tokens, thought: None, model })
}

/// How many of these messages stand before the answer at their end. A tool may have returned its result
/// before the size of the answer was written.
fn without_answer(messages: &[Message<'_>]) -> usize {
    let is_result = |message: &Message<'_>| {
        !message.parts.is_empty() && message.parts.iter().all(|part| part.kind == Kind::ToolResult)
    };
    let said = messages.iter().rposition(|message| !is_result(message)).map_or(0, |at| at + 1);
    let is_answer = |message: &Message<'_>| message.role == Role::Assistant;
    messages[..said].iter().rposition(|message| !is_answer(message)).map_or(0, |at| at + 1)
}

/// The sum of those members of an object that it has; `None` if it has none of them.
fn sum(usage: Json<'_>, members: &[&str]) -> Option<usize> {
    let values = members.iter().filter_map(|path| usage.at(path)?.as_u64());
    let total = values.fold(None, |sum: Option<u64>, value| Some(sum.unwrap_or(0) + value))?;
    usize::try_from(total).ok()
}

/// Whether the request of this unit failed or was stopped.
fn is_failed(unit: Json<'_>) -> bool {
    let stop = unit.at("message.stopReason");
    stop.is_some_and(|stop| stop.says("error") || stop.says("aborted"))
        || unit.at("info.error").is_some_and(Json::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect;

    #[test]
    fn sizes_are_kept_in_dialects_that_are_known() {
        for keeps in UNITS {
            assert!(dialect::named(keeps.dialect).is_some(), "{}", keeps.dialect);
        }
    }
}
