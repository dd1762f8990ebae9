//! The wire shapes of conversations: one trait, one table, and how a shape is recognised.
//!
//! Responsible for turning values into conversations and new messages into text, one file a
//! dialect. Detection asks each row of [`DIALECTS`] what the values look like to it, most specific
//! sign first; it never guesses between two that fit equally well.

mod anthropic;
mod claude_code;
mod codex;
mod gemini;
mod gemini_cli;
mod langchain;
mod openai;
mod opencode;
mod openhands;
mod pi;
mod responses;
mod responses_items;
mod sharegpt;
mod ui_message;

use std::fmt;

use crate::conversation::{Conversation, Kind, List, Message, Part, Role, Root, Source};
use crate::document::Document;
use crate::draft::{Draft, NewMessage, NewPart};
use crate::json::{Json, quote};

/// Every dialect that is known.
pub static DIALECTS: &[&dyn Dialect] = &[
    &openai::OpenAi,
    &anthropic::Anthropic,
    &responses::Responses,
    &gemini::Gemini,
    &claude_code::ClaudeCode,
    &codex::Codex,
    &sharegpt::ShareGpt,
    &pi::Pi,
    &opencode::OpenCode,
    &gemini_cli::GeminiCli,
    &openhands::OpenHands,
    &langchain::LangChain,
    &ui_message::UiMessage,
];

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

    /// Whether the files are logs of an agent, which mends what it reads before it sends it: joins
    /// neighbours, puts results first, drops what is empty.
    fn is_log(&self) -> bool {
        false
    }

    /// The member that holds the id of a call, or of a result its call's, in the part's object;
    /// `None` where the dialect has no ids.
    fn call_id_member(&self, _part: &Part<'_>) -> Option<&'static str> {
        None
    }

    /// What framing costs.
    fn framing(&self) -> Framing;

    /// Paths of members that hold the list of messages in an object, likeliest first; a star stands
    /// for every item of an array.
    fn holders(&self) -> &'static [&'static str] {
        &[]
    }

    /// What an object that holds a conversation says beside its list.
    fn root_sign(&self, _root: &Root<'_>) -> Sign {
        Sign::None
    }

    /// What an object says that holds a conversation otherwise than as one list.
    fn whole_sign(&self, _value: &Root<'_>) -> Sign {
        Sign::None
    }

    /// What one unit says.
    fn sign(&self, unit: Json<'_>) -> Sign;

    /// Reads a unit; `None` for one that is no message.
    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>>;

    /// Messages that stand beside the list, as system prompts do.
    fn preamble<'a>(&self, _root: &Root<'a>) -> Vec<Message<'a>> {
        Vec::new()
    }

    /// Lists that stand in the object besides the one under a path of [`holders`](Self::holders),
    /// and continue it.
    fn more_lists<'a>(&self, _root: &Root<'a>) -> Vec<Json<'a>> {
        Vec::new()
    }

    /// Reads a conversation: the messages and their order.
    fn messages<'a>(&self, source: &mut Source<'a>, _scope: Scope) -> Vec<Message<'a>> {
        let mut messages = source.root.as_ref().map_or_else(Vec::new, |root| self.preamble(root));
        for list in source.root.as_ref().map_or_else(Vec::new, |root| self.more_lists(root)) {
            source.add_list(list);
        }
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

    /// The call with a result that says `text`, where the two are one part; `None` where a result is
    /// a part of its own.
    fn answered(&self, _call: &Part<'_>, _text: &str) -> Option<String> {
        None
    }

    /// Makes a log one that its agent still resumes after the draft's decisions: chains mended,
    /// recorded sizes set to `tokens`, which the result will count. It is the last decision, for it
    /// writes the new messages; a draft that decides nothing stays as it is.
    fn make_resumable<'a>(
        &self,
        _draft: &mut Draft<'_, 'a>,
        _document: &Document<'a>,
        _tokens: usize,
    ) {
    }

    /// The lines that, put behind the untouched log, say what the draft decides; `None` where the
    /// agent has no records for that, or where the draft writes no summary.
    fn append<'a>(
        &self,
        _draft: &mut Draft<'_, 'a>,
        _document: &Document<'a>,
        _tokens: usize,
    ) -> Option<Vec<String>> {
        None
    }

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
    /// Each value of the stream, or item of the one array, is a conversation whose lists only its
    /// dialect finds.
    Whole,
}

impl Layout {
    /// The layout of one of the conversations, as a document of its own.
    #[must_use]
    pub fn alone(self) -> Self {
        match self {
            Self::Arrays => Self::Array,
            Self::Objects(path) => Self::Objects(path.rsplit("*.").next().unwrap_or(path)),
            other => other,
        }
    }
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

/// How many units are looked at for a sign that decides.
const SAMPLE: usize = 4000;

/// How many more are looked at once there is a sign that only a stronger one overrules.
const SECOND_LOOK: usize = 32;

/// In how many of the first values a list of units is looked for.
const HOLDERS: usize = 3;

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
    let mut found = Findings::default();
    found.look_at(&candidates, units.iter().copied(), flat);
    for &unit in units.iter().take(HOLDERS) {
        found.look_inside(&candidates, unit);
    }
    match found.strongest() {
        Some((_, Some(rival), shape)) if dialect.is_none() => {
            Err(Unrecognised::Ambiguous(shape.dialect.name(), rival.name()))
        }
        Some((.., shape)) => Ok(shape),
        None if units.is_empty() => {
            Ok(Shape { dialect: dialect.unwrap_or(&openai::OpenAi), layout: flat })
        }
        None => Err(Unrecognised::NoDialect),
    }
}

/// The shapes that something speaks for, in the order in which they were found.
#[derive(Default)]
struct Findings(Vec<(Sign, Shape)>);

impl Findings {
    fn add(&mut self, dialect: &'static dyn Dialect, sign: Sign, layout: Layout) {
        if sign > Sign::None {
            self.0.push((sign, Shape { dialect, layout }));
        }
    }

    /// Asks every candidate what these units are, until one is certain.
    fn look_at<'a>(
        &mut self,
        candidates: &[&'static dyn Dialect],
        units: impl Iterator<Item = Json<'a>>,
        layout: Layout,
    ) {
        for (dialect, sign) in candidates.iter().zip(signs(candidates, units)) {
            self.add(*dialect, sign, layout);
        }
    }

    /// Looks for units in the members of `value`, or in its items.
    fn look_inside(&mut self, candidates: &[&'static dyn Dialect], value: Json<'_>) {
        if value.is_array() {
            self.look_at(candidates, value.items(), Layout::Arrays);
            return;
        }
        let root = Root::of(value);
        for dialect in candidates {
            self.add(*dialect, dialect.whole_sign(&root), Layout::Whole);
        }
        let mut paths: Vec<&'static str> = Vec::new();
        for path in candidates.iter().flat_map(|dialect| dialect.holders()) {
            if !paths.contains(path) {
                paths.push(path);
            }
        }
        for path in paths {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let Some(member) = root.member(first) else { continue };
            let Some((_, list)) = lists(member, rest).next() else { continue };
            let holding: Vec<_> =
                candidates.iter().copied().filter(|d| d.holders().contains(&path)).collect();
            let is_empty = list.items().next().is_none();
            for (dialect, sign) in holding.iter().zip(signs(&holding, list.items())) {
                let sign = if is_empty { Sign::Possible } else { sign };
                if sign > Sign::None {
                    self.add(*dialect, sign.max(dialect.root_sign(&root)), Layout::Objects(path));
                }
            }
        }
    }

    /// The strongest sign, the first shape that has it, and another dialect that has it too.
    fn strongest(&self) -> Option<(Sign, Option<&'static dyn Dialect>, Shape)> {
        let top = self.0.iter().map(|(sign, _)| *sign).max()?;
        let mut all = self.0.iter().filter(|(sign, _)| *sign == top).map(|(_, shape)| *shape);
        let first = all.next()?;
        let is_it = |shape: &Shape| shape.dialect.name() == first.dialect.name();
        // Plain roles and texts: several read them alike, and every rule agrees.
        let is_plain = top == Sign::Possible && first.dialect.name() == "openai";
        let rival = all.find(|other| !is_it(other) && !is_plain).map(|shape| shape.dialect);
        // An answer may tell more than the request that it stands beside.
        let is_inside = |shape: &Shape| matches!(shape.layout, Layout::Objects(_));
        let mut inside = self.0.iter().map(|(_, shape)| *shape);
        let likeliest = inside.find(|shape| is_it(shape) && is_inside(shape));
        let shape = likeliest.filter(|_| is_inside(&first)).unwrap_or(first);
        Some((top, rival, shape))
    }
}

/// A unit of more bytes is looked at as a sketch, for every candidate looks at it.
const LARGE: usize = 4096;

/// Items of each array that a sketch shows.
const SKETCHED_ITEMS: usize = 40;

/// The strongest sign of each candidate among these units.
fn signs<'a>(
    candidates: &[&'static dyn Dialect],
    units: impl Iterator<Item = Json<'a>>,
) -> Vec<Sign> {
    let mut signs = vec![Sign::None; candidates.len()];
    let mut left = SAMPLE;
    for unit in units {
        let sketch = (unit.source().len() > LARGE).then(|| unit.sketch(SKETCHED_ITEMS));
        let looked_at = sketch.as_deref().map_or(unit, Json::from_checked);
        for (sign, dialect) in signs.iter_mut().zip(candidates) {
            *sign = dialect.sign(looked_at).max(*sign);
        }
        match signs.iter().max() {
            Some(Sign::Certain) => break,
            Some(Sign::Typical) => left = left.min(SECOND_LOOK),
            _ => {}
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
    signs
}

/// The lists of units under `path` in `root`, each with the object that holds it; a star in the path
/// stands for every item of an array, which then are the holding objects.
fn lists<'a>(root: Json<'a>, path: &'static str) -> impl Iterator<Item = (Json<'a>, Json<'a>)> {
    let (roots, path) =
        match path.strip_prefix("*.").map(|rest| ("", rest)).or(path.split_once(".*.")) {
            Some((array, path)) => {
                (root.at(array).map_or_else(Vec::new, |a| a.items().collect()), path)
            }
            None => (vec![root], path),
        };
    let held = roots.into_iter().filter_map(move |root| Some((root, root.at(path)?)));
    held.filter(|(_, list)| list.is_array())
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
            let lists = holders().into_iter().flat_map(|root| lists(root, path));
            lists.map(|(root, list)| Source::array(Some(root), list)).collect()
        }
        Layout::Whole => {
            let roots = holders().into_iter().filter(|value| value.is_object());
            roots.map(|root| Source { root: Some(Root::of(root)), ..Source::default() }).collect()
        }
    }
}

/// Objects within a recorded exchange that hold the request, and so what stands beside its list.
const REQUESTS: &[&str] = &["request", "body", "response", "kwargs", "config"];

/// The first of several members that an object has that holds a conversation, or the request in it.
fn beside<'a>(root: &Root<'a>, names: &[&str]) -> Option<Json<'a>> {
    let own = names.iter().filter_map(|name| root.member(name));
    let requests = REQUESTS.iter().filter_map(|name| root.member(name));
    let theirs = requests.flat_map(|request| names.iter().filter_map(move |n| request.member(n)));
    own.chain(theirs).find(|value| !value.is_null())
}

/// A system prompt that stands beside the list: a text, or an array of texts.
fn prompt_beside<'a>(root: &Root<'a>, names: &[&str]) -> Option<Message<'a>> {
    let prompt = beside(root, names).filter(|prompt| !prompt.is_object())?;
    let mut message = Message::new(Role::System, prompt);
    message.content = Some(prompt);
    message.parts.push(Part::new(Kind::Text, prompt).saying(Some(prompt)));
    Some(message)
}

/// A part that the model never gets: steps, snapshots, what the screen shows.
fn unsaid(json: Json<'_>) -> Part<'_> {
    Part::new(Kind::Other, json).saying(Some(Json::from_checked("\"\"")))
}

/// The members of an object as they are written, without those called `names`, each with a comma.
fn members_but(object: Json<'_>, names: &[&str]) -> String {
    let members = object.members().filter(|(key, _)| !names.iter().any(|name| key.is(name)));
    let written =
        members.map(|(key, value)| format!("{}:{},", key.json().source(), value.source()));
    written.collect()
}

/// Reads one conversation.
pub fn decode<'a>(
    dialect: &'static dyn Dialect,
    mut source: Source<'a>,
    scope: Scope,
) -> Conversation<'a> {
    let messages = dialect.messages(&mut source, scope);
    let tools = source
        .root
        .as_ref()
        .and_then(|root| beside(root, &["tools", "functions"]))
        .filter(|t| t.is_array());
    Conversation { dialect, source, messages, tools }
}
