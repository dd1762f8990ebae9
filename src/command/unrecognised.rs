//! Messages about an input whose dialect is not recognised, with hints.

use crate::command::notes::answers_alone;
use crate::conversation::{Conversation, Role, decode};
use crate::dialect::{self, DIALECTS, Dialect, Scope, Unrecognised};
use crate::input::{InputError, Name};
use crate::json::Json;

/// The values of an input that is not read.
pub(super) struct Unread<'s, 'a> {
    /// All values.
    pub(super) values: &'s [Json<'a>],
    /// The value that caused the error, if it is one of many.
    pub(super) at: Option<Json<'a>>,
}

/// The error for an input that is not read; `find` looks for conversations in a given dialect, or in any.
pub(super) fn error<'a, E>(
    name: &Name,
    forced: Option<&dyn Dialect>,
    error: Unrecognised,
    line: Option<usize>,
    unread: &Unread<'_, '_>,
    find: impl Fn(Option<&'static dyn Dialect>) -> Result<dialect::Found<'a>, E>,
) -> InputError {
    let name = line.map_or_else(|| name.to_string(), |line| format!("{name}:{line}"));
    let alone = || answers_alone(unread.values);
    let unknown = || alone().unwrap_or_else(|| WHAT_IS_READ.to_owned());
    let (reason, hint) = match (forced, error) {
        (Some(dialect), _) => {
            let recognised = find(None).ok();
            let other = recognised.and_then(|found| found.conversations.first().map(|it| it.0));
            let hint = other.map_or_else(unknown, |shape| {
                format!("without --dialect it is recognised as {}", shape.dialect.name())
            });
            (format!("no conversation in the dialect {}", dialect.name()), hint)
        }
        (None, Unrecognised::Ambiguous(a, b)) => {
            (error.to_string(), format!("say which: --dialect {a} or --dialect {b}"))
        }
        (None, Unrecognised::NoDialect) => {
            let hint = unread.of_ai_sdk().or_else(|| readers(find)).or_else(alone);
            let hint = hint.or_else(|| unread.inside());
            (error.to_string(), hint.unwrap_or_else(|| WHAT_IS_READ.to_owned()))
        }
    };
    InputError { name, place: None, reason, hint: Some(hint) }
}

fn names(all: &[&'static dyn Dialect]) -> String {
    all.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", ")
}

/// What a conversation looks like, for users with another file.
const WHAT_IS_READ: &str = "a conversation is an array of messages, as [{\"role\":\"user\",\"content\":\"hi\"}], an object with such `messages`, or an agent's session log";

/// The dialects that can read the input if named, in words.
fn readers<'a, E>(
    find: impl Fn(Option<&'static dyn Dialect>) -> Result<dialect::Found<'a>, E>,
) -> Option<String> {
    let mut readers = DIALECTS.to_vec();
    readers.retain(|dialect| find(Some(*dialect)).is_ok_and(is_talk));
    let hint = || format!("--dialect NAME reads it as one of {}", names(&readers));
    (!readers.is_empty()).then(hint)
}

/// Whether both a user and an assistant speak in the conversations that were found. Another agent's log may
/// be read as messages without content.
fn is_talk(found: dialect::Found<'_>) -> bool {
    let decoded = found
        .conversations
        .into_iter()
        .map(|(shape, source)| decode(shape.dialect, source, Scope::All));
    let says = |conversation: &Conversation<'_>, role| {
        let mut own = conversation.messages.iter().filter(|message| message.role == role);
        own.any(|message| !message.text().trim().is_empty())
    };
    decoded.take(FIRST).any(|it| says(&it, Role::User) && says(&it, Role::Assistant))
}

/// How many conversations are examined.
const FIRST: usize = 32;

impl Unread<'_, '_> {
    /// A hint how to convert messages with parts of the AI SDK.
    fn of_ai_sdk(&self) -> Option<String> {
        let value = self.at.or(self.values.first().copied());
        value.filter(|value| dialect::has_parts_of_ai_sdk(*value))?;
        let blocks = [
            r#"{"type":"text","text":…}"#,
            r#"{"type":"tool_use","id":…,"name":…,"input":…}"#,
            r#"{"type":"tool_result","tool_use_id":…,"content":…}"#,
        ];
        let blocks = blocks.join(", ");
        let parts = "parts of the types tool-call and tool-result";
        Some(format!("messages of the AI SDK have {parts}: written as {blocks} they are anthropic"))
    }

    /// A hint where conversations are nested in the input.
    fn inside(&self) -> Option<String> {
        // The items of a single array are the values.
        let items = matches!(self.values, [only] if only.is_array());
        let first = self.values.first()?.items().next().filter(|_| items);
        let value = self.at.or(first).or(self.values.first().copied())?;
        let found = dialect::inside(value)?;
        let each = if items { ".[]" } else { "" };
        let has_completion = value.member("completion").is_some_and(Json::is_array);
        if found.path == "prompt" && has_completion {
            let each = if items { ".[] | " } else { "" };
            return Some(format!(
                "jq -c '{each}.prompt + .completion' FILE puts messages together"
            ));
        }
        if let Some(filter) = found.filter_of_log(self.values).filter(|_| !items) {
            let filter = filter.replace('\'', r"'\''");
            return Some(format!(
                "messages stand under {}: jq -cs '{filter}' FILE puts them together",
                found.path
            ));
        }
        // A quote can't stand inside single quotes of the shell.
        let (path, filter) = (&found.path, found.filter(each).replace('\'', r"'\''"));
        Some(format!("messages stand under {path}: jq -c '{filter}' FILE takes them out"))
    }
}
