//! The token usage that a log recorded, compared with our count of the same requests.
//!
//! Responsible for comparing our count of the messages of a request with the provider's count, as
//! [`recorded()`] finds it. If a log holds reasoning only encrypted, its recorded size stands in for it.

mod recorded;

use crate::conversation::{Conversation, Kind, Message, Role};
use crate::count::{Count, Tally};
use crate::json::Json;

pub use recorded::{Recorded, recorded};

/// A recorded size and our count of the same request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// The tokens that the provider counted.
    pub recorded: usize,
    /// The tokens that we count.
    pub counted: usize,
}

impl Compared {
    fn plus(self, other: Self) -> Self {
        Self { recorded: self.recorded + other.recorded, counted: self.counted + other.counted }
    }

    /// Recorded tokens for 1000 counted ones.
    pub fn permille(self) -> usize {
        (self.recorded * 1000 + self.counted / 2) / self.counted.max(1)
    }
}

/// Recorded sizes of a conversation against our counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The comparison for each request.
    pub requests: Vec<Compared>,
    /// How much the conversation grew between requests, all steps together. What a log leaves out, such as
    /// system prompts and tools, is in both sizes and so does not affect growth.
    pub growth: Option<Compared>,
}

impl Usage {
    /// Compares the recorded sizes with our counts.
    pub fn of(conversation: &Conversation<'_>, count: &Count) -> Self {
        let recorded = recorded(conversation);
        let is_hidden = recorded.iter().any(|request| request.thought.is_some());
        let mut sums = vec![count.fixed().tokens()];
        for (at, message) in conversation.messages.iter().enumerate() {
            let thoughts =
                message.parts_of(Kind::Reasoning).map(|(index, _)| count.parts[at][index]);
            let hidden = if is_hidden { thoughts.map(Tally::tokens).sum() } else { 0 };
            sums.push(sums[at] + count.messages[at].tokens() - hidden);
        }
        let mut requests: Vec<Compared> = (0..recorded.len())
            .map(|at| Compared {
                recorded: recorded[at].tokens,
                counted: sums[recorded[at].messages] + thoughts(conversation, &recorded[..=at]),
            })
            .collect();
        let growth = growth(conversation, &recorded, &requests);
        // No ratio can be told for requests of which the log holds nothing.
        let mut is_held = recorded.iter().map(|request| request.messages > 0);
        requests.retain(|_| is_held.next() == Some(true));
        Self { requests, growth }
    }

    /// The comparison for the newest request.
    pub fn newest(&self) -> Option<Compared> {
        self.requests.last().copied()
    }
}

/// The tokens of reasoning in the last of these requests: that of answers since the turn began, as the
/// provider removes older reasoning.
fn thoughts(conversation: &Conversation<'_>, recorded: &[Recorded<'_>]) -> usize {
    let Some((last, before)) = recorded.split_last().filter(|(last, _)| last.thought.is_some())
    else {
        return 0;
    };
    let turn = turn_start(&conversation.messages[..last.messages]);
    let since = before.iter().filter(|request| Some(request.messages) > turn);
    since.filter_map(|request| request.thought).sum()
}

/// The index of the message with which the last turn begins: a user message after a final answer. After a
/// tool's result, when a turn was aborted, reasoning stays.
fn turn_start(messages: &[Message<'_>]) -> Option<usize> {
    let follows_answer = |at: &usize| {
        let said = messages[..*at]
            .iter()
            .rfind(|message| message.role != Role::User && !message.is_instruction());
        said.is_none_or(|message| message.role == Role::Assistant && message.has(Kind::Text))
    };
    (0..messages.len()).rev().filter(|&at| messages[at].is_request()).find(follows_answer)
}

/// The sum of all steps in which the conversation grew, or for which we know why it did not.
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

/// Whether the model read something with this message that no log holds: the findings of a hosted search, or
/// definitions of tools that were looked up.
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
    use crate::conversation::decode;
    use crate::count::Meter;
    use crate::dialect::{Scope, named};
    use crate::document::Document;

    fn usage(dialect: &str, lines: &[&str]) -> Usage {
        let text = lines.join("\n");
        let document = Document::parse(text.as_bytes()).unwrap();
        let source = Source::stream(document.values());
        let conversation = decode(named(dialect).unwrap(), source, Scope::Live);
        let count = Meter::of_words().count(&conversation);
        Usage::of(&conversation, &count)
    }

    fn requests(dialect: &str, lines: &[&str]) -> Vec<(usize, usize)> {
        let requests = usage(dialect, lines).requests;
        requests.iter().map(|request| (request.recorded, request.counted)).collect()
    }

    #[test]
    fn a_request_of_which_the_log_holds_nothing_is_not_compared() {
        let usage = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":300}}}}"#;
        let said = r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}}"#;
        assert_eq!(requests("codex", &[usage]), []);
        assert_eq!(requests("codex", &[usage, said, usage]).len(), 1);
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
        // Three tokens per message: 5, and 5 + 6 + 4.
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
        // 3 per message, 3 per call, 3 per result, 3 for the request: 8; 8 + 8 + 9 and the reasoning.
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

    #[test]
    fn what_bedrock_cached_was_in_the_request_that_it_logged() {
        let text = r#"{"modelId":"m","input":{"inputBodyJson":{"messages":[{"role":"user","content":[{"text":"hi"}]}]}},
            "output":{"outputBodyJson":{"usage":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheWriteInputTokens":4}}}}"#;
        let document = Document::parse(text.as_bytes()).unwrap();
        let root = document.values()[0];
        let source = Source::array(Some(root), root.at("input.inputBodyJson.messages").unwrap());
        let conversation = decode(named("bedrock").unwrap(), source, Scope::Live);
        let found = recorded(&conversation);
        assert_eq!((found.len(), found[0].messages, found[0].tokens), (1, 1, 8));
        assert_eq!(found[0].model.as_deref(), Some("m"));
    }
}
