//! Where the tokens are: by role, part, tool, message or turn.
//!
//! Responsible for adding up existing counts; nothing is counted again. Invariant: the rows of a breakdown
//! add up to the whole.

use std::borrow::Cow;
use std::collections::BTreeMap;

use clap::ValueEnum;

use crate::conversation::{Conversation, Kind};
use crate::count::{Count, Tally};
use crate::line::opening;
use crate::pairing::Pairs;

/// What the rows of a breakdown are, as `--by` names it and its help tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// By who speaks
    Role,
    /// By kind of part
    Part,
    /// By tool
    Tool,
    /// By message, numbered from 0 as in findings, reports and digests
    Message,
    /// By turn
    Turn,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The role, kind, tool, message or turn that the row is about.
    pub label: String,
    /// How many messages or parts the row covers; for a tool, how many calls.
    pub count: usize,
    /// The tokens of the row.
    pub tokens: usize,
    /// The first message of the row, for rows by message or turn.
    pub message: Option<usize>,
}

/// The rows of a breakdown, the largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// The rows.
    pub rows: Vec<Row>,
    /// The tokens of all rows.
    pub tokens: usize,
}

/// The label of the row for the tools' definitions.
const DEFINITIONS: &str = "tool definitions";

/// The label of the row for the schema that the answer is to follow.
const SCHEMA: &str = "answer schema";

/// The label of the row for the framing of messages and of the request.
const FRAMING: &str = "framing";

/// The label of the row for parts that only their provider can read.
const ENCRYPTED: &str = "encrypted";

/// The label of the row for text that belongs to no tool.
pub const NO_TOOL: &str = "no tool";

impl Breakdown {
    /// The rows of a counted conversation.
    pub fn of(conversation: &Conversation<'_>, count: &Count, by: By) -> Self {
        let mut sums = Sums::default();
        match by {
            By::Role => {
                for (message, tally) in conversation.messages.iter().zip(&count.messages) {
                    sums.add(message.role.name(), 1, *tally);
                }
            }
            By::Part => parts(conversation, count, &mut sums),
            By::Tool => tools(conversation, count, &mut sums),
            By::Message => {
                for (at, message) in conversation.messages.iter().enumerate() {
                    let label = format!("{at} {}", message.role.name());
                    sums.add_at(at, &label, count.messages[at]);
                }
            }
            By::Turn => turns(conversation, count, &mut sums),
        }
        if count.tools.tokens() > 0 {
            sums.add(DEFINITIONS, 0, count.tools);
        }
        if count.schema.tokens() > 0 {
            sums.add(SCHEMA, 0, count.schema);
        }
        if count.conversation.tokens() > 0 {
            sums.add(FRAMING, 0, count.conversation);
        }
        sums.sorted(count.tokens())
    }
}

/// Rows in the making, keyed by message and label.
#[derive(Default)]
struct Sums(BTreeMap<(Option<usize>, String), (usize, Tally)>);

impl Sums {
    fn add(&mut self, label: &str, count: usize, tally: Tally) {
        self.put((None, label.to_owned()), count, tally);
    }

    /// Adds `tally` to the row of one message.
    fn add_at(&mut self, message: usize, label: &str, tally: Tally) {
        self.put((Some(message), label.to_owned()), 1, tally);
    }

    fn put(&mut self, key: (Option<usize>, String), count: usize, tally: Tally) {
        let sum = self.0.entry(key).or_default();
        sum.0 += count;
        sum.1 += tally;
    }

    fn sorted(self, whole: usize) -> Breakdown {
        let rows = self.0.into_iter().map(|((message, label), (count, tally))| Row {
            label,
            count,
            tokens: tally.tokens(),
            message,
        });
        let rows = rows.filter(|row| row.count + row.tokens > 0);
        let mut rows: Vec<Row> = rows.collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.tokens));
        Breakdown { rows, tokens: whole }
    }
}

fn parts(conversation: &Conversation<'_>, count: &Count, sums: &mut Sums) {
    for (at, message) in conversation.messages.iter().enumerate() {
        for (part, tally) in message.parts.iter().zip(&count.parts[at]) {
            let has_text = part.body.is_some() || part.kind != Kind::Reasoning;
            sums.add(if has_text { part.kind.name() } else { ENCRYPTED }, 1, *tally);
        }
        sums.add(FRAMING, 0, frame(count, at));
    }
}

/// The count of a message without its parts.
fn frame(count: &Count, at: usize) -> Tally {
    let parts: Tally = count.parts[at].iter().copied().sum();
    let whole = count.messages[at];
    Tally {
        content: whole.content - parts.content,
        framing: whole.framing - parts.framing,
        media: whole.media - parts.media,
        guesses: whole.guesses - parts.guesses,
    }
}

fn tools(conversation: &Conversation<'_>, count: &Count, sums: &mut Sums) {
    let messages = &conversation.messages;
    let pairs = Pairs::of(messages);
    for (at, message) in messages.iter().enumerate() {
        let mut others = frame(count, at);
        for (index, (part, tally)) in message.parts.iter().zip(&count.parts[at]).enumerate() {
            let own = match part.kind {
                Kind::ToolCall => part.tool(),
                Kind::ToolResult => pairs.tool_of(messages, (at, index)),
                _ => {
                    others += *tally;
                    continue;
                }
            };
            let label = if own.is_empty() { Cow::Borrowed("unnamed tool") } else { own };
            sums.add(&label, usize::from(part.kind == Kind::ToolCall), *tally);
        }
        sums.add(NO_TOOL, 0, others);
    }
}

/// The most characters of a request that the label of its turn shows.
const LABEL: usize = 60;

fn turns(conversation: &Conversation<'_>, count: &Count, sums: &mut Sums) {
    let mut turn = (0, "before the first turn".to_owned());
    let mut number = 0;
    for (at, message) in conversation.messages.iter().enumerate() {
        if message.is_request() {
            number += 1;
            turn = (at, format!("turn {number}: {}", opening(&message.text(), LABEL)));
        }
        sums.add_at(turn.0, &turn.1, count.messages[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Source;
    use crate::conversation::decode;
    use crate::count::Meter;
    use crate::dialect::{Scope, named};
    use crate::document::Document;

    const CHAT: &str = r#"{"messages":[
        {"role":"system","content":"be brief"},
        {"role":"user","content":"read it"},
        {"role":"assistant","content":"yes","tool_calls":[{"id":"c","function":{"name":"read","arguments":"a b"}}]},
        {"role":"tool","tool_call_id":"c","content":"one two three four five six seven"},
        {"role":"user","content":"thanks a lot"}],
        "tools":[{"type":"function","function":{"name":"read"}}]}"#;

    fn rows(by: By) -> Vec<(String, usize, usize)> {
        let document = Document::parse(CHAT.as_bytes()).unwrap();
        let root = document.values()[0];
        let list = Source::array(Some(root), root.member("messages").unwrap());
        let conversation = decode(named("openai").unwrap(), list, Scope::Live);
        let count = Meter::of_words().count(&conversation);
        let breakdown = Breakdown::of(&conversation, &count, by);
        let sum: usize = breakdown.rows.iter().map(|row| row.tokens).sum();
        assert_eq!((sum, breakdown.tokens), (count.tokens(), count.tokens()));
        breakdown.rows.into_iter().map(|row| (row.label, row.count, row.tokens)).collect()
    }

    fn row(label: &str, count: usize, tokens: usize) -> (String, usize, usize) {
        (label.to_owned(), count, tokens)
    }

    #[test]
    fn by_role() {
        assert_eq!(
            rows(By::Role),
            [
                row("tool definitions", 0, 20),
                row("user", 2, 13),
                row("tool", 1, 11),
                row("assistant", 1, 8),
                row("system", 1, 6),
                row("framing", 0, 3),
            ]
        );
    }

    #[test]
    fn by_part() {
        assert_eq!(
            rows(By::Part),
            [
                row("framing", 0, 23),
                row("tool definitions", 0, 20),
                row("text", 4, 8),
                row("tool_result", 1, 7),
                row("tool_call", 1, 3),
            ]
        );
    }

    #[test]
    fn by_tool() {
        assert_eq!(
            rows(By::Tool),
            [
                row("no tool", 0, 28),
                row("tool definitions", 0, 20),
                row("read", 1, 10),
                row("framing", 0, 3),
            ]
        );
    }

    #[test]
    fn by_message_and_turn() {
        assert_eq!(rows(By::Message)[1], row("3 tool", 1, 11));
        assert_eq!(
            rows(By::Turn)[..3],
            [
                row("turn 1: read it", 3, 25),
                row("tool definitions", 0, 20),
                row("turn 2: thanks a lot", 1, 7),
            ]
        );
    }
}
