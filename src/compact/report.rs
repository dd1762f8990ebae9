//! What a compaction did, as the report prints it.
//!
//! Responsible for names and shapes that scripts rely on; they do not change.

use serde::Serialize;

use crate::conversation::Message;
use crate::draft::Draft;
use crate::marks;
use crate::normalize::Repair;
use crate::reread::Settled;
use crate::subject::Subject;
use crate::summarizer::Request;
use crate::truncate::step::Step;

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

/// Why a conversation stays as it is without any trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unchanged {
    /// It counts less than what `--threshold` names.
    #[serde(rename = "under the threshold")]
    UnderThreshold,
    /// It counts no more than the budget.
    #[serde(rename = "fits")]
    Fits,
    /// The result would be smaller by less than what `--min-saving` asks for.
    #[serde(rename = "too little would be saved")]
    TooLittleSaved,
}

/// What a compaction did with one conversation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Where it comes from.
    pub file: String,
    /// Whether anything was compacted.
    pub compacted: bool,
    /// Why not, where nothing had to be.
    pub unchanged: Option<Unchanged>,
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
    /// What the summary counts.
    pub summary_tokens: Option<usize>,
    /// Tokens of an answer that had no room: its middle is left out.
    pub summary_tokens_cut: usize,
    /// Why whoever was asked for the summary gave none, or why the conversation can't be compacted.
    pub failure: Option<String>,
    /// Calls of the summarizer.
    pub attempts: usize,
    /// Each request to the summarizer, with the messages that were in it.
    pub requests: Vec<Request>,
    /// Lines that the summary was without and that were appended.
    pub appended: Vec<String>,
    /// Files that were put back behind the summary.
    pub restored_files: Vec<String>,
    /// Each step and what it saved.
    pub steps: Vec<Step>,
    /// What became of each message; empty where no result holds them.
    pub fates: Vec<Fate>,
    /// Lines of a session log that stay and yet are not as they were, for resuming requires it.
    pub changed_lines: Vec<usize>,
    /// What had to be repaired in the result.
    pub repairs: Vec<Repaired>,
    /// Thinking parts that went, for an edit before them made them void.
    pub thinking_removed: usize,
    /// Where the removed messages were saved.
    pub archive: Option<String>,
    /// Lines that went though they are no part of the conversation.
    pub lines_removed: usize,
    /// Where those lines were saved.
    pub archived_lines: Option<String>,
    /// The first message that is not as it was.
    pub first_changed_message: Option<usize>,
    /// The tokens from there on, which the provider has to read anew.
    pub cache_tokens_lost: Option<usize>,
    /// How often this conversation has been compacted now.
    pub compactions: usize,
}

/// What had to be done to the result so that its provider accepts it.
#[derive(Clone, Debug, Serialize)]
pub struct Repaired {
    /// The rule that holds now.
    pub rule: &'static str,
    /// What was done.
    pub text: String,
    /// Whether something that was said is lost.
    pub loses_content: bool,
}

impl From<&Repair> for Repaired {
    fn from(repair: &Repair) -> Self {
        let (rule, text) = (repair.rule.name, repair.text.clone());
        Self { rule, text, loses_content: repair.loses }
    }
}

/// What became of each message in a draft that was carried out; `has_summary` says whether a summary
/// stands for what went.
pub fn fates(
    subject: &Subject<'_, '_>,
    draft: &Draft<'_, '_>,
    settled: &Settled,
    has_summary: bool,
) -> Vec<Fate> {
    let messages = &draft.conversation().messages;
    let units = &draft.conversation().source.units;
    let fate = |(at, message): (usize, &Message<'_>)| {
        if draft.is_dropped(at) {
            return if has_summary { Fate::Summarised } else { Fate::Dropped };
        }
        let places = (0..message.parts.len()).map(|index| (at, index));
        let is_cleared = |place| draft.new_text(place).is_some_and(marks::is_placeholder);
        let mut spans = message.units.iter().map(|&unit| subject.document.span(units[unit].json));
        let is_out =
            settled.is_repaired() && spans.len() > 0 && spans.all(|span| settled.takes_out(&span));
        if draft.is_changed(at) && !(is_out && settled.only_removes()) {
            return if places.into_iter().any(is_cleared) {
                Fate::Cleared
            } else {
                Fate::Shortened
            };
        }
        if !settled.is_repaired() {
            return Fate::Kept;
        }
        let stays = message.parts.iter().filter(|part| settled.has(part, is_out)).count();
        match stays {
            0 if is_out => Fate::Dropped,
            _ if stays == message.parts.len() => Fate::Kept,
            0 => Fate::Dropped,
            _ => Fate::Shortened,
        }
    };
    messages.iter().enumerate().map(fate).collect()
}

/// Units of a session log that stay and yet are not as they were, though no message says less for it: resuming
/// requires that.
pub fn changed_units(subject: &Subject<'_, '_>, settled: &Settled, fates: &[Fate]) -> Vec<usize> {
    let conversation = subject.conversation;
    if !conversation.dialect.is_log() {
        return Vec::new();
    }
    let units = &conversation.source.units;
    let mut is_told = vec![false; units.len()];
    let told = conversation.messages.iter().zip(fates).filter(|(_, fate)| **fate != Fate::Kept);
    told.flat_map(|(message, _)| &message.units).for_each(|&unit| is_told[unit] = true);
    let is_changed = |unit: &usize| {
        let span = subject.document.span(units[*unit].json);
        !is_told[*unit] && settled.touches(&span) && !settled.takes_out(&span)
    };
    (0..units.len()).filter(is_changed).collect()
}
