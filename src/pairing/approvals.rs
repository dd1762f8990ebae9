//! Answers of the user to what an MCP server asks through OpenAI, and the questions.
//!
//! Responsible for items of Responses that hold no call of ours and answer none: they are in no pair.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::conversation::Message;

/// An answer of the user to an MCP server.
pub(crate) struct Approval<'a> {
    /// The index of its message.
    pub(crate) message: usize,
    /// The id of its question.
    pub(crate) id: Cow<'a, str>,
    /// The index of the question's message, which stands before it.
    pub(crate) request: Option<usize>,
}

/// The answers to MCP servers among `messages`, in order.
pub(crate) fn approvals<'c, 'a: 'c>(
    messages: impl Iterator<Item = (usize, &'c Message<'a>)>,
) -> Vec<Approval<'a>> {
    let mut requests = HashMap::new();
    let mut approvals = Vec::new();
    for (at, message) in messages {
        let [kind, id, asked] = message.json.pick(["type", "id", "approval_request_id"]);
        let Some(kind) = kind else { continue };
        if kind.says("mcp_approval_request") {
            requests.extend(id.and_then(|id| id.text()).map(|id| (id, at)));
        } else if kind.says("mcp_approval_response") {
            let id = asked.and_then(|id| id.text()).unwrap_or_default();
            let request = requests.get(&id).copied();
            approvals.push(Approval { message: at, id, request });
        }
    }
    approvals
}
