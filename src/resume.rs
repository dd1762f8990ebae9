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
use crate::document::{Document, Edit};
use crate::draft::Draft;

type Mend = for<'a> fn(&mut Draft<'_, 'a>, &Document<'a>, usize);
type Append = for<'a> fn(&mut Draft<'_, 'a>, &Document<'a>, usize) -> Option<Vec<String>>;

/// What an agent needs to go on with a log.
struct Agent {
    dialect: &'static str,
    /// Mends chains and recorded sizes for a result that will count so many tokens.
    mend: Mend,
    /// The agent's own records of decisions, where it has such.
    records: Option<Records>,
}

/// Records that an agent itself puts into its logs.
struct Records {
    /// Those of the draft's decisions.
    append: Append,
    /// Whether a log has an older or reduced form, which takes no records.
    is_older: fn(&Conversation<'_>) -> bool,
}

/// The agents that do not take any log that their dialect allows.
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

/// Makes a log one that its agent still resumes after the draft's decisions: chains mended,
/// recorded sizes set to `tokens`, which the result will count. It is the last decision, for it
/// writes the new messages; a draft that decides nothing stays as it is.
pub fn make_resumable<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>, tokens: usize) {
    if let Some(agent) = agent(draft.conversation()).filter(|_| !draft.is_empty()) {
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
    let conversation = draft.conversation();
    let records = agent(conversation)?.records.as_ref();
    let records = records.filter(|records| !(records.is_older)(conversation))?;
    (records.append)(draft, document, tokens)
}

/// Whether a log has an older or reduced form, which takes no records, though its dialect has some.
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
