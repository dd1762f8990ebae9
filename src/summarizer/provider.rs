//! The wire shapes of the providers: how a prompt is sent and an answer is read.
//!
//! One small file per provider, all listed in [`PROVIDERS`], which the command line, the tests and the
//! documentation walk. A provider only translates; sending, judging and repeating are the same for all.
//! Invariant: no provider asks for tools, a stream, or an answer without a limit.

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

/// The constants of a provider.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The provider's own address.
    pub base_url: &'static str,
    /// The default model: a cheap one.
    pub model: &'static str,
    /// The environment variables that may hold the key, the usual one first.
    pub key_variables: &'static [&'static str],
}

/// A wire shape.
pub trait Provider: Sync {
    /// Returns the constants of the provider.
    fn facts(&self) -> &'static Facts;

    /// Returns the address of a request; `base` ends without a slash.
    fn url(&self, base: &str, model: &str) -> String;

    /// Returns the headers of a request.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// Returns the body of a request.
    fn body(&self, ask: &Ask) -> Value;

    /// Reads an answer; `None` if it has another shape.
    fn read(&self, answer: &Value) -> Option<Reply>;
}

/// The content of a request to a model.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The model.
    pub model: &'a str,
    /// The whole prompt.
    pub prompt: &'a str,
    /// The most tokens of the answer.
    pub tokens: usize,
    /// The parameters that this model rejects.
    pub refused: Refused,
}

/// Parameters that a model turned out to reject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// It rejects `temperature`, as reasoning models do.
    pub temperature: bool,
    /// It requires `max_completion_tokens` in place of `max_tokens`.
    pub max_tokens: bool,
}

/// The answer of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// The tokens of input that it reports.
    pub input: Option<usize>,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It was complete.
    Done,
    /// The limit on the answer cut it off.
    Length,
    /// The window was full.
    Window,
    /// It calls a tool.
    Tool,
    /// The model refused, or the answer was filtered.
    Refusal,
}

/// Returns the text at `pointer`, or an empty text.
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
