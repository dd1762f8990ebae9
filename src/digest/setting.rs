//! What sort of conversation it is, which decides what is worth keeping of it.
//!
//! Responsible for telling agents that work on files from those that look up records for a customer
//! and from plain talk, by a sample of the calls. The same conversation, longer, stays what it is as
//! a rule; nothing but shares and weights depends on it.

use super::calls;
use super::ledger::fold::{self, Earlier};
use crate::conversation::{Conversation, Kind};

/// What sort of conversation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Calls read and change files or run commands.
    Work,
    /// Calls look up and change records.
    Service,
    /// There are no calls, or hardly any.
    Talk,
}

/// How many calls are looked at.
const SAMPLE: usize = 200;

impl Setting {
    /// Judges a conversation.
    pub fn of(conversation: &Conversation<'_>) -> Self {
        let parts = conversation.messages.iter().flat_map(|message| &message.parts);
        let calls = parts.filter(|part| part.kind == Kind::ToolCall).take(SAMPLE);
        let all = calls.clone().count();
        // As many as make it work are enough.
        let works = calls.filter(|call| calls::is_work(call)).take(all / 5 + 1).count();
        let new = match (all, works) {
            (0, _) => Self::Talk,
            (all, works) if works * 5 > all => return Self::Work,
            _ if all * 10 < conversation.messages.len() => Self::Talk,
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
}
