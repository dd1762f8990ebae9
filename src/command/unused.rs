//! Why a result has no end.
//!
//! Responsible for this warning: messages stay or go whole, so newest messages that are too large for the budget
//! leave a result without an end.

use std::borrow::Cow;

use crate::command::Shell;
use crate::conversation::{Kind, Part, Place};
use crate::line::counted;
use crate::subject::Subject;

/// The newest messages, which stay or go together.
pub(super) struct End<'a> {
    /// The place of their largest part.
    pub(super) largest: Place,
    /// The tokens of that part.
    tokens: usize,
    /// The name of that part's tool; empty if it has none.
    pub(super) tool: Cow<'a, str>,
    /// The number of results in these messages.
    pub(super) results: usize,
    /// The number of these messages.
    messages: usize,
    /// The tokens of all these messages.
    all: usize,
}

impl<'a> End<'a> {
    pub(super) fn of(subject: &Subject<'_, 'a>) -> Option<Self> {
        let Subject { conversation, cuts, count, pairs, .. } = *subject;
        let messages = &conversation.messages;
        let newest = cuts.at_or_before(messages.len().checked_sub(1)?)..messages.len();
        let results = |at: usize| messages[at].parts_of(Kind::ToolResult).count();
        let results = newest.clone().map(results).sum();
        let all = count.tokens_of(newest.clone());
        let number = newest.len();
        let tallies = newest.flat_map(|at| {
            let tallies = count.parts[at].iter().enumerate();
            tallies.map(move |(index, tally)| ((at, index), tally.tokens()))
        });
        let (largest, tokens) = tallies.max_by_key(|(_, tokens)| *tokens)?;
        let tool = pairs.tool_of(messages, largest);
        Some(Self { largest, tokens, tool, results, messages: number, all })
    }
}

/// Warns that the newest messages were removed for lack of room; `used` tokens of the budget are used. `hint` is
/// for the case that the largest part is a result.
pub(super) fn warn_of_unused(
    subject: &Subject<'_, '_>,
    shell: &Shell,
    place: &str,
    (used, budget): (usize, usize),
    hint: impl FnOnce(&End<'_>) -> Option<String>,
) {
    let Some(end) = End::of(subject) else { return };
    let part = subject.conversation.part(end.largest);
    let hint = if part.kind == Kind::ToolResult { hint(&end) } else { None };
    let why = if end.tokens < end.all / 2 {
        format!("{} that stay together count {}", end.messages, counted(end.all, "token"))
    } else {
        format!("{} counts {}", name(part, &end.tool), counted(end.tokens, "token"))
    };
    let line = format_args!(
        "{place}: the newest messages do not fit and go, {why}: {used} of {budget} are used"
    );
    shell.warn_with_hint(line, hint.as_deref());
}

/// The description of a part.
fn name(part: &Part<'_>, tool: &str) -> String {
    let tool = if tool.is_empty() { "a tool" } else { tool };
    match part.kind {
        Kind::Text => "a text".to_owned(),
        Kind::ToolCall => format!("a call of {tool}"),
        Kind::ToolResult => format!("a result of {tool}"),
        Kind::Image => "a picture".to_owned(),
        Kind::File => "a file".to_owned(),
        Kind::Reasoning => "a thought".to_owned(),
        Kind::Other => "a part".to_owned(),
    }
}
