//! Repairs of spelling, independent of content: half characters, white space at the end, cache marks.

use std::collections::HashSet;

use super::plan::{Item, Plan};
use crate::check::table::{CACHE_CONTROL, LONE_SURROGATE, TRAILING_SPACE};
use crate::conversation::Place;
use crate::demands::bedrock::has_blocks;
use crate::demands::cache::{CACHE_CONTROLS, cached, cached_tools, hour, is_cached_thinking};
use crate::demands::content::is_prompt;
use crate::demands::order::trailing_space;
use crate::demands::surrogates::{Half, lone_surrogates, without_halves};
use crate::json::{Json, quote};
use crate::wire::is_request;

/// The report of a mended half character.
const MENDED: &str = "half a character became U+FFFD";

/// A block with a `cache_control`, and its place; a tool has none.
type Mark<'a> = (Option<Place>, Json<'a>);

impl<'a> Plan<'_, 'a> {
    /// Removes white space at the end of a text that the assistant is to continue.
    pub(super) fn trim_last_words(&mut self) {
        if !self.insists_on(&TRAILING_SPACE) || self.wire.log || !is_request(self.conversation) {
            return;
        }
        let turns = self.turns();
        let last = turns.last().and_then(|turn| turn.members.last());
        let Some(slot) = last.map(|&slot| &self.slots[slot]) else { return };
        let Some(place) = slot.items.last().and_then(Item::place) else { return };
        let part = self.part(place);
        if let (Some(text), Some(body)) = (trailing_space(slot.role, part), part.body) {
            self.draft.set_value(place.0, body, quote(text.trim_end()));
            self.report(&TRAILING_SPACE, place, "white space at the end removed");
        }
    }

    /// Removes cache marks from thinking and, if there are too many, from the oldest messages, then from the
    /// tools, and from the prompt last.
    pub(super) fn take_cache_controls(&mut self) {
        if !self.insists_on(&CACHE_CONTROL) || !self.wire.is_sent_as_it_is() {
            return;
        }
        if has_blocks(self.conversation, self.provider) {
            return;
        }
        let (key, text) = ("cache_control", "cache_control removed");
        let places: Vec<Place> = self.parts().into_iter().map(|(_, place)| place).collect();
        for &place in &places {
            let part = self.part(place);
            if is_cached_thinking(part) {
                self.draft.set_member(place.0, part.json, key, None);
                self.report(&CACHE_CONTROL, place, "cache_control removed from thinking");
            }
        }
        let marks = places.iter().flat_map(|&at| cached(self.part(at)).map(move |it| (at, it)));
        let in_messages = |(place, block)| (Some(place), block);
        let (prompt, said): (Vec<_>, Vec<_>) =
            marks.partition(|((at, _), _)| is_prompt(&self.conversation.messages[*at]));
        let [prompt, said] =
            [prompt, said].map(|marks| marks.into_iter().map(in_messages).collect::<Vec<_>>());
        let tools = cached_tools(self.conversation).map(|tool| (None, tool));
        let tools: Vec<_> = tools.collect();
        let over = (prompt.len() + tools.len() + said.len()).saturating_sub(CACHE_CONTROLS);
        let order: Vec<_> = said.iter().chain(&tools).chain(&prompt).copied().collect();
        // If any goes, few stay.
        let (gone, kept) = order.split_at(over);
        for &(place, block) in gone {
            if let Some(place) = place {
                self.draft.set_member(place.0, block, key, None);
                self.report(&CACHE_CONTROL, place, text);
            } else {
                self.draft.remove_beside(block, key);
                self.report_tools(&CACHE_CONTROL, block, text);
            }
        }
        let stays = |(_, block): &&Mark<'a>| kept.iter().any(|(_, it)| it.is(*block));
        let read = tools.iter().chain(&prompt).chain(&said).filter(stays).copied();
        self.shorten_caches(&read.collect::<Vec<_>>());
    }

    /// Lets the caches of `marks`, in the order in which they are read, last five minutes behind one that does.
    fn shorten_caches(&mut self, marks: &[Mark<'a>]) {
        let text = "cache lasts five minutes now, as one before it does";
        let short = marks.iter().skip_while(|(_, block)| hour(*block).is_some());
        for (place, lifetime) in short.filter_map(|(place, it)| Some((*place, hour(*it)?))) {
            if let Some(place) = place {
                self.draft.set_value(place.0, lifetime, quote("5m"));
                self.report_kept(&CACHE_CONTROL, place, text);
            } else {
                self.draft.set_beside(lifetime, quote("5m"));
                self.report_tools(&CACHE_CONTROL, lifetime, text);
            }
        }
    }

    /// Replaces half a surrogate pair by U+FFFD in everything that stays. Ids and names that hold one get new
    /// ones elsewhere.
    pub(super) fn mend_surrogates(&mut self) {
        if !self.insists_on(&LONE_SURROGATE) || self.wire.log {
            return;
        }
        let stays: HashSet<Place> = self.parts().into_iter().map(|(_, place)| place).collect();
        for (at, message) in self.conversation.messages.iter().enumerate() {
            let moved = (0..message.parts.len()).filter(|&part| stays.contains(&(at, part)));
            let strings = if message.is_sent() {
                lone_surrogates(message.json)
            } else {
                moved.flat_map(|part| lone_surrogates(message.parts[part].json)).collect()
            };
            if strings.is_empty() {
                continue;
            }
            // Text that other repairs took from the source.
            self.draft.revise_values(at, without_halves);
            let mut spared: HashSet<*const u8> = HashSet::new();
            for (index, part) in message.parts.iter().enumerate() {
                let names = [part.call_id, part.name].into_iter().flatten();
                spared.extend(names.map(|name| name.source().as_ptr()));
                if !stays.contains(&(at, index)) {
                    let gone = lone_surrogates(part.json).into_iter();
                    spared.extend(gone.map(|half| half.string.source().as_ptr()));
                }
            }
            for Half { string, mended, .. } in strings {
                if !spared.contains(&string.source().as_ptr()) {
                    if !self.draft.is_replaced(at, string) {
                        self.draft.set_value(at, string, mended);
                    }
                    self.report_message(&LONE_SURROGATE, Some(at), MENDED);
                }
            }
        }
        for Half { string, mended, .. } in
            self.conversation.tools.map_or_else(Vec::new, lone_surrogates)
        {
            self.draft.set_beside(string, mended);
            self.report_tools(&LONE_SURROGATE, string, MENDED);
        }
    }
}
