//! Turning a draft into edits of the source text.
//!
//! Responsible for finding the spans that the decisions are about. It relies on [`list::rewrite`] for what
//! stands between items. Text that moves keeps the edits made inside it; an edit inside a replaced span is
//! dropped.

mod broken;
mod members;
mod parts;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::{Draft, MemberChange, NewMessage, NewPart};
use crate::conversation::{Kind, List, Message};
use crate::dialect::{NewIds, Site};
use crate::document::{Document, Edit};
use crate::draft::list::{self, Separator};
use crate::json::Json;
use broken::join;
use members::{edit_members, member_spans};

impl<'a> Draft<'_, 'a> {
    /// The edits that carry the draft out.
    pub fn edits(&self, document: &Document<'a>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let gone = self.gone_units();
        let messages = 0..self.conversation.messages.len();
        let changed: Vec<usize> = messages.filter(|&at| self.is_changed(at)).collect();
        let stay = || changed.iter().filter(|&&at| !self.dropped[at]);
        for &at in stay() {
            self.edit_values(document, at, &mut edits);
        }
        // A moved message takes its inner edits along, even if it is dropped where it stood.
        let mut within = Vec::new();
        if self.moves_any() {
            for &at in &changed {
                self.edit_values(document, at, &mut within);
            }
        }
        let beside = self.beside.iter();
        edits.extend(
            beside.map(|(value, text)| Edit { span: document.span(*value), text: text.clone() }),
        );
        for (list, gone) in &self.items_beside {
            remove_items(document, *list, gone, &mut edits);
        }
        for changes in self.root_members.chunk_by(|one, next| one.object.is(next.object)) {
            edit_members(document, changes, &mut edits);
        }
        within.sort_by_key(|edit| (edit.span.start, edit.span.end));
        for &at in stay() {
            self.edit_message(document, at, &within, &mut edits);
        }
        for (&unit, changes) in self.units.iter().filter(|(unit, _)| !gone[**unit]) {
            let unit = document.span(self.unit(unit));
            edits.extend(changes.iter().map(|change| change.edit(document, &unit)));
        }
        for list in 0..self.conversation.source.lists.len() {
            self.edit_list(document, list, &gone, &within, &mut edits);
        }
        without_void(edits)
    }

    /// Whether any inserted message or part is taken from the source.
    fn moves_any(&self) -> bool {
        let parts = self.new_messages().flat_map(|(_, new)| &new.parts);
        let mut parts = parts.chain(self.new_parts.values().flatten());
        parts.any(|part| matches!(part, NewPart::Source(_)))
    }

    /// The units of a message as they will be written, without those that are dropped.
    pub fn written_units(&self, document: &Document<'a>, at: usize) -> Vec<(usize, String)> {
        let message = &self.conversation.messages[at];
        let emptied: Vec<usize> = self.emptied_units(at);
        let stays = |unit: &&usize| !self.dropped_units[**unit] && !emptied.contains(unit);
        let units = message.units.iter().filter(stays);
        if !self.is_changed(at) && units.clone().all(|unit| !self.units.contains_key(unit)) {
            return units.map(|&unit| (unit, self.unit(unit).source().to_owned())).collect();
        }
        let mut edits = Vec::new();
        self.edit_values(document, at, &mut edits);
        self.edit_message(document, at, &edits.clone(), &mut edits);
        let write = |&unit: &usize| {
            let span = document.span(self.unit(unit));
            let inside = |edit: &&Edit| span.start <= edit.span.start && edit.span.end <= span.end;
            let mut own: Vec<Edit> = edits.iter().filter(inside).cloned().collect();
            let changes = self.units.get(&unit).into_iter().flatten();
            own.extend(changes.map(|change| change.edit(document, &span)));
            let bytes = document.apply_within(span, &without_void(own));
            (unit, String::from_utf8_lossy(&bytes).into_owned())
        };
        units.map(write).collect()
    }

    /// Writes a new message, with the edits made inside the text that it takes from the source.
    pub fn with_edited<T>(
        &self,
        document: &Document<'a>,
        new: &NewMessage<'a>,
        write: impl FnOnce(&NewMessage<'_>) -> T,
    ) -> T {
        let mut within = Vec::new();
        for part in &new.parts {
            let NewPart::Source(source) = part else { continue };
            let source = Json::from_checked(source);
            let changed = self.conversation.messages.iter().enumerate();
            for (at, message) in changed.filter(|(at, _)| self.is_changed(*at)) {
                let units = message.units.iter().map(|&unit| self.unit(unit));
                if units.chain([message.json]).any(|json| json.holds(source)) {
                    self.edit_values(document, at, &mut within);
                }
            }
        }
        within.sort_by_key(|edit| (edit.span.start, edit.span.end));
        Self::write_edited(document, new, &within, write)
    }

    fn write_edited<T>(
        document: &Document<'a>,
        new: &NewMessage<'a>,
        within: &[Edit],
        write: impl FnOnce(&NewMessage<'_>) -> T,
    ) -> T {
        let moved: Vec<Cow<'_, str>> =
            new.parts.iter().map(|part| moved(document, part, within)).collect();
        let parts = new.parts.iter().zip(&moved).map(|(part, text)| part.with_source(text));
        write(&NewMessage { parts: parts.collect(), ..new.clone() })
    }

    /// For each unit, whether it goes: dropped itself, emptied, or with all of its messages dropped.
    pub fn gone_units(&self) -> Vec<bool> {
        let mut messages = vec![(0_usize, 0_usize); self.dropped_units.len()];
        for (message, dropped) in self.conversation.messages.iter().zip(&self.dropped) {
            for &unit in &message.units {
                messages[unit].0 += 1;
                messages[unit].1 += usize::from(*dropped);
            }
        }
        let all_dropped = messages.iter().map(|(all, dropped)| *all > 0 && all == dropped);
        let gone = all_dropped.zip(&self.dropped_units).map(|(gone, unit)| gone || *unit);
        let mut gone: Vec<bool> = gone.collect();
        let mut before = None;
        for at in self.parts.keys().map(|place| place.0) {
            if before.replace(at) != Some(at) {
                self.emptied_units(at).into_iter().for_each(|unit| gone[unit] = true);
            }
        }
        gone
    }

    /// The units of a kept message that lose all their parts, if it spans several units; a unit that gets new
    /// parts is not among them.
    fn emptied_units(&self, at: usize) -> Vec<usize> {
        let message = &self.conversation.messages[at];
        if message.units.len() < 2 || self.dropped[at] {
            return Vec::new();
        }
        let start = |json: Json<'_>| json.source().as_ptr();
        let mut units: Vec<usize> = message.units.iter().copied().collect();
        units.sort_by_key(|&unit| start(self.unit(unit)));
        let mut stays = vec![None; units.len()];
        for (index, part) in message.parts.iter().enumerate() {
            let behind = units.partition_point(|&unit| start(self.unit(unit)) <= start(part.json));
            let holder = behind.checked_sub(1).filter(|&it| self.unit(units[it]).holds(part.json));
            if let Some(holder) = holder {
                *stays[holder].get_or_insert(false) |= !self.is_removed((at, index));
            }
        }
        let gets_new = |unit: usize| {
            let is_place = message.content.is_some_and(|it| self.unit(unit).holds(it));
            is_place && self.new_parts(at).next().is_some()
        };
        let emptied = units.into_iter().zip(stays).filter(|(_, stays)| *stays == Some(false));
        emptied.map(|(unit, _)| unit).filter(|&unit| !gets_new(unit)).collect()
    }

    fn edit_list(
        &self,
        document: &Document<'a>,
        list: usize,
        gone: &[bool],
        within: &[Edit],
        edits: &mut Vec<Edit>,
    ) {
        let source = &self.conversation.source;
        let indices: Vec<usize> =
            (0..source.units.len()).filter(|&unit| source.units[unit].list == list).collect();
        let position = |unit: usize| indices.binary_search(&unit).ok();
        let mut inserts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let ids = NewIds::default();
        for (at, new) in self.new_messages() {
            let point = self.insertion_point(at, &position, (list, gone));
            let Some(index) = point else { continue };
            let kept = |unit: &&usize| !gone[**unit];
            let unit_json = |unit: &usize| source.units[*unit].json;
            let site = Site {
                source,
                list: source.lists[list],
                before: indices[..index].iter().rev().find(kept).map(unit_json),
                after: indices[index..].iter().find(kept).map(unit_json),
                ids: &ids,
            };
            let write = |new: &NewMessage<'_>| self.conversation.dialect.write_message(new, &site);
            let written = Self::write_edited(document, new, within, write);
            inserts.entry(index).or_default().extend(written);
        }
        for (&unit, new) in &self.new_units {
            let is_last = unit >= source.units.len();
            let index = if is_last { Some(indices.len()) } else { position(unit) };
            if let Some(index) = index.filter(|_| !is_last || list == 0) {
                inserts.entry(index).or_default().extend(new.iter().cloned());
            }
        }
        if inserts.is_empty()
            && indices.iter().all(|&unit| !gone[unit])
            && self.broken_stay.is_none()
        {
            return;
        }
        let mut spans: Vec<Range<usize>> = match source.lists[list] {
            List::Members(object) => member_spans(document, object),
            _ => indices.iter().map(|&unit| document.span(source.units[unit].json)).collect(),
        };
        let mut keep: Vec<bool> = indices.iter().map(|&unit| !gone[unit]).collect();
        let is_log = self.conversation.dialect.is_log();
        if is_log && matches!(source.lists[list], List::Stream) && !document.broken().is_empty() {
            let stays = |line: &Range<usize>| {
                self.broken_stay.as_ref().is_none_or(|here| here.contains(&line.start))
            };
            let broken = document.broken().iter().map(|line| (line.clone(), stays(line)));
            join(broken.collect(), &mut spans, &mut keep, &mut inserts);
        }
        let keep = |item: usize| keep[item];
        // A single object stands in place of an array: it has to become one.
        let alone = match source.lists[list] {
            List::Array(list) if !list.is_array() => Some(document.span(list)),
            _ => None,
        };
        let bracket = |at: usize, text: &str| Edit { span: at..at, text: text.to_owned() };
        edits.extend(alone.as_ref().map(|span| bracket(span.start, "[")));
        let (separator, empty) = match source.lists[list] {
            List::Stream => (Separator::Line(document.newline()), document.bytes().len()),
            List::Array(list) | List::Members(list) => {
                (Separator::Comma, document.span(list).start + 1)
            }
        };
        edits.extend(list::rewrite(document.bytes(), &separator, &spans, empty, keep, &inserts));
        edits.extend(alone.map(|span| bracket(span.end, "]")));
    }

    /// The position in `list` at which a message inserted before message `at` goes; `None` if it goes into
    /// another list.
    fn insertion_point(
        &self,
        at: usize,
        position: &impl Fn(usize) -> Option<usize>,
        (list, gone): (usize, &[bool]),
    ) -> Option<usize> {
        let source = &self.conversation.source;
        let messages = &self.conversation.messages;
        let list_of = |unit: usize| source.units[unit].list;
        let units =
            || messages[..at].iter().rev().flat_map(|message| message.units.iter().copied());
        // A dropped answer leaves no place in the list that held it.
        let newest = units().find(|unit| !gone[*unit]).or_else(|| units().next());
        let behind = messages[at..].iter().find_map(|message| message.units.first()).copied();
        // At the end of a list, continue it: the next list holds the model's answer.
        let goes_on = |unit: &usize| newest.is_none_or(|newest| list_of(newest) == list_of(*unit));
        if let Some(unit) = behind.filter(goes_on) {
            return (list_of(unit) == list).then(|| position(unit).unwrap_or(0));
        }
        // At the end of the conversation: behind the last unit of the list that holds the last message, which
        // may stand before units that are read earlier; else at the end of the last list.
        let Some(newest) = newest else {
            return (list + 1 == source.lists.len()).then_some(0);
        };
        let is_of_list = |unit: &usize| list_of(*unit) == list;
        let behind = units().filter(is_of_list).max().filter(|_| is_of_list(&newest));
        behind.map(|unit| position(unit).unwrap_or(0) + 1)
    }

    /// The edits of single values: texts and members.
    fn edit_values(&self, document: &Document<'a>, at: usize, edits: &mut Vec<Edit>) {
        let message = &self.conversation.messages[at];
        // If parts are inserted into a content that is no list, the content is rewritten as one elsewhere.
        let is_list_to_be = |value: &str| {
            let content = message.content.filter(|content| !content.is_array());
            content.is_some_and(|content| std::ptr::eq(content.source(), value))
                && self.new_parts(at).next().is_some()
        };
        let values = self.values.get(&at).into_iter().flat_map(BTreeMap::values);
        for (value, source) in values.filter(|(value, _)| !is_list_to_be(value)) {
            let span = document.span_of(value);
            edits.extend(span.map(|span| Edit { span, text: source.clone() }));
        }
        for (index, part) in message.parts.iter().enumerate() {
            let Some(text) = self.new_text((at, index)) else { continue };
            let is_cleared = self.is_cleared((at, index));
            edits.push(self.retext(document, part, text, is_cleared));
            if let Some(list) = self.conversation.dialect.attached(part).filter(|_| is_cleared) {
                edits.push(Edit { span: document.span(list), text: "[]".to_owned() });
            }
        }
        for (list, gone) in self.items.get(&at).into_iter().flatten() {
            remove_items(document, *list, gone, edits);
        }
        let mut changes = self.members.get(&at).cloned().unwrap_or_default();
        changes.extend(self.emptied_calls(at, message));
        changes.extend(self.removed_call(at, message));
        changes.sort_by_key(|change| change.object.source().as_ptr().addr());
        for of_object in changes.chunk_by(|one, next| one.object.is(next.object)) {
            edit_members(document, of_object, edits);
        }
    }

    /// Removes the `tool_calls` list together with its last call, because providers refuse an empty list.
    fn emptied_calls(&self, at: usize, message: &Message<'a>) -> Option<MemberChange<'a>> {
        let key = "tool_calls";
        let list = message.json.member(key)?;
        let mut items = (0..message.parts.len())
            .filter(|&index| message.parts[index].list.is_some_and(|of| of.is(list)))
            .peekable();
        let is_emptied = items.peek().is_some() && items.all(|index| self.is_removed((at, index)));
        is_emptied.then_some(MemberChange { object: message.json, key, value: None })
    }

    /// Removes a legacy `function_call`, which stands in no list.
    fn removed_call(&self, at: usize, message: &Message<'a>) -> Option<MemberChange<'a>> {
        let key = "function_call";
        let mut parts = message.parts.iter().enumerate();
        let (_, call) = parts.find(|(index, part)| {
            part.kind == Kind::ToolCall && part.list.is_none() && self.is_removed((at, *index))
        })?;
        let objects = [Some(message.json), message.json.member("additional_kwargs")];
        let is_there = |object: &Json<'a>| object.member(key).is_some_and(|it| it.is(call.json));
        let object = objects.into_iter().flatten().find(is_there)?;
        Some(MemberChange { object, key, value: None })
    }
}

impl NewPart<'_> {
    /// This part, with `text` in place of what it takes from the source.
    fn with_source<'t>(&'t self, text: &'t str) -> NewPart<'t> {
        match self {
            NewPart::Source(_) => NewPart::Source(text),
            other => other.clone(),
        }
    }
}

/// Removes the items of a list that have the indices in `gone`, in ascending order.
fn remove_items(document: &Document<'_>, list: Json<'_>, gone: &[usize], edits: &mut Vec<Edit>) {
    let spans: Vec<_> = list.items().map(|item| document.span(item)).collect();
    let keep = |item: usize| gone.binary_search(&item).is_err();
    let (start, none) = (document.span(list).start + 1, BTreeMap::new());
    edits.extend(list::rewrite(document.bytes(), &Separator::Comma, &spans, start, keep, &none));
}

/// The text that a part takes from the source, with the edits made inside it.
fn moved<'a>(document: &Document<'a>, part: &NewPart<'a>, within: &[Edit]) -> Cow<'a, str> {
    let NewPart::Source(source) = *part else { return Cow::Borrowed("") };
    let Some(span) = document.span_of(source) else { return Cow::Borrowed(source) };
    let from = within.partition_point(|edit| edit.span.start < span.start);
    let inside = within[from..].iter().take_while(|edit| edit.span.end <= span.end);
    let inside: Vec<Edit> = inside.cloned().collect();
    if inside.is_empty() {
        return Cow::Borrowed(source);
    }
    let text = document.apply_within(span, &without_void(inside));
    String::from_utf8(text).map_or(Cow::Borrowed(source), Cow::Owned)
}

/// The edits in order, without those inside a span that another edit replaces; insertions at its start stay.
fn without_void(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| {
        let Range { start, end } = edit.span;
        (start, start != end, std::cmp::Reverse(end))
    });
    let mut end = 0;
    edits.retain(|edit| {
        let stands = edit.span.start >= end;
        end = end.max(edit.span.end);
        stands
    });
    edits
}
