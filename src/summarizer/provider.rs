//! The wire shapes of the providers: how a prompt is asked and an answer is read.
//!
//! One small file a provider, all of them in [`PROVIDERS`], which the command line, the tests and
//! the documentation walk. A provider only translates; sending, judging and repeating are the same
//! for all. Invariant: no provider asks for tools, a stream, or an answer without an end.

mod anthropic;
mod gemini;
mod openai;
mod responses;

use serde_json::Value;

/// Every provider.
pub static PROVIDERS: &[&dyn Provider] =
    &[&openai::OpenAi, &responses::Responses, &anthropic::Anthropic, &gemini::Gemini];

/// Returns the provider that is called `name`.
pub fn by_name(name: &str) -> Option<&'static dyn Provider> {
    PROVIDERS.iter().copied().find(|provider| provider.facts().name == name)
}

/// What is known of a provider before anything is asked.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Its own address.
    pub base_url: &'static str,
    /// The model that is asked where none is named: a cheap one.
    pub model: &'static str,
    /// The environment variables that may hold its key, the usual one first.
    pub key_variables: &'static [&'static str],
}

/// A wire shape.
pub trait Provider: Sync {
    /// Returns what is known of it before anything is asked.
    fn facts(&self) -> &'static Facts;

    /// Returns the address of a request; `base` ends without a slash.
    fn url(&self, base: &str, model: &str) -> String;

    /// Returns the headers of a request.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// Returns the body of a request.
    fn body(&self, ask: &Ask) -> Value;

    /// Reads an answer; `None` is an answer of another shape.
    fn read(&self, answer: &Value) -> Option<Reply>;
}

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The model.
    pub model: &'a str,
    /// The whole prompt.
    pub prompt: &'a str,
    /// How many tokens it may answer with.
    pub tokens: usize,
    /// What this model turned out not to take.
    pub refused: Refused,
}

/// Parameters that a model turned out not to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// It takes no `temperature`, as reasoning models do.
    pub temperature: bool,
    /// It wants `max_completion_tokens` for `max_tokens`.
    pub max_tokens: bool,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// How many tokens of input it says it read.
    pub input: Option<usize>,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It was complete.
    Done,
    /// The bound on the answer cut it off.
    Length,
    /// The window was full.
    Window,
    /// It calls a tool.
    Tool,
    /// It was refused or filtered.
    Refusal,
}

/// Returns the text at `pointer`, or nothing.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the number at `pointer`.
fn number(value: &Value, pointer: &str) -> Option<usize> {
    value.pointer(pointer).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// Returns the texts of those `parts` that `is_text` accepts, joined.
fn join(parts: &[Value], is_text: impl Fn(&Value) -> bool) -> String {
    parts.iter().filter(|part| is_text(part)).map(|part| text(part, "/text")).collect()
}

/// Tells whether the array at `pointer` holds anything.
fn holds(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_array).is_some_and(|array| !array.is_empty())
}
