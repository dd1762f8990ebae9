//! What answers calls that stand in a text.
//!
//! Responsible for taking answers out of what an agent puts around them. It relies on the conversation for which
//! messages a program answered.

use crate::begins::begins_with_any;
use crate::conversation::{Kind, Message, Origin, Part, Role};
use crate::message::observation::{answered, is_observation, is_said_by_user};
use crate::message::origin::before_details;

/// What stands around each answer where one message holds several: of Hermes, and of Claude.
const SEVERAL: [[&str; 2]; 2] =
    [["<tool_response>", "</tool_response>"], ["<function_results>", "</function_results>"]];

/// What stands before an answer that names no tool: of SWE-agent and `CodeAct`, and of `ReAct`.
const OBSERVED: [&str; 2] = ["OBSERVATION:", "Observation:"];

/// How an agent says that a call failed: Cline and those made like it, and OpenHands.
const FAILED: &[&str] = &["The tool execution failed", "<error_details>", "<error>", "ERROR:\n"];

/// What stands around what went wrong, on lines of its own.
const AROUND_ERROR: &[&str] =
    &["<error_details>", "</error_details>", "<error>", "</error>", "ERROR:"];

/// One answer.
pub(super) struct Answer {
    /// How many messages stand before its own.
    pub(super) message: usize,
    /// The tool that it names.
    pub(super) tool: Option<String>,
    pub(super) text: String,
    pub(super) is_error: bool,
    /// Whether it is what a shell prints, as far as is known.
    pub(super) is_shells: bool,
}

/// The answers that a conversation goes on with behind a message of the model's.
pub(super) fn answers(behind: &[Message<'_>]) -> Vec<Answer> {
    let Some(first) = behind.first() else { return Vec::new() };
    match first.role {
        Role::User if is_observation(first) => {
            let is_program = first.origin == Origin::Injected || is_said_by_user(first);
            if is_program { within(&first.text()) } else { Vec::new() }
        }
        Role::Tool => {
            let tools = behind.iter().take_while(|message| message.role == Role::Tool);
            let one = |(message, part): (usize, &Part<'_>)| {
                let text = part.text();
                let [text] = &several(&text)[..] else { return Answer::of(message, &text) };
                Answer::of(message, text)
            };
            let parts = tools
                .enumerate()
                .flat_map(|(at, message)| message.parts.iter().map(move |part| (at, part)));
            let is_nameless =
                |part: &Part<'_>| part.kind == Kind::ToolResult && part.call_id.is_none();
            parts.take_while(|(_, part)| is_nameless(part)).map(one).collect()
        }
        _ => Vec::new(),
    }
}

/// The answers in a message of the user's.
fn within(text: &str) -> Vec<Answer> {
    let text = before_details(text);
    let several = several(text);
    if !several.is_empty() {
        return several.into_iter().map(|text| Answer::of(0, text)).collect();
    }
    if let Some((tool, says)) = answered(text) {
        return vec![Answer { tool: Some(tool.to_owned()), ..Answer::of(0, says) }];
    }
    let says = OBSERVED.iter().find_map(|head| text.trim_start().strip_prefix(head));
    vec![Answer { is_shells: true, ..Answer::of(0, says.unwrap_or(text)) }]
}

impl Answer {
    fn of(message: usize, text: &str) -> Self {
        let text = text.trim_matches('\n').trim_end();
        let is_error = begins_with_any(text, FAILED);
        let says = |line: &&str| !AROUND_ERROR.contains(&line.trim());
        let text = if is_error {
            text.lines().filter(says).collect::<Vec<_>>().join("\n")
        } else {
            text.to_owned()
        };
        Self { message, tool: None, text, is_error, is_shells: false }
    }
}

/// The texts between tags that stand around each answer.
fn several(text: &str) -> Vec<&str> {
    let Some([open, close]) = SEVERAL.iter().find(|[open, _]| text.trim_start().starts_with(open))
    else {
        return Vec::new();
    };
    text.split(open).skip(1).map(|rest| rest.split(close).next().unwrap_or(rest)).collect()
}
