//! The report of a compaction.
//!
//! Responsible for names and shapes that scripts rely on; they do not change.

use std::collections::HashSet;

use serde::Serialize;

use crate::conversation::{Conversation, Message};
use crate::count::Count;
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
    /// It stays word for word.
    Kept,
    /// A part of it stays.
    Shortened,
    /// A placeholder stands where its result was.
    Cleared,
    /// The summary stands for it.
    Summarised,
    /// It is removed, and nothing stands for it.
    Dropped,
}

/// Why a conversation was left as it is although nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unchanged {
    /// It counts fewer tokens than `--threshold` names.
    #[serde(rename = "under the threshold")]
    UnderThreshold,
    /// It counts no more than the budget.
    #[serde(rename = "fits")]
    Fits,
    /// Compacting would save less than `--min-saving` asks for.
    #[serde(rename = "too little would be saved")]
    TooLittleSaved,
}

/// What a compaction did with one conversation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The file that it comes from.
    pub file: String,
    /// Whether anything was compacted.
    pub compacted: bool,
    /// Why it was left unchanged, if it did not have to be compacted.
    pub unchanged: Option<Unchanged>,
    /// Its tokens before.
    pub original_tokens: Option<usize>,
    /// Its tokens afterwards.
    pub compacted_tokens: Option<usize>,
    /// `compacted_tokens` divided by `original_tokens`.
    pub compaction_ratio: Option<f64>,
    /// The tokens that the next request then counts: more where instructions went that the agent sends again.
    pub next_request_tokens: Option<usize>,
    /// The number of messages that the summary stands for.
    pub compacted_messages: Option<usize>,
    /// The number of messages that stay.
    pub retained_messages: Option<usize>,
    /// The name of the profile.
    pub profile: &'static str,
    /// Who wrote the summary.
    pub summarizer: Option<String>,
    /// The tokens of the summary.
    pub summary_tokens: Option<usize>,
    /// Tokens that were cut from the middle of a summarizer's answer because there was no room.
    pub summary_tokens_cut: usize,
    /// Why the summarizer gave no summary, or why the conversation can't be compacted.
    pub failure: Option<String>,
    /// The number of calls of the summarizer.
    pub attempts: usize,
    /// Each request to the summarizer, with the messages that were in it.
    pub requests: Vec<Request>,
    /// Lines that were missing from the summary and were appended.
    pub appended: Vec<String>,
    /// Paths of files that were restored behind the summary.
    pub restored_files: Vec<String>,
    /// The steps, and what each saved.
    pub steps: Vec<Step>,
    /// What became of each message; empty if no result was made.
    pub fates: Vec<Fate>,
    /// Lines of a session log that stay but are changed, because resuming requires it.
    pub changed_lines: Vec<usize>,
    /// Repairs that the result needed.
    pub repairs: Vec<Repaired>,
    /// The number of thinking parts that were removed because an edit before them made them void.
    pub thinking_removed: usize,
    /// The file in which the removed messages were saved.
    pub archive: Option<String>,
    /// The number of removed lines that are no part of the conversation.
    pub lines_removed: usize,
    /// The file in which those lines were saved.
    pub archived_lines: Option<String>,
    /// The index of the first changed message.
    pub first_changed_message: Option<usize>,
    /// The tokens from that message on, which the provider has to read without its cache.
    pub cache_tokens_lost: Option<usize>,
    /// How often this conversation has been compacted, this time included.
    pub compactions: usize,
}

/// A repair of the result, so that its provider accepts it.
#[derive(Clone, Debug, Serialize)]
pub struct Repaired {
    /// The name of the rule that holds now.
    pub rule: &'static str,
    /// What was done.
    pub text: String,
    /// Whether any content was lost.
    pub loses_content: bool,
}

impl From<&Repair> for Repaired {
    fn from(repair: &Repair) -> Self {
        let (rule, text) = (repair.rule.name, repair.text.clone());
        Self { rule, text, loses_content: repair.loses }
    }
}

/// What became of each message in a draft that was carried out; `has_summary` says whether a summary stands
/// for the removed messages.
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

/// The tokens of instructions that went from a log to make room, each text once: its agent sends its own
/// again, so that they make the log smaller but not the next request.
pub fn sent_again(conversation: &Conversation<'_>, count: &Count, fates: &[Fate]) -> usize {
    let messages = &conversation.messages;
    let is_gone = |at: &usize| matches!(fates[*at], Fate::Summarised | Fate::Dropped);
    let mut head = 0..conversation.head();
    let loses = |at: usize| is_gone(&at) && messages[at].is_instruction();
    if !conversation.dialect.is_log() || !head.any(loses) {
        return 0;
    }
    let mut seen = HashSet::new();
    let gone = (0..fates.len()).filter(|at| is_gone(at) && messages[*at].is_instruction());
    let gone = gone.filter(|at| seen.insert(messages[*at].text()));
    gone.map(|at| count.tokens_of(at..at + 1)).sum()
}

/// Units of a session log that stay and are changed, although no message of theirs was: resuming requires it.
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
