//! The sort of a conversation, which decides what is worth keeping of it.
//!
//! Responsible for telling apart three sorts: agents that work on files, agents that look up records for a
//! customer, and talk without calls. A sample of the calls decides between the first two; in talk, the lengths
//! of the messages tell whether one side asks the other. A conversation that grows keeps its sort as a rule,
//! because shares, weights and the form of records depend on it.

use super::calls;
use super::ledger::fold::{self, Earlier};
use super::text::records;
use crate::conversation::{Conversation, Kind, Origin, Part, Role};
use crate::text_calls::TextCalls;

/// How many calls are looked at.
const SAMPLE: usize = 200;

/// A result longer than this, in bytes, is more than a note of how the call went.
const SENTENCE: usize = 200;

/// The sort of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Calls read and change files or run commands.
    Work,
    /// Calls look up and change records.
    Service,
    /// There are no calls, or hardly any: the user asks, and the answers are longer.
    Advice,
    /// There are no calls, or hardly any: both sides say about as much.
    Talk,
}

impl Setting {
    /// Whether there are no calls, or hardly any.
    pub fn is_talk(self) -> bool {
        matches!(self, Self::Advice | Self::Talk)
    }

    /// Determines the sort of a conversation.
    pub fn of(conversation: &Conversation<'_>) -> Self {
        let calls = TextCalls::of(conversation);
        let told = (!calls.is_empty()).then(|| calls.told(conversation));
        Self::of_calls(told.as_ref().unwrap_or(conversation))
    }

    fn of_calls(conversation: &Conversation<'_>) -> Self {
        let parts = conversation.messages.iter().flat_map(|message| &message.parts);
        let calls = parts.filter(|part| part.kind == Kind::ToolCall).take(SAMPLE);
        let all = calls.clone().count();
        // Counting stops as soon as there are enough to call it work.
        let works = calls.filter(|call| calls::is_work(call)).take(all / 5 + 1).count();
        let new = match (all, works) {
            (0, _) => Self::of_talk(conversation),
            (all, works) if works * 5 > all => return Self::Work,
            _ if all * 10 < conversation.messages.len() => Self::of_talk(conversation),
            _ if !answers_in_records(conversation) => Self::Work,
            _ => Self::Service,
        };
        // Work that an earlier digest tells of is not over because there were no calls since.
        let earlier = fold::earlier(conversation, &vec![true; conversation.messages.len()]);
        if earlier.iter().any(Earlier::tells_of_work) {
            Self::Work
        } else if earlier.iter().any(Earlier::tells_of_records) {
            Self::Service
        } else {
            new
        }
    }

    /// Judges a conversation without calls by its messages that were answered at once. What an earlier digest
    /// stands for, or the end of a conversation, is no measure.
    fn of_talk(conversation: &Conversation<'_>) -> Self {
        let turns = conversation.messages.iter().zip(conversation.messages.iter().skip(1));
        let turns = turns.filter(|(said, answer)| {
            said.is_request() && (answer.role, answer.origin) == (Role::Assistant, Origin::Spoken)
        });
        let (asked, answered) = turns.fold((0, 0), |(asked, answered), (said, answer)| {
            // A message far longer than its answer was probably pasted, so its length is capped.
            (asked + said.length().min(2 * answer.length()), answered + answer.length())
        });
        // If no answered message is left, the ones that an earlier summary kept were questions.
        let is_left = || conversation.messages.iter().any(|it| it.origin == Origin::Summary);
        let is_asked = if answered > 0 { asked * 3 <= answered * 2 } else { is_left() };
        if is_asked { Self::Advice } else { Self::Talk }
    }
}

/// Whether most of what tools returned, by length, is records or short sentences. An agent that reads longer
/// texts sums them up as it goes.
fn answers_in_records(conversation: &Conversation<'_>) -> bool {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    let results = parts.filter(|part| part.kind == Kind::ToolResult).take(SAMPLE);
    let is_text =
        |part: &&Part<'_>| part.length() > SENTENCE && !records::opens_record(&part.opening());
    let all: usize = results.clone().map(Part::length).sum();
    let texts: usize = results.filter(is_text).map(Part::length).sum();
    texts * 2 <= all
}
