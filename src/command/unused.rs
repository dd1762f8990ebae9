//! Why a result uses little of the room that it was given.
//!
//! Responsible for saying so: messages stay or go whole, and newest ones that are too large leave a
//! result without an end.

use crate::command::Shell;
use crate::conversation::{Kind, Part, Place};
use crate::subject::Subject;

/// Says that the newest messages went for want of room, where most of it is left: of the budget so many
/// tokens are used. `hint` is what helps where a result of this tool is what is so large.
pub(super) fn warn_of_unused<'h>(
    subject: &Subject<'_, '_>,
    shell: &Shell,
    place: &str,
    (used, budget): (usize, usize),
    hint: impl FnOnce(&str) -> Option<&'h str>,
) {
    if used >= budget / 2 {
        return;
    }
    let Some((largest @ (at, index), tokens)) = largest_of_the_end(subject) else { return };
    let messages = &subject.conversation.messages;
    let tool = subject.pairs.tool_of(messages, largest);
    let part = &messages[at].parts[index];
    let (what, hint) = (name(part, &tool), hint(&tool).filter(|_| part.kind == Kind::ToolResult));
    let line = format_args!(
        "{place}: the newest messages do not fit and go, {what} counts {tokens} tokens: {used} of {budget} are used"
    );
    shell.warn_with_hint(line, hint);
}

/// The largest part of the newest messages that stay or go together, and what it counts.
fn largest_of_the_end(subject: &Subject<'_, '_>) -> Option<(Place, usize)> {
    let Subject { conversation, cuts, count, .. } = *subject;
    let end = conversation.messages.len();
    let newest = cuts.at_or_before(end.checked_sub(1)?)..end;
    let tallies = newest.flat_map(|at| {
        let tallies = count.parts[at].iter().enumerate();
        tallies.map(move |(index, tally)| ((at, index), tally.tokens()))
    });
    tallies.max_by_key(|(_, tokens)| *tokens)
}

/// What a part is, in words.
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
