//! The rows of the table of rules.
//!
//! Responsible for one row per rule and for their order. The file may be longer than others, because one only
//! looks rules up in it.

use super::{Row, Rule};
use crate::check::sentences as says;
use crate::check::{
    Severity, cache, content, content_types, ids, names, order, pairs, part_types, rows,
    surrogates, thinking,
};
use crate::dialect::Provider::{self, Anthropic, Bedrock, Gemini, Mistral, OpenAi, Responses};

const fn fault(provider: Provider, errors: &'static [&'static str]) -> Row {
    Row { provider, severity: Severity::Fault, errors }
}

const fn note(provider: Provider, errors: &'static [&'static str]) -> Row {
    Row { provider, severity: Severity::Note, errors }
}

/// Rows of a note that applies to every provider: no provider refuses it.
const FOR_ALL: &[Row] = &[
    note(OpenAi, &[]),
    note(Responses, &[]),
    note(Anthropic, &[]),
    note(Bedrock, &[]),
    note(Gemini, &[]),
    note(Mistral, &[]),
];

/// Every rule.
pub static RULES: &[&Rule] = &[
    &UNANSWERED_CALL, &IN_FLIGHT, &ORPHAN_RESULT, &DISPLACED_RESULT, &DUPLICATE_RESULT,
    &DUPLICATE_CALL_ID, &DUPLICATE_ITEM_ID, &ITEM_ID_FORM, &RESULT_AFTER_TEXT, &CALL_ID_FORM,
    &MISSING_CALL_ID, &MISPLACED_PART, &FIRST_ROLE, &ROLE_ORDER, &LAST_ROLE, &TRAILING_SPACE,
    &SYSTEM_PLACE, &EMPTY_TEXT, &EMPTY_MESSAGE, &CONTENT_TYPE, &PART_TYPE, &EMPTY_ARRAY,
    &EMPTY_CONVERSATION, &THINKING_ORDER, &THINKING_MISSING, &THINKING_BOUND, &EMPTY_ERROR_RESULT,
    &INPUT_TYPE, &TOOL_NAME_FORM, &NAME_FORM, &DUPLICATE_TOOL, &TOOLS_MISSING, &MEDIA_COUNT,
    &MEDIA_TYPE, &CACHE_CONTROL, &LONE_SURROGATE, &INTERNAL_ROW, &UNKNOWN_ROLE, &UNKNOWN_TYPE,
    &STRAY_VALUE,
];

pub(crate) static UNANSWERED_CALL: Rule = Rule {
    name: "unanswered-call",
    holds: "every call has a result",
    repair: "a result that says `aborted` is put right behind the call; one that no text answers is removed",
    loses: true,
    rows: &[
        fault(OpenAi, &[says::O1]),
        fault(Responses, &[says::R1]),
        fault(Anthropic, &[says::A1, says::A1_SERVER]),
        fault(Bedrock, &[says::B2]),
        fault(Gemini, &[says::G2]),
        fault(Mistral, &[says::M1]),
    ],
    find: pairs::unanswered_calls,
};

pub(crate) static IN_FLIGHT: Rule = Rule {
    name: "in-flight",
    holds: "a call at the very end still waits for its result",
    repair: "nothing: the next message is the result",
    loses: false,
    rows: FOR_ALL,
    find: pairs::calls_in_flight,
};

pub(crate) static ORPHAN_RESULT: Rule = Rule {
    name: "orphan-result",
    holds: "every result has a call before it, and every approval of a call by an MCP server its request",
    repair: "the result or the approval is removed",
    loses: true,
    rows: &[
        fault(OpenAi, &[says::O2]),
        fault(Responses, &[says::R2]),
        fault(Anthropic, &[says::A2, says::A2_SERVER]),
        fault(Bedrock, &[says::B1]),
        fault(Gemini, &[says::G2]),
        fault(Mistral, &[says::M1]),
    ],
    find: pairs::orphan_results,
};

pub(crate) static DISPLACED_RESULT: Rule = Rule {
    name: "displaced-result",
    holds: "a result stands right behind its call, with nothing between",
    repair: "the result is moved to its call",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O1]),
        fault(Responses, &[says::R2]),
        fault(Anthropic, &[says::A1]),
        fault(Bedrock, &[says::B2]),
        fault(Gemini, &[says::G1]),
        fault(Mistral, &[says::M2, says::M1]),
    ],
    find: pairs::displaced_results,
};

pub(crate) static DUPLICATE_RESULT: Rule = Rule {
    name: "duplicate-result",
    holds: "a call has one result",
    repair: "the first result stays, the others are removed",
    loses: true,
    rows: &[
        fault(OpenAi, &[says::O7]),
        fault(Responses, &[says::R4]),
        fault(Anthropic, &[says::A3]),
        fault(Bedrock, &[says::B1]),
        fault(Gemini, &[says::G2]),
        fault(Mistral, &[says::M1]),
    ],
    find: pairs::duplicate_results,
};

pub(crate) static DUPLICATE_CALL_ID: Rule = Rule {
    name: "duplicate-call-id",
    holds: "call ids are unique (Anthropic: in the request, others: in the exchange)",
    repair: "the later call and its result get a new id",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O7]),
        fault(Responses, &[says::R4]),
        fault(Anthropic, &[says::A4]),
        fault(Bedrock, &[says::B11]),
        fault(Gemini, &[says::G2]),
        fault(Mistral, &[says::M6]),
    ],
    find: pairs::duplicate_call_ids,
};

pub(crate) static DUPLICATE_ITEM_ID: Rule = Rule {
    name: "duplicate-item-id",
    holds: "no two items of a request have one id",
    repair: "the later one loses it; reasoning and what the server ran go, for the first one says the same",
    loses: true,
    rows: &[fault(Responses, &[says::R4])],
    find: ids::duplicate_item_ids,
};

pub(crate) static ITEM_ID_FORM: Rule = Rule {
    name: "item-id-form",
    holds: "the id of what the assistant said, thought or called begins as OpenAI's do, and is no longer than 64",
    repair: "the id is removed: the item needs none",
    loses: false,
    rows: &[fault(Responses, says::R13)],
    find: ids::item_id_forms,
};

pub(crate) static RESULT_AFTER_TEXT: Rule = Rule {
    name: "result-after-text",
    holds: "results lead the user's message",
    repair: "the results are moved to the front",
    loses: false,
    rows: &[fault(Anthropic, &[says::A7]), fault(Bedrock, &[says::B9])],
    find: pairs::results_after_text,
};

pub(crate) static CALL_ID_FORM: Rule = Rule {
    name: "call-id-form",
    holds: "call ids have the form and the length that the provider reads, those of calls that its server runs too, and none holds half a character",
    repair: "call and result get a new id, made from the old one",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O6]),
        fault(Responses, &[says::R12]),
        fault(Anthropic, says::A5),
        fault(Bedrock, &[says::B8]),
        fault(Gemini, &[]),
        fault(Mistral, &[says::M5]),
    ],
    find: ids::call_id_forms,
};

pub(crate) static MISSING_CALL_ID: Rule = Rule {
    name: "missing-call-id",
    holds: "calls have ids, and results say which call they answer; OpenAI's legacy calls have none, and are answered by a `function`",
    repair: "call and result get an id, made from what the call says, and the message of a legacy call's result the role",
    loses: false,
    rows: &[
        fault(OpenAi, says::O3),
        fault(Responses, &[says::R5]),
        fault(Anthropic, &[says::A6, says::A6_CALL]),
        fault(Bedrock, says::B12),
        fault(Gemini, &[says::G2]),
        fault(Mistral, &[says::M10]),
    ],
    find: ids::missing_call_ids,
};

pub(crate) static MISPLACED_PART: Rule = Rule {
    name: "misplaced-part",
    holds: "results stand in messages of the user, calls and thinking in those of the assistant; pictures outside the user's messages, which OpenAI refuses and servers like it take, are a note",
    repair: "results are moved to their calls, calls and thinking of others are removed",
    loses: true,
    rows: &[
        fault(OpenAi, &[says::O2, says::O2, says::O2, says::O13]),
        fault(Responses, &[says::R2]),
        fault(Anthropic, says::A8),
        fault(Bedrock, &[says::B10]),
        fault(Gemini, &[says::G1]),
        fault(Mistral, &[says::M2]),
    ],
    find: order::misplaced_parts,
};

pub(crate) static FIRST_ROLE: Rule = Rule {
    name: "first-role",
    holds: "the first message behind the system prompt is a user's",
    repair: "a short message of the user is put before it",
    loses: false,
    rows: &[
        fault(Anthropic, &[says::A9]),
        fault(Bedrock, &[says::B3]),
        fault(Gemini, &[says::G1]),
        fault(Mistral, &[says::M3]),
    ],
    find: order::first_roles,
};

pub(crate) static ROLE_ORDER: Rule = Rule {
    name: "role-order",
    holds: "user and assistant alternate, results count as the user's; at Mistral, and where a request of OpenAI's shape names its model, the assistant speaks between results and the user",
    repair: "neighbours are joined; between results and what the user says next the assistant says that it has no reply",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::M2]),
        note(Anthropic, &[says::A10]),
        fault(Bedrock, &[says::B4]),
        fault(Gemini, &[says::G3]),
        fault(Mistral, &[says::M2]),
    ],
    find: order::role_orders,
};

pub(crate) static LAST_ROLE: Rule = Rule {
    name: "last-role",
    holds: "the last message is a user's or a result, where no prefill is allowed: at Bedrock by a model that is named",
    repair: "nothing: what the assistant said last is not ours to delete",
    loses: false,
    rows: &[note(Anthropic, says::A11), note(Bedrock, &[says::B17]), note(Mistral, &[says::M4])],
    find: order::last_roles,
};

pub(crate) static TRAILING_SPACE: Rule = Rule {
    name: "trailing-space",
    holds: "what the assistant is to go on with in a request does not end with white space",
    repair: "the white space is removed",
    loses: false,
    rows: &[fault(Anthropic, &[says::A11_SPACE])],
    find: order::trailing_spaces,
};

pub(crate) static SYSTEM_PLACE: Rule = Rule {
    name: "system-place",
    holds: "the system prompt stands first, or outside the messages",
    repair: "the prompt is moved out where the request has a place for it, else it becomes the user's",
    loses: false,
    rows: &[
        fault(Anthropic, &[says::A15]),
        fault(Bedrock, &[says::B16]),
        fault(Gemini, &[says::G10]),
        fault(Mistral, &[says::M2]),
    ],
    find: order::system_places,
};

pub(crate) static EMPTY_TEXT: Rule = Rule {
    name: "empty-text",
    holds: "no text part is empty or blank, and none within a result is empty",
    repair: "the part is removed",
    loses: false,
    rows: &[fault(Anthropic, says::A12), fault(Bedrock, &[says::B5])],
    find: content::empty_texts,
};

pub(crate) static EMPTY_MESSAGE: Rule = Rule {
    name: "empty-message",
    holds: "no message says nothing; an assistant's with calls is fine, and at Bedrock no document stands without a text",
    repair: "the message is removed; a result without content gets an empty text, and a document a few words",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O4]),
        fault(Anthropic, &[says::A13]),
        fault(Bedrock, &[says::B5, says::B5_WHOLE, says::B19]),
        fault(Mistral, &[says::M8]),
    ],
    find: content::empty_messages,
};

pub(crate) static CONTENT_TYPE: Rule = Rule {
    name: "content-type",
    holds: "contents are texts or lists of parts, parts hold objects and say something, texts and roles are strings, and reasoning in Responses has a summary",
    repair: "the value becomes a text, as its JSON, a link stands in an object or, in Responses, alone, and a summary is empty; what is no call is removed, and so is an empty part; a role is written where a call, a result or its id tells it",
    loses: false,
    rows: &[
        fault(OpenAi, says::O11),
        fault(Responses, says::R8),
        fault(Anthropic, says::A23),
        fault(Bedrock, says::B13),
        fault(Gemini, says::G9),
        fault(Mistral, &[says::M12]),
    ],
    find: content_types::content_types,
};

pub(crate) static PART_TYPE: Rule = Rule {
    name: "part-type",
    holds: "calls, their outputs in Responses, and texts say what they are, an output is of its call's kind, texts in Responses are `output_text` where the assistant said them and else `input_text`, and a block of Bedrock's says one thing, with nothing beside it",
    repair: "the type is written; what stands beside a block of Bedrock's goes, and one that says several things becomes several",
    loses: false,
    rows: &[
        fault(OpenAi, says::O14),
        fault(Responses, says::R9),
        fault(Anthropic, &[says::A27]),
        fault(Bedrock, says::B18),
    ],
    find: part_types::part_types,
};

pub(crate) static EMPTY_ARRAY: Rule = Rule {
    name: "empty-array",
    holds: "no array of calls, blocks or parts is empty, and at Bedrock none of tools",
    repair: "the member or the message is removed",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O5]),
        fault(Anthropic, &[says::A13]),
        fault(Bedrock, &[says::B20]),
        fault(Gemini, &[says::G7]),
    ],
    find: content::empty_arrays,
};

pub(crate) static EMPTY_CONVERSATION: Rule = Rule {
    name: "empty-conversation",
    holds: "there is at least one message",
    repair: "nothing: it stays empty, and one of which other repairs would leave nothing is refused",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O12]),
        fault(Anthropic, &[says::A14]),
        fault(Bedrock, &[says::B3]),
        fault(Gemini, &[says::G6]),
        fault(Mistral, &[says::M7]),
    ],
    find: content::empty_conversations,
};

pub(crate) static THINKING_ORDER: Rule = Rule {
    name: "thinking-order",
    holds: "thinking leads its message and does not end it",
    repair: "the thinking parts that do not are removed",
    loses: true,
    rows: &[fault(Anthropic, says::A16)],
    find: thinking::thinking_orders,
};

pub(crate) static THINKING_MISSING: Rule = Rule {
    name: "thinking-missing",
    holds: "with thinking on, older models want the open tool loop to begin with it",
    repair: "thinking is switched off in the request",
    loses: false,
    rows: &[fault(Anthropic, &[says::A17])],
    find: thinking::missing_thinking,
};

pub(crate) static THINKING_BOUND: Rule = Rule {
    name: "thinking-bound",
    holds: "thinking is signed, and nothing before it was edited",
    repair: "the thinking is removed; a call of Gemini's gets the signature that skips the test",
    loses: true,
    rows: &[
        fault(Responses, &[says::R3]),
        fault(Anthropic, says::A18),
        fault(Bedrock, says::A18),
        fault(Gemini, &[says::G5]),
    ],
    find: thinking::thinking_bounds,
};

pub(crate) static EMPTY_ERROR_RESULT: Rule = Rule {
    name: "empty-error-result",
    holds: "a result that is an error says something",
    repair: "it says `error`",
    loses: false,
    rows: &[fault(Anthropic, &[says::A19]), fault(Bedrock, &[says::B15])],
    find: content::empty_error_results,
};

pub(crate) static INPUT_TYPE: Rule = Rule {
    name: "input-type",
    holds: "the input of a call is an object (OpenAI, Responses: a JSON string, and a text for a custom tool; Mistral: either)",
    repair: "it is written as one",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O9]),
        fault(Responses, &[says::R7]),
        fault(Anthropic, &[says::A20]),
        fault(Bedrock, &[says::B14]),
        fault(Gemini, &[says::G8]),
        fault(Mistral, says::M11),
    ],
    find: content::input_types,
};

pub(crate) static TOOL_NAME_FORM: Rule = Rule {
    name: "tool-name-form",
    holds: "tools have names, of letters, digits, `_` and `-` alone and not too long (Gemini: of any characters)",
    repair: "other characters become `_`, long names are cut, and a missing one is `tool`",
    loses: false,
    rows: &[
        fault(OpenAi, says::O8),
        fault(Responses, says::R6),
        fault(Anthropic, &[says::A21]),
        fault(Bedrock, &[says::B7]),
        fault(Gemini, says::G11),
        fault(Mistral, &[says::M9]),
    ],
    find: ids::tool_name_forms,
};

pub(crate) static NAME_FORM: Rule = Rule {
    name: "name-form",
    holds: "the names of speakers hold no white space and none of `<`, `>`, `|`, `/` and `\\`; those of Bedrock's documents hold letters, digits, single spaces, `-`, parentheses and square brackets alone",
    repair: "other characters become `-`, and an empty name of a speaker goes",
    loses: false,
    rows: &[fault(OpenAi, &[says::O17]), fault(Bedrock, &[says::B22])],
    find: names::name_forms,
};

pub(crate) static DUPLICATE_TOOL: Rule = Rule {
    name: "duplicate-tool",
    holds: "no two tools that a request defines have one name",
    repair: "the first definition stays, the others are removed",
    loses: true,
    rows: &[fault(Anthropic, &[says::A29]), fault(Gemini, &[says::G13])],
    find: names::duplicate_tools,
};

pub(crate) static TOOLS_MISSING: Rule = Rule {
    name: "tools-missing",
    holds: "a request that calls tools defines some, if it says its model or its limits",
    repair: "the tools that are called are defined, with any input",
    loses: false,
    rows: &[fault(Bedrock, &[says::B6])],
    find: rows::missing_tools,
};

pub(crate) static MEDIA_COUNT: Rule = Rule {
    name: "media-count",
    holds: "not more pictures than the provider takes; where nobody says the model, more than the fewest are a note",
    repair: "the oldest ones become a text that says so",
    loses: true,
    rows: &[fault(Anthropic, &[says::A22])],
    find: content::media_counts,
};

pub(crate) static MEDIA_TYPE: Rule = Rule {
    name: "media-type",
    holds: "a picture in base64 is JPEG, PNG, GIF or WebP, and says which; a document in base64 is PDF, and says so; neither is a link",
    repair: "it says what its data is, which is taken out of a link; one of another format becomes a text that says so",
    loses: true,
    rows: &[fault(Anthropic, says::A26)],
    find: content::media_types,
};

pub(crate) static LONE_SURROGATE: Rule = Rule {
    name: "lone-surrogate",
    holds: "no string or key holds half a surrogate pair",
    repair: "U+FFFD takes its place, and a number behind it tells keys apart that would be one",
    loses: false,
    rows: &[fault(Anthropic, &[says::A24])],
    find: surrogates::lone_halves,
};

pub(crate) static CACHE_CONTROL: Rule = Rule {
    name: "cache-control",
    holds: "no more than four blocks end what is cached, none is thinking, and what lasts an hour stands before what lasts five minutes, in the order tools, prompt, messages",
    repair: "the oldest messages lose their `cache_control` or cache point, and so does thinking; what stands too late lasts five minutes",
    loses: false,
    rows: &[fault(Anthropic, says::A25), fault(Bedrock, says::B21)],
    find: cache::cache_controls,
};

pub(crate) static INTERNAL_ROW: Rule = Rule {
    name: "internal-row",
    holds: "rows that are never sent are no part of the request",
    repair: "the row is removed",
    loses: false,
    rows: FOR_ALL,
    find: rows::internal_rows,
};

pub(crate) static UNKNOWN_ROLE: Rule = Rule {
    name: "unknown-role",
    holds: "every message has a role that the provider knows; in a list in OpenAI's shape without a model, which other servers take, another is a note unless it is another provider's",
    repair: "nothing: it passes through; Gemini's `assistant` becomes `model`",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O15]),
        fault(Responses, &[says::R10]),
        fault(Anthropic, &[says::A15_OTHER]),
        fault(Bedrock, &[]),
        fault(Gemini, &[says::G10]),
        fault(Mistral, &[]),
    ],
    find: rows::unknown_roles,
};

pub(crate) static UNKNOWN_TYPE: Rule = Rule {
    name: "unknown-type",
    holds: "every part has a type that is known: one of another provider's is refused, as is none at Anthropic, and the first of each other type is a note",
    repair: "nothing: it passes through",
    loses: false,
    rows: &[
        fault(OpenAi, &[says::O16]),
        fault(Responses, &[says::R11]),
        fault(Anthropic, &[says::A28, says::A27]),
        fault(Bedrock, &[]),
        fault(Gemini, &[says::G12]),
        note(Mistral, &[]),
    ],
    find: rows::unknown_types,
};

pub(crate) static STRAY_VALUE: Rule = Rule {
    name: "stray-value",
    holds: "every value among the messages is an object that has something of a message",
    repair: "the value is removed from an array that a provider reads; elsewhere it stays",
    loses: true,
    rows: &[
        fault(OpenAi, says::O10),
        fault(Responses, &[]),
        fault(Anthropic, &[]),
        fault(Bedrock, &[]),
        fault(Gemini, &[]),
        fault(Mistral, &[]),
    ],
    find: rows::stray_values,
};
