//! Additions to edits that a file needs so that its agent can still read it.
//!
//! Responsible for everything that holds a log together: chains, branches, recorded sizes, the records of
//! compactions. There is one file for each dialect that has any of these, found by name in the table below;
//! the other dialects need nothing.

mod chatgpt;
mod claude_code;
mod codex;
mod langchain;
pub(crate) mod lost;
mod opencode;
mod openhands;
mod pi;

use crate::conversation::Conversation;
use crate::document::{Document, Edit};
use crate::draft::Draft;

type Mend = for<'a> fn(&mut Draft<'_, 'a>, &Document<'a>, usize);
type Append = for<'a> fn(&mut Draft<'_, 'a>, &Document<'a>, usize) -> Option<Vec<String>>;

/// The rules by which an agent resumes from a log.
struct Agent {
    dialect: &'static str,
    /// Mends chains and recorded sizes for a result of the given number of tokens.
    mend: Mend,
    /// The agent's own records of such decisions, if it has any.
    records: Option<Records>,
}

/// Records that an agent itself writes into its logs.
struct Records {
    /// Writes records of the draft's decisions.
    append: Append,
    /// Whether a log has an older or reduced form, to which no records can be appended.
    is_older: fn(&Conversation<'_>) -> bool,
}

/// The agents that need more than a valid log of their dialect.
const AGENTS: &[Agent] = &[
    Agent {
        dialect: "chatgpt",
        mend: |draft, document, _| chatgpt::mend(draft, document),
        records: None,
    },
    Agent {
        dialect: "claude-code",
        mend: claude_code::make_resumable,
        records: Some(Records { append: claude_code::append, is_older: claude_code::is_older }),
    },
    Agent {
        dialect: "codex",
        mend: codex::make_resumable,
        records: Some(Records {
            append: |draft, document, tokens| Some(codex::append(draft, document, tokens)),
            is_older: codex::is_older,
        }),
    },
    Agent { dialect: "langchain", mend: |draft, _, _| langchain::mend(draft), records: None },
    Agent { dialect: "opencode", mend: |draft, _, _| opencode::mend(draft), records: None },
    Agent { dialect: "openhands", mend: |draft, _, _| openhands::mend(draft), records: None },
    Agent {
        dialect: "pi",
        mend: pi::mend,
        records: Some(Records { append: pi::append, is_older: |_| false }),
    },
];

fn agent(conversation: &Conversation<'_>) -> Option<&'static Agent> {
    let dialect = conversation.dialect.name();
    AGENTS.iter().find(|agent| agent.dialect == dialect)
}

/// Adds to a draft whatever its agent needs to resume from the result: mends chains, and sets recorded sizes
/// to `tokens`, the size of the result. This must be the last decision, because it writes the new messages.
/// An empty draft stays empty.
pub fn make_resumable<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) {
    if let Some(agent) = agent(draft.conversation()).filter(|_| !draft.is_empty()) {
        (agent.mend)(draft, document, tokens);
    }
}

/// The edits that carry a draft out and leave a log from which its agent resumes.
pub fn edits<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) -> Vec<Edit> {
    make_resumable(draft, document, tokens);
    draft.edits(document)
}

/// The lines that record the draft's decisions behind the untouched log; `None` if the agent has no records
/// for them.
pub fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<String>> {
    let conversation = draft.conversation();
    let records = agent(conversation)?.records.as_ref();
    let records = records.filter(|records| !(records.is_older)(conversation))?;
    (records.append)(draft, document, tokens)
}

/// Whether a log has an older or reduced form, to which no records can be appended although its dialect has
/// some.
pub fn is_of_older_form(conversation: &Conversation<'_>) -> bool {
    let records = agent(conversation).and_then(|agent| agent.records.as_ref());
    records.is_some_and(|records| (records.is_older)(conversation))
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
