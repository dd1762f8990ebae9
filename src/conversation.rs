//! What a conversation is: messages, their parts, and where each stands in the source.
//!
//! Responsible for the one shape that every dialect decodes into and every operation works on. It
//! relies on the dialect for what a value means. Everything here borrows the document's text;
//! nothing is decoded until it is asked for.

mod part;

use std::borrow::Cow;

use crate::dialect::{Dialect, Scope};
use crate::few::Few;
use crate::json::{Json, Object};
use crate::marks;
pub use crate::origin::Origin;
use crate::origin::origin_of;
pub use part::{Kind, Part};

/// Messages in the order in which the model reads them, and the source they came from.
pub struct Conversation<'a> {
    /// The wire shape.
    pub dialect: &'static dyn Dialect,
    /// Where the messages stand.
    pub source: Source<'a>,
    /// Leading system prompts that stand outside the list come first, without units.
    pub messages: Vec<Message<'a>>,
    /// The definitions of the tools, where the file holds a whole request.
    pub tools: Option<Json<'a>>,
    /// Which lines were read.
    pub scope: Scope,
}

impl<'a> Conversation<'a> {
    /// The leading instructions: how many messages they are.
    pub fn head(&self) -> usize {
        self.messages.iter().take_while(|message| message.is_instruction()).count()
    }

    /// The first message in which a person says something.
    pub fn first_request(&self) -> Option<usize> {
        self.messages.iter().position(Message::is_request)
    }

    /// The newest message in which a person says something; where nobody does, the newest that an
    /// agent says for the user, as the text that a command of its own stands for.
    pub fn newest_request(&self) -> Option<usize> {
        let is_said = |message: &Message<'_>| message.is_request() && !message.is_note();
        let is_command = |message: &Message<'_>| {
            let text = message.text();
            message.role == Role::User
                && message.origin == Origin::Injected
                && !text.trim_start().is_empty()
                && !text.trim_start().starts_with(['<', '[', '#'])
        };
        let messages = &self.messages;
        messages.iter().rposition(is_said).or_else(|| messages.iter().rposition(is_command))
    }

    /// Whether a message stands in each unit.
    pub fn units_in_messages(&self) -> Vec<bool> {
        let mut is_message = vec![false; self.source.units.len()];
        for &unit in self.messages.iter().flat_map(|message| &message.units) {
            is_message[unit] = true;
        }
        is_message
    }

    /// The units of some messages, as they stand.
    pub fn units_of(&self, which: impl Fn(usize) -> bool) -> Vec<Json<'a>> {
        let messages = self.messages.iter().enumerate().filter(|(at, _)| which(*at));
        let mut units: Vec<usize> =
            messages.flat_map(|(_, message)| message.units.clone()).collect();
        units.sort_unstable();
        units.dedup();
        units.into_iter().map(|unit| self.source.units[unit].json).collect()
    }
}

/// The values that hold a conversation: a stream of lines, an array, or several of them.
#[derive(Clone, Default)]
pub struct Source<'a> {
    /// The object that holds the list, as `{"messages": […]}` does.
    pub root: Option<Object<'a>>,
    /// The lists that units stand in: mostly one.
    pub lists: Vec<List<'a>>,
    /// The values that can be kept or removed, in the order of the text within each list.
    pub units: Vec<Unit<'a>>,
}

/// A list of units.
#[derive(Clone, Copy)]
pub enum List<'a> {
    /// The values of the document itself: JSON Lines, as a rule.
    Stream,
    /// The items of an array.
    Array(Json<'a>),
    /// The members of an object, all of them: a unit goes with its key.
    Members(Json<'a>),
}

/// A value in a list: one message, one line of a session log.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    /// The value.
    pub json: Json<'a>,
    /// Its list, an index into [`Source::lists`].
    pub list: usize,
}

impl<'a> Source<'a> {
    /// The stream of a document's values.
    pub fn stream(values: &[Json<'a>]) -> Self {
        let units = values.iter().map(|&json| Unit { json, list: 0 }).collect();
        Self { root: None, lists: vec![List::Stream], units }
    }

    /// The object that holds the list, as a value.
    pub fn value(&self) -> Option<Json<'a>> {
        self.root.as_ref().map(Object::json)
    }

    /// The object that the first list is a member of: the request, where others stand around it.
    pub fn request(&self) -> Option<Json<'a>> {
        let mut object = self.value()?;
        let Some(List::Array(list)) = self.lists.first() else { return Some(object) };
        let around = |value: &Json<'a>| value.is_object() && value.holds(*list);
        while let Some(inner) = object.members().map(|(_, value)| value).find(around) {
            object = inner;
        }
        Some(object)
    }

    /// The value that holds the conversation and nothing else: the object, or the first list.
    pub fn whole(&self) -> Option<Json<'a>> {
        self.value().or(match self.lists.first() {
            Some(List::Array(list) | List::Members(list)) => Some(*list),
            Some(List::Stream) | None => None,
        })
    }

    /// The items of `array`, which `root` holds.
    pub fn array(root: Option<Json<'a>>, array: Json<'a>) -> Self {
        let units = array.items().map(|json| Unit { json, list: 0 }).collect();
        Self { root: root.map(Object::of), lists: vec![List::Array(array)], units }
    }

    /// The items of `array`, which are known already.
    pub fn of_items(array: Json<'a>, items: &[Json<'a>]) -> Self {
        let units = items.iter().map(|&json| Unit { json, list: 0 }).collect();
        Self { root: None, lists: vec![List::Array(array)], units }
    }

    /// Adds the items of another array, unless they are there already.
    pub fn add_list(&mut self, array: Json<'a>) {
        let is_it = |list: &List<'a>| matches!(list, List::Array(found) if found.is(array));
        if !self.lists.iter().any(is_it) {
            let list = self.lists.len();
            self.lists.push(List::Array(array));
            self.units.extend(array.items().map(|json| Unit { json, list }));
        }
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The system prompt.
    System,
    /// Instructions of the application, ranking below the system prompt.
    Developer,
    /// The user, or results of tools where the dialect has no role for them.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// A role that the dialect does not know.
    Other,
}

impl Role {
    /// The name, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Other => "other",
        }
    }

    /// Whether of the system or the application.
    pub fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// One message.
#[derive(Clone)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// Who wrote it.
    pub origin: Origin,
    /// The object that holds role and content.
    pub json: Json<'a>,
    /// The content, where new parts can be put.
    pub content: Option<Json<'a>>,
    /// What it consists of, in order.
    pub parts: Few<Part<'a>>,
    /// Its values in [`Source::units`]: mostly one; none for a system prompt outside the list.
    pub units: Few<usize>,
    /// The speaker's name, which counts.
    pub name: Option<Json<'a>>,
    /// When it was written, where the log says.
    pub timestamp: Option<Json<'a>>,
}

impl<'a> Message<'a> {
    /// A message without parts, spoken by `role`, that stands in no unit.
    pub fn new(role: Role, json: Json<'a>) -> Self {
        Self {
            role,
            origin: Origin::Spoken,
            json,
            content: None,
            parts: Few::new(),
            units: Few::new(),
            name: None,
            timestamp: None,
        }
    }

    /// A message that is this part alone.
    pub fn of_one(role: Role, part: Part<'a>) -> Self {
        Self { parts: Few::One(part), ..Self::new(role, part.json) }
    }

    /// This message as a unit says it: all that there is to know of it by itself.
    #[must_use]
    pub fn in_unit(mut self, unit: usize) -> Self {
        // There are many. What is left over is free before anything is put behind it.
        self.parts.shrink_to_fit();
        self.units = Few::One(unit);
        self.judge_origin();
        self
    }

    /// The parts of one kind, with their indices.
    pub fn parts_of(&self, kind: Kind) -> impl Iterator<Item = (usize, &Part<'a>)> {
        self.parts.iter().enumerate().filter(move |(_, part)| part.kind == kind)
    }

    /// A content that is neither a text nor a list: no provider takes it, and yet it says something.
    pub fn strange_content(&self) -> Option<Json<'a>> {
        self.content.filter(|content| part::is_strange(*content))
    }

    /// Whether some part is of this kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.parts.iter().any(|part| part.kind == kind)
    }

    /// Whether a person said something here: a user's message that is not results or reminders alone.
    pub fn is_request(&self) -> bool {
        self.role == Role::User
            && self.origin == Origin::Spoken
            && self.parts.iter().any(|part| match part.kind {
                Kind::Text => !part.is_blank(),
                Kind::Image | Kind::File => true,
                _ => false,
            })
    }

    /// Whether a system prompt or instructions of the application.
    pub fn is_instruction(&self) -> bool {
        self.role.is_instruction()
    }

    /// Whether the provider gets it at all.
    pub fn is_sent(&self) -> bool {
        self.origin != Origin::Internal && self.role != Role::Other
    }

    /// Whether our note that stands for dropped messages.
    pub fn is_note(&self) -> bool {
        self.role == Role::User
            && self.opening().is_some_and(|text| text.starts_with(marks::ELISION_OPENER))
    }

    /// The texts of the message, joined by line breaks.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter(|part| part.kind == Kind::Text);
        texts.map(Part::text).collect::<Vec<_>>().join("\n")
    }

    /// Marks a user's message that no user typed, by the first words of its texts: a reminder may stand
    /// before what was typed.
    pub fn judge_origin(&mut self) {
        if (self.role, self.origin) != (Role::User, Origin::Spoken) {
            return;
        }
        let mut openings = self.openings();
        let Some(opening) = openings.next() else { return };
        let origin = origin_of(&opening);
        let is_typed = |text: Cow<'_, str>| {
            !text.trim_start().is_empty() && origin_of(&text) == Origin::Spoken
        };
        let is_typed_too = origin == Origin::Injected && openings.any(is_typed);
        drop(openings);
        if !is_typed_too {
            self.origin = origin;
        }
    }

    /// How the first text begins: all of a short one, the first words of a long one.
    pub fn opening(&self) -> Option<Cow<'a, str>> {
        self.openings().next()
    }

    /// How each text begins.
    fn openings(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let texts = self.parts.iter().filter(|part| part.kind == Kind::Text);
        texts.map(|text| text.body.and_then(Json::opening).unwrap_or_else(|| text.text()))
    }
}
