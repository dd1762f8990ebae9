//! A conversation as its provider gets it: its turns, the positions that errors name, where each result
//! stands relative to its call, and which calls are in flight.
//!
//! Responsible for facts that several rules of `check` need; it relies on [`Wire`] for the differences
//! between the file and a request.

use std::collections::HashMap;

use super::table::RESULT_AFTER_TEXT;
use crate::answers::{Answered, Behind, InTurns};
use crate::conversation::{Conversation, Kind, Message, Part, Place, Role};
use crate::demands::calls::{is_inline, is_vague};
use crate::demands::content_types::is_words;
use crate::dialect::Provider;
use crate::pairing::Pairs;
use crate::thinking::Signatures;
use crate::wire::{Side, Speaker, Turn, Wire, turns};

/// A conversation, its pairs and its turns, for one provider.
pub(crate) struct View<'c, 'a> {
    pub(crate) conversation: &'c Conversation<'a>,
    pub(crate) pairs: &'c Pairs,
    pub(crate) provider: Provider,
    pub(crate) wire: Wire,
    /// The window of the model in tokens, if known.
    pub(crate) window: Option<usize>,
    /// How the model treats the signatures of thinking.
    pub(crate) signatures: Signatures,
    pub(crate) turns: Vec<Turn>,
    /// The index of the turn that each message is in.
    turn_of: Vec<Option<usize>>,
    /// The position that the provider's errors give each message.
    positions: Vec<usize>,
    in_flight: Option<(usize, usize)>,
}

impl<'c, 'a> View<'c, 'a> {
    pub(crate) fn of(
        conversation: &'c Conversation<'a>,
        pairs: &'c Pairs,
        provider: Provider,
        signatures: Signatures,
    ) -> Self {
        let wire = Wire::of(conversation, provider);
        let messages = &conversation.messages;
        let speakers = messages.iter().map(|message| Speaker {
            role: message.role,
            is_sent: message.is_sent(),
            thread: message.thread,
        });
        let turns = turns(speakers, provider, wire);
        let mut turn_of = vec![None; messages.len()];
        for (index, turn) in turns.iter().enumerate() {
            for &member in &turn.members {
                turn_of[member] = Some(index);
            }
        }
        let mut spoken = 0;
        let positions = messages.iter().enumerate().map(|(at, message)| match message.units[..] {
            [unit, ..] if !wire.log => unit,
            _ => {
                spoken += usize::from(turn_of[at].is_some());
                spoken.saturating_sub(1)
            }
        });
        let positions = positions.collect();
        let mut view = Self {
            conversation,
            pairs,
            provider,
            wire,
            window: None,
            signatures,
            turns,
            turn_of,
            positions,
            in_flight: None,
        };
        view.in_flight = view.find_in_flight();
        view
    }

    pub(crate) fn messages(&self) -> &'c [Message<'a>] {
        &self.conversation.messages
    }

    pub(crate) fn part(&self, place: Place) -> &'c Part<'a> {
        self.conversation.part(place)
    }

    /// Every part that is sent, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Place, &'c Part<'a>)> {
        let sent = self.messages().iter().enumerate().filter(|(_, message)| message.is_sent());
        sent.flat_map(|(at, message)| message.placed(at))
    }

    /// The index of the turn that a message is in.
    pub(crate) fn turn_of(&self, message: usize) -> Option<usize> {
        self.turn_of[message]
    }

    /// The position that the provider's errors give a message.
    pub(crate) fn position(&self, message: usize) -> usize {
        self.positions[message]
    }

    /// The role of the message sent before this one; system if there is none.
    pub(crate) fn role_before(&self, message: usize) -> Role {
        let before = self.messages()[..message].iter().rfind(|message| message.is_sent());
        before.map_or(Role::System, |message| message.role)
    }

    /// The index of a part in the list that it is an item of.
    pub(crate) fn index_in_list(&self, place: Place) -> usize {
        let parts = &self.conversation.messages[place.0].parts;
        let list = parts[place.1].list;
        place.1 - parts.iter().position(|part| part.list == list).unwrap_or(0)
    }

    /// Whether the conversation still waits for the result of this call: only results follow within its turn,
    /// not even a text; if the file is sent as it is, not even results.
    pub(crate) fn is_in_flight(&self, call: Place) -> bool {
        self.in_flight
            .is_some_and(|(turn, from)| self.turn_of[call.0] == Some(turn) && call.0 >= from)
    }

    /// Whether the call has neither an id nor a name and results follow: in some data sets one result answers
    /// a whole batch.
    pub(crate) fn is_answered_in_common(&self, call: Place) -> bool {
        let Some(turn) = self.turn_of[call.0].filter(|_| is_vague(self.part(call))) else {
            return false;
        };
        let answers = self.turns.get(turn + 1).filter(|turn| turn.side == Side::User);
        let mut members = answers.into_iter().flat_map(|turn| &turn.members);
        members.any(|&member| self.messages()[member].has(Kind::ToolResult))
    }

    /// The turn with calls that the conversation waits for, if it does, and the last message with a text in
    /// that turn.
    fn find_in_flight(&self) -> Option<(usize, usize)> {
        let (at, last) = self.turns.iter().enumerate().next_back()?;
        let (asked, answers) = match last.side {
            Side::Assistant => (at, &[][..]),
            _ => (at.checked_sub(1)?, &last.members[..]),
        };
        let turn = &self.turns[asked];
        let is_its = |call: Place| self.turn_of[call.0] == Some(asked);
        let from = self.waits_from(turn, answers, is_its)?;
        turn.is(Side::Assistant, last.thread).then_some((asked, from))
    }

    /// Each call with its result, and how the result stands to the call.
    pub(crate) fn standings(&self) -> Vec<(Place, Place, Standing)> {
        let leading = self.leading_results();
        // The place of a result does not matter if its call is never sent.
        let calls = self.pairs.calls.iter().filter(|(call, _)| self.messages()[call.0].is_sent());
        let paired = calls.filter_map(|(call, result)| Some((*call, (*result)?)));
        let standing = |(call, result): (Place, Place)| {
            let standing = if is_inline(self.part(call), self.part(result)) {
                Standing::Right
            } else if self.messages()[result.0].role == Role::Assistant {
                Standing::Misplaced
            } else if !self.wire.adjacent {
                if result > call { Standing::Right } else { Standing::Displaced }
            } else {
                leading.get(&result).copied().unwrap_or(Standing::Displaced)
            };
            (call, result, standing)
        };
        paired.map(standing).collect()
    }

    /// The results in the turn right behind their calls.
    fn leading_results(&self) -> HashMap<Place, Standing> {
        let mut found = HashMap::new();
        let has_rule = RESULT_AFTER_TEXT.row(self.provider).is_some();
        for (at, pair) in self.turns.windows(2).enumerate() {
            let [asked, answered] = pair else { continue };
            if asked.side != Side::Assistant || !answered.is(Side::User, asked.thread) {
                continue;
            }
            for Answered { call, member, item, other } in self.answers_in(&answered.members) {
                if self.turn_of[call.0] == Some(at) {
                    let standing = match other {
                        None => Standing::Right,
                        Some(other) if other == member && has_rule => Standing::AfterText,
                        Some(_) => Standing::Displaced,
                    };
                    found.insert((member, item), standing);
                }
            }
        }
        found
    }
}

impl InTurns for View<'_, '_> {
    fn wire(&self) -> Wire {
        self.wire
    }

    fn behind(&self, member: usize) -> impl Iterator<Item = Behind> {
        let places = (0..self.messages()[member].parts.len()).map(move |index| (member, index));
        places.map(|place| Behind::of(place, self.conversation, self.pairs, self.wire))
    }

    fn calls(&self, member: usize) -> bool {
        self.messages()[member].has(Kind::ToolCall)
    }

    fn speaks(&self, member: usize) -> bool {
        let message = &self.messages()[member];
        message.parts.iter().any(|part| is_words(self.conversation.dialect, message, part))
    }
}

/// Where a result stands relative to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Where the provider requires it.
    Right,
    /// In the right message, but behind something else.
    AfterText,
    /// Before its call, or with something in between.
    Displaced,
    /// In a message of the assistant.
    Misplaced,
}
