//! What a compaction did, as the report prints it.
//!
//! Responsible for names and shapes that scripts rely on; they do not change.

use serde::Serialize;

use crate::draft::Draft;
use crate::marks;
use crate::summarizer::Request;

/// What one step saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its name: spill, dedupe, clear, summarise.
    pub step: &'static str,
    /// How many tokens fewer it left.
    pub tokens_saved: usize,
    /// How many messages or results it touched.
    pub messages: usize,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// Word for word.
    Kept,
    /// A part of it stays.
    Shortened,
    /// A placeholder stands where its result was.
    Cleared,
    /// The summary stands for it.
    Summarised,
    /// Nothing stands for it.
    Dropped,
}

/// What a compaction did with one conversation.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where it comes from.
    pub file: String,
    /// Whether anything was compacted.
    pub compacted: bool,
    /// Tokens before.
    pub original_tokens: Option<usize>,
    /// Tokens afterwards.
    pub compacted_tokens: Option<usize>,
    /// Afterwards / before.
    pub compaction_ratio: Option<f64>,
    /// Messages that the summary stands for.
    pub compacted_messages: Option<usize>,
    /// Messages that stay.
    pub retained_messages: Option<usize>,
    /// The profile.
    pub profile: &'static str,
    /// Who summarised.
    pub summarizer: Option<String>,
    /// Calls of the summarizer.
    pub attempts: usize,
    /// Each request to the summarizer, with the messages that were in it.
    pub requests: Vec<Request>,
    /// Each step and what it saved.
    pub steps: Vec<Step>,
    /// What became of each message.
    pub fates: Vec<Fate>,
    /// Where the removed messages were saved.
    pub archive: Option<String>,
    /// The first message that is not as it was.
    pub first_changed_message: Option<usize>,
    /// The tokens from there on, which the provider has to read anew.
    pub cache_tokens_lost: Option<usize>,
    /// How often this conversation has been compacted now.
    pub compactions: usize,
}

/// What became of each message in a draft; `has_summary` says whether a summary stands for what went.
pub fn fates(draft: &Draft<'_, '_>, has_summary: bool) -> Vec<Fate> {
    let messages = &draft.conversation().messages;
    let fate = |(at, message): (usize, &crate::conversation::Message<'_>)| {
        if draft.is_dropped(at) {
            return if has_summary { Fate::Summarised } else { Fate::Dropped };
        }
        if !draft.is_changed(at) {
            return Fate::Kept;
        }
        let cleared = (0..message.parts.len())
            .any(|index| draft.new_text((at, index)).is_some_and(marks::is_placeholder));
        if cleared { Fate::Cleared } else { Fate::Shortened }
    };
    messages.iter().enumerate().map(fate).collect()
}
