//! The trait that every dialect implements, and the types of its questions and answers.
//!
//! Responsible for what all dialects have in common; the default methods are what most of them do.

use std::borrow::Cow;

use clap::ValueEnum;

use super::new_ids::NewIds;
use super::session::Naming;
use super::shared::text_and_attachments;
use crate::json::{Json, Object, quote};
use crate::marks::ABORTED;
use crate::message::{Message, NewMessage, NewPart, Part, Role};
use crate::source::{List, Source};

/// How strongly a value speaks for a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// Not this dialect.
    None,
    /// This dialect is possible, but so are others.
    Possible,
    /// This dialect is possible, and what stands beside the value speaks for it.
    Likely,
    /// The value has a mark that, in its family of dialects, only this one has.
    Typical,
    /// The value can belong to no other dialect.
    Certain,
}

/// The tokens that a provider adds to the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Per message, its role included.
    pub message: usize,
    /// Per speaker's name, besides its own tokens.
    pub name: usize,
    /// Per text.
    pub text: usize,
    /// Per tool call.
    pub call: usize,
    /// Per tool result.
    pub result: usize,
    /// Per conversation with at least one message: the start of the reply, the frame of the request.
    pub conversation: usize,
}

impl Framing {
    /// Framing that costs nothing.
    pub const NONE: Framing =
        Framing { message: 0, name: 0, text: 0, call: 0, result: 0, conversation: 0 };
}

/// Whose rules a conversation has to obey, as `--for` names it and its help tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Provider {
    /// OpenAI Chat Completions
    #[value(name = "openai")]
    OpenAi,
    /// OpenAI Responses
    Responses,
    /// Anthropic Messages
    Anthropic,
    /// Bedrock Converse
    Bedrock,
    /// Gemini
    Gemini,
    /// Mistral
    Mistral,
}

impl Provider {
    /// The provider's name for `--for`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Bedrock => "bedrock",
            Self::Gemini => "gemini",
            Self::Mistral => "mistral",
        }
    }

    /// Whether requests have OpenAI's chat shape, which has no turns: neighbouring messages may have the same
    /// role.
    pub(crate) fn is_chat(self) -> bool {
        matches!(self, Self::OpenAi | Self::Mistral)
    }

    /// Whether a content is a list of blocks, none of which may be empty.
    pub(crate) fn has_blocks(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }

    /// Whether the provider serves Claude, so that thinking follows Anthropic's rules, and a file made for
    /// one such provider suits the other.
    pub(crate) fn has_claude(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }
}

/// Which lines of a session log are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The lines that the agent would send on resuming.
    #[default]
    Live,
    /// All lines.
    All,
}

/// The answer to a tool call.
pub struct Answer<'n> {
    /// The id of the call; empty where it has none.
    pub call_id: &'n str,
    /// The name of the tool.
    pub name: &'n str,
    /// What the tool said.
    pub text: &'n str,
}

/// A member of an object and its new value as JSON; `None` removes the member.
pub type Member<'a> = (Json<'a>, &'static str, Option<String>);

/// Where a new message goes.
#[derive(Clone, Copy)]
pub struct Site<'s, 'a> {
    /// The source of the messages before any change.
    pub source: &'s Source<'a>,
    /// The list that the new message becomes an item of.
    pub list: List<'a>,
    /// The kept unit before the new message.
    pub before: Option<Json<'a>>,
    /// The kept unit behind the new message.
    pub after: Option<Json<'a>>,
    /// The ids that are taken in the list.
    pub ids: &'s NewIds,
}

impl<'a> Site<'_, 'a> {
    /// An id that no message with `id` beside its text has: the first of `make(0)`, `make(1)`, … that is free.
    pub fn fresh_id(&self, make: impl Fn(usize) -> String) -> String {
        self.ids
            .fresh(|| self.source.units.iter().filter_map(|unit| unit.json.str_member("id")), make)
    }

    /// The kept unit whose form the new message copies.
    pub fn neighbour(&self) -> Option<Json<'a>> {
        self.before.or(self.after)
    }
}

/// Properties that hold for every file of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The name for `--dialect`.
    pub name: &'static str,
    /// Where such files come from, in one line for the help and the README.
    pub about: &'static str,
    /// The provider that the files are made for.
    pub provider: Provider,
    /// Whether the files are logs of an agent that mends what it reads before it sends it: joins neighbouring
    /// messages of one role, puts results first, drops empty messages.
    pub is_log: bool,
    /// Whether a provider reads the messages exactly as written here; other files are converted before they
    /// are sent.
    pub is_wire: bool,
    /// The path of the time in a unit at which its message was written, if the dialect records it.
    pub written: Option<&'static str>,
    /// The tokens of framing.
    pub framing: Framing,
    /// Paths of members that hold the list of messages in an object, likeliest first; a star stands for each
    /// item of an array.
    pub holders: &'static [&'static str],
    /// Whether [`messages`](Dialect::messages) needs more than each unit alone.
    pub reads_across: bool,
    /// Whether a summary has to stand before all other kept messages.
    pub summary_leads: bool,
    /// Whether the client shows rows to the user that it never sends to the model.
    pub shows_internal: bool,
    /// Whether a moved message takes along the unit around it; in other dialects it gets a new one.
    pub moves_wrapped: bool,
    /// Whether parts have no type but are named by a member of their own, unlike in any other dialect.
    pub names_parts: bool,
    /// Whether a content is always a list of parts, never a plain text.
    pub takes_lists: bool,
}

impl Facts {
    /// The properties of a dialect that says nothing else.
    pub const USUAL: Facts = Facts {
        name: "",
        about: "",
        provider: Provider::OpenAi,
        is_log: false,
        is_wire: false,
        written: None,
        framing: Framing::NONE,
        holders: &[],
        reads_across: false,
        summary_leads: false,
        shows_internal: false,
        moves_wrapped: false,
        names_parts: false,
        takes_lists: false,
    };
}

/// One wire shape.
pub trait Dialect: Sync {
    /// The properties that hold for every file of this dialect.
    fn facts(&self) -> &'static Facts;

    /// [`Facts::name`].
    fn name(&self) -> &'static str {
        self.facts().name
    }

    /// [`Facts::provider`].
    fn provider(&self) -> Provider {
        self.facts().provider
    }

    /// [`Facts::is_log`].
    fn is_log(&self) -> bool {
        self.facts().is_log
    }

    /// [`Facts::is_wire`].
    fn is_wire(&self) -> bool {
        self.facts().is_wire
    }

    /// Whether a log may end with this unit: its agent, reading from the end, accepts it as the last.
    fn may_end(&self, _unit: Json<'_>) -> bool {
        true
    }

    /// Whether a unit that is no message, such as a header, has to be in every part of a partitioned log.
    fn is_frame(&self, unit: Json<'_>) -> bool {
        self.message(unit).is_none()
    }

    /// The object that holds the members of a call or result: the part itself, or an object inside it.
    fn object_of<'a>(&self, part: &Part<'a>) -> Json<'a> {
        part.json
    }

    /// The object and the member where the tool's name goes, for a call or result that has none.
    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        (self.object_of(part), "name")
    }

    /// The members that give a tool's name to a call or result that has none.
    fn named<'a>(&self, part: &Part<'a>, name: &str) -> Vec<Member<'a>> {
        let (object, key) = self.tool_name_member(part);
        vec![(object, key, Some(quote(name)))]
    }

    /// The member, with its value, that gives `text` to a result that has no body.
    fn result_member(&self, text: &str) -> (&'static str, String) {
        ("content", quote(text))
    }

    /// The member of [`object_of`](Self::object_of) that holds the id of a call, or in a result the id of its
    /// call; `None` if the dialect has no ids.
    fn call_id_member(&self, _part: &Part<'_>) -> Option<&'static str> {
        None
    }

    /// The role as written in the message's object or in the `unit` around it.
    fn role_named<'a>(&self, message: Json<'a>, _unit: Json<'a>) -> Option<Cow<'a, str>> {
        let [role, from] = message.pick(["role", "from"]);
        role.or(from)?.text()
    }

    /// The type of a part that this dialect does not know, empty if the part has none; `None` for a known
    /// type.
    fn unknown_type<'a>(&self, _part: &Part<'a>) -> Option<Cow<'a, str>> {
        None
    }

    /// Whether a part is an object that no provider accepts, because its contents are of the wrong kind.
    fn is_mistaken(&self, _part: &Part<'_>) -> bool {
        false
    }

    /// The text that stands in a part beside its main value, though no provider accepts both.
    fn words_beside<'a>(&self, _part: &Part<'a>) -> Option<Json<'a>> {
        None
    }

    /// The array of attachments that stands beside the body of a result.
    fn attached<'a>(&self, _part: &Part<'a>) -> Option<Json<'a>> {
        None
    }

    /// How strongly the object around the list, its other members, speaks for this dialect.
    fn root_sign(&self, _root: &Object<'_>) -> Sign {
        Sign::None
    }

    /// Whether messages that another dialect might claim may be of this one, given the object around them.
    fn may_be_in(&self, _root: &Object<'_>) -> bool {
        true
    }

    /// How strongly an object that holds a conversation in another form than one list speaks for this
    /// dialect.
    fn whole_sign(&self, _value: &Object<'_>) -> Sign {
        Sign::None
    }

    /// How strongly one unit speaks for this dialect.
    fn sign(&self, unit: &Object<'_>) -> Sign;

    /// Reads a unit; `None` if the unit is no message.
    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>>;

    /// The messages that stand beside the list, such as system prompts.
    fn preamble<'a>(&self, _root: &Object<'a>) -> Vec<Message<'a>> {
        Vec::new()
    }

    /// Lists in the object that continue the one under a path of [`holders`](Facts::holders).
    fn more_lists<'a>(&self, _root: &Object<'a>) -> Vec<Json<'a>> {
        Vec::new()
    }

    /// Reads a conversation: its messages, in order.
    fn messages<'a>(&self, source: &mut Source<'a>, _scope: Scope) -> Vec<Message<'a>> {
        let mut messages = source.root.as_ref().map_or_else(Vec::new, |root| self.preamble(root));
        for list in source.root.as_ref().map_or_else(Vec::new, |root| self.more_lists(root)) {
            source.add_list(list);
        }
        messages.reserve_exact(source.units.len());
        for (at, unit) in source.units.iter().enumerate() {
            messages.extend(self.message(unit.json).map(|message| message.in_unit(at)));
        }
        messages
    }

    /// Writes a new message as one or more units.
    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String>;

    /// Writes a new part of a message of `role`, as an item of its content list.
    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        part.written(|text| format!(r#"{{"type":"text","text":{}}}"#, quote(text)))
    }

    /// The id of the session that a log records.
    fn session(&self, _source: &Source<'_>) -> Option<String> {
        None
    }

    /// What a line of a log says about its session, if it says which or opens one.
    fn naming<'a>(&self, _unit: &Object<'a>) -> Option<Naming<'a>> {
        None
    }

    /// The user's words to the model that stand in no message, each with the unit before which they were
    /// said.
    fn said_besides<'a>(&self, _source: &Source<'a>) -> Vec<(usize, Json<'a>)> {
        Vec::new()
    }

    /// The text of a made-up result for a call that nobody answered; `None` if only a picture can answer it.
    fn says_unanswered(&self, _call: &Part<'_>) -> Option<&'static str> {
        Some(ABORTED)
    }

    /// The members that put `answer` into the call, if call and result are one part; `None` if a result is a
    /// part of its own.
    fn answered<'a>(&self, _call: &Part<'a>, _answer: &Answer<'_>) -> Option<Vec<Member<'a>>> {
        None
    }

    /// Writes the body of a result with `text` as its new text and its attachments kept.
    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        let write_text = || self.write_part(&NewPart::Text(text.into()), Role::Tool);
        text_and_attachments(part, text, write_text)
    }
}
