//! Repairs of Bedrock's blocks: one name each, no document alone, few cache points.

use std::collections::HashSet;

use super::plan::{Item, Plan};
use crate::check::table::{CACHE_CONTROL, EMPTY_ARRAY, EMPTY_MESSAGE, PART_TYPE, TOOLS_MISSING};
use crate::conversation::{Kind, Part, Place};
use crate::demands::bedrock::{
    beside_name, empty_tools, has_blocks, has_words, is_document, named, strange_status,
};
use crate::demands::cache::{CACHE_CONTROLS, has_cache_point};
use crate::demands::content::is_prompt;
use crate::draft::NewPart;
use crate::json::{Json, quote};
use crate::span::span_in;
use crate::wire::is_request;

/// The text put beside a document that stands alone.
const DOCUMENT: &str = "(a document)";

/// Members beside the name of a block that carry no content.
const MARKS: &[&str] = &["type", "cache_control"];

impl<'a> Plan<'_, 'a> {
    fn mends_blocks(&self) -> bool {
        has_blocks(self.conversation, self.provider)
    }

    /// Moves text in the block of a result into a block behind it, before results are separated from text.
    pub(super) fn part_words_from_results(&mut self) {
        if !self.mends_blocks() || !self.insists_on(&PART_TYPE) {
            return;
        }
        for slot in 0..self.slots.len() {
            for at in (0..self.slots[slot].items.len()).rev() {
                let Some(place) = self.slots[slot].items[at].place() else { continue };
                let part = self.part(place);
                let text = part.json.str_member("text");
                let is_its = part.kind == Kind::ToolResult && has_words(part.json);
                if let Some(text) = text.filter(|_| is_its) {
                    self.slots[slot].items.insert(at + 1, Item::New(NewPart::Text(text)));
                }
            }
        }
    }

    /// Gives every block one name and no type, and every result a known status. Parts in `unmarked` also lose
    /// their cache point.
    pub(super) fn part_blocks(&mut self, unmarked: &HashSet<Place>) {
        if !self.mends_blocks() || !self.insists_on(&PART_TYPE) {
            return;
        }
        for (_, place) in self.parts() {
            let part = *self.part(place);
            if part.list.is_none() {
                continue;
            }
            if let Some((status, meant)) = strange_status(&part) {
                self.draft.set_value(place.0, status, quote(meant));
                self.report(&PART_TYPE, place, format!("status of a result is \"{meant}\" now"));
            }
            let names = named(part.json);
            if names.len() > 1 {
                let gone = names.iter().filter(|(name, value)| {
                    let is_mark = *name == "cachePoint" && unmarked.contains(&place);
                    is_mark || !stays(&part, name, *value)
                });
                let gone: Vec<_> = gone.copied().collect();
                self.part_block(place, &part, &gone);
                let count = names.len() - gone.len();
                let text = format!("block of {} names became {count} of one", names.len());
                let loses = gone.iter().any(|(name, value)| is_lost(name, *value));
                self.report(&PART_TYPE, place, text).loses = loses;
                continue;
            }
            let beside = beside_name(part.json);
            if !beside.is_empty() {
                self.part_block(place, &part, &[]);
                let keys: Vec<_> = beside.iter().map(|(key, _)| key.text()).collect();
                let text = format!("{} of a block removed", keys.join(" and "));
                let loses = keys.iter().any(|key| !MARKS.contains(&key.as_ref()));
                self.report(&PART_TYPE, place, text).loses = loses;
            }
        }
    }

    /// Writes a block as one block for each name that is not in `gone`, without a type. Values stay as they
    /// are; only the text between them changes.
    fn part_block(&mut self, place: Place, part: &Part<'a>, gone: &[(&str, Json<'a>)]) {
        let block = part.json.source();
        // Behind the opening brace, and behind each member that stays.
        let mut end = 1;
        let mut is_first = true;
        let (mut is_named, mut is_changed) = (false, false);
        // A set, because there may be many members.
        let place_of = |json: Json<'a>| json.source().as_ptr();
        let names: HashSet<_> = named(part.json).iter().map(|(_, it)| place_of(*it)).collect();
        let beside = beside_name(part.json);
        let beside: HashSet<_> = beside.iter().map(|(_, it)| place_of(*it)).collect();
        let gone: HashSet<_> = gone.iter().map(|(_, it)| place_of(*it)).collect();
        for (key, value) in part.json.members() {
            let is_name = names.contains(&place_of(value));
            if beside.contains(&place_of(value)) || gone.contains(&place_of(value)) {
                is_changed = true;
                continue;
            }
            let start = span_in(block, key.json().source()).start;
            let between = match (is_first, is_name && is_named) {
                (true, _) => "",
                (false, true) => "}, {",
                (false, false) => ", ",
            };
            if is_changed || between == "}, {" {
                self.draft.set_between(place.0, &block[end..start], between);
            }
            end = span_in(block, value.source()).end;
            (is_first, is_changed, is_named) = (false, false, is_named || is_name);
            let is_no_text = is_name && key.is("text") && !value.is_string();
            if is_no_text && part.body.is_none_or(|body| !body.is(value)) {
                self.draft.set_value(place.0, value, quote(&value.compact()));
            }
        }
        if is_changed {
            self.draft.set_between(place.0, &block[end..block.len() - 1], "");
        }
    }

    /// Removes cache points behind thinking and, if there are too many, those of the oldest messages first,
    /// then of the tools, and of the prompt last. Returns the places of parts that lose theirs.
    pub(super) fn take_cache_points(&mut self) -> HashSet<Place> {
        let mut gone = HashSet::new();
        if !self.mends_blocks() || !self.insists_on(&CACHE_CONTROL) {
            return gone;
        }
        for slot in self.slots.iter().filter(|slot| slot.is_sent) {
            let mut follows_thinking = false;
            for place in slot.items.iter().filter_map(Item::place) {
                let part = self.part(place);
                if follows_thinking && leads_with_point(part) {
                    gone.insert(place);
                }
                let is_only_gone = gone.contains(&place) && part.is_cache_point();
                follows_thinking = is_only_gone || part.kind == Kind::Reasoning;
            }
        }
        let points = self.parts().into_iter().map(|(_, place)| place);
        let points = points.filter(|place| {
            let part = self.part(*place);
            has_cache_point(part.json) && !gone.contains(place)
        });
        let points: Vec<Place> = points.collect();
        let tools: Vec<Json<'a>> = self.conversation.tools.map_or_else(Vec::new, |tools| {
            tools.items().filter(|tool| has_cache_point(*tool)).collect()
        });
        let mut over = (points.len() + tools.len()).saturating_sub(CACHE_CONTROLS);
        let (prompt, said): (Vec<_>, Vec<_>) =
            points.into_iter().partition(|place| is_prompt(&self.conversation.messages[place.0]));
        gone.extend(said.iter().take(over));
        over = over.saturating_sub(said.len());
        self.take_points_of_tools(&tools[..over.min(tools.len())]);
        gone.extend(prompt.iter().take(over.saturating_sub(tools.len())));
        let mut places: Vec<Place> = gone.iter().copied().collect();
        places.sort_unstable();
        for place in places {
            self.report(&CACHE_CONTROL, place, "cache point removed");
        }
        let conversation = self.conversation;
        let is_gone = |place: Place| {
            let part = conversation.part(place);
            gone.contains(&place) && part.is_cache_point()
        };
        for slot in &mut self.slots {
            slot.items.retain(|item| !item.place().is_some_and(is_gone));
        }
        gone
    }

    /// The index behind an item of a slot and the cache points that follow it.
    pub(super) fn behind_marks(&self, slot: usize, item: usize) -> usize {
        let behind = self.slots[slot].items.iter().skip(item + 1);
        item + 1 + behind.take_while(|item| self.is_cache_point(item)).count()
    }

    fn take_points_of_tools(&mut self, points: &[Json<'a>]) {
        let Some(tools) = self.conversation.tools.filter(|_| !points.is_empty()) else { return };
        let is_gone = |tool: Json<'_>| points.iter().any(|point| point.is(tool));
        let left: Vec<_> = tools.items().filter(|tool| !is_gone(*tool)).map(Json::source).collect();
        self.draft.set_beside(tools, format!("[{}]", left.join(", ")));
        for point in points {
            self.report_tools(&CACHE_CONTROL, *point, "cache point removed");
        }
    }

    /// Adds a few words to documents that stand alone.
    pub(super) fn put_words_beside_documents(&mut self) {
        if !self.mends_blocks() || !self.insists_on(&EMPTY_MESSAGE) {
            return;
        }
        for slot in
            (0..self.slots.len()).filter(|slot| self.slots[*slot].is_sent).collect::<Vec<_>>()
        {
            let items = &self.slots[slot].items;
            let document =
                items.iter().filter_map(Item::place).find(|it| is_document(self.part(*it)));
            let speaks = items.iter().any(|item| match item {
                Item::New(part) => matches!(part, NewPart::Text(_)),
                item => item.place().is_some_and(|place| has_words(self.part(place).json)),
            });
            if let Some(document) = document.filter(|_| !speaks) {
                self.report(&EMPTY_MESSAGE, document, "words put beside a document");
                let words = Item::New(NewPart::Text(DOCUMENT.into()));
                self.slots[slot].items.insert(0, words);
            }
        }
    }

    /// Removes a configuration without tools, if no tool is called.
    pub(super) fn drop_empty_tools(&mut self) {
        if !self.mends_blocks() || !self.insists_on(&EMPTY_ARRAY) {
            return;
        }
        let is_call = |(_, place): &(usize, Place)| self.part(*place).kind == Kind::ToolCall;
        let is_defined = is_request(self.conversation)
            && self.insists_on(&TOOLS_MISSING)
            && self.parts().iter().any(is_call);
        if empty_tools(self.conversation).is_none() || is_defined {
            return;
        }
        if let Some(request) = self.conversation.source.request() {
            self.draft.remove_beside(request, "toolConfig");
            self.report_message(&EMPTY_ARRAY, None, "configuration of no tools removed");
        }
    }
}

/// Whether the first name of a block that stays is that of a cache point.
fn leads_with_point(part: &Part<'_>) -> bool {
    let names = named(part.json);
    let is_alone = names.len() == 1;
    let first = names.into_iter().find(|(name, value)| is_alone || stays(part, name, *value));
    first.is_some_and(|(name, _)| name == "cachePoint")
}

/// Whether a member stays, in a block of its own, in a block of several names.
fn stays(part: &Part<'_>, name: &str, value: Json<'_>) -> bool {
    match name {
        "toolUse" => part.kind == Kind::ToolCall,
        "toolResult" => part.kind == Kind::ToolResult,
        "reasoningContent" => part.kind == Kind::Reasoning,
        "cachePoint" => value.is_object() && part.kind != Kind::Reasoning,
        "text" if value.is_string() => part.kind != Kind::ToolResult && has_words(part.json),
        _ => part.kind != Kind::ToolResult,
    }
}

/// Whether removing a member loses content: a text is kept elsewhere, and a cache point has none.
fn is_lost(name: &str, value: Json<'_>) -> bool {
    name != "cachePoint" && !(name == "text" && value.is_string())
}
