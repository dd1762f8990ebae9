//! Repairs of thinking: unsigned or misplaced thinking is removed, and thinking made void by an edit before
//! it.

use std::collections::BTreeSet;

use super::plan::{Item, Plan};
use crate::check::Rule;
use crate::check::table::{LONE_SURROGATE, THINKING_BOUND, THINKING_MISSING, THINKING_ORDER};
use crate::conversation::{Kind, Part, Place};
use crate::demands::surrogates::lone_surrogates;
use crate::demands::thinking::{
    is_signed, is_to_sign, is_unsigned, is_unspoken, out_of_order, wants_thinking,
};
use crate::dialect::Provider;
use crate::thinking::Binding;
use crate::wire::Side;

/// The value that Gemini accepts in place of a lost signature.
const NO_SIGNATURE: &str = "\"skip_thought_signature_validator\"";

impl Plan<'_, '_> {
    /// Removes thinking without a valid signature of the provider.
    pub(super) fn drop_unsigned_thinking(&mut self) {
        if !self.wire.knows_thinking || self.wire.log {
            return;
        }
        let places = self.parts().into_iter().map(|(_, place)| place);
        let mends_halves = self.insists_on(&LONE_SURROGATE);
        let holds_half = |part: &Part<'_>| {
            mends_halves && part.kind == Kind::Reasoning && !lone_surrogates(part.json).is_empty()
        };
        let is_gone = |place: &Place| {
            let part = self.part(*place);
            is_unsigned(part) || is_unspoken(part) || holds_half(part)
        };
        let unsigned: Vec<Place> = places.filter(is_gone).collect();
        for &place in &unsigned {
            let why = if is_unsigned(self.part(place)) {
                "it has no signature"
            } else if is_unspoken(self.part(place)) {
                "it has no text"
            } else {
                "half a character was signed"
            };
            self.report(&THINKING_BOUND, place, format!("thinking removed: {why}"));
        }
        self.take(&unsigned.into_iter().collect());
    }

    /// Removes thinking that does not lead its message, or that ends its turn.
    pub(super) fn drop_thinking_out_of_order(&mut self) {
        if !self.wire.knows_thinking || self.wire.log || !self.insists_on(&THINKING_ORDER) {
            return;
        }
        let mut places = BTreeSet::new();
        for turn in self.turns().iter().filter(|turn| turn.side == Side::Assistant) {
            let members: Vec<(usize, Vec<(usize, &Part<'_>)>)> = turn
                .members
                .iter()
                .map(|&slot| {
                    let items = self.slots[slot].items.iter().enumerate();
                    let parts =
                        items.filter_map(|(index, item)| Some((index, self.part(item.place()?))));
                    (slot, parts.collect())
                })
                .collect();
            let found = out_of_order(&members).into_iter();
            places.extend(found.filter_map(|(slot, item)| self.slots[slot].items[item].place()));
        }
        self.drop_parts(places, &THINKING_ORDER, "thinking out of its order removed");
    }

    /// Removes thinking behind an edit that is bound to the edited text; returns whether a message was
    /// removed with it.
    pub(super) fn drop_unbound_thinking(&mut self) -> bool {
        let binding = self.signatures.binding;
        if !self.wire.knows_thinking || binding == Binding::Unbound {
            return false;
        }
        let Some(edited) = self.first_edit() else { return false };
        let end = match binding {
            Binding::Unknown => self.open_loop().unwrap_or(self.slots.len()),
            _ => self.slots.len(),
        };
        let mut places = BTreeSet::new();
        for (at, slot) in self.slots.iter().enumerate().take(end).skip(edited) {
            let thinks = |item: &&Item<'_>| {
                let place = item.place();
                place.is_some_and(|place| self.part(place).kind == Kind::Reasoning)
            };
            // The thinking at the start of the edited message stands before the edit.
            let leading = slot.items.iter().take_while(thinks).count();
            let from = if at == edited && slot.message.is_some() { leading } else { 0 };
            places.extend(slot.items[from..].iter().filter(thinks).filter_map(Item::place));
        }
        let slots = self.slots.len();
        let text = "thinking removed: it is bound to what was edited before it";
        self.drop_parts(places, &THINKING_BOUND, text);
        self.slots.len() < slots
    }

    /// Removes parts by `rule`, and reports them in input order.
    fn drop_parts(&mut self, places: BTreeSet<Place>, rule: &'static Rule, text: &str) {
        for &place in &places {
            self.report(rule, place, text);
        }
        self.take(&places.into_iter().collect());
    }

    /// The first slot that was changed, or before which something was.
    fn first_edit(&self) -> Option<usize> {
        let mut next = 0;
        for (at, slot) in self.slots.iter().enumerate() {
            let Some(message) = slot.message.filter(|_| !slot.is_moved) else { return Some(at) };
            let count = self.conversation.messages[message].parts.len();
            let is_whole = slot.items.len() == count
                && slot
                    .items
                    .iter()
                    .enumerate()
                    .all(|(index, item)| matches!(item, Item::Own((_, own)) if *own == index));
            let skipped = (next..message).any(|message| self.is_sent(message));
            if skipped || !is_whole || self.draft.is_changed(message) {
                return Some(at);
            }
            next = message + 1;
        }
        None
    }

    /// Switches thinking off in a request if its model requires the open tool loop to begin with thinking and
    /// it does not.
    pub(super) fn switch_off_missing_thinking(&mut self) {
        let request = self.conversation.source.request().filter(|_| self.wire.knows_thinking);
        if !self.insists_on(&THINKING_MISSING) || request.and_then(wants_thinking) != Some(true) {
            return;
        }
        let Some(start) = self.open_loop() else { return };
        let is_call = |item: &Item<'_>| {
            item.place().is_some_and(|place| self.part(place).kind == Kind::ToolCall)
        };
        let caller = self.slots[start..].iter().find(|slot| slot.items.iter().any(is_call));
        let first = caller.and_then(|slot| slot.items.first()).and_then(Item::place);
        if let Some(first) = first.filter(|first| self.part(*first).kind != Kind::Reasoning) {
            self.draft.set_root_member("thinking", r#"{"type":"disabled"}"#.to_owned());
            let text = "thinking switched off: the open tool loop does not begin with it";
            self.report(&THINKING_MISSING, first, text);
        }
    }

    /// Gives the first call of each step of Gemini's current turn a signature.
    pub(super) fn sign_steps(&mut self) {
        if self.provider != Provider::Gemini {
            return;
        }
        let calls = |plan: &Self, slot: usize| {
            let places = plan.slots[slot].items.iter().filter_map(Item::place);
            places.filter(|&place| plan.part(place).kind == Kind::ToolCall).collect::<Vec<_>>()
        };
        let parts = self.parts().into_iter().map(|(_, place)| self.part(place));
        if !is_to_sign(self.wire, self.signatures.are_needed, parts) {
            return;
        }
        for slot in self.last_request()..self.slots.len() {
            let Some(&place) = calls(self, slot).first() else { continue };
            let part = self.part(place);
            if !is_signed(part) {
                let value = Some(NO_SIGNATURE.to_owned());
                self.draft.set_member(place.0, part.json, "thoughtSignature", value);
                let text = format!("call of {} marked as one without a signature", part.tool());
                self.report_kept(&THINKING_BOUND, place, text);
            }
        }
    }
}
