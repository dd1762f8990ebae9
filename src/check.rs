//! Checks whether a conversation is valid for its provider: the rules, and the findings where they are
//! broken.
//!
//! Responsible for judging: [`findings`] asks each row of [`RULES`] that concerns the provider, and quotes
//! what the provider would answer. It relies on [`Pairs`] for calls and results, on `Wire` for what is sent,
//! on `View` for turns and positions, and on `demands` for what a message or part is refused for by itself.
//! Invariant: judging changes nothing, and takes time linear in the conversation.

pub mod limits;
pub mod shape;

mod bedrock;
mod cache;
mod content;
mod content_types;
mod ids;
mod locate;
mod names;
mod order;
mod pairs;
mod part_types;
mod report;
mod rows;
mod rules;
mod sentences;
mod surrogates;
mod thinking;
mod view;
mod waived;

use crate::conversation::Conversation;
use crate::demands::content::sends_list;
use crate::dialect::Provider;
use crate::json::Json;
use crate::pairing::Pairs;
use crate::thinking::Signatures;

pub use locate::{Location, locate};
pub(crate) use report::Report;
pub(crate) use rules::table;
pub use rules::{OwnRule, RULES, Row, Rule};
pub(crate) use view::{Standing, View};
pub(crate) use waived::{OBJECTS, takes_objects, waived};

/// The providers whose rules a portable conversation obeys.
pub const PORTABLE: &[Provider] = &[
    Provider::OpenAi,
    Provider::Anthropic,
    Provider::Gemini,
    Provider::Bedrock,
    Provider::Mistral,
];

/// Every rule of ours: those of size, and that of the shape.
pub const OWN_RULES: &[OwnRule] =
    &[limits::THRESHOLD, limits::HARD_LIMIT, limits::WINDOW, shape::SHAPE];

/// Whether the provider refuses the conversation if it has no message.
pub(crate) fn must_speak(conversation: &Conversation<'_>, provider: Provider) -> bool {
    let row = table::EMPTY_CONVERSATION.row(provider);
    sends_list(conversation, provider) && row.is_some_and(|row| row.severity == Severity::Fault)
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

/// A broken rule, and where it is broken.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The broken rule.
    pub rule: &'static Rule,
    /// How bad it is for this provider.
    pub severity: Severity,
    /// The provider whose rule it is.
    pub provider: Provider,
    /// The message at fault; `None` if the whole conversation is.
    pub message: Option<usize>,
    /// The value at fault, if there is one.
    pub at: Option<Json<'a>>,
    /// The id of the call that it is about.
    pub call_id: Option<String>,
    /// What is wrong, lowercase and short.
    pub text: String,
    /// What the provider would answer.
    pub provider_error: Option<String>,
}

impl<'a> Finding<'a> {
    /// The two values that [`locate()`] takes: the one whose line counts, and the one to point at.
    pub fn place(&self, conversation: &Conversation<'a>) -> Option<(Json<'a>, Json<'a>)> {
        let at = self.at?;
        Some((self.message.map_or(at, |message| conversation.holder(message, at)), at))
    }
}

/// Everything in a conversation that `provider` would refuse or that is worth a note, in the order of the
/// messages.
pub fn findings<'a>(
    conversation: &Conversation<'a>,
    pairs: &Pairs,
    provider: Provider,
) -> Vec<Finding<'a>> {
    findings_for(conversation, pairs, provider, Signatures::of(conversation, None), None)
}

/// The findings for a known model: with how it treats `signatures`, and its `window` in tokens, if known.
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
