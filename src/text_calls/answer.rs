//! What answers calls that stand in a text.
//!
//! Responsible for taking answers out of what an agent puts around them. It relies on the conversation for which
//! messages a program answered.

use std::borrow::Cow;

use crate::begins::begins_with_any;
use crate::conversation::{Kind, Message, Origin, Part, Role};
use crate::message::observation::{answered, is_observation, is_said_by_user};
use crate::message::origin::{RESUMED, before_details};

/// What stands around each answer where one message holds several: of Hermes, and of Claude.
const SEVERAL: [[&str; 2]; 2] =
    [["<tool_response>", "</tool_response>"], ["<function_results>", "</function_results>"]];

/// What stands before an answer that names no tool: of SWE-agent and `CodeAct`, and of `ReAct`.
const OBSERVED: [&str; 2] = ["OBSERVATION:", "Observation:"];

/// How an agent says that a call failed: Cline and those made like it, and OpenHands.
const FAILED: &[&str] = &[
    "The last command <command>",
    "The tool execution failed",
    "<error_details>",
    "<error>",
    "ERROR:\n",
];

/// What stands around what went wrong, on lines of its own.
const AROUND_ERROR: &[&str] = &[
    "<error_details>",
    "</error_details>",
    "<error>",
    "</error>",
    "ERROR:",
    "The tool execution failed with the following error:",
];

const FEEDBACK: [&str; 2] = ["<feedback>", "</feedback>"];

/// What stands before the user's words in an answer, and around them: of Cline and those made like it.
const INTRODUCED: [[&str; 3]; 4] = [
    ["The user provided the following feedback:", FEEDBACK[0], FEEDBACK[1]],
    [
        "The user approved this operation and provided the following context:",
        FEEDBACK[0],
        FEEDBACK[1],
    ],
    ["New instructions for task continuation:", "<user_message>", "</user_message>"],
    ["The user made the following updates to your content:", "", "\n\nThe updated content"],
];

/// What an answer begins with that says nothing but that the user refused, and why.
const REFUSED: &str = "The user denied this operation";

/// One answer.
pub(super) struct Answer {
    /// How many messages stand before its own.
    pub(super) message: usize,
    /// The tool that it names.
    pub(super) tool: Option<String>,
    pub(super) text: String,
    /// What the user said beside it.
    pub(super) words: Option<String>,
    pub(super) is_error: bool,
    /// Whether it is what a shell prints, as far as is known.
    pub(super) is_shells: bool,
}

/// The answers that a conversation goes on with behind a message of the model's.
pub(super) fn answers(behind: &[Message<'_>]) -> Vec<Answer> {
    let is_program = |message: &Message<'_>| {
        is_observation(message) && (message.origin == Origin::Injected || is_said_by_user(message))
    };
    let is_nameless = |part: &Part<'_>| part.kind == Kind::ToolResult && part.call_id.is_none();
    let mut found = Vec::new();
    for (at, message) in behind.iter().enumerate() {
        match message.role {
            Role::User if is_program(message) => found.extend(within(at, &message.text())),
            Role::Tool if message.parts.iter().all(is_nameless) => {
                for part in &message.parts[..] {
                    let text = part.text();
                    let several = several(&text);
                    let texts = if several.is_empty() { vec![&*text] } else { several };
                    found.extend(texts.into_iter().map(|text| Answer::of(at, text)));
                }
            }
            _ => break,
        }
    }
    found
}

/// The answers in a message of the user's.
fn within(at: usize, text: &str) -> Vec<Answer> {
    let text = before_details(text);
    let several = several(text);
    if !several.is_empty() {
        return several.into_iter().map(|text| Answer::of(at, text)).collect();
    }
    if let Some((tool, says)) = answered(text) {
        return vec![Answer { tool: Some(tool.to_owned()), ..Answer::of(at, says) }];
    }
    let says = OBSERVED.iter().find_map(|head| text.trim_start().strip_prefix(head));
    vec![Answer { is_shells: true, ..Answer::of(at, says.unwrap_or(text)) }]
}

impl Answer {
    fn of(message: usize, text: &str) -> Self {
        let (text, words) = without_words(text);
        let text = text.trim_matches('\n').trim_end();
        let is_error = begins_with_any(text, FAILED);
        let says = |line: &&str| !AROUND_ERROR.contains(&line.trim());
        let text = if is_error {
            text.lines().filter(says).collect::<Vec<_>>().join("\n")
        } else {
            text.to_owned()
        };
        Self { message, tool: None, text, words, is_error, is_shells: false }
    }
}

/// An answer without the words that the user said beside it, and these. Those in which a call was refused are all
/// that it says.
fn without_words(text: &str) -> (Cow<'_, str>, Option<String>) {
    let is_refusal = text.trim_start().starts_with(REFUSED);
    let rows = INTRODUCED.iter().filter(|[_, open, _]| !is_refusal || *open != FEEDBACK[0]);
    let found = { rows }.find_map(|[before, open, close]| {
        let (head, rest) = text.split_once(before)?;
        let (words, behind) = rest.trim_start().strip_prefix(open)?.split_once(close)?;
        // What stands in no tags is told with what introduces it.
        let words = words.trim();
        let words = if open.is_empty() { format!("{before} {words}") } else { words.to_owned() };
        Some((head, words, behind))
    });
    let Some((head, words, behind)) = found.filter(|(_, words, _)| !words.is_empty()) else {
        return (text.into(), None);
    };
    let head = head.split(RESUMED).next().unwrap_or(head).trim_end();
    // Behind them the tool may be named anew.
    let behind = answered(behind).map_or(behind, |(_, says)| says);
    (format!("{head}\n{}", behind.trim_start()).into(), Some(words))
}

/// The texts between tags that stand around each answer.
fn several(text: &str) -> Vec<&str> {
    let Some([open, close]) = SEVERAL.iter().find(|[open, _]| text.trim_start().starts_with(open))
    else {
        return Vec::new();
    };
    text.split(open).skip(1).map(|rest| rest.split(close).next().unwrap_or(rest)).collect()
}
