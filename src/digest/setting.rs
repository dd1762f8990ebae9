//! What sort of conversation it is, which decides what is worth keeping of it.
//!
//! Responsible for telling agents that work on files from those that look up records for a customer,
//! by a sample of the calls, and from talk, where the lengths of what is said tell whether one asks
//! the other. The same conversation, longer, stays what it is as a rule: shares and weights depend on
//! it, and how records are told.

use super::calls;
use super::ledger::fold::{self, Earlier};
use super::text::records;
use crate::conversation::{Conversation, Kind, Origin, Part, Role};
use crate::text_calls::TextCalls;

/// How many calls are looked at.
const SAMPLE: usize = 200;

/// A longer text of a tool says more than how a call went, in bytes.
const SENTENCE: usize = 200;

/// What sort of conversation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Calls read and change files or run commands.
    Work,
    /// Calls look up and change records.
    Service,
    /// There are no calls, or hardly any: the user asks, and the answers are longer.
    Advice,
    /// There are no calls, or hardly any: both say as much.
    Talk,
}

impl Setting {
    /// Whether there are no calls, or hardly any.
    pub fn is_talk(self) -> bool {
        matches!(self, Self::Advice | Self::Talk)
    }

    /// Judges a conversation.
    pub fn of(conversation: &Conversation<'_>) -> Self {
        let calls = TextCalls::of(conversation);
        let told = (!calls.is_empty()).then(|| calls.told(conversation));
        Self::of_calls(told.as_ref().unwrap_or(conversation))
    }

    fn of_calls(conversation: &Conversation<'_>) -> Self {
        let parts = conversation.messages.iter().flat_map(|message| &message.parts);
        let calls = parts.filter(|part| part.kind == Kind::ToolCall).take(SAMPLE);
        let all = calls.clone().count();
        // As many as make it work are enough.
        let works = calls.filter(|call| calls::is_work(call)).take(all / 5 + 1).count();
        let new = match (all, works) {
            (0, _) => Self::of_talk(conversation),
            (all, works) if works * 5 > all => return Self::Work,
            _ if all * 10 < conversation.messages.len() => Self::of_talk(conversation),
            _ if !answers_in_records(conversation) => Self::Work,
            _ => Self::Service,
        };
        // What an earlier digest tells of is not over because nobody called anything since.
        let earlier = fold::earlier(conversation, &vec![true; conversation.messages.len()]);
        if earlier.iter().any(Earlier::tells_of_work) {
            Self::Work
        } else if earlier.iter().any(Earlier::tells_of_records) {
            Self::Service
        } else {
            new
        }
    }

    /// Judges one without calls by what is said and at once answered: what an earlier digest stands
    /// for, or the end of a conversation, is no measure.
    fn of_talk(conversation: &Conversation<'_>) -> Self {
        let turns = conversation.messages.iter().zip(conversation.messages.iter().skip(1));
        let turns = turns.filter(|(said, answer)| {
            said.is_request() && (answer.role, answer.origin) == (Role::Assistant, Origin::Spoken)
        });
        let (asked, answered) = turns.fold((0, 0), |(asked, answered), (said, answer)| {
            // What was pasted is not what was said.
            (asked + said.length().min(2 * answer.length()), answered + answer.length())
        });
        // Where nothing is left that was answered, what an earlier summary left beside it were questions.
        let is_left = || conversation.messages.iter().any(|it| it.origin == Origin::Summary);
        let is_asked = if answered > 0 { asked * 3 <= answered * 2 } else { is_left() };
        if is_asked { Self::Advice } else { Self::Talk }
    }
}

/// Whether most of what tools gave, by its length, are records or sentences: what is told in texts, an agent sums
/// up as it goes.
fn answers_in_records(conversation: &Conversation<'_>) -> bool {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let results = parts.filter(|part| part.kind == Kind::ToolResult).take(SAMPLE);
    let is_text =
        |part: &&Part<'_>| part.length() > SENTENCE && !records::opens_record(&part.opening());
    let all: usize = results.clone().map(Part::length).sum();
    let texts: usize = results.filter(is_text).map(Part::length).sum();
    texts * 2 <= all
}
