//! What a file needs beside edits so that its agent still reads it.
//!
//! Responsible for what holds a log together: chains, branches, recorded sizes, the records of
//! compactions. One file a dialect that has any, known by its name in the table of dialects; the others
//! need nothing.

mod chatgpt;
mod claude_code;
mod codex;
mod langchain;
mod opencode;
mod openhands;
mod pi;

use crate::document::Document;
use crate::draft::Draft;

/// Makes a log one that its agent still resumes after the draft's decisions: chains mended,
/// recorded sizes set to `tokens`, which the result will count. It is the last decision, for it
/// writes the new messages; a draft that decides nothing stays as it is.
pub fn make_resumable<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) {
    if draft.is_empty() {
        return;
    }
    match draft.conversation().dialect.name() {
        "chatgpt" => chatgpt::mend(draft),
        "claude-code" => claude_code::make_resumable(draft, document, tokens),
        "codex" => codex::make_resumable(draft, document, tokens),
        "langchain" => langchain::mend(draft),
        "opencode" => opencode::mend(draft),
        "openhands" => openhands::mend(draft),
        "pi" => pi::mend(draft, tokens),
        _ => {}
    }
}

/// The lines that, put behind the untouched log, say what the draft decides; `None` where the
/// agent has no records for that.
pub fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<String>> {
    match draft.conversation().dialect.name() {
        "claude-code" => claude_code::append(draft, document, tokens),
        "codex" => codex::append(draft, document, tokens),
        "pi" => pi::append(draft, document, tokens),
        _ => None,
    }
}
