//! The planned content of a conversation, before it becomes a draft.
//!
//! Responsible for the order of messages and parts during repairs: slots that hold items, taken from the
//! source or new. Repairs move items between slots; only [`Plan::finish`] turns the result into a draft.
//! Invariant: slots that are not moved keep their order, and so do a message's own items.

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

/// A planned message.
#[derive(Clone, Debug)]
pub(super) struct Slot<'a> {
    /// The index of its message in the source; `None` for a new one.
    pub(super) message: Option<usize>,
    pub(super) role: Role,
    pub(super) is_sent: bool,
    /// Whether it stands elsewhere than its message did.
    pub(super) is_moved: bool,
    pub(super) items: Vec<Item<'a>>,
}

impl<'a> Slot<'a> {
    pub(super) fn new(role: Role, items: Vec<Item<'a>>) -> Self {
        Self { message: None, role, is_sent: true, is_moved: false, items }
    }
}

/// A planned part.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    /// A part of the source, in its own message.
    Own(Place),
    /// A part of the source, in another message.
    Moved(Place),
    /// A made-up result for this call.
    Answer(Place),
    /// A part that we write.
    New(NewPart<'a>),
}

impl Item<'_> {
    /// The place of the part in the source, if it has one.
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
    /// Rules that are not applied.
    exempt: &'static [&'static Rule],
    pub(super) pairs: Pairs,
    pub(super) wire: Wire,
    pub(super) slots: Vec<Slot<'a>>,
    /// The role of a message that is nothing but a result.
    pub(super) answering: Role,
    /// Collects the changes of values; the order of slots is applied last.
    pub(super) draft: Draft<'c, 'a>,
    /// New ids of calls.
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
        let own = conversation.dialect.provider();
        let has_tools = matches!(own, Provider::OpenAi | Provider::Responses)
            || conversation.messages.iter().any(|message| message.role == Role::Tool);
        Self {
            conversation,
            provider,
            signatures,
            exempt,
            pairs: Pairs::of(&conversation.messages),
            wire: Wire::of(conversation, provider),
            slots: conversation.messages.iter().enumerate().map(slot).collect(),
            answering: if has_tools { Role::Tool } else { Role::User },
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
            // A new slot continues the thread before it.
            thread = slot.message.map_or(thread, |at| self.conversation.messages[at].thread);
            Speaker { role: slot.role, is_sent: slot.is_sent, thread }
        });
        wire::turns(speakers, self.provider, self.wire)
    }

    /// Whether the provider refuses a breach of the rule, and the rule is not exempt.
    pub(super) fn insists_on(&self, rule: &'static Rule) -> bool {
        let is_fault = rule.row(self.provider).is_some_and(|row| row.severity == Severity::Fault);
        is_fault && !self.is_exempt(rule)
    }

    /// Whether the rule is exempt.
    pub(super) fn is_exempt(&self, rule: &'static Rule) -> bool {
        rule.is_in(self.exempt)
    }

    /// The source parts in slots that are sent, in order, each with its slot.
    pub(super) fn parts(&self) -> Vec<(usize, Place)> {
        let sent = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_sent);
        sent.flat_map(|(at, slot)| {
            slot.items.iter().filter_map(move |item| Some((at, item.place()?)))
        })
        .collect()
    }

    /// Whether a part will be sent: its message is, or it is a result that moves to a call that is.
    pub(super) fn will_be_sent(&self, place: Place) -> bool {
        let call = || self.pairs.call_of(place);
        self.is_sent(place.0) || call().is_some_and(|call| self.is_sent(call.0))
    }

    /// The parts in the slots that will be sent, in order.
    pub(super) fn parts_to_be_sent(&self) -> Vec<Place> {
        let items = self.slots.iter().flat_map(|slot| &slot.items);
        items.filter_map(Item::place).filter(|place| self.will_be_sent(*place)).collect()
    }

    /// Reports a repair by `rule`, of a message or of something beside the messages.
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

    /// Reports a repair of a part by `rule`.
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

    /// Reports a repair of a value in the definitions of tools, or beside them, by `rule`.
    pub(super) fn report_tools(&mut self, rule: &'static Rule, value: Json<'a>, text: &str) {
        let tools = self.conversation.tools.filter(|tools| tools.holds(value));
        let place = tools.map(|tools| span_in(tools.source(), value.source()));
        self.report_message(rule, None, text).tools = place;
    }

    /// Reports a repair that loses nothing, although repairs by this rule may.
    pub(super) fn report_kept(&mut self, rule: &'static Rule, at: Place, text: impl Into<String>) {
        self.report(rule, at, text).loses = false;
    }

    /// Takes items out of their slots. Slots that lose their last item are dropped, except a prompt beside
    /// the list, which is no message that could be dropped.
    pub(super) fn take(&mut self, places: &HashSet<Place>) {
        if places.is_empty() {
            return;
        }
        let alone = self.wire.results_alone;
        for mut slot in std::mem::take(&mut self.slots) {
            let items = slot.items.len();
            slot.items.retain(|item| item.place().is_none_or(|place| !places.contains(&place)));
            // The pictures that a tool shows go with its result.
            let is_touched = items > slot.items.len();
            let is_gone = self.is_nothing(&slot.items) || (alone && slot.role == Role::Tool);
            let is_beside =
                slot.message.is_some_and(|at| self.conversation.messages[at].units.is_empty());
            if is_beside || !(is_touched && is_gone) {
                self.slots.push(slot);
            }
        }
    }

    /// Whether the items are empty: there are none, or only cache points.
    pub(super) fn is_nothing(&self, items: &[Item<'_>]) -> bool {
        items.iter().all(|item| self.is_cache_point(item))
    }

    /// Whether an item is nothing but a cache point.
    pub(super) fn is_cache_point(&self, item: &Item<'_>) -> bool {
        item.place().is_some_and(|place| self.part(place).is_cache_point())
    }

    /// Whether an item is a result, or a cache point, which may stand beside one.
    pub(super) fn is_of_results(&self, item: &Item<'_>) -> bool {
        let is_result = |place: Place| self.part(place).kind == Kind::ToolResult;
        item.place().is_some_and(is_result) || self.is_cache_point(item)
    }

    /// The draft that carries the plan out, and the repairs.
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

    /// Gives a kept message its planned items.
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

    /// The planned id of a call; empty if it has none.
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
                call: self.part(*call).json.source(),
                call_id: self.id_of(*call),
                name: self.name_of(*call).into(),
                text: ABORTED.into(),
            },
            Item::New(part) => part.clone(),
        }
    }
}
