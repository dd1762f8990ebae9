//! What a file needs beside edits so that its agent still reads it.
//!
//! Responsible for what holds a log together: chains, branches, recorded sizes, the records of
//! compactions. One file a dialect that has any, known by its name in the table of dialects; the others
//! need nothing.

mod chatgpt;
mod claude_code;
mod codex;
mod langchain;
pub(crate) mod lost;
mod opencode;
mod openhands;
mod pi;
pub(crate) mod sessions;

use crate::conversation::Conversation;
use crate::dialect::codex::has_envelope;
use crate::document::{Document, Edit};
use crate::draft::Draft;

type Mend = for<'a> fn(&mut Draft<'_, 'a>, &Document<'a>, usize);
type Append = for<'a> fn(&mut Draft<'_, 'a>, &Document<'a>, usize) -> Option<Vec<String>>;

/// What an agent needs to go on with a log.
struct Agent {
    dialect: &'static str,
    /// Mends chains and recorded sizes for a result that will count so many tokens.
    mend: Mend,
    /// The agent's own records of the draft's decisions, where it has such.
    append: Option<Append>,
}

/// The agents that do not take any log that their dialect allows.
const AGENTS: &[Agent] = &[
    Agent {
        dialect: "chatgpt",
        mend: |draft, document, _| chatgpt::mend(draft, document),
        append: None,
    },
    Agent {
        dialect: "claude-code",
        mend: claude_code::make_resumable,
        append: Some(claude_code::append),
    },
    Agent {
        dialect: "codex",
        mend: codex::make_resumable,
        append: Some(|draft, document, tokens| Some(codex::append(draft, document, tokens))),
    },
    Agent { dialect: "langchain", mend: |draft, _, _| langchain::mend(draft), append: None },
    Agent { dialect: "opencode", mend: |draft, _, _| opencode::mend(draft), append: None },
    Agent { dialect: "openhands", mend: |draft, _, _| openhands::mend(draft), append: None },
    Agent { dialect: "pi", mend: pi::mend, append: Some(pi::append) },
];

fn agent(draft: &Draft<'_, '_>) -> Option<&'static Agent> {
    let dialect = draft.conversation().dialect.name();
    AGENTS.iter().find(|agent| agent.dialect == dialect)
}

/// Makes a log one that its agent still resumes after the draft's decisions: chains mended,
/// recorded sizes set to `tokens`, which the result will count. It is the last decision, for it
/// writes the new messages; a draft that decides nothing stays as it is.
pub fn make_resumable<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) {
    if let Some(agent) = agent(draft).filter(|_| !draft.is_empty()) {
        (agent.mend)(draft, document, tokens);
    }
}

/// The edits that carry a draft out and leave a log that its agent resumes.
pub fn edits<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) -> Vec<Edit> {
    make_resumable(draft, document, tokens);
    draft.edits(document)
}

/// The lines that, put behind the untouched log, say what the draft decides; `None` where the
/// agent has no records for that.
pub fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<String>> {
    let append = agent(draft)?.append.filter(|_| !is_of_older_form(draft.conversation()))?;
    append(draft, document, tokens)
}

/// Whether a log has an older or reduced form, which takes no records, though its dialect has some.
pub fn is_of_older_form(conversation: &Conversation<'_>) -> bool {
    let units = &conversation.source.units;
    match conversation.dialect.name() {
        "codex" => !has_envelope(units),
        // A copy takes the place of the line that has its `uuid`.
        "claude-code" => {
            let mut said = conversation.messages.iter().flat_map(|message| &message.units);
            said.any(|&unit| units[unit].json.member("uuid").is_none())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect;

    #[test]
    fn every_agent_writes_a_dialect_that_is_known() {
        for agent in AGENTS {
            assert!(dialect::named(agent.dialect).is_some(), "{}", agent.dialect);
        }
    }
}
