//! What a dialect is asked: the one trait, and the words of its questions and answers.
//!
//! Responsible for what holds of every dialect; a default is what most of them do.

use std::borrow::Cow;

use clap::ValueEnum;

use super::shared::text_and_attachments;
use crate::json::{Json, Object, quote};
use crate::marks::ABORTED;
use crate::message::{Message, NewMessage, NewPart, Part, Role};
use crate::source::{List, Source};

/// How strongly a value speaks for a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// Not of this dialect.
    None,
    /// It may be, and may be another's.
    Possible,
    /// It may be, and what stands beside it speaks for it.
    Likely,
    /// It has what only this dialect of its family has.
    Typical,
    /// It can be nothing else.
    Certain,
}

/// What a provider adds to the texts, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// A message, its role included.
    pub message: usize,
    /// A name, besides its own tokens.
    pub name: usize,
    /// A text.
    pub text: usize,
    /// A call.
    pub call: usize,
    /// A result.
    pub result: usize,
    /// The conversation, if it has a message: the reply begins, a request is framed.
    pub conversation: usize,
}

impl Framing {
    /// No framing at all.
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
    /// What `--for` calls it.
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

    /// Whether requests have OpenAI's chat shape, which knows no turns: neighbours of one role are as good
    /// as any.
    pub(crate) fn is_chat(self) -> bool {
        matches!(self, Self::OpenAi | Self::Mistral)
    }

    /// Whether a content is a list of blocks, each of which has to say something.
    pub(crate) fn has_blocks(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }

    /// Whether it serves Claude: thinking is Anthropic's, and a file made for one such provider is for
    /// the other.
    pub(crate) fn has_claude(self) -> bool {
        matches!(self, Self::Anthropic | Self::Bedrock)
    }
}

/// Which lines of a session log are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those that the agent would send on resuming.
    #[default]
    Live,
    /// All of them.
    All,
}

/// What a call is answered with.
pub struct Answer<'n> {
    /// The id of the call; empty where it has none.
    pub call_id: &'n str,
    /// The name of the tool.
    pub name: &'n str,
    /// What the tool said.
    pub text: &'n str,
}

/// A member of an object, and the value that it gets, as JSON; `None` removes it.
pub type Member<'a> = (Json<'a>, &'static str, Option<String>);

/// Where a new message goes.
#[derive(Clone, Copy)]
pub struct Site<'s, 'a> {
    /// Where the messages stood.
    pub source: &'s Source<'a>,
    /// The messages as they were.
    pub messages: &'s [Message<'a>],
    /// The list the message becomes an item of.
    pub list: List<'a>,
    /// The kept unit before it.
    pub before: Option<Json<'a>>,
    /// The kept unit behind it.
    pub after: Option<Json<'a>>,
}

impl<'a> Site<'_, 'a> {
    /// The kept unit that it is written like.
    pub fn neighbour(&self) -> Option<Json<'a>> {
        self.before.or(self.after)
    }
}

/// What holds of every file of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// What `--dialect` calls it.
    pub name: &'static str,
    /// One line for help and README: where it comes from.
    pub about: &'static str,
    /// The provider it is made for.
    pub provider: Provider,
    /// Whether the files are logs of an agent, which mends what it reads before it sends it: joins
    /// neighbours, puts results first, drops what is empty.
    pub is_log: bool,
    /// Whether a provider reads the messages as they are written here; other files are converted on
    /// the way.
    pub is_wire: bool,
    /// The path in a unit that says when its message was written, where there is one.
    pub written: Option<&'static str>,
    /// What framing costs.
    pub framing: Framing,
    /// Paths of members that hold the list of messages in an object, likeliest first; a star stands
    /// for every item of an array.
    pub holders: &'static [&'static str],
    /// Whether [`messages`](Dialect::messages) asks more than what each unit is by itself.
    pub reads_across: bool,
    /// Whether a summary has to stand before everything else that is kept.
    pub summary_leads: bool,
    /// Whether its client shows rows again that it never sends.
    pub shows_internal: bool,
    /// Whether a message that moves takes along the unit that it lies in; elsewhere it is wrapped anew.
    pub moves_wrapped: bool,
    /// Whether parts have no type: a member names each, as it does nowhere else.
    pub names_parts: bool,
    /// Whether a content is a list of parts, never a text alone.
    pub takes_lists: bool,
}

impl Facts {
    /// What is so of a dialect that says nothing else.
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
    /// What holds of every file of it.
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

    /// Whether a log may end with this unit: what its agent looks for from the end on.
    fn may_end(&self, _unit: Json<'_>) -> bool {
        true
    }

    /// Whether a unit of a log that is no message has to stand beside those of any part of it, as a header.
    fn is_frame(&self, unit: Json<'_>) -> bool {
        self.message(unit).is_none()
    }

    /// The object that has the members of a call or a result: the part itself, or one in it.
    fn object_of<'a>(&self, part: &Part<'a>) -> Json<'a> {
        part.json
    }

    /// The object and its member where the name of a tool goes in a call or result that has none.
    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        (self.object_of(part), "name")
    }

    /// The member that lets a result say `text` that has no body, and its value.
    fn result_member(&self, text: &str) -> (&'static str, String) {
        ("content", quote(text))
    }

    /// The member that holds the id of a call, or of a result its call's, in [`object_of`](Self::object_of) it;
    /// `None` where the dialect has no ids.
    fn call_id_member(&self, _part: &Part<'_>) -> Option<&'static str> {
        None
    }

    /// The role that a message's object gives it, or the `unit` around that, as it is written.
    fn role_named<'a>(&self, message: Json<'a>, _unit: Json<'a>) -> Option<Cow<'a, str>> {
        let [role, from] = message.pick(["role", "from"]);
        role.or(from)?.text()
    }

    /// The type of a part that this dialect does not know, empty where there is none; `None` for those that it
    /// does.
    fn unknown_type<'a>(&self, _part: &Part<'a>) -> Option<Cow<'a, str>> {
        None
    }

    /// Whether a part is an object, and yet none that a provider takes, for what it holds is none.
    fn is_mistaken(&self, _part: &Part<'_>) -> bool {
        false
    }

    /// The text that stands in a part beside what it is, though no provider takes both.
    fn words_beside<'a>(&self, _part: &Part<'a>) -> Option<Json<'a>> {
        None
    }

    /// The array of attachments that stands beside what a part says, where that is a result.
    fn attached<'a>(&self, _part: &Part<'a>) -> Option<Json<'a>> {
        None
    }

    /// What an object that holds a conversation says beside its list.
    fn root_sign(&self, _root: &Object<'_>) -> Sign {
        Sign::None
    }

    /// Whether messages that may be another's too may be its own beside what an object says that holds them.
    fn may_be_in(&self, _root: &Object<'_>) -> bool {
        true
    }

    /// What an object says that holds a conversation otherwise than as one list.
    fn whole_sign(&self, _value: &Object<'_>) -> Sign {
        Sign::None
    }

    /// What one unit says.
    fn sign(&self, unit: &Object<'_>) -> Sign;

    /// Reads a unit; `None` for one that is no message.
    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>>;

    /// Messages that stand beside the list, as system prompts do.
    fn preamble<'a>(&self, _root: &Object<'a>) -> Vec<Message<'a>> {
        Vec::new()
    }

    /// Lists that stand in the object besides the one under a path of [`holders`](Facts::holders),
    /// and continue it.
    fn more_lists<'a>(&self, _root: &Object<'a>) -> Vec<Json<'a>> {
        Vec::new()
    }

    /// Reads a conversation: the messages and their order.
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

    /// A new message, as the units that it becomes.
    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String>;

    /// A new part of a message of `role`, as an item of its content list.
    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        part.written(|text| format!(r#"{{"type":"text","text":{}}}"#, quote(text)))
    }

    /// The id of the session that a log records.
    fn session(&self, _source: &Source<'_>) -> Option<String> {
        None
    }

    /// What the user said to the model that stands in no message: the words, and a unit before which
    /// they were said.
    fn said_besides<'a>(&self, _source: &Source<'a>) -> Vec<(usize, Json<'a>)> {
        Vec::new()
    }

    /// What the result of a call says that nobody answered; `None` where a tool shows a picture, and no
    /// text can answer.
    fn says_unanswered(&self, _call: &Part<'_>) -> Option<&'static str> {
        Some(ABORTED)
    }

    /// The members that give a call the result that `answer` is, where the two are one part; `None` where
    /// a result is a part of its own.
    fn answered<'a>(&self, _call: &Part<'a>, _answer: &Answer<'_>) -> Option<Vec<Member<'a>>> {
        None
    }

    /// The body of a result that now says `text` and keeps its attachments.
    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        let write_text = || self.write_part(&NewPart::Text(text.into()), Role::Tool);
        text_and_attachments(part, text, write_text)
    }
}
