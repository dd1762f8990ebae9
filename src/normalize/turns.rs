//! Repairs of turns: the user begins, user and assistant alternate, and results stand apart if the provider
//! wants that.

use super::plan::{Item, Plan, Slot};
use crate::check::table::{FIRST_ROLE, RESULT_AFTER_TEXT, ROLE_ORDER};
use crate::conversation::{Kind, Message, Origin, Role};
use crate::dialect::Provider;
use crate::draft::NewPart;
use crate::marks::{BEGINNING, NO_REPLY};
use crate::message::origin::origin_of;
use crate::summary::stands_beside_words;
use crate::wire::{self, Side};

impl Plan<'_, '_> {
    /// Separates the results of a message from everything else in it, because Bedrock wants turns of results
    /// alone.
    pub(super) fn part_results_from_text(&mut self) {
        if !self.wire.parts_results {
            return;
        }
        for slot in std::mem::take(&mut self.slots) {
            // A cache point stays behind the item it follows.
            let mut is_results = true;
            let (results, others): (Vec<_>, Vec<_>) =
                slot.items.iter().cloned().partition(|item| {
                    if !self.is_cache_point(item) {
                        is_results = self.is_of_results(item);
                    }
                    is_results
                });
            if slot.role != Role::User || !self.has_results(&slot) || others.is_empty() {
                self.slots.push(slot);
                continue;
            }
            let text = "results parted from the text beside them";
            self.report_message(&RESULT_AFTER_TEXT, slot.message, text);
            self.slots.push(Slot { items: results, ..slot });
            let others = others.into_iter().map(moved).collect();
            self.slots.push(Slot::new(Role::User, others));
        }
    }

    /// Makes user and assistant alternate: neighbours of one role are joined or, if they must not be, the
    /// assistant says between them that it has no reply.
    pub(super) fn alternate(&mut self) {
        if !self.insists_on(&ROLE_ORDER) || !self.wire.is_sent_as_it_is() {
            return;
        }
        let mut last: Option<usize> = None;
        for slot in std::mem::take(&mut self.slots) {
            let side = wire::side(slot.role, slot.is_sent, self.provider);
            let message = slot.message.map(|at| &self.conversation.messages[at]);
            if message.is_some_and(Message::is_strangers) {
                last = None;
            }
            let before = last.filter(|_| side != Side::Apart);
            let is_wrong = |&at: &usize| {
                let before = &self.slots[at];
                if self.provider.is_chat() {
                    let roles = (before.role, slot.role);
                    self.wire.results_answered && roles == (Role::Tool, Role::User)
                } else {
                    is_same(before, &slot, self.provider)
                }
            };
            let same = before.filter(is_wrong);
            let Some(at) = same else {
                if side != Side::Apart {
                    last = Some(self.slots.len());
                }
                self.slots.push(slot);
                continue;
            };
            let message = slot.message.or(self.slots[at].message);
            let is_parted = self.wire.results_answered
                || (self.provider == Provider::Bedrock
                    && side == Side::User
                    && (self.has_results(&slot) || self.has_results(&self.slots[at])));
            if is_parted {
                let words = Item::New(NewPart::Text(NO_REPLY.into()));
                self.slots.push(Slot::new(Role::Assistant, vec![words]));
                let text = "the assistant says between that it has no reply";
                self.report_message(&ROLE_ORDER, message, text);
                last = Some(self.slots.len());
                self.slots.push(slot);
            } else {
                self.report_message(&ROLE_ORDER, message, "message joined with the one before");
                self.slots[at].items.extend(slot.items.into_iter().map(moved));
            }
        }
    }

    fn has_results(&self, slot: &Slot<'_>) -> bool {
        slot.items.iter().any(|item| match item {
            Item::Answer(_) => true,
            item => item.place().is_some_and(|place| self.part(place).kind == Kind::ToolResult),
        })
    }

    /// Inserts a user message before an assistant that speaks first.
    pub(super) fn begin_with_user(&mut self) {
        if !self.insists_on(&FIRST_ROLE) || self.wire.log || self.wire.answer {
            return;
        }
        let turns = self.turns();
        let Some(first) = turns.first().filter(|turn| turn.side == Side::Assistant) else { return };
        let first = first.members[0];
        let prompted = self.provider == Provider::Mistral
            && self.slots[..first].iter().any(|slot| slot.is_sent && slot.role.is_instruction());
        if !prompted {
            let text = "a message of the user put before the first one";
            self.report_message(&FIRST_ROLE, self.slots[first].message, text);
            let words = Item::New(NewPart::Text(BEGINNING.into()));
            self.slots.insert(first, Slot::new(Role::User, vec![words]));
        }
    }

    /// The slot with which the open tool loop begins, behind the user's last words; `None` if the
    /// conversation is not in a tool loop that the assistant is to continue.
    pub(super) fn open_loop(&self) -> Option<usize> {
        let turns = self.turns();
        let is_tool = |item: &Item<'_>| match item {
            Item::Answer(_) => true,
            item => item.place().is_some_and(|place| {
                matches!(self.part(place).kind, Kind::ToolCall | Kind::ToolResult)
            }),
        };
        let last = turns.last()?;
        let is_open = last.members.iter().any(|&at| self.slots[at].items.iter().any(is_tool));
        is_open.then_some(self.last_request())
    }

    /// The index behind the last slot in which the user says something.
    pub(super) fn last_request(&self) -> usize {
        let asked = self.slots.iter().rposition(|slot| self.asks(slot));
        asked.map_or(0, |at| at + 1)
    }

    /// Whether the user says something in a slot, judged by its first words, as
    /// [`Message::is_request`](crate::conversation::Message::is_request) will judge the result.
    fn asks(&self, slot: &Slot<'_>) -> bool {
        let message = slot.message.map(|at| &self.conversation.messages[at]);
        let is_flagged = message.is_some_and(|message| message.origin == Origin::Summary);
        if slot.role != Role::User || is_flagged {
            return false;
        }
        if let Some(message) = message.filter(|_| self.wire.log) {
            return message.is_request();
        }
        let mut texts = Vec::new();
        let (mut speaks, mut is_attached) = (false, false);
        for item in &slot.items {
            let (kind, text) = match item {
                Item::New(NewPart::Text(text)) => (Kind::Text, text.clone()),
                item => match item.place().map(|place| self.part(place)) {
                    Some(part) => (part.kind, part.text()),
                    None => continue,
                },
            };
            is_attached |= matches!(kind, Kind::Image | Kind::File);
            speaks |= is_attached || kind == Kind::Text && !text.trim().is_empty();
            if kind == Kind::Text {
                texts.push(text);
            }
        }
        let is_spoken = match texts.first().map(|text| origin_of(text)) {
            Some(Origin::Summary) => stands_beside_words(texts.into_iter(), is_attached),
            origin => origin.is_none_or(|origin| origin == Origin::Spoken),
        };
        speaks && is_spoken
    }
}

fn is_same(before: &Slot<'_>, after: &Slot<'_>, provider: Provider) -> bool {
    let is_assistant = |slot: &Slot<'_>| slot.role == Role::Assistant;
    is_assistant(before) == is_assistant(after)
        && (provider != Provider::Gemini || before.role == after.role)
}

fn moved(item: Item<'_>) -> Item<'_> {
    match item {
        Item::Own(place) => Item::Moved(place),
        other => other,
    }
}
