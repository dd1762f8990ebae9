//! What is to become of a conversation: which messages are dropped, which texts change, what is inserted.
//!
//! Responsible for holding these decisions; `splice` turns them into edits of the source. Operations speak of
//! messages and parts; only `splice` and the dialects deal with spans. A draft without decisions gives no
//! edits.

pub(crate) mod list;
mod splice;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::conversation::{Conversation, Place};
use crate::json::Json;

pub use crate::message::{NewMessage, NewPart};

/// What becomes of one part.
#[derive(Clone, Debug)]
enum Change {
    Text(String),
    /// A new text for a result whose attachments are removed.
    Cleared(String),
    Removed,
}

/// Texts within a message, each with its replacement, by their address range in memory.
type Replaced<'a> = BTreeMap<(usize, usize), (&'a str, String)>;

/// A message of the drafted conversation.
pub(crate) enum Drafted<'a> {
    /// A message that stays, by its index.
    Kept(usize),
    /// A message that is put in.
    New(NewMessage<'a>),
}

/// Decisions over the messages and parts of one conversation.
#[derive(Clone)]
pub struct Draft<'c, 'a> {
    conversation: &'c Conversation<'a>,
    dropped: Vec<bool>,
    dropped_units: Vec<bool>,
    parts: BTreeMap<Place, Change>,
    new_parts: BTreeMap<Place, Vec<NewPart<'a>>>,
    new_messages: BTreeMap<usize, Vec<NewMessage<'a>>>,
    /// Replaced values, and replaced gaps between values, by message.
    values: BTreeMap<usize, Replaced<'a>>,
    members: BTreeMap<usize, Vec<MemberChange<'a>>>,
    /// Lists inside messages, each with the indices of the items to remove.
    items: BTreeMap<usize, Vec<(Json<'a>, Vec<usize>)>>,
    root_members: Vec<MemberChange<'a>>,
    /// Values beside the messages, each with its replacement.
    beside: Vec<(Json<'a>, String)>,
    /// Lists beside the messages, each with the indices of the items to remove.
    items_beside: Vec<(Json<'a>, Vec<usize>)>,
    units: BTreeMap<usize, Vec<UnitChange<'a>>>,
    new_units: BTreeMap<usize, Vec<String>>,
    /// The byte range whose broken lines (those that are not JSON) stay; `None` keeps them all.
    broken_stay: Option<Range<usize>>,
    /// Whether branches that hang on dropped messages are kept, and attached to what stands before those.
    branches_stay: bool,
}

/// A change to a value in a unit, whether the unit is a message or not.
#[derive(Clone, Debug)]
enum UnitChange<'a> {
    Value(Json<'a>, String),
    Removed {
        key: Json<'a>,
        value: Json<'a>,
    },
    /// A new member; the unit is an object that has other members already.
    Added {
        key: &'static str,
        value: String,
    },
}

/// A member of an object that is set, or removed if `value` is `None`.
#[derive(Clone)]
struct MemberChange<'a> {
    object: Json<'a>,
    key: &'static str,
    value: Option<String>,
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
            members: BTreeMap::new(),
            items: BTreeMap::new(),
            root_members: Vec::new(),
            beside: Vec::new(),
            items_beside: Vec::new(),
            units: BTreeMap::new(),
            new_units: BTreeMap::new(),
            broken_stay: None,
            branches_stay: false,
        }
    }

    /// The conversation as it was.
    pub fn conversation(&self) -> &'c Conversation<'a> {
        self.conversation
    }

    /// Drops a message.
    pub fn drop_message(&mut self, message: usize) {
        self.dropped[message] = true;
    }

    /// Drops a unit that is no message: a line of a log that no longer has a place.
    pub fn drop_unit(&mut self, unit: usize) {
        self.dropped_units[unit] = true;
    }

    /// Drops broken lines (those that are not JSON), except those that begin within `here`.
    pub fn keep_broken_only(&mut self, here: Range<usize>) {
        self.broken_stay = Some(here);
    }

    /// Keeps branches that hang on dropped messages, and attaches them to what stands before those.
    pub fn keep_branches(&mut self) {
        self.branches_stay = true;
    }

    /// Whether branches that hang on dropped messages are kept.
    pub fn keeps_branches(&self) -> bool {
        self.branches_stay
    }

    /// Whether the message is dropped.
    pub fn is_dropped(&self, message: usize) -> bool {
        self.dropped[message]
    }

    /// Replaces a text, or the text of a result.
    pub fn set_text(&mut self, place: Place, text: impl Into<String>) {
        self.parts.insert(place, Change::Text(text.into()));
    }

    /// Replaces the text of a result and removes its attachments.
    pub fn clear(&mut self, place: Place, text: impl Into<String>) {
        self.parts.insert(place, Change::Cleared(text.into()));
    }

    /// Copies the change that another draft makes to the part at `place`.
    pub fn take_part_of(&mut self, other: &Self, place: Place) {
        self.parts.extend(other.parts.get(&place).map(|change| (place, change.clone())));
    }

    /// Whether a result stays and loses its attachments.
    pub fn is_cleared(&self, place: Place) -> bool {
        matches!(self.parts.get(&place), Some(Change::Cleared(_)))
    }

    /// Removes a part.
    pub fn remove_part(&mut self, place: Place) {
        self.parts.insert(place, Change::Removed);
    }

    /// Whether the part is removed, alone or with its message.
    pub fn is_removed(&self, place: Place) -> bool {
        self.dropped[place.0] || matches!(self.parts.get(&place), Some(Change::Removed))
    }

    /// The new text of the part, if it was changed.
    pub fn new_text(&self, place: Place) -> Option<&str> {
        match self.parts.get(&place) {
            Some(Change::Text(text) | Change::Cleared(text)) => Some(text),
            _ => None,
        }
    }

    /// Inserts a message before message `at`; at the end if `at` is the number of messages.
    pub fn insert_message(&mut self, at: usize, message: NewMessage<'a>) {
        self.new_messages.entry(at).or_default().push(message);
    }

    /// Takes back the messages that were inserted before message `at`.
    pub fn take_inserted(&mut self, at: usize) -> Vec<NewMessage<'a>> {
        self.new_messages.remove(&at).unwrap_or_default()
    }

    /// Inserts a part before the part at `place`; at the end of the message if its index is the number of
    /// parts.
    pub fn insert_part(&mut self, place: Place, part: NewPart<'a>) {
        self.new_parts.entry(place).or_default().push(part);
    }

    /// Replaces a value inside a message by `source`, which is JSON; the last call counts.
    pub fn set_value(&mut self, message: usize, value: Json<'a>, source: impl Into<String>) {
        self.set_between(message, value.source(), source);
    }

    /// Replaces the text between two values inside a message.
    pub fn set_between(&mut self, message: usize, gap: &'a str, text: impl Into<String>) {
        let values = self.values.entry(message).or_default();
        values.insert(standing(gap), (gap, text.into()));
    }

    /// Passes each replacement inside a message through `revise`; `None` leaves it as it is.
    pub fn revise_values(&mut self, message: usize, revise: impl Fn(&str) -> Option<String>) {
        for (_, source) in self.values.get_mut(&message).into_iter().flat_map(BTreeMap::values_mut)
        {
            if let Some(revised) = revise(source) {
                *source = revised;
            }
        }
    }

    /// The replacement of a value inside a message, as JSON.
    pub fn replacement(&self, message: usize, value: Json<'a>) -> Option<&str> {
        let (_, source) = self.values.get(&message)?.get(&standing(value.source()))?;
        Some(source)
    }

    /// Whether a value inside a message is replaced.
    pub fn is_replaced(&self, message: usize, value: Json<'a>) -> bool {
        self.replacement(message, value).is_some()
    }

    /// Sets the member `key` of an object inside a message to `value`, which is JSON; `None` removes it.
    pub fn set_member(
        &mut self,
        message: usize,
        object: Json<'a>,
        key: &'static str,
        value: Option<String>,
    ) {
        self.members.entry(message).or_default().push(MemberChange { object, key, value });
    }

    /// Removes the items of a list inside a message that have these indices, in ascending order.
    pub fn remove_items(&mut self, message: usize, list: Json<'a>, items: Vec<usize>) {
        self.items.entry(message).or_default().push((list, items));
    }

    /// Sets a member of the request object, which holds the list of messages, to `value`, which is JSON.
    pub fn set_root_member(&mut self, key: &'static str, value: String) {
        if let Some(object) = self.conversation.source.request() {
            self.root_members.push(MemberChange { object, key, value: Some(value) });
        }
    }

    /// Removes a member of an object that stands beside the messages.
    pub fn remove_beside(&mut self, object: Json<'a>, key: &'static str) {
        self.root_members.push(MemberChange { object, key, value: None });
    }

    /// Replaces a value that stands beside the messages by `source`, which is JSON.
    pub fn set_beside(&mut self, value: Json<'a>, source: String) {
        self.beside.push((value, source));
    }

    /// Removes the items of a list beside the messages that have these indices, in ascending order.
    pub fn remove_items_beside(&mut self, list: Json<'a>, items: Vec<usize>) {
        self.items_beside.push((list, items));
    }

    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        !self.dropped.contains(&true)
            && !self.dropped_units.contains(&true)
            && self.parts.is_empty()
            && self.items_beside.is_empty()
            && self.new_parts.is_empty()
            && self.new_messages.is_empty()
            && self.values.is_empty()
            && self.members.is_empty()
            && self.items.is_empty()
            && self.root_members.is_empty()
            && self.beside.is_empty()
            && self.units.is_empty()
            && self.new_units.is_empty()
            && self.broken_stay.is_none()
    }

    /// Replaces a value anywhere in a unit by `source`, which is JSON.
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

    /// Adds a member, whose value is JSON, to a unit that has other members.
    pub fn add_unit_member(&mut self, unit: usize, key: &'static str, value: String) {
        self.units.entry(unit).or_default().push(UnitChange::Added { key, value });
    }

    /// Inserts a unit, as it is to be written, before unit `at`; at the end if `at` is the number of units.
    pub fn insert_unit(&mut self, at: usize, source: impl Into<String>) {
        self.new_units.entry(at).or_default().push(source.into());
    }

    /// Takes back all inserted messages, each with the index of the message it stands before.
    pub fn take_new_messages(&mut self) -> Vec<(usize, NewMessage<'a>)> {
        let all = std::mem::take(&mut self.new_messages);
        all.into_iter().flat_map(|(at, new)| new.into_iter().map(move |new| (at, new))).collect()
    }

    /// The drafted messages up to and including message `last`; those inserted there are taken back.
    pub(crate) fn take_up_to(&mut self, last: usize) -> Vec<Drafted<'a>> {
        let mut drafted = Vec::new();
        for at in 0..=last {
            drafted.extend(self.take_inserted(at).into_iter().map(Drafted::New));
            let stays = self.dropped.get(at) == Some(&false);
            drafted.extend(stays.then_some(Drafted::Kept(at)));
        }
        drafted
    }

    fn unit(&self, unit: usize) -> Json<'a> {
        self.conversation.source.units[unit].json
    }

    /// Whether the message was changed or dropped.
    pub fn is_touched(&self, message: usize) -> bool {
        self.dropped[message] || self.is_changed(message)
    }

    /// Whether anything in the message was changed.
    pub fn is_changed(&self, message: usize) -> bool {
        self.parts.range((message, 0)..(message + 1, 0)).next().is_some()
            || self.new_parts.range((message, 0)..(message + 1, 0)).next().is_some()
            || self.values.contains_key(&message)
            || self.members.contains_key(&message)
            || self.items.contains_key(&message)
    }

    /// The inserted messages, each with the index of the message it stands before.
    pub fn new_messages(&self) -> impl Iterator<Item = (usize, &NewMessage<'a>)> {
        self.new_messages.iter().flat_map(|(at, all)| all.iter().map(move |new| (*at, new)))
    }

    /// The parts inserted into a message.
    pub fn new_parts(&self, message: usize) -> impl Iterator<Item = &NewPart<'a>> {
        self.new_parts.range((message, 0)..(message + 1, 0)).flat_map(|(_, parts)| parts)
    }
}

/// The address range of a text: with its end, so that an empty text differs from one that begins there.
fn standing(text: &str) -> (usize, usize) {
    let start = text.as_ptr().addr();
    (start, start + text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::decode;
    use crate::dialect::{self, Scope};
    use crate::document::Document;

    #[test]
    fn a_line_goes_with_its_last_part_unless_it_gets_another() {
        let line = |number: usize, block: &str| {
            let parent = number - 1;
            format!(
                r#"{{"type":"assistant","uuid":"u{number}","parentUuid":"u{parent}","sessionId":"s","message":{{"id":"m1","role":"assistant","content":[{block}]}}}}"#
            )
        };
        let thought = line(1, r#"{"type":"thinking","thinking":"Hm.","signature":"x"}"#);
        let said = line(2, r#"{"type":"text","text":"Done."}"#);
        let text = format!("{thought}\n{said}\n");
        let document = Document::parse(text.as_bytes()).expect("the tests write JSON");
        let shape = dialect::recognise(document.values(), dialect::named("claude-code")).unwrap();
        let source = dialect::sources(&document, shape.layout).remove(0);
        let conversation = decode(shape.dialect, source, Scope::All);
        assert_eq!(*conversation.messages[0].units, [0, 1]);
        let mut draft = Draft::new(&conversation);
        draft.remove_part((0, 0));
        assert_eq!(draft.gone_units(), [true, false]);
        assert_eq!(draft.written_units(&document, 0), [(1, said.clone())]);
        assert_eq!(document.apply(&draft.edits(&document)), format!("{said}\n").into_bytes());
        draft.remove_part((0, 1));
        assert_eq!(draft.gone_units(), [true, true]);
        draft.insert_part((0, 0), NewPart::Text("Well.".into()));
        assert_eq!(draft.gone_units(), [false, true]);
    }
}
