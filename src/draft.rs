//! What is to become of a conversation: which messages go, which texts change, what is put in.
//!
//! Responsible for turning such decisions into edits of the source. Operations speak of messages
//! and parts; only here and in the dialects are they spans. It relies on [`list::rewrite`] for what
//! stands between items. A draft in which nothing was decided gives no edits.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::conversation::{Conversation, Kind, List, Message, Part, Role};
use crate::dialect::Site;
use crate::document::{Document, Edit};
use crate::json::{Json, quote};
use crate::list::{self, Separator};
use crate::pairing::Place;

/// A message that we write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<NewPart<'a>>,
    /// Whether this is the summary of what stood before, which session logs mark.
    pub is_summary: bool,
}

impl NewMessage<'_> {
    /// A message of one text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        let parts = vec![NewPart::Text(Cow::Owned(text.into()))];
        Self { role, parts, is_summary: false }
    }
}

/// A part that we write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewPart<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// The answer to a call.
    Result {
        /// The id of the call; empty where the dialect has none.
        call_id: Cow<'a, str>,
        /// The name of the tool.
        name: Cow<'a, str>,
        /// What the tool said.
        text: Cow<'a, str>,
    },
    /// A part or unit that stands elsewhere in the source, as it is written.
    Source(&'a str),
}

/// What becomes of one part.
#[derive(Clone, Debug)]
enum Change {
    Text(String),
    Removed,
}

/// Decisions over the messages and parts of one conversation.
pub struct Draft<'c, 'a> {
    conversation: &'c Conversation<'a>,
    dropped: Vec<bool>,
    dropped_units: Vec<bool>,
    parts: BTreeMap<Place, Change>,
    new_parts: BTreeMap<Place, Vec<NewPart<'a>>>,
    new_messages: BTreeMap<usize, Vec<NewMessage<'a>>>,
    values: BTreeMap<usize, Vec<(Json<'a>, String)>>,
    units: BTreeMap<usize, Vec<UnitChange<'a>>>,
    new_units: BTreeMap<usize, Vec<String>>,
}

/// What becomes of a value in a unit, whether the unit is a message or not.
#[derive(Clone, Debug)]
enum UnitChange<'a> {
    Value(Json<'a>, String),
    Removed { key: Json<'a>, value: Json<'a> },
}

impl<'c, 'a> Draft<'c, 'a> {
    /// A draft that keeps everything.
    pub fn new(conversation: &'c Conversation<'a>) -> Self {
        Self {
            conversation,
            dropped: vec![false; conversation.messages.len()],
            dropped_units: vec![false; conversation.source.units.len()],
            parts: BTreeMap::new(),
            new_parts: BTreeMap::new(),
            new_messages: BTreeMap::new(),
            values: BTreeMap::new(),
            units: BTreeMap::new(),
            new_units: BTreeMap::new(),
        }
    }

    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        !self.dropped.contains(&true)
            && !self.dropped_units.contains(&true)
            && self.parts.is_empty()
            && self.new_parts.is_empty()
            && self.new_messages.is_empty()
            && self.values.is_empty()
            && self.units.is_empty()
            && self.new_units.is_empty()
    }

    /// The conversation as it was.
    pub fn conversation(&self) -> &'c Conversation<'a> {
        self.conversation
    }

    /// Drops a message.
    pub fn drop_message(&mut self, message: usize) {
        self.dropped[message] = true;
    }

    /// Keeps a message after all.
    pub fn keep_message(&mut self, message: usize) {
        self.dropped[message] = false;
    }

    /// Drops a unit that is no message: a line of a log that has no place any more.
    pub fn drop_unit(&mut self, unit: usize) {
        self.dropped_units[unit] = true;
    }

    /// Whether the message goes.
    pub fn is_dropped(&self, message: usize) -> bool {
        self.dropped[message]
    }

    /// Lets a text, or the text of a result, say something else.
    pub fn set_text(&mut self, place: Place, text: impl Into<String>) {
        self.parts.insert(place, Change::Text(text.into()));
    }

    /// Removes a part.
    pub fn remove_part(&mut self, place: Place) {
        self.parts.insert(place, Change::Removed);
    }

    /// Whether the part goes, alone or with its message.
    pub fn is_removed(&self, place: Place) -> bool {
        self.dropped[place.0] || matches!(self.parts.get(&place), Some(Change::Removed))
    }

    /// What the part says now, if that was changed.
    pub fn new_text(&self, place: Place) -> Option<&str> {
        match self.parts.get(&place) {
            Some(Change::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Puts a message before message `at`; at the number of messages: at the end.
    pub fn insert_message(&mut self, at: usize, message: NewMessage<'a>) {
        self.new_messages.entry(at).or_default().push(message);
    }

    /// Takes back the messages put before message `at`.
    pub fn take_inserted(&mut self, at: usize) -> Vec<NewMessage<'a>> {
        self.new_messages.remove(&at).unwrap_or_default()
    }

    /// Puts a part before the part at `place`; at the number of parts: at the end of the message.
    pub fn insert_part(&mut self, place: Place, part: NewPart<'a>) {
        self.new_parts.entry(place).or_default().push(part);
    }

    /// Replaces a value inside a message by another one, given as JSON.
    pub fn set_value(&mut self, message: usize, value: Json<'a>, source: impl Into<String>) {
        self.values.entry(message).or_default().push((value, source.into()));
    }

    /// Replaces a value anywhere in a unit by another one, given as JSON.
    pub fn set_unit_value(&mut self, unit: usize, value: Json<'a>, source: impl Into<String>) {
        self.units.entry(unit).or_default().push(UnitChange::Value(value, source.into()));
    }

    /// Removes the member `key` of a unit, if it has it.
    pub fn remove_unit_member(&mut self, unit: usize, key: &str) {
        let json = self.conversation.source.units[unit].json;
        if let Some((key, value)) = json.members().find(|(name, _)| name.is(key)) {
            let change = UnitChange::Removed { key: key.json(), value };
            self.units.entry(unit).or_default().push(change);
        }
    }

    /// Puts a unit, as it is to be written, before unit `at`; at the number of units: at the end.
    pub fn insert_unit(&mut self, at: usize, source: impl Into<String>) {
        self.new_units.entry(at).or_default().push(source.into());
    }

    /// Takes back all messages that were put in, with the index of the message they stand before.
    pub fn take_new_messages(&mut self) -> Vec<(usize, NewMessage<'a>)> {
        let all = std::mem::take(&mut self.new_messages);
        all.into_iter().flat_map(|(at, new)| new.into_iter().map(move |new| (at, new))).collect()
    }

    /// Whether the message was changed or dropped.
    pub fn is_touched(&self, message: usize) -> bool {
        self.dropped[message] || self.is_changed(message)
    }

    /// Whether the message stays, with something changed in it.
    pub fn is_changed(&self, message: usize) -> bool {
        self.parts.range((message, 0)..(message + 1, 0)).next().is_some()
            || self.new_parts.range((message, 0)..(message + 1, 0)).next().is_some()
            || self.values.contains_key(&message)
    }

    /// The messages put in, with the index of the message they stand before.
    pub fn new_messages(&self) -> impl Iterator<Item = (usize, &NewMessage<'a>)> {
        self.new_messages.iter().flat_map(|(at, all)| all.iter().map(move |new| (*at, new)))
    }

    /// The parts put into a message.
    pub fn new_parts(&self, message: usize) -> impl Iterator<Item = &NewPart<'a>> {
        self.new_parts.range((message, 0)..(message + 1, 0)).flat_map(|(_, parts)| parts)
    }

    /// The edits that make the draft true.
    pub fn edits(&self, document: &Document<'a>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let gone = self.gone_units();
        for (at, message) in self.conversation.messages.iter().enumerate() {
            if !self.dropped[at] {
                self.edit_message(document, at, message, &mut edits);
            }
        }
        for (&unit, changes) in self.units.iter().filter(|(unit, _)| !gone[**unit]) {
            let within = document.span(self.conversation.source.units[unit].json);
            edits.extend(changes.iter().map(|change| change.edit(document, &within)));
        }
        for list in 0..self.conversation.source.lists.len() {
            self.edit_list(document, list, &gone, &mut edits);
        }
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits
    }

    /// Which units go: those whose messages all go, and those dropped by themselves.
    pub fn gone_units(&self) -> Vec<bool> {
        let mut messages = vec![(0_usize, 0_usize); self.dropped_units.len()];
        for (message, dropped) in self.conversation.messages.iter().zip(&self.dropped) {
            for &unit in &message.units {
                messages[unit].0 += 1;
                messages[unit].1 += usize::from(*dropped);
            }
        }
        let all_dropped = messages.iter().map(|(all, dropped)| *all > 0 && all == dropped);
        all_dropped.zip(&self.dropped_units).map(|(gone, unit)| gone || *unit).collect()
    }

    fn edit_list(
        &self,
        document: &Document<'a>,
        list: usize,
        gone: &[bool],
        edits: &mut Vec<Edit>,
    ) {
        let source = &self.conversation.source;
        let indices: Vec<usize> =
            (0..source.units.len()).filter(|&unit| source.units[unit].list == list).collect();
        let position = |unit: usize| indices.binary_search(&unit).ok();
        let mut inserts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (at, new) in self.new_messages() {
            let Some((target, index)) = self.insertion_point(at, &position, list) else { continue };
            if target != list {
                continue;
            }
            let kept = |unit: &&usize| !gone[**unit];
            let unit_json = |unit: &usize| source.units[*unit].json;
            let site = Site {
                conversation: self.conversation,
                list: source.lists[list],
                before: indices[..index].iter().rev().find(kept).map(unit_json),
                after: indices[index..].iter().find(kept).map(unit_json),
            };
            let written = self.conversation.dialect.write_message(new, &site);
            inserts.entry(index).or_default().extend(written);
        }
        for (&unit, new) in &self.new_units {
            let index =
                if unit < source.units.len() { position(unit) } else { Some(indices.len()) };
            if let Some(index) = index.filter(|_| unit < source.units.len() || list == 0) {
                inserts.entry(index).or_default().extend(new.iter().cloned());
            }
        }
        let keep = |item: usize| !gone[indices[item]];
        if inserts.is_empty() && indices.iter().all(|&unit| !gone[unit]) {
            return;
        }
        let spans: Vec<Range<usize>> =
            indices.iter().map(|&unit| document.span(source.units[unit].json)).collect();
        let (separator, empty) = match source.lists[list] {
            List::Stream => (Separator::Line(document.newline()), document.bytes().len()),
            List::Array(array) => (Separator::Comma, document.span(array).start + 1),
        };
        edits.extend(list::rewrite(document.bytes(), &separator, &spans, empty, keep, &inserts));
    }

    /// The list and the position in it where a message before message `at` goes.
    fn insertion_point(
        &self,
        at: usize,
        position: &impl Fn(usize) -> Option<usize>,
        list: usize,
    ) -> Option<(usize, usize)> {
        let source = &self.conversation.source;
        let messages = &self.conversation.messages;
        let behind = messages[at..].iter().find_map(|message| message.units.first());
        if let Some(&unit) = behind {
            return (source.units[unit].list == list).then(|| (list, position(unit).unwrap_or(0)));
        }
        // At the end: behind the last message's unit, else at the end of the last list.
        let before = messages[..at].iter().rev().find_map(|message| message.units.last());
        match before {
            Some(&unit) if source.units[unit].list == list => {
                Some((list, position(unit).unwrap_or(0) + 1))
            }
            Some(_) => None,
            None => Some((source.lists.len().checked_sub(1)?, 0)),
        }
    }

    fn edit_message(
        &self,
        document: &Document<'a>,
        at: usize,
        message: &Message<'a>,
        edits: &mut Vec<Edit>,
    ) {
        if !self.is_changed(at) {
            return;
        }
        for (value, source) in self.values.get(&at).into_iter().flatten() {
            edits.push(Edit { span: document.span(*value), text: source.clone() });
        }
        for (index, part) in message.parts.iter().enumerate() {
            if let Some(Change::Text(text)) = self.parts.get(&(at, index)) {
                edits.push(self.retext(document, part, text));
            }
        }
        let mut lists: Vec<Json<'a>> = Vec::new();
        for part in &message.parts {
            if let Some(list) = part.list.filter(|list| !lists.iter().any(|own| own.is(*list))) {
                lists.push(list);
            }
        }
        let has_new = self.new_parts(at).next().is_some();
        let without_parts = |content: &Json<'a>| !lists.iter().any(|list| list.is(*content));
        if let Some(content) = message.content.filter(|content| has_new && without_parts(content)) {
            if !content.is_array() {
                edits.push(self.content_with_new_parts(document, at, message, content));
                return;
            }
            lists.push(content);
        }
        for list in lists {
            self.edit_parts(document, at, message, list, edits);
        }
    }

    fn retext(&self, document: &Document<'a>, part: &Part<'a>, text: &str) -> Edit {
        let dialect = self.conversation.dialect;
        // What an agent shows in place of a result stands nowhere in the document.
        let body = match part.body {
            Some(body) if !document.holds(body) => part.json.member("content"),
            body => body,
        };
        match (part.kind, body) {
            (Kind::ToolResult, Some(body)) => {
                Edit { span: document.span(body), text: dialect.write_result(part, text) }
            }
            (_, Some(body)) => Edit { span: document.span(body), text: quote(text) },
            (_, None) => {
                // A result without any body: the member is put at the end of its object.
                let end = document.span(part.json).end - 1;
                Edit { span: end..end, text: format!(",\"content\":{}", quote(text)) }
            }
        }
    }

    /// A content that was one string becomes an array, with the new parts around it.
    fn content_with_new_parts(
        &self,
        document: &Document<'a>,
        at: usize,
        message: &Message<'a>,
        content: Json<'a>,
    ) -> Edit {
        let dialect = self.conversation.dialect;
        let own = message.parts.iter().position(|part| part.json.is(content));
        let mut items = Vec::new();
        for index in 0..=message.parts.len() {
            let new = self.new_parts.get(&(at, index)).into_iter().flatten();
            items.extend(new.map(|part| dialect.write_part(part, message.role)));
            if own == Some(index) && !self.is_removed((at, index)) {
                let text = match self.new_text((at, index)) {
                    Some(text) => text.to_owned(),
                    None => message.parts[index].text().into_owned(),
                };
                items.push(dialect.write_part(&NewPart::Text(text.into()), message.role));
            }
        }
        Edit { span: document.span(content), text: format!("[{}]", items.join(",")) }
    }

    fn edit_parts(
        &self,
        document: &Document<'a>,
        at: usize,
        message: &Message<'a>,
        list: Json<'a>,
        edits: &mut Vec<Edit>,
    ) {
        let indices: Vec<usize> = (0..message.parts.len())
            .filter(|&index| message.parts[index].list.is_some_and(|own| own.is(list)))
            .collect();
        let mut inserts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        if message.content.is_some_and(|content| content.is(list)) {
            for (&(_, before), new) in self.new_parts.range((at, 0)..(at + 1, 0)) {
                let position = indices.iter().position(|&index| index >= before);
                let written =
                    new.iter().map(|part| self.conversation.dialect.write_part(part, message.role));
                inserts.entry(position.unwrap_or(indices.len())).or_default().extend(written);
            }
        }
        let keep = |item: usize| !self.is_removed((at, indices[item]));
        if inserts.is_empty() && (0..indices.len()).all(keep) {
            return;
        }
        let spans: Vec<Range<usize>> =
            indices.iter().map(|&index| document.span(message.parts[index].json)).collect();
        let empty = document.span(list).start + 1;
        let bytes = document.bytes();
        edits.extend(list::rewrite(bytes, &Separator::Comma, &spans, empty, keep, &inserts));
    }
}

impl UnitChange<'_> {
    fn edit(&self, document: &Document<'_>, unit: &Range<usize>) -> Edit {
        match self {
            Self::Value(value, source) => {
                Edit { span: document.span(*value), text: source.clone() }
            }
            Self::Removed { key, value } => {
                let (start, end) = (document.span(*key).start, document.span(*value).end);
                let bytes = document.bytes();
                let blank = |bytes: &mut dyn Iterator<Item = &u8>| {
                    bytes.take_while(|byte| byte.is_ascii_whitespace()).count()
                };
                let behind = end + blank(&mut bytes[end..unit.end].iter());
                // With the comma behind it, or else with the one before.
                let span = if bytes[behind] == b',' {
                    start..behind + 1 + blank(&mut bytes[behind + 1..unit.end].iter())
                } else {
                    let before = start - blank(&mut bytes[unit.start..start].iter().rev());
                    before - usize::from(bytes[before - 1] == b',')..end
                };
                Edit { span, text: String::new() }
            }
        }
    }
}
