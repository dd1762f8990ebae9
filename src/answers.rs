//! The turn behind calls: results in their places, and calls that still wait for one.
//!
//! Responsible for the two rules of that turn: only results stand before a result, and calls wait as long as
//! only their results stand there. `check` applies them to the messages and `normalize` to its plan, so that
//! both judge alike.

use crate::conversation::{Conversation, Kind, Place, Role};
use crate::pairing::Pairs;
use crate::wire::{Turn, Wire};

/// What an item in the turn behind calls is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// A result, with the call that it answers, if it answers one.
    Result(Option<Place>),
    /// Something that belongs to the result before it: what a tool shows, or the end of the cached prefix.
    Beside,
    Other,
}

impl Behind {
    /// Classifies the part at `place`.
    pub(crate) fn of(
        place: Place,
        conversation: &Conversation<'_>,
        pairs: &Pairs,
        wire: Wire,
    ) -> Self {
        let part = conversation.part(place);
        let is_tools = wire.results_alone && conversation.messages[place.0].role == Role::Tool;
        match part.kind {
            Kind::ToolResult => Self::Result(pairs.call_of(place)),
            _ if is_tools || part.is_cache_point() => Self::Beside,
            _ => Self::Other,
        }
    }
}

/// A conversation in turns, as it stands or as it is planned.
pub(crate) trait InTurns {
    fn wire(&self) -> Wire;

    /// The items of a member of a turn behind calls, in order.
    fn behind(&self, member: usize) -> impl Iterator<Item = Behind>;

    /// Whether a member of a turn calls a tool.
    fn calls(&self, member: usize) -> bool;

    /// Whether a member of a turn has a text, or something that becomes one.
    fn speaks(&self, member: usize) -> bool;

    /// The member of a turn from which on its calls wait, if `answers` are all that follows the turn: the
    /// last member with a text. `None` if the calls do not wait.
    fn waits_from(
        &self,
        asked: &Turn,
        answers: &[usize],
        is_call: impl Fn(Place) -> bool,
    ) -> Option<usize> {
        let is_open = |it| match it {
            Behind::Result(call) => call.is_some_and(&is_call),
            Behind::Beside => true,
            Behind::Other => false,
        };
        let mut all = answers.iter().flat_map(|&member| self.behind(member));
        let waits =
            if self.wire().answered_at_once { answers.is_empty() } else { all.all(is_open) };
        let calls = asked.members.last().is_some_and(|&last| self.calls(last));
        let mut members = asked.members.iter().rev().copied();
        (waits && calls).then(|| members.find(|&member| self.speaks(member)).unwrap_or(0))
    }

    /// The results in the turn behind calls, in order.
    fn answers_in(&self, answers: &[usize]) -> Vec<Answered> {
        let mut found = Vec::new();
        let mut other = None;
        for &member in answers {
            for (item, it) in self.behind(member).enumerate() {
                match it {
                    Behind::Result(Some(call)) => {
                        let other = other.filter(|_| self.wire().results_lead);
                        found.push(Answered { call, member, item, other });
                    }
                    Behind::Other => other = Some(member),
                    Behind::Result(None) | Behind::Beside => {}
                }
            }
        }
        found
    }
}

/// A result in the turn behind its call.
pub(crate) struct Answered {
    pub(crate) call: Place,
    pub(crate) member: usize,
    /// Its index in that member.
    pub(crate) item: usize,
    /// The member with the item that stands before it and should not.
    pub(crate) other: Option<usize>,
}
