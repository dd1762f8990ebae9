//! The wire shapes of conversations: one trait, one table, and how a shape is recognised.
//!
//! Responsible for turning values into conversations and new messages into text, one file a
//! dialect. Detection asks each row of [`DIALECTS`] what the values look like to it, most specific
//! sign first; it never guesses between two that fit equally well.

mod anthropic;
mod claude_code;
mod codex;
mod openai;
mod responses_items;

use std::fmt;

use crate::conversation::{Conversation, List, Message, Part, Role, Source};
use crate::document::Document;
use crate::draft::{Draft, NewMessage, NewPart};
use crate::json::{Json, quote};

/// Every dialect that is known.
pub static DIALECTS: &[&dyn Dialect] =
    &[&openai::OpenAi, &anthropic::Anthropic, &claude_code::ClaudeCode, &codex::Codex];

/// How strongly a value speaks for a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// Not of this dialect.
    None,
    /// It may be, and may be another's.
    Possible,
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

/// Whose rules a conversation has to obey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// OpenAI Chat Completions and compatible servers.
    OpenAi,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Bedrock Converse.
    Bedrock,
    /// Gemini `generateContent`.
    Gemini,
    /// Mistral.
    Mistral,
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

/// Where a new message goes.
#[derive(Clone, Copy)]
pub struct Site<'s, 'a> {
    /// The conversation as it was.
    pub conversation: &'s Conversation<'a>,
    /// The list the message becomes an item of.
    pub list: List<'a>,
    /// The kept unit before it.
    pub before: Option<Json<'a>>,
    /// The kept unit behind it.
    pub after: Option<Json<'a>>,
}

/// One wire shape.
pub trait Dialect: Sync {
    /// What `--dialect` calls it.
    fn name(&self) -> &'static str;

    /// One line for help and README: where it comes from.
    fn about(&self) -> &'static str;

    /// The provider it is made for.
    fn provider(&self) -> Provider;

    /// What framing costs.
    fn framing(&self) -> Framing;

    /// Paths of members that hold the list of messages in an object, likeliest first.
    fn holders(&self) -> &'static [&'static str] {
        &[]
    }

    /// What an object that holds a conversation says beside its list.
    fn root_sign(&self, _root: Json<'_>) -> Sign {
        Sign::None
    }

    /// What one unit says.
    fn sign(&self, unit: Json<'_>) -> Sign;

    /// Reads a unit; `None` for one that is no message.
    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>>;

    /// Messages that stand beside the list, as system prompts do.
    fn preamble<'a>(&self, _root: Json<'a>) -> Vec<Message<'a>> {
        Vec::new()
    }

    /// Reads a conversation: the messages and their order.
    fn messages<'a>(&self, source: &mut Source<'a>, _scope: Scope) -> Vec<Message<'a>> {
        let mut messages = source.root.map_or_else(Vec::new, |root| self.preamble(root));
        for (at, unit) in source.units.iter().enumerate() {
            if let Some(mut message) = self.message(unit.json) {
                message.units.push(at);
                message.judge_origin();
                messages.push(message);
            }
        }
        messages
    }

    /// A new message, as the units that it becomes.
    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String>;

    /// A new part of a message of `role`, as an item of its content list.
    fn write_part(&self, part: &NewPart<'_>, role: Role) -> String;

    /// Whether a summary has to stand before everything else that is kept.
    fn summary_leads(&self) -> bool {
        false
    }

    /// The id of the session that a log records.
    fn session(&self, _source: &Source<'_>) -> Option<String> {
        None
    }

    /// Makes a log one that its agent still resumes after the draft's decisions: chains mended,
    /// recorded sizes set to `tokens`, which the result will count.
    fn make_resumable(&self, _draft: &mut Draft<'_, '_>, _tokens: usize) {}

    /// The body of a result that now says `text` and keeps its attachments.
    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        let mut attachments = part.attachments().map(|item| item.source().to_owned()).peekable();
        if attachments.peek().is_none() {
            return quote(text);
        }
        let first = self.write_part(&NewPart::Text(text.into()), Role::Tool);
        let items: Vec<String> = std::iter::once(first).chain(attachments).collect();
        format!("[{}]", items.join(","))
    }
}

/// The dialect called `name`.
pub fn named(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name() == name)
}

/// How a document holds conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The values of the stream are the units of one conversation.
    Stream,
    /// The items of the one array are the units of one conversation.
    Array,
    /// Each value of the stream, or item of the one array, is an array of units.
    Arrays,
    /// Each value of the stream, or item of the one array, holds its units under this path.
    Objects(&'static str),
}

/// A dialect and a layout, recognised.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The wire shape.
    pub dialect: &'static dyn Dialect,
    /// Where the conversations are.
    pub layout: Layout,
}

/// Why no shape was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrecognised {
    /// Nothing fits.
    NoDialect,
    /// Two fit equally well.
    Ambiguous(&'static str, &'static str),
}

impl fmt::Display for Unrecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDialect => write!(f, "no known dialect"),
            Self::Ambiguous(a, b) => write!(f, "the dialect may be {a} or {b}"),
        }
    }
}

/// How many units are looked at before the strongest sign so far decides.
const SAMPLE: usize = 4000;

/// Recognises the shape of a stream of values; with `dialect`, only its layout is asked for.
///
/// # Errors
///
/// No dialect fits, or two fit equally well.
pub fn recognise(
    values: &[Json<'_>],
    dialect: Option<&'static dyn Dialect>,
) -> Result<Shape, Unrecognised> {
    let array = (values.len() == 1 && values[0].is_array()).then(|| values[0].items().collect());
    let units: &[Json<'_>] = array.as_ref().map_or(values, |items: &Vec<Json<'_>>| items);
    let flat = if array.is_some() { Layout::Array } else { Layout::Stream };
    let candidates: Vec<&'static dyn Dialect> =
        dialect.map_or_else(|| DIALECTS.to_vec(), |dialect| vec![dialect]);
    let mut best: Option<(Sign, Shape)> = None;
    let mut rival: Option<&'static dyn Dialect> = None;
    for dialect in candidates {
        let Some((sign, layout)) = strongest(dialect, units, flat) else { continue };
        match &best {
            Some((top, _)) if *top > sign => {}
            // Plain roles and texts: both read them alike, and every rule agrees.
            Some((top, shape)) if *top == sign => {
                if !(sign == Sign::Possible && shape.dialect.name() == "openai") {
                    rival = Some(dialect);
                }
            }
            _ => {
                best = Some((sign, Shape { dialect, layout }));
                rival = None;
            }
        }
    }
    match (best, rival, dialect) {
        (Some((_, shape)), Some(rival), None) => {
            Err(Unrecognised::Ambiguous(shape.dialect.name(), rival.name()))
        }
        (Some((_, shape)), ..) => Ok(shape),
        (None, _, dialect) if units.is_empty() => {
            Ok(Shape { dialect: dialect.unwrap_or(&openai::OpenAi), layout: flat })
        }
        (None, ..) => Err(Unrecognised::NoDialect),
    }
}

/// The strongest sign of a dialect in these units, and where it was found.
fn strongest(
    dialect: &'static dyn Dialect,
    units: &[Json<'_>],
    flat: Layout,
) -> Option<(Sign, Layout)> {
    let sign_of = |units: &mut dyn Iterator<Item = Json<'_>>| {
        let mut top = Sign::None;
        for unit in units.take(SAMPLE) {
            top = top.max(dialect.sign(unit));
            if top == Sign::Certain {
                break;
            }
        }
        top
    };
    let mut found = vec![(sign_of(&mut units.iter().copied()), flat)];
    for &unit in units.iter().take(3) {
        if unit.is_array() {
            found.push((sign_of(&mut unit.items()), Layout::Arrays));
        }
        for &path in dialect.holders() {
            if let Some(list) = unit.at(path).filter(|list| list.is_array()) {
                let inner = sign_of(&mut list.items());
                let root = dialect.root_sign(unit);
                let possible = if list.items().next().is_none() { Sign::Possible } else { inner };
                if possible > Sign::None {
                    found.push((possible.max(root), Layout::Objects(path)));
                }
            }
        }
    }
    // Of equal signs the first counts: units of the stream before what their members hold.
    let top = found.iter().map(|(sign, _)| *sign).max()?;
    found.into_iter().find(|(sign, _)| *sign == top && top > Sign::None)
}

/// The sources of a document's conversations, in order.
pub fn sources<'a>(document: &Document<'a>, layout: Layout) -> Vec<Source<'a>> {
    let values = document.values();
    let holders = || match values {
        [only] if only.is_array() => only.items().collect(),
        _ => values.to_vec(),
    };
    match layout {
        Layout::Stream => vec![Source::stream(values)],
        Layout::Array => vec![Source::array(None, values[0])],
        Layout::Arrays => {
            let arrays = holders().into_iter().filter(|value| value.is_array());
            arrays.map(|array| Source::array(None, array)).collect()
        }
        Layout::Objects(path) => {
            let lists = holders().into_iter().filter_map(|root| {
                root.at(path).filter(|list| list.is_array()).map(|list| (root, list))
            });
            lists.map(|(root, list)| Source::array(Some(root), list)).collect()
        }
    }
}

/// Reads one conversation.
pub fn decode<'a>(
    dialect: &'static dyn Dialect,
    mut source: Source<'a>,
    scope: Scope,
) -> Conversation<'a> {
    let messages = dialect.messages(&mut source, scope);
    let tools = source.root.and_then(|root| {
        ["tools", "kwargs.tools"].iter().find_map(|path| root.at(path)).filter(|t| t.is_array())
    });
    Conversation { dialect, source, messages, tools }
}
