//! Answers to calls that are written in a text.
//!
//! Responsible for separating answers from the text that an agent puts around them, and the user's words from
//! answers. It relies on the conversation for which messages are the output of a program. The output of a
//! tool may look like the words of an agent, so these are recognised only in the places where agents put
//! them.

use std::borrow::Cow;

use super::notation::Written;
use crate::begins::begins_with_any;
use crate::conversation::{Kind, Message, Origin, Part, Role};
use crate::message::observation::{
    FEEDBACK, OBSERVED, PICTURE, REFUSED, SEVERAL, USER_MESSAGE, answered, is_observation,
    is_said_by_user,
};
use crate::message::origin::{RESUMED, before_details};

/// How an agent reports that a call failed: Cline and its derivatives, OpenHands, and `mini-SWE-agent`.
const FAILED: &[&str] = &[
    "The last command <command>", "The tool execution failed", "<error_details>", "<error>",
    "ERROR:\n",
];

/// The lines around an error message.
const AROUND_ERROR: &[&str] = &[
    "<error_details>",
    "</error_details>",
    "<error>",
    "</error>",
    "ERROR:",
    "The tool execution failed with the following error:",
];

/// Words with which an answer begins that reports first what the user said or did, with the marks around
/// that.
const FIRST: [[&str; 3]; 3] = [
    [
        "The user approved this operation and provided the following context:",
        FEEDBACK[0],
        FEEDBACK[1],
    ],
    ["The user provided the following feedback:", FEEDBACK[0], FEEDBACK[1]],
    ["The user made the following updates to your content:", "", "\n\nThe updated content"],
];

/// Words with which the end of an answer reports what the user said, with the marks around that.
const LAST: [[&str; 3]; 2] = [
    ["The user provided the following feedback:", FEEDBACK[0], FEEDBACK[1]],
    ["New instructions for task continuation:", USER_MESSAGE[0], USER_MESSAGE[1]],
];

/// Words in the names of tools whose answers hold nothing but the agent's own words, and the beginning of the
/// answer of a command that still runs while the user speaks.
const WRITING: &[&str] = &["write", "replace", "edit", "diff", "insert", "create", "delete"];
const GOES_ON: &str = "Command is still running";

/// One answer, as written.
pub(super) struct Answer {
    /// How many messages stand between the call and this answer.
    pub(super) message: usize,
    /// The tool that the answer names, if it names one.
    pub(super) tool: Option<String>,
    text: String,
    /// The text behind all answers in the message.
    beside: Option<String>,
    /// Whether it is the output of a shell, as far as can be told.
    pub(super) is_shells: bool,
}

/// The content of an answer.
pub(super) struct Told {
    pub(super) text: String,
    pub(super) is_error: bool,
    /// The user's words in the answer.
    pub(super) words: Option<String>,
}

/// The answers that directly follow a message of the model.
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

/// The answers in a user message.
fn within(at: usize, text: &str) -> Vec<Answer> {
    let text = before_details(text);
    let several = several(text);
    if !several.is_empty() {
        let mut answers: Vec<_> = several.into_iter().map(|text| Answer::of(at, text)).collect();
        // A person may have written behind the answers.
        let behind = SEVERAL.iter().find_map(|[_, close]| Some(text.rsplit_once(close)?.1.trim()));
        if let Some((last, words)) = answers.last_mut().zip(behind.filter(|it| !it.is_empty())) {
            last.beside = Some(words.to_owned());
        }
        return answers;
    }
    if let Some((tool, says)) = answered(text) {
        return vec![Answer { tool: Some(tool.to_owned()), ..Answer::of(at, says) }];
    }
    let says = OBSERVED.iter().find_map(|head| text.trim_start().strip_prefix(head));
    vec![Answer { is_shells: true, ..Answer::of(at, says.unwrap_or(text)) }]
}

/// The texts between the tags around each answer.
fn several(text: &str) -> Vec<&str> {
    let Some([open, close]) = SEVERAL.iter().find(|[open, _]| text.trim_start().starts_with(open))
    else {
        return Vec::new();
    };
    text.split(open).skip(1).map(|rest| rest.split(close).next().unwrap_or(rest)).collect()
}

/// The tools that the answers name, at the beginning and in later lines, because one message may hold several
/// answers.
pub(super) fn named(answers: &[Answer]) -> Vec<String> {
    let within = |answer: &Answer| {
        let lines = answer.text.lines().filter(|line| line.starts_with('['));
        let tools = lines.filter_map(|line| Some(answered(line)?.0.to_owned()));
        tools.collect::<Vec<_>>()
    };
    let named = answers.iter().filter(|answer| answer.tool.is_some());
    named.flat_map(|answer| answer.tool.clone().into_iter().chain(within(answer))).collect()
}

/// The answers, with one that answers several calls divided into as many.
pub(super) fn parted(answers: Vec<Answer>, calls: &[Written]) -> Vec<Answer> {
    let [Answer { message, tool: Some(tool), text, .. }] = &answers[..] else { return answers };
    let mut parts = vec![(tool.clone(), String::new())];
    for line in text.split_inclusive('\n') {
        let next = calls.get(parts.len()).map(|call| call.tool.as_str());
        let header = answered(line).filter(|(tool, _)| Some(*tool) == next);
        match header {
            Some((tool, says)) => parts.push((tool.to_owned(), says.to_owned())),
            None => parts.last_mut().expect("there is one").1.push_str(line),
        }
    }
    let one =
        |(tool, text): (String, String)| Answer { tool: Some(tool), ..Answer::of(*message, &text) };
    parts.into_iter().map(one).collect()
}

impl Answer {
    fn of(message: usize, text: &str) -> Self {
        let (tool, beside, is_shells) = (None, None, false);
        Self { message, tool, text: text.to_owned(), beside, is_shells }
    }

    /// The content of the answer, with the user's words apart.
    pub(super) fn told(&self) -> Told {
        let text = self.text.trim_matches('\n').trim_end();
        let (text, words) = self.without_words(text);
        let text = text.trim_matches('\n').trim_end();
        let is_error = begins_with_any(text, FAILED);
        let says = |line: &&str| !AROUND_ERROR.contains(&line.trim());
        let text = if is_error {
            text.lines().filter(says).collect::<Vec<_>>().join("\n")
        } else {
            text.to_owned()
        };
        Told { text, is_error, words: words.or_else(|| self.beside.clone()) }
    }

    /// Separates the user's words from an answer. If the user refused the call, their words are the whole
    /// answer.
    fn without_words<'t>(&self, text: &'t str) -> (Cow<'t, str>, Option<String>) {
        let is_refusal = text.starts_with(REFUSED);
        let first = FIRST.iter().filter(|_| !is_refusal).find_map(|[before, open, close]| {
            let (words, behind) =
                text.strip_prefix(before)?.trim_start().strip_prefix(open)?.split_once(close)?;
            // Words that stand in no tags are kept with what introduces them.
            let before = if open.is_empty() { before } else { "" };
            // Behind the user's words, the tool may be named again.
            let behind = answered(behind).map_or(behind, |(_, says)| says);
            Some((behind.into(), format!("{before} {}", words.trim()).trim().to_owned()))
        });
        let last = || {
            let may_end = self.tool.as_deref().is_some_and(|tool| {
                WRITING.iter().any(|word| tool.contains(word)) || text.starts_with(GOES_ON)
            });
            LAST.iter().filter(|_| may_end).find_map(|[before, open, close]| {
                let (head, rest) = text.rsplit_once(before)?;
                let (words, behind) = rest.trim_start().strip_prefix(open)?.rsplit_once(close)?;
                let is_end = behind.lines().all(|it| it.trim().is_empty() || it == PICTURE);
                let is_refused = is_refusal && *open == FEEDBACK[0];
                // New instructions come behind a note that the task was left.
                let head = match head.rsplit_once(RESUMED) {
                    Some((head, _)) if *open == USER_MESSAGE[0] => head,
                    None if *open == USER_MESSAGE[0] => return None,
                    _ => head,
                };
                (is_end && !is_refused).then(|| (head.into(), words.trim().to_owned()))
            })
        };
        match first.or_else(last) {
            Some((text, words)) if !words.is_empty() => (text, Some(words)),
            _ => (text.into(), None),
        }
    }
}
