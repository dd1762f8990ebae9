//! What is to stand in a conversation, before it is a draft.
//!
//! Responsible for the order of messages and parts while repairs are made: slots that hold items,
//! taken from the source or new. Repairs move items between slots; only [`Plan::finish`] knows how
//! a draft expresses that. Invariant: a slot that is not moved keeps its place among its like, and
//! so do the items that are a message's own.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Repair;
use crate::check::{Rule, Severity};
use crate::conversation::{Conversation, Kind, Message, Part, Place, Role};
use crate::dialect::Provider;
use crate::draft::{Draft, NewMessage, NewPart};
use crate::json::Json;
use crate::marks::ABORTED;
use crate::pairing::Pairs;
use crate::span::span_in;
use crate::thinking::Signatures;
use crate::wire::{self, Speaker, Turn, Wire};

/// A message to be.
#[derive(Clone, Debug)]
pub(super) struct Slot<'a> {
    /// The message of the source that it is; `None` for a new one.
    pub(super) message: Option<usize>,
    pub(super) role: Role,
    pub(super) is_sent: bool,
    /// Whether it stands where the message did not.
    pub(super) is_moved: bool,
    pub(super) items: Vec<Item<'a>>,
}

impl<'a> Slot<'a> {
    pub(super) fn new(role: Role, items: Vec<Item<'a>>) -> Self {
        Self { message: None, role, is_sent: true, is_moved: false, items }
    }
}

/// A part to be.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    /// A part of the source, in its own message.
    Own(Place),
    /// A part of the source, elsewhere.
    Moved(Place),
    /// What we answer to a call.
    Answer(Place),
    /// A part that we write.
    New(NewPart<'a>),
}

impl Item<'_> {
    /// The part of the source that it is.
    pub(super) fn place(&self) -> Option<Place> {
        match self {
            Item::Own(place) | Item::Moved(place) => Some(*place),
            _ => None,
        }
    }
}

/// A conversation under repair.
pub(super) struct Plan<'c, 'a> {
    pub(super) conversation: &'c Conversation<'a>,
    pub(super) provider: Provider,
    pub(super) signatures: Signatures,
    /// Rules that do not hold here.
    exempt: &'static [&'static Rule],
    pub(super) pairs: Pairs,
    pub(super) wire: Wire,
    pub(super) slots: Vec<Slot<'a>>,
    /// Takes the changes of values; the order of things comes last.
    pub(super) draft: Draft<'c, 'a>,
    /// The ids of calls that get new ones.
    pub(super) new_ids: HashMap<Place, String>,
    pub(super) repairs: Vec<Repair>,
}

impl<'c, 'a> Plan<'c, 'a> {
    pub(super) fn of(
        conversation: &'c Conversation<'a>,
        provider: Provider,
        signatures: Signatures,
        exempt: &'static [&'static Rule],
    ) -> Self {
        let slot = |(at, message): (usize, &Message<'a>)| Slot {
            message: Some(at),
            role: message.role,
            is_sent: message.is_sent(),
            is_moved: false,
            items: (0..message.parts.len()).map(|index| Item::Own((at, index))).collect(),
        };
        Self {
            conversation,
            provider,
            signatures,
            exempt,
            pairs: Pairs::of(&conversation.messages),
            wire: Wire::of(conversation, provider),
            slots: conversation.messages.iter().enumerate().map(slot).collect(),
            draft: Draft::new(conversation),
            new_ids: HashMap::new(),
            repairs: Vec::new(),
        }
    }

    pub(super) fn part(&self, place: Place) -> &'c Part<'a> {
        self.conversation.part(place)
    }

    /// The turns of the slots, as the provider will see them.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let mut thread = 0;
        let speakers = self.slots.iter().map(|slot| {
            // What is new goes on with what stands before it.
            thread = slot.message.map_or(thread, |at| self.conversation.messages[at].thread);
            Speaker { role: slot.role, is_sent: slot.is_sent, thread }
        });
        wire::turns(speakers, self.provider, self.wire)
    }

    /// Whether this provider refuses what breaks the rule, and the rule holds here.
    pub(super) fn insists_on(&self, rule: &'static Rule) -> bool {
        let is_fault = rule.row(self.provider).is_some_and(|row| row.severity == Severity::Fault);
        is_fault && !self.is_exempt(rule)
    }

    /// Whether the rule does not hold here.
    pub(super) fn is_exempt(&self, rule: &'static Rule) -> bool {
        rule.is_in(self.exempt)
    }

    /// The parts of the source in the slots that are sent, in order, with their slot.
    pub(super) fn parts(&self) -> Vec<(usize, Place)> {
        let sent = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_sent);
        sent.flat_map(|(at, slot)| {
            slot.items.iter().filter_map(move |item| Some((at, item.place()?)))
        })
        .collect()
    }

    /// Whether a part will be sent: its message is, or it is a result, which goes to its call.
    pub(super) fn will_be_sent(&self, place: Place) -> bool {
        let call = || self.pairs.call_of(place);
        self.is_sent(place.0) || call().is_some_and(|call| self.is_sent(call.0))
    }

    /// The parts in the slots that will be sent, in order.
    pub(super) fn parts_to_be_sent(&self) -> Vec<Place> {
        let items = self.slots.iter().flat_map(|slot| &slot.items);
        items.filter_map(Item::place).filter(|place| self.will_be_sent(*place)).collect()
    }

    /// Notes a repair of a message, or of something beside them all, by a rule.
    pub(super) fn report_message(
        &mut self,
        rule: &'static Rule,
        message: Option<usize>,
        text: impl Into<String>,
    ) -> &mut Repair {
        let (part, unit, tools, call_id) = (None, None, None, None);
        let (text, loses) = (text.into(), rule.loses);
        let at = self.repairs.len();
        self.repairs.push(Repair { rule, message, part, unit, tools, call_id, text, loses });
        &mut self.repairs[at]
    }

    /// Notes a repair of a part by a rule.
    pub(super) fn report(
        &mut self,
        rule: &'static Rule,
        (message, part): Place,
        text: impl Into<String>,
    ) -> &mut Repair {
        let call_id = self.part((message, part)).id().map(Cow::into_owned);
        let repair = self.report_message(rule, Some(message), text);
        (repair.part, repair.call_id) = (Some(part), call_id);
        repair
    }

    /// Notes a repair of a value in the definitions of tools, or beside them, by a rule.
    pub(super) fn report_tools(&mut self, rule: &'static Rule, value: Json<'a>, text: &str) {
        let tools = self.conversation.tools.filter(|tools| tools.holds(value));
        let place = tools.map(|tools| span_in(tools.source(), value.source()));
        self.report_message(rule, None, text).tools = place;
    }

    /// Notes a repair that loses nothing, of a rule whose repair may.
    pub(super) fn report_kept(&mut self, rule: &'static Rule, at: Place, text: impl Into<String>) {
        self.report(rule, at, text).loses = false;
    }

    /// Takes items out of their slots; slots that lose their last item go, but for a prompt beside the list,
    /// which is no message that could.
    pub(super) fn take(&mut self, places: &HashSet<Place>) {
        if places.is_empty() {
            return;
        }
        let alone = self.wire.results_alone;
        for mut slot in std::mem::take(&mut self.slots) {
            let items = slot.items.len();
            slot.items.retain(|item| item.place().is_none_or(|place| !places.contains(&place)));
            // What a tool shows goes with its result.
            let is_touched = items > slot.items.len();
            let is_gone = self.is_nothing(&slot.items) || (alone && slot.role == Role::Tool);
            let is_beside =
                slot.message.is_some_and(|at| self.conversation.messages[at].units.is_empty());
            if is_beside || !(is_touched && is_gone) {
                self.slots.push(slot);
            }
        }
    }

    /// Whether items say nothing: there are none, or they mark the end of the cache alone.
    pub(super) fn is_nothing(&self, items: &[Item<'_>]) -> bool {
        items.iter().all(|item| self.is_cache_point(item))
    }

    /// Whether an item does nothing but mark the end of the cache.
    pub(super) fn is_cache_point(&self, item: &Item<'_>) -> bool {
        item.place().is_some_and(|place| self.part(place).is_cache_point())
    }

    /// Whether an item is a result, or marks the end of the cache, which may stand beside one.
    pub(super) fn is_of_results(&self, item: &Item<'_>) -> bool {
        let is_result = |place: Place| self.part(place).kind == Kind::ToolResult;
        item.place().is_some_and(is_result) || self.is_cache_point(item)
    }

    /// The draft that carries the plan out, and what was repaired.
    pub(super) fn finish(mut self) -> (Draft<'c, 'a>, Vec<Repair>) {
        let messages = &self.conversation.messages;
        let mut stays = vec![false; messages.len()];
        for slot in self.slots.iter().filter(|slot| !slot.is_moved) {
            if let Some(message) = slot.message {
                stays[message] = true;
            }
        }
        for (message, stays) in stays.iter().enumerate() {
            if !stays {
                self.draft.drop_message(message);
            }
        }
        let mut next = messages.len();
        let mut before = Vec::with_capacity(self.slots.len());
        for slot in self.slots.iter().rev() {
            before.push(next);
            if let Some(message) = slot.message.filter(|_| !slot.is_moved) {
                next = message;
            }
        }
        before.reverse();
        let slots = std::mem::take(&mut self.slots);
        for (slot, before) in slots.iter().zip(before) {
            match slot.message {
                Some(message) if !slot.is_moved => self.settle(message, &slot.items),
                _ => {
                    let parts = match slot.message {
                        Some(message) => {
                            vec![NewPart::Source(self.conversation.to_move(message).source())]
                        }
                        None => slot.items.iter().map(|item| self.new_part(item)).collect(),
                    };
                    let message = NewMessage { role: slot.role, parts, is_summary: false };
                    self.draft.insert_message(before, message);
                }
            }
        }
        self.draft.keep_branches();
        self.repairs.sort_by_key(|repair| repair.message);
        (self.draft, self.repairs)
    }

    /// Gives a message that stays its items.
    fn settle(&mut self, message: usize, items: &[Item<'a>]) {
        let count = self.conversation.messages[message].parts.len();
        let mut own = vec![false; count];
        for item in items {
            if let Item::Own((_, index)) = item {
                own[*index] = true;
            }
        }
        for (index, _) in own.iter().enumerate().filter(|(_, own)| !**own) {
            self.draft.remove_part((message, index));
        }
        let mut next = count;
        let mut inserts = Vec::new();
        for item in items.iter().rev() {
            match item {
                Item::Own((_, index)) => next = *index,
                other => inserts.push((next, other)),
            }
        }
        for (index, item) in inserts.into_iter().rev() {
            let part = self.new_part(item);
            self.draft.insert_part((message, index), part);
        }
    }

    /// The id of a call as it will be; empty where it has none.
    pub(super) fn id_of(&self, call: Place) -> Cow<'a, str> {
        let new = self.new_ids.get(&call).cloned().map(Cow::Owned);
        new.or_else(|| self.part(call).id()).unwrap_or_default()
    }

    fn new_part(&self, item: &Item<'a>) -> NewPart<'a> {
        match item {
            Item::Own(place) | Item::Moved(place) => {
                let part = self.part(*place);
                match part.list {
                    Some(_) => NewPart::Source(part.json.source()),
                    None => NewPart::Text(part.text()),
                }
            }
            Item::Answer(call) => NewPart::Result {
                call_id: self.id_of(*call),
                name: self.name_of(*call).into(),
                text: ABORTED.into(),
            },
            Item::New(part) => part.clone(),
        }
    }
}
