//! Is a conversation valid for its provider? The rules, and what breaks them.
//!
//! Responsible for judging: [`findings`] asks each row of [`RULES`] that concerns the provider, and
//! says what the provider would answer. It relies on [`Pairs`] for what belongs together, on `Wire`
//! for what is sent and on `View` for how it stands. Invariant: judging changes nothing, and takes time
//! linear in the conversation.

pub mod limits;

mod blocks;
mod content;
mod ids;
mod kinds;
mod locate;
mod objects;
mod order;
mod pairs;
mod report;
mod request;
mod rules;
mod sentences;
mod surrogates;
mod thinking;
mod types;
mod view;

use crate::conversation::Conversation;
use crate::dialect::Provider;
use crate::json::Json;
use crate::pairing::Pairs;
use crate::thinking::Signatures;

pub(crate) use blocks::{
    beside_name, empty_tools, has_blocks, has_words, is_broken_point, is_document, named,
    strange_status,
};
pub(crate) use content::{
    IMAGES, image_limit, images, is_blank_item, is_empty, is_empty_array, is_empty_text,
    is_function, is_good_input, is_prompt, is_tool_use, is_wordless_error, may_be_empty_at_the_end,
    mislabelled, pictures, reads_inputs, wants_string,
};
pub(crate) use ids::{
    SERVER_ID, has_half, id_form, is_functions, is_good_id, is_good_name, is_good_server_id,
    is_named, is_plain_byte, may_lack_id, name_limit, names_beside, needs_id, repeated_items,
};
pub(crate) use kinds::{WantedType, is_custom, wanted_types};
pub use locate::{Location, locate};
pub(crate) use objects::{OBJECTS, takes_objects, waived};
pub(crate) use order::{is_chat, is_refused_behind, trailing_space};
pub(crate) use pairs::{call_named, call_of_server, result_named};
pub(crate) use report::Report;
pub(crate) use request::{
    CACHE_CONTROLS, cached, cached_tools, has_cache_point, is_cached_thinking, is_misnamed,
    lacks_tools, strays,
};
pub(crate) use rules::table;
pub use rules::{RULES, Row, Rule};
pub(crate) use surrogates::{Half, lone_surrogates, without_halves};
pub(crate) use thinking::{
    is_signed, is_to_sign, is_unsigned, is_unspoken, lone_reasoning, out_of_order, wants_thinking,
};
pub(crate) use types::{Mistyped, Wanted, is_words, mistyped, roleless, text_of};
pub(crate) use view::{Standing, View, is_inline, is_vague};

/// The providers whose rules a portable conversation obeys.
pub const PORTABLE: &[Provider] = &[
    Provider::OpenAi,
    Provider::Anthropic,
    Provider::Gemini,
    Provider::Bedrock,
    Provider::Mistral,
];

/// Whether the provider refuses the conversation where it has no message.
pub(crate) fn must_speak(conversation: &Conversation<'_>, provider: Provider) -> bool {
    let row = table::EMPTY_CONVERSATION.row(provider);
    content::sends_list(conversation, provider)
        && row.is_some_and(|row| row.severity == Severity::Fault)
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the provider accepts it.
    Note,
    /// The provider refuses it.
    Fault,
}

impl Severity {
    /// The name, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Fault => "fault",
        }
    }
}

/// A rule that is broken, and where.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is for this provider.
    pub severity: Severity,
    /// Whose rule it is.
    pub provider: Provider,
    /// The message at fault; `None` where it is the conversation.
    pub message: Option<usize>,
    /// The value at fault.
    pub at: Option<Json<'a>>,
    /// The call it is about.
    pub call_id: Option<String>,
    /// What is wrong, lowercase and short.
    pub text: String,
    /// What the provider would answer.
    pub provider_error: Option<String>,
}

impl<'a> Finding<'a> {
    /// The values that [`locate`] asks for.
    pub fn place(&self, conversation: &Conversation<'a>) -> Option<(Json<'a>, Json<'a>)> {
        let at = self.at?;
        Some((self.message.map_or(at, |message| conversation.holder(message, at)), at))
    }
}

/// Everything about a conversation that `provider` would refuse, and what is worth a note, in the
/// order of the messages.
pub fn findings<'a>(
    conversation: &Conversation<'a>,
    pairs: &Pairs,
    provider: Provider,
) -> Vec<Finding<'a>> {
    findings_for(conversation, pairs, provider, Signatures::of(conversation, None), None)
}

/// The findings where the model that is to read the conversation is known: what it makes of `signatures`, and its
/// window, in tokens, if that is.
pub(crate) fn findings_for<'a>(
    conversation: &Conversation<'a>,
    pairs: &Pairs,
    provider: Provider,
    signatures: Signatures,
    window: Option<usize>,
) -> Vec<Finding<'a>> {
    let mut view = View::of(conversation, pairs, provider, signatures);
    view.window = window;
    let mut all = Vec::new();
    for rule in RULES {
        if let Some(row) = rule.row(provider) {
            let mut found = Vec::new();
            (rule.find)(&view, &mut found);
            all.extend(found.into_iter().map(|report| report.finding(&view, rule, row)));
        }
    }
    all.sort_by_key(|finding| finding.message.map_or((0, 0), |at| (at, 1)));
    all
}
