//! The token usage that a log recorded, against our count of the same requests.
//!
//! Responsible for finding what the provider counted for the request that led to a message, and for
//! setting our count of the messages before it against that. It relies on a table of where each
//! dialect's logs keep it. A recorded size is not taken where it says nothing of this conversation:
//! zero, of a failed request, told twice, or older than the last compaction.

use std::borrow::Cow;

use crate::conversation::{Conversation, Kind, List, Message, Origin, Role};
use crate::count::{Count, Tally};
use crate::json::Json;

/// Where logs of a dialect keep what a request counted.
struct Place {
    /// The dialects.
    dialects: &'static [&'static str],
    /// The path from a unit to the object that holds the numbers.
    usage: &'static str,
    /// The members that make up the request's size.
    sum: &'static [&'static str],
    /// The member that holds how much of the answer was reasoning, which the log has only encrypted.
    thought: &'static str,
    /// The path from a unit to the model's name.
    model: &'static str,
}

const ANTHROPIC: &[&str] =
    &["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];

/// One row a shape of log. What is cached is part of the request; some count it apart.
static UNITS: &[Place] = &[
    Place {
        dialects: &["claude-code"],
        usage: "message.usage",
        sum: ANTHROPIC,
        thought: "",
        model: "message.model",
    },
    Place {
        dialects: &["codex"],
        // `total_token_usage` beside it adds up all requests.
        usage: "payload.info.last_token_usage",
        sum: &["input_tokens"],
        thought: "reasoning_output_tokens",
        model: "payload.model",
    },
    Place {
        dialects: &["pi"],
        usage: "message.usage",
        sum: &["input", "cacheRead", "cacheWrite"],
        thought: "",
        model: "message.model",
    },
    Place {
        dialects: &["opencode"],
        usage: "info.tokens",
        sum: &["input", "cache.read", "cache.write"],
        thought: "",
        model: "info.modelID",
    },
    Place {
        dialects: &["gemini-cli"],
        usage: "tokens",
        sum: &["input"],
        thought: "",
        model: "model",
    },
    Place {
        dialects: &["openhands"],
        usage: "tool_call_metadata.model_response.usage",
        sum: &["prompt_tokens"],
        thought: "",
        model: "tool_call_metadata.model_response.model",
    },
];

/// Where the object that holds a conversation keeps what its request counted.
static ROOTS: &[(&str, &[&str])] = &[
    ("response.usage", &["prompt_tokens"]),
    ("response.usage", ANTHROPIC),
    ("response.usageMetadata", &["promptTokenCount"]),
    ("usage", &["prompt_tokens"]),
    ("usage", ANTHROPIC),
    ("usageMetadata", &["promptTokenCount"]),
];

/// What the provider counted for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<'a> {
    /// How many of the messages were in the request.
    pub messages: usize,
    /// Its size, in the provider's tokens.
    pub tokens: usize,
    /// How much of the answer was reasoning, where the log says so and has it only encrypted.
    pub thought: Option<usize>,
    /// The model, where the log says.
    pub model: Option<Cow<'a, str>>,
}

/// The recorded sizes of a conversation's requests, oldest first.
pub fn recorded<'a>(conversation: &Conversation<'a>) -> Vec<Recorded<'a>> {
    let name = conversation.dialect.name();
    match UNITS.iter().find(|place| place.dialects.contains(&name)) {
        Some(place) if name == "codex" => in_events(conversation, place),
        Some(place) => in_messages(conversation, place),
        None => in_root(conversation).into_iter().collect(),
    }
}

/// Sizes that stand with the message that a request led to.
fn in_messages<'a>(conversation: &Conversation<'a>, place: &Place) -> Vec<Recorded<'a>> {
    let units = &conversation.source.units;
    let summary = conversation.messages.iter().rfind(|message| message.origin == Origin::Summary);
    let is_stale = |message: &Message<'_>| {
        summary.is_some_and(|summary| {
            let written = message.timestamp.zip(summary.timestamp);
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

/// Sizes that stand in lines of their own, behind the items that a request led to.
fn in_events<'a>(conversation: &Conversation<'a>, place: &Place) -> Vec<Recorded<'a>> {
    let source = &conversation.source;
    let in_stream = |unit: usize| matches!(source.lists[source.units[unit].list], List::Stream);
    let compacted = source
        .units
        .iter()
        .rposition(|unit| unit.json.member("type").is_some_and(|kind| kind.says("compacted")));
    let mut found = Vec::new();
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
        let before = conversation.messages.iter().position(is_later);
        let before = &conversation.messages[..before.unwrap_or(conversation.messages.len())];
        let thought = sum(usage, &[place.thought]);
        let messages = without_answer(before);
        found.push(Recorded { messages, tokens, thought, model: model.clone() });
    }
    found
}

/// The size of the one request that an object holds, with or without its answer.
fn in_root<'a>(conversation: &Conversation<'a>) -> Option<Recorded<'a>> {
    let root = conversation.source.root?;
    let size = |(path, members): &(&str, &[&str])| {
        let usage = root.at(path)?;
        usage.member(members[0])?;
        sum(usage, members).filter(|tokens| *tokens > 0)
    };
    let tokens = ROOTS.iter().find_map(size)?;
    let model = root.member("model").or_else(|| root.at("response.model")).and_then(Json::text);
    let messages = without_answer(&conversation.messages);
    (messages > 0).then_some(Recorded { messages, tokens, thought: None, model })
}

/// How many of these messages stand before the answer that they end with. A tool may have answered
/// before the answer's size was written.
fn without_answer(messages: &[Message<'_>]) -> usize {
    let is_result = |message: &Message<'_>| {
        !message.parts.is_empty() && message.parts.iter().all(|part| part.kind == Kind::ToolResult)
    };
    let said = messages.iter().rposition(|message| !is_result(message)).map_or(0, |at| at + 1);
    let is_answer = |message: &Message<'_>| message.role == Role::Assistant;
    messages[..said].iter().rposition(|message| !is_answer(message)).map_or(0, |at| at + 1)
}

/// The sum of an object's members, as far as it has them; `None` where it has not one.
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

/// A recorded size and our count of the same request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// What the provider counted.
    pub recorded: usize,
    /// What we count.
    pub counted: usize,
}

impl Compared {
    fn plus(self, other: Self) -> Self {
        Self { recorded: self.recorded + other.recorded, counted: self.counted + other.counted }
    }

    /// Recorded for 1000 counted.
    pub fn permille(self) -> usize {
        (self.recorded * 1000 + self.counted / 2) / self.counted.max(1)
    }
}

/// Recorded sizes of a conversation against our counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Each request.
    pub requests: Vec<Compared>,
    /// How much the conversation grew between requests, all steps together: what a log leaves out,
    /// as system prompts and tools, is in both sizes and so in neither step.
    pub growth: Option<Compared>,
}

impl Usage {
    /// Compares what was recorded with what was counted.
    pub fn of(conversation: &Conversation<'_>, count: &Count) -> Self {
        let recorded = recorded(conversation);
        let is_hidden = recorded.iter().any(|request| request.thought.is_some());
        let mut sums = vec![count.tools.tokens() + count.conversation.tokens()];
        for (at, message) in conversation.messages.iter().enumerate() {
            let thoughts =
                message.parts_of(Kind::Reasoning).map(|(index, _)| count.parts[at][index]);
            let hidden = if is_hidden { thoughts.map(Tally::tokens).sum() } else { 0 };
            sums.push(sums[at] + count.messages[at].tokens() - hidden);
        }
        let requests: Vec<Compared> = (0..recorded.len())
            .map(|at| Compared {
                recorded: recorded[at].tokens,
                counted: sums[recorded[at].messages] + thoughts(conversation, &recorded[..=at]),
            })
            .collect();
        let growth = growth(conversation, &recorded, &requests);
        Self { requests, growth }
    }

    /// The newest request.
    pub fn newest(&self) -> Option<Compared> {
        self.requests.last().copied()
    }
}

/// The reasoning in the last of these requests: that of the answers since the turn began. The
/// provider takes older reasoning out.
fn thoughts(conversation: &Conversation<'_>, recorded: &[Recorded<'_>]) -> usize {
    let Some((last, before)) = recorded.split_last().filter(|(last, _)| last.thought.is_some())
    else {
        return 0;
    };
    let turn = turn_start(&conversation.messages[..last.messages]);
    let since = before.iter().filter(|request| Some(request.messages) > turn);
    since.filter_map(|request| request.thought).sum()
}

/// Where the last turn begins: what the user said after a final answer. After a tool's result, when
/// a turn was broken off, reasoning stays.
fn turn_start(messages: &[Message<'_>]) -> Option<usize> {
    let follows_answer = |at: &usize| {
        let said = messages[..*at]
            .iter()
            .rfind(|message| !matches!(message.role, Role::User | Role::System | Role::Developer));
        said.is_none_or(|message| message.role == Role::Assistant && message.has(Kind::Text))
    };
    (0..messages.len()).rev().filter(|&at| messages[at].is_request()).find(follows_answer)
}

/// All steps in which the conversation grew, or in which we know why it did not.
fn growth(
    conversation: &Conversation<'_>,
    recorded: &[Recorded<'_>],
    requests: &[Compared],
) -> Option<Compared> {
    let (mut from, mut to) = (Compared::default(), Compared::default());
    for (pair, steps) in recorded.windows(2).zip(requests.windows(2)) {
        let grew = steps[1].recorded > steps[0].recorded;
        let fell = steps[1].counted < steps[0].counted;
        let messages = &conversation.messages;
        let between = messages.get(pair[0].messages..pair[1].messages).unwrap_or_default();
        let answer = messages[pair[1].messages..].iter();
        let answer = answer.take_while(|message| message.role == Role::Assistant);
        let is_whole = !between.is_empty() && !between.iter().chain(answer).any(leaves_out);
        if is_whole && (grew || fell) {
            from = from.plus(steps[0]);
            to = to.plus(steps[1]);
        }
    }
    (to.recorded > from.recorded).then(|| Compared {
        recorded: to.recorded - from.recorded,
        counted: to.counted.saturating_sub(from.counted),
    })
}

/// Whether the model read something with this message that no log holds: what a hosted search found,
/// or the definitions of tools that were looked up.
fn leaves_out(message: &Message<'_>) -> bool {
    let is = |json: Json<'_>, ending: &str| {
        json.str_member("type").is_some_and(|kind| kind.ends_with(ending))
    };
    message.parts.iter().any(|part| match part.kind {
        Kind::Other => is(part.json, "_call"),
        Kind::ToolResult => part.attachments().any(|item| is(item, "tool_reference")),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Source;
    use crate::count::Meter;
    use crate::dialect::{Scope, decode, named};
    use crate::document::Document;
    use crate::tokenizer::Tokenizer;

    /// A token a word, so that sums can be checked by eye.
    struct Words;

    impl Tokenizer for Words {
        fn count(&self, text: &str) -> usize {
            text.split_whitespace().count()
        }
    }

    fn usage(dialect: &str, lines: &[&str]) -> Usage {
        let text = lines.join("\n");
        let document = Document::parse(text.as_bytes()).unwrap();
        let source = Source::stream(document.values());
        let conversation = decode(named(dialect).unwrap(), source, Scope::Live);
        let count = Meter::with(Box::new(Words), None).count(&conversation);
        Usage::of(&conversation, &count)
    }

    fn requests(dialect: &str, lines: &[&str]) -> Vec<(usize, usize)> {
        let requests = usage(dialect, lines).requests;
        requests.iter().map(|request| (request.recorded, request.counted)).collect()
    }

    #[test]
    fn claude_code_counts_a_message_once_and_all_kinds_of_input() {
        let lines = [
            r#"{"type":"user","uuid":"1","parentUuid":null,"timestamp":"1","message":{"role":"user","content":"one two"}}"#,
            r#"{"type":"assistant","uuid":"2","parentUuid":"1","timestamp":"2","message":{"id":"m","role":"assistant",
            "usage":{"input_tokens":1,"cache_creation_input_tokens":20,"cache_read_input_tokens":300},"content":[{"type":"text","text":"a"}]}}"#,
            r#"{"type":"assistant","uuid":"3","parentUuid":"2","timestamp":"3","message":{"id":"m","role":"assistant",
            "usage":{"input_tokens":1,"cache_creation_input_tokens":20,"cache_read_input_tokens":300},"content":[{"type":"text","text":"b c"}]}}"#,
            r#"{"type":"user","uuid":"4","parentUuid":"3","timestamp":"4","message":{"role":"user","content":"three"}}"#,
            r#"{"type":"assistant","uuid":"5","parentUuid":"4","timestamp":"5","message":{"id":"n","role":"assistant",
            "usage":{"input_tokens":330},"content":[{"type":"text","text":"d"}]}}"#,
            r#"{"type":"assistant","uuid":"6","parentUuid":"5","timestamp":"6","message":{"id":"o","role":"assistant",
            "usage":{"input_tokens":0},"content":[{"type":"text","text":"e"}]}}"#,
        ];
        // Three tokens a message: 5, and 5 + 6 + 4.
        let usage = usage("claude-code", &lines);
        let compared = |recorded, counted| Compared { recorded, counted };
        assert_eq!(usage.requests, [compared(321, 5), compared(330, 15)]);
        assert_eq!(usage.growth, Some(compared(9, 10)));
        assert_eq!(usage.newest().unwrap().permille(), 22_000);
    }

    #[test]
    fn what_is_older_than_a_compaction_is_not_taken() {
        let lines = [
            r#"{"type":"assistant","uuid":"1","parentUuid":null,"timestamp":"1","message":{"id":"m","role":"assistant",
            "usage":{"input_tokens":9000},"content":[{"type":"text","text":"kept"}]}}"#,
            r#"{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"timestamp":"2","compactMetadata":
            {"preservedMessages":{"anchorUuid":"s","uuids":["1"]}}}"#,
            r#"{"type":"user","uuid":"s","parentUuid":"b","timestamp":"3","isCompactSummary":true,"message":{"role":"user","content":"all of it"}}"#,
            r#"{"type":"assistant","uuid":"5","parentUuid":"1","timestamp":"5","message":{"id":"n","role":"assistant",
            "usage":{"input_tokens":70},"content":[{"type":"text","text":"d"}]}}"#,
        ];
        assert_eq!(requests("claude-code", &lines).iter().map(|r| r.0).collect::<Vec<_>>(), [70]);
    }

    const CODEX: [&str; 9] = [
        r#"{"timestamp":"1","type":"session_meta","payload":{"id":"x"}}"#,
        r#"{"timestamp":"1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}}"#,
        r#"{"timestamp":"1","type":"response_item","payload":{"type":"function_call","call_id":"c","name":"f","arguments":"a"}}"#,
        r#"{"timestamp":"1","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":8},
        "last_token_usage":{"input_tokens":8,"reasoning_output_tokens":100}}}}"#,
        r#"{"timestamp":"1","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":8},
        "last_token_usage":{"input_tokens":8,"reasoning_output_tokens":100}}}}"#,
        r#"{"timestamp":"1","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"one two three"}}"#,
        r#"{"timestamp":"1","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}"#,
        r#"{"timestamp":"1","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":130},
        "last_token_usage":{"input_tokens":122,"reasoning_output_tokens":7}}}}"#,
        r#"{"timestamp":"1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"thanks"}]}}"#,
    ];

    #[test]
    fn codex_counts_hidden_reasoning_until_the_user_speaks_again() {
        let mut lines = CODEX.to_vec();
        // 3 a message, 3 a call, 3 a result, 3 the request: 8; 8 + 8 + 9 and the reasoning.
        assert_eq!(requests("codex", &lines), [(8, 8), (122, 8 + 8 + 9 + 100)]);
        lines.push(
            r#"{"timestamp":"1","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":163},
            "last_token_usage":{"input_tokens":33}}}}"#,
        );
        assert_eq!(requests("codex", &lines)[2], (33, 25 + 4 + 4));
    }

    #[test]
    fn a_step_with_a_hosted_search_is_passed_over() {
        let mut lines = CODEX.to_vec();
        let compared = |recorded, counted| Some(Compared { recorded, counted });
        assert_eq!(usage("codex", &lines).growth, compared(114, 117));
        lines.insert(
            6,
            r#"{"timestamp":"1","type":"response_item","payload":{"type":"web_search_call","status":"completed"}}"#,
        );
        assert_eq!(usage("codex", &lines).growth, None);
    }

    #[test]
    fn an_object_may_hold_its_answer_and_usage() {
        let text = r#"{"messages":[{"role":"user","content":"hi there"},{"role":"assistant","content":"yes"}],
            "model":"m","usage":{"prompt_tokens":10,"completion_tokens":1}}"#;
        let document = Document::parse(text.as_bytes()).unwrap();
        let root = document.values()[0];
        let source = Source::array(Some(root), root.member("messages").unwrap());
        let conversation = decode(named("openai").unwrap(), source, Scope::Live);
        let found = recorded(&conversation);
        assert_eq!((found.len(), found[0].messages, found[0].tokens), (1, 1, 10));
        assert_eq!(found[0].model.as_deref(), Some("m"));
    }
}
