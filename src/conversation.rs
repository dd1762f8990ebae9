//! What a conversation is: messages in their order, and the source they stand in.
//!
//! Responsible for the one shape that every operation works on. It relies on the dialect for what a
//! value means. Everything here borrows the document's text; nothing is decoded until it is asked for.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

use crate::dialect::{self, Dialect, Scope};
use crate::json::Json;
use crate::marks;
use crate::message::observation::mark_observations;
use crate::message::typed::mark_newest_asked;

pub use crate::message::{Kind, Message, Origin, Part, Role};
pub use crate::source::{List, Source, Unit};

/// The place of a part: the index of its message, and the index of the part within that message.
pub type Place = (usize, usize);

/// Messages in the order in which the model reads them, and the source they came from.
pub struct Conversation<'a> {
    /// The wire shape that the messages were read from.
    pub dialect: &'static dyn Dialect,
    /// The text and the lists that hold the messages.
    pub source: Source<'a>,
    /// All messages; system prompts that stand outside the list come first and have no units.
    pub messages: Vec<Message<'a>>,
    /// The definitions of the tools, if the file holds a whole request.
    pub tools: Option<Json<'a>>,
    /// Which lines of a session log were read.
    pub scope: Scope,
}

/// The instructions behind the head, newest first and each text once.
#[derive(Default)]
pub struct LaterInstructions {
    /// The newest with each tag, and those without one.
    pub standing: Vec<usize>,
    /// Reminders that a newer one with the same tag repeats: `<reminder 3>` behind `<reminder 4>`.
    pub repeated: Vec<usize>,
}

impl LaterInstructions {
    /// All of them, those first that are kept first.
    pub fn all(self) -> impl Iterator<Item = usize> {
        self.standing.into_iter().chain(self.repeated)
    }
}

/// The name of the tag that a text opens with.
fn tag(text: &str) -> Option<&str> {
    let name = text.trim_start().strip_prefix(['<', '['])?;
    let name = &name[..name.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')?];
    (!name.is_empty()).then_some(name)
}

impl<'a> Conversation<'a> {
    /// The number of leading instruction messages (system or developer).
    pub fn head(&self) -> usize {
        self.messages.iter().take_while(|message| message.is_instruction()).count()
    }

    pub(crate) fn part(&self, place: Place) -> &Part<'a> {
        &self.messages[place.0].parts[place.1]
    }

    /// The value whose line reports give for `value`, which belongs to `message`: the message's object if
    /// that holds it, else the unit that does (a message may span several units).
    pub(crate) fn holder(&self, message: usize, value: Json<'a>) -> Json<'a> {
        let message = &self.messages[message];
        if message.json.holds(value) {
            return message.json;
        }
        let mut units = message.units.iter().map(|&unit| self.source.units[unit].json);
        units.find(|unit| unit.holds(value)).unwrap_or(message.json)
    }

    /// The time at which a message was written, as its unit records it; `None` if the dialect records none.
    pub fn written(&self, message: &Message<'a>) -> Option<Json<'a>> {
        let path = self.dialect.facts().written?;
        let mut units = message.units.iter().map(|&unit| self.source.units[unit].json);
        units.find(|unit| unit.holds(message.json))?.at(path)
    }

    /// The value that moves when a message moves: its object, or the whole unit where the dialect moves the
    /// wrapper too.
    pub(crate) fn to_move(&self, message: usize) -> Json<'a> {
        let message = &self.messages[message];
        let unit = message.units.first().filter(|_| self.dialect.facts().moves_wrapped);
        unit.map_or(message.json, |&unit| self.source.units[unit].json)
    }

    /// The instructions behind the head, including project rules that an agent put in the user's role. A log has
    /// none: its agent sends them again on resuming.
    pub fn later_instructions(&self) -> LaterInstructions {
        let mut found = LaterInstructions::default();
        if self.dialect.is_log() {
            return found;
        }
        let (mut seen, mut tags) = (HashSet::new(), HashSet::new());
        for at in (self.head()..self.messages.len()).rev() {
            let message = &self.messages[at];
            let is_later = match message.origin {
                Origin::Spoken => message.is_instruction(),
                Origin::Injected => marks::tells_rules(&message.text()),
                Origin::Summary | Origin::Internal => false,
            };
            let text = if is_later { message.text() } else { continue };
            if !seen.insert(text.clone()) {
                continue;
            }
            let is_repeated = tag(&text).is_some_and(|tag| !tags.insert(tag.to_owned()));
            if is_repeated { &mut found.repeated } else { &mut found.standing }.push(at);
        }
        found
    }

    /// The first message in which a person says something.
    pub fn first_request(&self) -> Option<usize> {
        self.messages.iter().position(Message::is_request)
    }

    /// The newest message in which a person says something. If there is none: the newest injected user
    /// message that reads like plain text, as the prompt that a slash command expands to.
    pub fn newest_request(&self) -> Option<usize> {
        let is_command = |message: &Message<'_>| {
            let text = message.text();
            message.role == Role::User
                && message.origin == Origin::Injected
                && !text.trim_start().is_empty()
                && !text.trim_start().starts_with(['<', '[', '#'])
        };
        let messages = &self.messages;
        messages
            .iter()
            .rposition(Message::is_request)
            .or_else(|| messages.iter().rposition(is_command))
    }

    /// The place from which on the model has not read any results: behind the text of its last message.
    pub fn unread(&self) -> Place {
        let last = self.messages.iter().rposition(|it| it.role == Role::Assistant);
        let words =
            |at: usize| self.messages[at].parts.iter().rposition(|it| it.kind == Kind::Text);
        last.map_or((0, 0), |at| (at, words(at).map_or(0, |words| words + 1)))
    }

    /// The names of the models: that of the request first, then those of the answers, newest first.
    pub fn models(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let request = self.source.request().map(|request| request.pick(["model", "modelId"]));
        let request = request.into_iter().flatten().flatten();
        let answers = self.messages.iter().rev().filter_map(|said| said.json.member("model"));
        request.chain(answers).filter_map(Json::text)
    }

    /// The user's words that stand in no message, each with the index of the message they follow.
    pub fn said_besides(&self) -> Vec<(usize, Cow<'a, str>)> {
        let users = self.messages.iter().filter(|message| message.role == Role::User);
        // Lazy, because most dialects report no such words.
        let texts: LazyCell<Vec<String>, _> = LazyCell::new(|| users.map(Message::text).collect());
        let place = |(unit, words): (usize, Json<'a>)| {
            let words = words.text().filter(|words| !words.trim().is_empty())?;
            let is_before = |message: &Message<'_>| message.units.iter().any(|&own| own < unit);
            let is_said = texts.iter().any(|text| text.contains(words.trim()));
            let at = self.messages.iter().rposition(is_before).filter(|_| !is_said)?;
            Some((at, words))
        };
        self.dialect.said_besides(&self.source).into_iter().filter_map(place).collect()
    }

    /// For each unit, whether it belongs to a message.
    pub fn units_in_messages(&self) -> Vec<bool> {
        let mut is_message = vec![false; self.source.units.len()];
        for &unit in self.messages.iter().flat_map(|message| &message.units) {
            is_message[unit] = true;
        }
        is_message
    }

    /// Whether the conversation is one path through a tree: its units stand in any order, and some belong to
    /// no message.
    pub fn is_tree(&self) -> bool {
        matches!(self.source.lists.first(), Some(List::Members(_)))
    }

    /// The units of neighbouring messages in file order, with the units that [`goes_with`](Self::goes_with)
    /// adds. In a tree: only the messages' own units, in the order of the messages.
    pub fn units_of(&self, range: &Range<usize>) -> Vec<Json<'a>> {
        let units = &self.source.units;
        let own = self.messages[range.clone()].iter().flat_map(|message| message.units.iter());
        if self.is_tree() {
            return own.map(|&unit| units[unit].json).collect();
        }
        if self.dialect.is_log() {
            let goes = self.goes_with(|at| range.contains(&at));
            let units = units.iter().zip(goes).filter(|(_, goes)| *goes);
            return units.map(|(unit, _)| unit.json).collect();
        }
        // In a list, everything up to the next message goes: no other message has to be looked at.
        let (Some(first), Some(last)) = (own.clone().min(), own.max()) else { return Vec::new() };
        let mut before = self.messages[..range.start].iter();
        let start = if before.all(|message| message.units.is_empty()) { 0 } else { *first };
        let mut behind = self.messages[range.end..].iter();
        let next = behind.find_map(|message| message.units.first());
        let end = next.map_or(units.len(), |next| *next.max(&(last + 1)));
        units[start..end].iter().map(|unit| unit.json).collect()
    }

    /// For each unit, whether it goes with the selected messages. A message's own units do; in a list so do
    /// units that are no message, with the message before them (those at the start with the first). In a log
    /// such units go with none.
    pub fn goes_with(&self, which: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut goes: Vec<Option<bool>> = vec![None; self.source.units.len()];
        for (at, message) in self.messages.iter().enumerate() {
            for &unit in &message.units[..] {
                goes[unit] = Some(goes[unit] == Some(true) || which(at));
            }
        }
        let is_list = !self.dialect.is_log();
        let mut before = is_list && goes.iter().flatten().next().copied().unwrap_or(false);
        let goes = goes.into_iter().map(|goes| {
            before = goes.unwrap_or(before && is_list);
            before
        });
        goes.collect()
    }
}

/// Reads the messages of `source` and marks who wrote them.
pub fn decode<'a>(
    dialect: &'static dyn Dialect,
    mut source: Source<'a>,
    scope: Scope,
) -> Conversation<'a> {
    let mut messages = dialect.messages(&mut source, scope);
    // A prompt outside the list can hold no tool calls or results: nothing there calls or answers.
    for prompt in messages.iter_mut().take_while(|message| message.units.is_empty()) {
        for part in prompt.parts.iter_mut() {
            if matches!(part.kind, Kind::ToolCall | Kind::ToolResult) {
                *part = Part { list: part.list, ..Part::new(Kind::Other, part.json) };
            }
        }
    }
    mark_observations(&mut messages);
    mark_newest_asked(&mut messages);
    let tools = source.root.as_ref().and_then(dialect::tools_beside);
    Conversation { dialect, source, messages, tools, scope }
}
