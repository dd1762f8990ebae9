//! What a program answered in the user's role.
//!
//! Responsible for recognising it where an agent and its shell talk in plain text: the model writes a command
//! into a fenced block, and what that printed comes back as a message of the user. It goes by the words that
//! such agents put around it. The first message of the user is the task, whatever stands around that.

use super::{Kind, Message, Origin, Role};
use crate::begins::begins_with_any;

/// How what a program printed begins: of `mini-SWE-agent`, `CodeAct`, `ReAct`, Terminus, and of Cline, which names
/// its tool before it.
const BEGINNINGS: &[&str] = &[
    "<returncode>",
    "OBSERVATION:",
    "Observation:",
    "<observation>",
    "EXECUTION RESULT of [",
    "New Terminal Output:",
    "Current Terminal Screen:",
];
const BEHIND_TOOL: &str = "] Result:";

/// How it ends, as it is escaped: of SWE-agent.
const END: &str = r"\nbash-$";

/// Marks the messages behind the first request that a program answered.
pub(crate) fn mark_observations(messages: &mut [Message<'_>]) {
    let task = messages.iter().position(Message::is_request).unwrap_or(messages.len());
    for at in task + 1..messages.len() {
        let (before, message) = (&messages[at - 1], &messages[at]);
        let follows_words = before.role == Role::Assistant && !before.has(Kind::ToolCall);
        if follows_words && message.is_request() && is_observation(message) {
            messages[at].origin = Origin::Injected;
        }
    }
}

/// Whether a message begins or ends as what a program printed does.
pub(crate) fn is_observation(message: &Message<'_>) -> bool {
    let Some((_, part)) = message.parts_of(Kind::Text).next() else { return false };
    let ends = |body: &str| body.trim_end_matches('"').ends_with(END);
    if part.body.is_some_and(|body| ends(body.source())) {
        return true;
    }
    let opening = part.opening();
    let first = opening.trim_start().lines().next().unwrap_or_default();
    begins_with_any(first, BEGINNINGS) || first.starts_with('[') && first.ends_with(BEHIND_TOOL)
}
