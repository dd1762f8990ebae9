//! Repairs of how something is written, whatever it says: half characters, white space at the end, marks of
//! the cache.

use super::plan::{Item, Plan};
use crate::check::table::{CACHE_CONTROL, LONE_SURROGATE, TRAILING_SPACE};
use crate::check::{
    CACHE_CONTROLS, cached, cached_tools, is_prompt, is_request, lone_surrogates, trailing_space,
};
use crate::json::{Json, quote};

impl Plan<'_, '_> {
    /// Removes the white space behind what the assistant is to go on with.
    pub(super) fn trim_last_words(&mut self) {
        if !self.insists_on(&TRAILING_SPACE) || self.wire.log || !is_request(self.conversation) {
            return;
        }
        let turns = self.turns();
        let last = turns.last().and_then(|turn| turn.members.last());
        let Some(slot) = last.map(|&slot| &self.slots[slot]) else { return };
        let Some(at) = slot.message else { return };
        let Some((index, part)) = trailing_space(&self.conversation.messages[at]) else { return };
        let stays = slot.items.iter().filter_map(Item::place).any(|place| place == (at, index));
        if let Some(body) = part.body.filter(|_| stays) {
            let text = body.text().unwrap_or_default();
            self.draft.set_value(at, body, quote(text.trim_end()));
            self.report(&TRAILING_SPACE, (at, index), "white space at the end removed");
        }
    }

    /// Takes the marks of the cache from the oldest messages, where there are too many; from the prompt last.
    pub(super) fn take_cache_controls(&mut self) {
        if !self.insists_on(&CACHE_CONTROL) || self.wire.log || self.wire.foreign {
            return;
        }
        let places = self.parts().into_iter().map(|(_, place)| place);
        let marks = places.flat_map(|at| cached(self.part(at)).map(move |it| (at, it)));
        let mut marks: Vec<_> = marks.collect();
        let count = marks.len() + cached_tools(self.conversation);
        marks.sort_by_key(|(place, _)| is_prompt(&self.conversation.messages[place.0]));
        for (place, block) in marks.into_iter().take(count.saturating_sub(CACHE_CONTROLS)) {
            self.draft.set_member(place.0, block, "cache_control", None);
            self.report(&CACHE_CONTROL, place, "cache_control removed");
        }
    }

    /// Puts U+FFFD in place of half a surrogate pair. Ids and names that hold one get new ones elsewhere; so
    /// does what other repairs write anew, before this one.
    pub(super) fn mend_surrogates(&mut self) {
        if !self.insists_on(&LONE_SURROGATE) || self.wire.log {
            return;
        }
        for (at, message) in self.conversation.messages.iter().enumerate() {
            if !message.is_sent() {
                continue;
            }
            let is_named = |string: Json<'_>| {
                let names = message.parts.iter().flat_map(|part| [part.call_id, part.name]);
                names.flatten().any(|name| name.is(string))
            };
            let strings = lone_surrogates(message.json);
            for (string, mended) in strings.into_iter().filter(|(string, _)| !is_named(*string)) {
                self.draft.set_value(at, string, mended);
                self.report_message(&LONE_SURROGATE, Some(at), "half a character became U+FFFD");
            }
        }
    }
}
