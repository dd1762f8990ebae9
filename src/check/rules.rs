//! The table of rules: what providers refuse, in their own words, and how it is repaired.
//!
//! Everything about a rule but the code that finds and mends it stands in its row; reports, help
//! and tests walk the table. The sentences are as the providers send them, typos included; blanks
//! in braces are filled with real positions (`n` the message, `m` the part) and ids.

use super::{Report, Severity, View, pairs};
use crate::dialect::Provider;

/// One rule.
pub struct Rule {
    /// Its stable name.
    pub name: &'static str,
    /// What must hold.
    pub holds: &'static str,
    /// How `normalize` makes it hold.
    pub repair: &'static str,
    /// Whether the repair loses something that was said.
    pub loses: bool,
    /// Who insists on it.
    pub rows: &'static [Row],
    pub(super) find: Find,
}

/// One provider's view of a rule.
#[derive(Debug)]
pub struct Row {
    /// Who.
    pub provider: Provider,
    /// How bad a breach is.
    pub severity: Severity,
    /// What the provider answers: one sentence, or one for each kind of breach.
    pub errors: &'static [&'static str],
}

type Find = for<'c, 'a> fn(&View<'c, 'a>, &mut Vec<Report<'a>>);

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Rule {
    /// What this provider thinks of it, if anything.
    pub fn row(&self, provider: Provider) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.provider == provider)
    }
}

/// The rule called `name`.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

const fn fault(provider: Provider, errors: &'static [&'static str]) -> Row {
    Row { provider, severity: Severity::Fault, errors }
}

const fn note(provider: Provider, errors: &'static [&'static str]) -> Row {
    Row { provider, severity: Severity::Note, errors }
}

/// A note that every provider's check makes: nobody refuses it.
const FOR_ALL: &[Row] = &[
    note(OpenAi, &[]),
    note(Responses, &[]),
    note(Anthropic, &[]),
    note(Bedrock, &[]),
    note(Gemini, &[]),
    note(Mistral, &[]),
];

use Provider::{Anthropic, Bedrock, Gemini, Mistral, OpenAi, Responses};

const A1: &str = "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
const A2: &str = "messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
const A3: &str = "messages.{n}.content.{m}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}";
const A4: &str = "messages.{n}.content.{m}: `tool_use` ids must be unique";
const A7: &str = "messages.{n}: Did not find {k} `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks.";
const O1: &str = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}";
const O2: &str = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
const O7: &str = "Duplicate value for 'tool_call_id' of {id} in message[{n}]";
const R1: &str = "No tool output found for function call {id}.";
const R2: &str = "No tool call found for function call output with call_id {id}.";
const R4: &str =
    "Duplicate item found with id {id}. Remove duplicate items from your input and try again.";
const G2: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const B1: &str = "The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn.";
const B2: &str =
    "Expected toolResult blocks at messages.{next}.content for the following Ids: {ids}";
const B9: &str = "Conversation blocks and tool result blocks cannot be provided in the same turn.";
const M1: &str = "Not the same number of function calls and responses";
const M2: &str = "Unexpected role '{role}' after role '{before}'";
const M6: &str = "Duplicate tool call id {id} in assistant message";

/// Every rule.
pub static RULES: &[Rule] = &[
    Rule {
        name: "unanswered-call",
        holds: "every call has a result",
        repair: "a result that says `aborted` is put right behind the call",
        loses: false,
        rows: &[
            fault(OpenAi, &[O1]),
            fault(Responses, &[R1]),
            fault(Anthropic, &[A1]),
            fault(Bedrock, &[B2]),
            fault(Gemini, &[G2]),
            fault(Mistral, &[M1]),
        ],
        find: pairs::unanswered_calls,
    },
    Rule {
        name: "in-flight",
        holds: "a call at the very end still waits for its result",
        repair: "nothing: the next message is the result",
        loses: false,
        rows: FOR_ALL,
        find: pairs::calls_in_flight,
    },
    Rule {
        name: "orphan-result",
        holds: "every result has a call before it",
        repair: "the result is removed",
        loses: true,
        rows: &[
            fault(OpenAi, &[O2]),
            fault(Responses, &[R2]),
            fault(Anthropic, &[A2]),
            fault(Bedrock, &[B1]),
            fault(Gemini, &[G2]),
            fault(Mistral, &[M1]),
        ],
        find: pairs::orphan_results,
    },
    Rule {
        name: "displaced-result",
        holds: "a result stands right behind its call, with nothing between",
        repair: "the result is moved to its call",
        loses: false,
        rows: &[
            fault(OpenAi, &[O1]),
            fault(Responses, &[R2]),
            fault(Anthropic, &[A1]),
            fault(Bedrock, &[B2]),
            fault(Gemini, &[G2]),
            fault(Mistral, &[M1]),
        ],
        find: pairs::displaced_results,
    },
    Rule {
        name: "duplicate-result",
        holds: "a call has one result",
        repair: "the first result stays, the others are removed",
        loses: true,
        rows: &[
            fault(OpenAi, &[O7]),
            fault(Responses, &[R4]),
            fault(Anthropic, &[A3]),
            fault(Bedrock, &[B1]),
            fault(Gemini, &[G2]),
            fault(Mistral, &[M1]),
        ],
        find: pairs::duplicate_results,
    },
    Rule {
        name: "duplicate-call-id",
        holds: "call ids are unique (Anthropic: in the request, others: in the exchange)",
        repair: "the later call and its result get a new id",
        loses: false,
        rows: &[
            fault(OpenAi, &[O7]),
            fault(Responses, &[R4]),
            fault(Anthropic, &[A4]),
            fault(Mistral, &[M6]),
        ],
        find: pairs::duplicate_call_ids,
    },
    Rule {
        name: "result-after-text",
        holds: "results lead the user's message",
        repair: "the results are moved to the front",
        loses: false,
        rows: &[fault(Anthropic, &[A7]), fault(Bedrock, &[B9])],
        find: pairs::results_after_text,
    },
];
