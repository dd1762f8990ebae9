//! What a message is: who speaks, and the parts of what is said.
//!
//! Responsible for the one shape that every dialect decodes into, and for the shape of messages that we
//! write. Read messages borrow the document's text; nothing is decoded until it is asked for.

mod new;
pub(crate) mod observation;
pub(crate) mod origin;
mod part;
mod piece;
pub(crate) mod tags;
pub(crate) mod typed;

use std::borrow::Cow;

use crate::conversation::Place;
use crate::few::Few;
use crate::json::Json;
use crate::marks;
use crate::summary;
use origin::origin_within;

pub use new::{NewMessage, NewPart};
pub use origin::Origin;
pub use part::{Kind, Part};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The system prompt.
    System,
    /// Instructions of the application, ranking below the system prompt.
    Developer,
    /// The user; also tool results, in dialects that have no role for tools.
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

    /// The role of this name; [`Role::Other`] if the name is unknown.
    pub fn named(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            _ => Self::Other,
        }
    }

    /// The role of this name in a dialect that knows only user, assistant and system.
    pub fn of_three(name: &str) -> Self {
        let role = Self::named(name);
        if matches!(role, Self::User | Self::Assistant | Self::System) { role } else { Self::Other }
    }

    /// The name that a new message of this role gets in a dialect that knows only user, assistant and system.
    pub fn among_three(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::System | Self::Developer => "system",
            _ => "user",
        }
    }

    /// Whether this is the role of the system prompt or of instructions of the application.
    pub fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

/// One message.
#[derive(Clone)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// Who wrote the message, which the role alone does not tell.
    pub origin: Origin,
    /// Whether this message is what the user's newest request expands to: a command that they typed.
    pub is_meant: bool,
    /// The object that holds role and content.
    pub json: Json<'a>,
    /// The content, if there is one: new parts are put there.
    pub content: Option<Json<'a>>,
    /// The parts of the content, in order.
    pub parts: Few<Part<'a>>,
    /// Indices of the message's values in [`Source::units`](crate::source::Source::units): mostly one, and
    /// none for a system prompt outside the list.
    pub units: Few<usize>,
    /// The speaker's name; its tokens count.
    pub name: Option<Json<'a>>,
    /// The number of the thread that the message belongs to. Always 0, unless side chains and other branches
    /// of a log are read too.
    pub thread: u32,
}

impl<'a> Message<'a> {
    /// A message without parts, spoken by `role`, that stands in no unit.
    pub fn new(role: Role, json: Json<'a>) -> Self {
        Self {
            role,
            origin: Origin::Spoken,
            is_meant: false,
            json,
            content: None,
            parts: Few::new(),
            units: Few::new(),
            name: None,
            thread: 0,
        }
    }

    /// A message that consists of one part.
    pub fn of_one(role: Role, part: Part<'a>) -> Self {
        Self { parts: Few::One(part), ..Self::new(role, part.json) }
    }

    /// This message as the only content of `unit`, its origin judged by its own texts.
    #[must_use]
    pub fn in_unit(mut self, unit: usize) -> Self {
        // Give spare capacity back now: a conversation may have very many messages.
        self.parts.shrink_to_fit();
        self.units = Few::One(unit);
        self.judge_origin();
        self
    }

    /// The parts, with their places in a conversation in which this message stands `at` an index.
    pub(crate) fn placed(&self, at: usize) -> impl Iterator<Item = (Place, &Part<'a>)> {
        self.parts.iter().enumerate().map(move |(index, part)| ((at, index), part))
    }

    /// The parts of one kind, with their indices.
    pub fn parts_of(&self, kind: Kind) -> impl Iterator<Item = (usize, &Part<'a>)> {
        self.parts.iter().enumerate().filter(move |(_, part)| part.kind == kind)
    }

    /// The content, if it is neither a text nor a list, nor a part in itself. No provider accepts such
    /// content, although it says something.
    pub fn strange_content(&self) -> Option<Json<'a>> {
        let is_part = |content: &Json<'a>| {
            self.parts.iter().any(|part| part.kind != Kind::Other && part.json.is(*content))
        };
        self.content.filter(|content| part::is_strange(*content) && !is_part(content))
    }

    /// Whether the message has a part of this kind.
    pub fn has(&self, kind: Kind) -> bool {
        self.parts.iter().any(|part| part.kind == kind)
    }

    /// Whether the assistant says something in words in this message.
    pub fn is_reply(&self) -> bool {
        self.role == Role::Assistant
            && self.parts.iter().any(|part| part.is_words() && !part.is_blank())
    }

    /// Whether the role is unknown to providers and the message is not bookkeeping: its neighbours then do
    /// not count as adjacent.
    pub fn is_strangers(&self) -> bool {
        self.role == Role::Other && self.origin != Origin::Internal
    }

    /// Whether a person says something in this message: a user message with words or attachments, not only
    /// results or reminders.
    pub fn is_request(&self) -> bool {
        self.role == Role::User
            && self.origin == Origin::Spoken
            && self.parts.iter().any(|part| match part.kind {
                Kind::Text => part.is_words() && !part.is_blank(),
                Kind::Image | Kind::File => true,
                _ => false,
            })
    }

    /// Whether the message is a system prompt or an instruction of the application.
    pub fn is_instruction(&self) -> bool {
        self.role.is_instruction()
    }

    /// Whether the message is sent to the provider at all.
    pub fn is_sent(&self) -> bool {
        self.origin != Origin::Internal && self.role != Role::Other
    }

    /// Whether the message is our note that stands for dropped messages.
    pub fn is_note(&self) -> bool {
        (self.role, self.origin) == (Role::User, Origin::Injected)
            && self.opening().is_some_and(|text| text.starts_with(marks::ELISION_OPENER))
    }

    /// Whether the message is [`marks::NO_REPLY`]: what we let the assistant say to keep tool results and the
    /// user's words apart.
    pub fn is_no_reply(&self) -> bool {
        self.role == Role::Assistant
            && self.parts.len() == 1
            && self.opening().is_some_and(|text| text == marks::NO_REPLY)
    }

    /// The texts of the message, joined by line breaks, without the texts that an agent added.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter(|part| part.is_words());
        texts.map(Part::text).collect::<Vec<_>>().join("\n")
    }

    /// The length of the texts that [`text`](Self::text) joins, in bytes.
    pub fn length(&self) -> usize {
        self.parts.iter().filter(|part| part.is_words()).map(Part::length).sum()
    }

    /// Sets `origin` where no user typed the user message, judged by the first words of its texts, and marks
    /// the reminders beside typed words, and our acknowledgement in an assistant message, as injected.
    pub fn judge_origin(&mut self) {
        if self.role == Role::Assistant {
            let is_ours = |part: &&mut Part<'_>| {
                let says = |first: Json<'_>| first.says(marks::ACKNOWLEDGEMENT);
                part.kind == Kind::Text
                    && part.strings().next().is_some_and(says)
                    && part.text() == marks::ACKNOWLEDGEMENT
            };
            self.parts.iter_mut().filter(is_ours).for_each(|part| part.is_injected = true);
        }
        if (self.role, self.origin) != (Role::User, Origin::Spoken) {
            return;
        }
        let mut texts = self.parts.iter().filter(|part| part.kind == Kind::Text);
        let Some(origin) = texts.next().map(origin_within) else { return };
        let is_typed = |part: &Part<'_>| !part.is_blank() && origin_within(part) == Origin::Spoken;
        let is_typed_too = match origin {
            Origin::Injected => texts.any(is_typed),
            // A summary of ours may have been joined with typed words.
            Origin::Summary => {
                let texts = self.parts_of(Kind::Text).map(|(_, part)| part.text());
                let is_attached = self.has(Kind::Image) || self.has(Kind::File);
                summary::stands_beside_words(texts, is_attached)
            }
            _ => true,
        };
        if !is_typed_too {
            self.origin = origin;
            return;
        }
        // The origin of the first text is known already.
        let mut first = Some(origin);
        for text in self.parts.iter_mut().filter(|part| part.kind == Kind::Text) {
            let origin = first.take().unwrap_or_else(|| origin_within(text));
            text.is_injected |= origin == Origin::Injected;
        }
        let is_injected = self.parts.iter().any(|part| part.is_injected);
        if is_injected && !self.is_request() {
            self.origin = Origin::Injected;
        }
    }

    /// How the first text begins: all of a short text, the first words of a long one.
    pub fn opening(&self) -> Option<Cow<'a, str>> {
        self.openings().next()
    }

    /// How each text of the message begins.
    fn openings(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let texts = self.parts.iter().filter(|part| part.kind == Kind::Text);
        texts.map(Part::opening)
    }
}
