//! Repairs of calls and results: each call gets one result, right behind it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::plan::{Item, Plan, Slot};
use crate::answers::{Answered, Behind, InTurns};
use crate::check::Rule;
use crate::check::table::{
    DISPLACED_RESULT, DUPLICATE_RESULT, MISPLACED_PART, ORPHAN_RESULT, RESULT_AFTER_TEXT,
    UNANSWERED_CALL,
};
use crate::conversation::{Conversation, Kind, Place, Role};
use crate::demands::calls::{call_named, is_inline, is_vague, result_named};
use crate::demands::content_types::is_words;
use crate::dialect::Answer;
use crate::json::Json;
use crate::marks::ABORTED;
use crate::wire::{Side, Turn, Wire};

/// The calls of one turn, and those of their results that stand in the right place.
pub(super) struct Exchange {
    /// The calls in order, each with its slot.
    pub(super) calls: Vec<(Place, usize)>,
    /// The slots of the next turn, if that is the user's.
    pub(super) answers: Vec<usize>,
    /// The results that stand in the right place.
    right: Vec<Right>,
    /// The slot from which on calls are in flight: only results of theirs follow.
    in_flight: usize,
}

/// A result in the right place.
struct Right {
    /// The index of its call in the exchange.
    order: usize,
    slot: usize,
    item: usize,
}

/// The places where results are to be inserted.
#[derive(Default)]
struct Insertions<'a> {
    /// Before a slot, as slots of their own.
    slots: BTreeMap<usize, Vec<Item<'a>>>,
    /// Before an item of a slot.
    items: BTreeMap<usize, Vec<(usize, Item<'a>)>>,
    /// Parts that are moved away.
    leave: HashSet<Place>,
}

impl InTurns for Plan<'_, '_> {
    fn wire(&self) -> Wire {
        self.wire
    }

    fn behind(&self, slot: usize) -> impl Iterator<Item = Behind> {
        self.slots[slot].items.iter().map(|item| match item.place() {
            Some(place) => Behind::of(place, self.conversation, &self.pairs, self.wire),
            None => Behind::Other,
        })
    }

    fn calls(&self, slot: usize) -> bool {
        let mut places = self.slots[slot].items.iter().filter_map(Item::place);
        places.any(|place| self.part(place).kind == Kind::ToolCall)
    }

    fn speaks(&self, slot: usize) -> bool {
        let mut places = self.slots[slot].items.iter().filter_map(Item::place);
        let Conversation { dialect, messages, .. } = self.conversation;
        places.any(|place| is_words(*dialect, &messages[place.0], self.part(place)))
    }
}

impl<'a> Plan<'_, 'a> {
    /// Removes results without a call.
    pub(super) fn drop_orphan_results(&mut self) {
        if self.wire.answer || self.wire.continues {
            return;
        }
        let mut orphans = std::mem::take(&mut self.pairs.orphans);
        for &result in &orphans {
            let text = format!("{} removed: it has no call", result_named(self.part(result)));
            self.report(&ORPHAN_RESULT, result, text);
        }
        orphans.extend(self.orphans_of_servers());
        self.take(&orphans.into_iter().collect());
    }

    /// Removes unanswered calls that no text can answer; the thinking that led to them is removed later.
    pub(super) fn drop_unanswerable_calls(&mut self) {
        let mut places = HashSet::new();
        for Exchange { calls, in_flight, .. } in self.exchanges() {
            for (call, _) in calls.into_iter().filter(|(_, slot)| *slot < in_flight) {
                let dialect = self.conversation.dialect;
                let part = self.part(call);
                if self.result_of(call).is_some() || dialect.says_unanswered(part).is_some() {
                    continue;
                }
                let text = format!("{} removed: no text can answer it", call_named(part));
                self.report(&UNANSWERED_CALL, call, text);
                places.insert(call);
            }
        }
        self.pairs.calls.retain(|(call, _)| !places.contains(call));
        self.take(&places);
    }

    /// Removes all results of a call except the first.
    pub(super) fn drop_duplicate_results(&mut self) {
        let duplicates = std::mem::take(&mut self.pairs.duplicates);
        for &(result, _) in &duplicates {
            let text = format!("second {} removed", result_named(self.part(result)));
            self.report(&DUPLICATE_RESULT, result, text);
        }
        self.take(&duplicates.into_iter().map(|(result, _)| result).collect());
    }

    /// Puts the result of every call right behind the call, in the order of calls. A call that is unanswered
    /// and not in flight gets a made-up result.
    pub(super) fn answer_calls_in_place(&mut self) {
        let mut insertions = Insertions::default();
        for exchange in self.exchanges() {
            let placed: HashSet<usize> = exchange.right.iter().map(|right| right.order).collect();
            for (order, &(call, slot)) in exchange.calls.iter().enumerate() {
                let result = self.result_of(call);
                let waits = slot >= exchange.in_flight;
                let shared = is_vague(self.part(call)) && !exchange.right.is_empty();
                if placed.contains(&order) || (result.is_none() && (waits || shared)) {
                    continue;
                }
                let item = if let Some(result) = result {
                    let text = format!("{} moved to its call", result_named(self.part(call)));
                    self.report_kept(self.why_moved(result, &exchange), result, text);
                    insertions.leave.insert(result);
                    Item::Moved(result)
                } else {
                    let part = *self.part(call);
                    let says = self.conversation.dialect.says_unanswered(&part).unwrap_or(ABORTED);
                    let text = format!("{} answered: {says}", call_named(&part));
                    self.report_kept(&UNANSWERED_CALL, call, text);
                    let (call_id, name) = (self.id_of(call), self.name_of(call));
                    let answer = Answer { call_id: &call_id, name: &name, text: ABORTED };
                    if let Some(members) = self.conversation.dialect.answered(&part, &answer) {
                        for (object, key, value) in members {
                            self.draft.set_member(call.0, object, key, value);
                        }
                        continue;
                    }
                    Item::Answer(call)
                };
                self.put(&mut insertions, item, order, &exchange);
            }
        }
        self.rebuild(insertions);
    }

    /// The turns that call tools.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        let turns = self.turns();
        let mut exchanges = Vec::new();
        for (at, asked) in turns.iter().enumerate() {
            let calls = self.calls_in(asked);
            if calls.is_empty() {
                continue;
            }
            let answers = turns.get(at + 1).filter(|turn| turn.is(Side::User, asked.thread));
            let answers = answers.map_or(&[][..], |turn| &turn.members);
            let right = self.results_in_place(&calls, answers);
            let is_last = at + 1 + usize::from(!answers.is_empty()) == turns.len();
            let is_answered = |(call, _): &(Place, usize)| self.result_of(*call).is_some();
            // In a whole request, once one call is answered, all are.
            let waits = !(self.wire.answered_at_once && calls.iter().any(is_answered));
            let in_flight = if is_last && waits {
                let asks: HashSet<Place> = calls.iter().map(|(call, _)| *call).collect();
                self.waits_from(asked, answers, |call| asks.contains(&call)).unwrap_or(usize::MAX)
            } else {
                usize::MAX
            };
            let mut exchange = Exchange { calls, answers: answers.to_vec(), right, in_flight };
            exchange.in_flight = self.in_flight_after_moves(&exchange, asked);
            exchanges.push(exchange);
        }
        exchanges
    }

    /// The slot from which on calls are in flight after results were moved: calls before inserted results are
    /// no longer in flight.
    fn in_flight_after_moves(&self, exchange: &Exchange, asked: &Turn) -> usize {
        if self.wire.adjacent && !exchange.answers.is_empty() {
            return exchange.in_flight;
        }
        let placed: HashSet<usize> = exchange.right.iter().map(|right| right.order).collect();
        let is_put = |(order, (call, slot)): &(usize, &(Place, usize))| {
            let waits = self.result_of(*call).is_none() && *slot >= exchange.in_flight;
            !placed.contains(order) && !waits && Some(slot) != asked.members.last()
        };
        let put = exchange.calls.iter().enumerate().filter(is_put);
        let split = put.map(|(_, (_, slot))| slot.saturating_add(1)).max().unwrap_or(0);
        // Results of those calls then stand behind others, and no longer answer them.
        let behind = exchange.right.iter().any(|right| exchange.calls[right.order].1 < split);
        let answered = behind && !exchange.answers.is_empty();
        if answered { usize::MAX } else { exchange.in_flight.max(split) }
    }

    fn calls_in(&self, turn: &Turn) -> Vec<(Place, usize)> {
        if turn.side != Side::Assistant {
            return Vec::new();
        }
        let items = turn.members.iter().flat_map(|&slot| {
            self.slots[slot].items.iter().filter_map(move |item| Some((item.place()?, slot)))
        });
        let calls = items.filter(|(place, _)| self.part(*place).kind == Kind::ToolCall);
        calls.filter(|(call, _)| !self.holds_its_result(*call)).collect()
    }

    fn holds_its_result(&self, call: Place) -> bool {
        let result = self.result_of(call);
        result.is_some_and(|result| is_inline(self.part(call), self.part(result)))
    }

    /// The result of a call, in the source.
    pub(super) fn result_of(&self, call: Place) -> Option<Place> {
        let at = self.pairs.calls.binary_search_by_key(&call, |(call, _)| *call).ok()?;
        self.pairs.calls[at].1
    }

    fn results_in_place(&self, calls: &[(Place, usize)], answers: &[usize]) -> Vec<Right> {
        let order: HashMap<Place, usize> =
            calls.iter().enumerate().map(|(order, (call, _))| (*call, order)).collect();
        let mut right = Vec::new();
        if !self.wire.adjacent {
            // Any place behind its call is right.
            let behind = calls.iter().enumerate().filter(|(_, (call, _))| {
                let result = self.result_of(*call);
                result.is_some_and(|result| result > *call && !self.is_the_assistants(result))
            });
            right.extend(behind.map(|(order, (_, slot))| Right { order, slot: *slot, item: 0 }));
            return right;
        }
        let placed = self.answers_in(answers).into_iter().filter(|it| it.other.is_none());
        right.extend(placed.filter_map(|Answered { call, member: slot, item, .. }| {
            let order = *order.get(&call)?;
            Some(Right { order, slot, item })
        }));
        right
    }

    /// The rule that is broken by a result that has to move.
    fn why_moved(&self, result: Place, exchange: &Exchange) -> &'static Rule {
        let has_rule = RESULT_AFTER_TEXT.row(self.provider).is_some();
        let own = |slot: &usize| self.slots[*slot].message == Some(result.0);
        if self.is_the_assistants(result) {
            &MISPLACED_PART
        } else if has_rule
            && exchange.answers.iter().find(|slot| !self.is_results(**slot)).is_some_and(own)
        {
            &RESULT_AFTER_TEXT
        } else {
            &DISPLACED_RESULT
        }
    }

    fn is_the_assistants(&self, part: Place) -> bool {
        self.conversation.messages[part.0].role == Role::Assistant
    }

    fn is_results(&self, slot: usize) -> bool {
        self.slots[slot].items.iter().all(|item| self.is_of_results(item))
    }

    /// Decides where the result of the call at `order` goes: among the results that stand right, in the order
    /// of calls, else before everything else in the answering turn.
    fn put(
        &self,
        insertions: &mut Insertions<'a>,
        item: Item<'a>,
        order: usize,
        exchange: &Exchange,
    ) {
        let behind = |slot: usize| (slot + 1, 0);
        let next = exchange.right.iter().find(|right| right.order > order);
        let (slot, at) = if !self.wire.adjacent {
            behind(exchange.calls[order].1)
        } else if let Some(next) = next {
            (next.slot, next.item)
        } else if let Some(last) = exchange.right.last() {
            if self.wire.results_alone {
                behind(last.slot)
            } else {
                (last.slot, self.behind_marks(last.slot, last.item))
            }
        } else if let Some(&first) = exchange.answers.first() {
            (first, 0)
        } else {
            behind(exchange.calls[order].1)
        };
        let joins = exchange.answers.contains(&slot)
            && self.has_room(slot)
            && (!self.wire.parts_results || self.is_results(slot));
        if self.wire.results_alone || !joins {
            insertions.slots.entry(slot).or_default().push(item);
        } else {
            insertions.items.entry(slot).or_default().push((at, item));
        }
    }

    /// Whether parts can be inserted into a message; one without a content has no place for them.
    fn has_room(&self, slot: usize) -> bool {
        self.slots[slot].message.is_none_or(|at| {
            let message = &self.conversation.messages[at];
            let has_list = |content: Json<'_>| content.is_string() || content.is_array();
            !message.parts.is_empty() || message.content.is_some_and(has_list)
        })
    }

    fn rebuild(&mut self, mut insertions: Insertions<'a>) {
        let slots = std::mem::take(&mut self.slots);
        for (at, slot) in slots.into_iter().map(Some).chain([None]).enumerate() {
            let new = insertions.slots.remove(&at).unwrap_or_default();
            if self.wire.results_alone {
                let alone = new.into_iter().map(|item| self.slot_of_its_own(item));
                let alone: Vec<_> = alone.collect();
                self.slots.extend(alone);
            } else if !new.is_empty() {
                self.slots.push(Slot::new(Role::User, new));
            }
            let Some(mut slot) = slot else { continue };
            let mut added = insertions.items.remove(&at).unwrap_or_default();
            added.sort_by_key(|(before, _)| *before);
            let mut added = added.into_iter().peekable();
            let slot_items = slot.items.len();
            let mut items = Vec::with_capacity(slot.items.len() + added.len());
            for (index, item) in slot.items.into_iter().enumerate() {
                while let Some((_, new)) = added.next_if(|(before, _)| *before <= index) {
                    items.push(new);
                }
                if item.place().is_none_or(|place| !insertions.leave.contains(&place)) {
                    items.push(item);
                }
            }
            items.extend(added.map(|(_, new)| new));
            let left = items.len() < slot_items;
            slot.items = items;
            let is_gone = self.is_nothing(&slot.items)
                || (self.wire.results_alone && slot.role == Role::Tool);
            if !left || !is_gone {
                self.slots.push(slot);
            }
        }
    }

    /// A result as a message of its own: its former message, if it was one.
    fn slot_of_its_own(&self, item: Item<'a>) -> Slot<'a> {
        let messages = &self.conversation.messages;
        if let Item::Moved(place) = item {
            let message = &messages[place.0];
            if message.role == Role::Tool {
                let items = (0..message.parts.len()).map(|index| Item::Own((place.0, index)));
                let items = items.collect();
                let slot = Slot::new(Role::Tool, items);
                return Slot { message: Some(place.0), is_moved: true, ..slot };
            }
        }
        Slot::new(self.answering, vec![item])
    }
}
