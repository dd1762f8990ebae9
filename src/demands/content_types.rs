//! Values of the wrong type: contents, parts, texts, results and roles.

use crate::conversation::{Conversation, Kind, List, Message, Part, Role};
use crate::demands::content::is_blank_item;
use crate::dialect::{Dialect, Provider};
use crate::json::Json;
use crate::wire::Wire;

/// What a value of the wrong type should be, in the order of the providers' sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A content: a text or a list.
    Content,
    /// A part, an item of a list.
    Part,
    /// The text of a part.
    Text,
    /// The body of a result: a text or a list, for Gemini an object.
    Result,
    /// A role, as a string.
    Role,
    /// The role of a message without one.
    SomeRole,
    /// The text of a part without one.
    SomeText,
    /// The link of a picture, in an object, or in Responses a string.
    Link,
    /// The list of calls.
    Calls,
    /// A call, an item of that list.
    Call,
    /// The list in Responses that sums reasoning up.
    Summary,
}

impl Wanted {
    pub(crate) fn name(self, list: Option<&str>) -> &'static str {
        match self {
            Self::Content if list == Some("parts") => "\"parts\" is no list",
            Self::Content if list.is_some() => "content is no list",
            Self::Content => "content is neither a text nor a list",
            Self::Part => "a part is no object",
            Self::Text => "a text is no string",
            Self::Role => "a role is no string",
            Self::SomeRole => "a role is missing",
            Self::SomeText => "a text is missing",
            Self::Result => "a result has the wrong type",
            Self::Calls => "\"tool_calls\" is no list",
            Self::Call => "a call is no object",
            Self::Link => "the link of a picture has the wrong type",
            Self::Summary => "reasoning has no summary",
        }
    }
}

/// A value of the wrong type.
pub(crate) struct Mistyped<'a> {
    pub(crate) wanted: Wanted,
    /// The index of the part that holds the value, or is it.
    pub(crate) part: Option<usize>,
    /// The index of the item within that part, a result.
    pub(crate) item: Option<usize>,
    /// The value; if a text is missing, the object that should hold it.
    pub(crate) value: Json<'a>,
}

/// The values of the wrong type in a message.
pub(crate) fn mistyped<'a>(
    message: &Message<'a>,
    dialect: &dyn Dialect,
    provider: Provider,
    wire: Wire,
) -> Vec<Mistyped<'a>> {
    let strange = message.strange_content().or_else(|| lone_text(message, wire));
    let strange = strange.or_else(|| missing_content(message, provider, wire));
    let content =
        strange.map(|value| Mistyped { wanted: Wanted::Content, part: None, item: None, value });
    let mut found = Vec::from_iter(content);
    if wire.log {
        return found;
    }
    let is_strange =
        |part: &Part<'_>| part.body.zip(strange).is_some_and(|(body, content)| body.is(content));
    let is_item = provider == Provider::Responses && !wire.foreign;
    for (index, part) in message.parts.iter().enumerate().filter(|(_, part)| !is_strange(part)) {
        let mut add = |wanted, item, value| {
            found.push(Mistyped { wanted, part: Some(index), item, value });
        };
        match part.kind {
            Kind::ToolResult => of_result(part, provider, wire, &mut add),
            Kind::ToolCall => {}
            Kind::Image if !wire.foreign && (is_item || provider == Provider::OpenAi) => {
                if let Some(link) = wrong_link(part.json, provider, wire) {
                    add(Wanted::Link, None, link);
                }
            }
            Kind::Reasoning if is_item && lacks_summary(part.json) => {
                add(Wanted::Summary, None, part.json);
            }
            Kind::Other if !wire.foreign && dialect.is_mistaken(part) => {
                add(Wanted::Part, None, part.json);
            }
            _ if part.list.is_some() && !part.json.is_object() && !wire.foreign => {
                let is_in = |list: Json<'_>| message.content.is_some_and(|c| c.is(list));
                let is_part = part.list.is_some_and(is_in);
                add(if is_part { Wanted::Part } else { Wanted::Call }, None, part.json);
            }
            Kind::Text if part.body.is_some_and(Json::is_string) => {}
            Kind::Text if !says_nothing(part, provider) => match part.body {
                Some(body) => add(Wanted::Text, None, body),
                None => match text_of(part.json) {
                    Some((_, Some(text))) if text.is_string() => {}
                    Some((_, Some(text))) => add(Wanted::Text, None, text),
                    Some((_, None)) => add(Wanted::SomeText, None, part.json),
                    None => {}
                },
            },
            _ => {}
        }
    }
    let may_call = wire.prompts_inside && message.role == Role::Assistant;
    let calls = Some(message.json).filter(|_| may_call && !message.has(Kind::ToolCall));
    let calls = calls.and_then(|message| message.member("tool_calls"));
    let calls = calls.filter(|calls| !calls.is_array() && !calls.is_null());
    found.extend(calls.map(|value| Mistyped {
        wanted: Wanted::Calls,
        part: None,
        item: None,
        value,
    }));
    found
}

/// Whether a part of a message is a text, or will become one because it has the wrong type.
pub(crate) fn is_words(dialect: &dyn Dialect, message: &Message<'_>, part: &Part<'_>) -> bool {
    let is_content = |list: Option<Json<'_>>| {
        list.is_some_and(|list| message.content.is_some_and(|content| content.is(list)))
    };
    part.kind == Kind::Text
        || (part.kind == Kind::Other
            && if part.json.is_object() {
                dialect.is_mistaken(part)
                    || message.strange_content().is_some_and(|content| content.is(part.json))
            } else {
                is_content(part.list.or(Some(part.json)))
            })
}

/// The content, if it is a plain text although the provider accepts only lists.
fn lone_text<'a>(message: &Message<'a>, wire: Wire) -> Option<Json<'a>> {
    message.content.filter(|content| wire.takes_lists && content.is_string())
}

/// The content of a message of Responses that has none: null, or the message itself.
fn missing_content<'a>(message: &Message<'a>, provider: Provider, wire: Wire) -> Option<Json<'a>> {
    let is_its = provider == Provider::Responses && wire.is_sent_as_it_is();
    let [kind, role] = message.json.pick(["type", "role"]);
    // Items of other types may have a role too.
    let is_message = role.is_some() && kind.is_none_or(|kind| kind.says("message"));
    let content = message.content.filter(|content| !content.is_null());
    let lacks = is_its && is_message && !message.units.is_empty() && content.is_none();
    lacks.then(|| message.content.unwrap_or(message.json))
}

/// Whether an item is reasoning without a summary, which may be empty.
fn lacks_summary(item: Json<'_>) -> bool {
    let [kind, summary] = item.pick(["type", "summary"]);
    kind.is_some_and(|kind| kind.says("reasoning")) && !summary.is_some_and(Json::is_array)
}

/// The link of a picture of OpenAI's, if it has the type that the other of its two APIs reads.
fn wrong_link(picture: Json<'_>, provider: Provider, wire: Wire) -> Option<Json<'_>> {
    let link = picture.member("image_url")?;
    let is_wrong = match provider {
        // Mistral's servers accept links in this form.
        Provider::OpenAi => link.is_string() && !wire.results_answered,
        Provider::Responses => link.member("url").is_some_and(Json::is_string),
        _ => false,
    };
    is_wrong.then_some(link)
}

/// The member for the text of a part of this type, and the text; `None` for a type that needs no text.
pub(crate) fn text_of(part: Json<'_>) -> Option<(&'static str, Option<Json<'_>>)> {
    let [kind, text, value, refusal] = part.pick(["type", "text", "value", "refusal"]);
    match kind?.text()?.as_ref() {
        "text" | "input_text" | "output_text" => Some(("text", text.or(value))),
        "refusal" => Some(("refusal", refusal.or(text).or(value))),
        _ => None,
    }
}

/// Whether the text breaks another rule, because it is empty.
fn says_nothing(part: &Part<'_>, provider: Provider) -> bool {
    provider.has_blocks() && is_blank_item(part)
}

fn of_result<'a>(
    part: &Part<'a>,
    provider: Provider,
    wire: Wire,
    add: &mut impl FnMut(Wanted, Option<usize>, Json<'a>),
) {
    if wire.foreign {
        return;
    }
    if provider == Provider::Gemini {
        let [camel, snake] = part.json.pick(["functionResponse", "function_response"]);
        let response = camel.or(snake);
        let said = response.and_then(|response| response.member("response"));
        if let Some(said) = said.filter(|said| !said.is_object() && !said.is_null()) {
            add(Wanted::Result, None, said);
        }
        return;
    }
    if provider == Provider::Responses && lacks_output(part.json) {
        add(Wanted::Result, None, part.body.unwrap_or(part.json));
    }
    if let Some(result) = part.json.member("toolResult") {
        if result.member("content").is_none_or(Json::is_null) {
            add(Wanted::Result, None, part.json);
        }
        of_bedrocks_result(result, add);
        return;
    }
    let Some(body) = part.body.filter(|body| !body.is_null()) else { return };
    if !body.is_string() && !body.is_array() {
        add(Wanted::Result, None, body);
    }
    for (at, item) in body.items().enumerate() {
        let link = Some(item).filter(|_| provider == Provider::Responses);
        if let Some(link) = link.and_then(|item| wrong_link(item, provider, wire)) {
            add(Wanted::Link, Some(at), link);
        }
        match text_of(item) {
            _ if !item.is_object() => add(Wanted::Part, Some(at), item),
            Some((_, Some(text))) if !text.is_string() => add(Wanted::Text, Some(at), text),
            Some((_, None)) => add(Wanted::SomeText, Some(at), item),
            _ => {}
        }
    }
}

/// Finds values of the wrong type in a result of Bedrock's: a list of objects, whose `json` is an object.
fn of_bedrocks_result<'a>(result: Json<'a>, add: &mut impl FnMut(Wanted, Option<usize>, Json<'a>)) {
    let Some(content) = result.member("content").filter(|content| !content.is_null()) else {
        return;
    };
    if !content.is_array() {
        add(Wanted::Content, None, content);
    }
    for (at, item) in content.items().enumerate() {
        match item.pick(["json", "text"]) {
            _ if !item.is_object() => add(Wanted::Part, Some(at), item),
            [Some(json), _] if !json.is_object() => add(Wanted::Result, Some(at), json),
            [None, Some(text)] if !text.is_string() => add(Wanted::Text, Some(at), text),
            _ => {}
        }
    }
}

/// Whether an item is the output of a function but has none.
fn lacks_output(item: Json<'_>) -> bool {
    let [kind, output] = item.pick(["type", "output"]);
    let is_functions =
        |kind: Json<'_>| kind.says("function_call_output") || kind.says("custom_tool_call_output");
    kind.is_some_and(is_functions) && output.is_none_or(Json::is_null)
}

/// The fault of the role of a value among the messages, if the provider reads a role there.
pub(crate) fn role_fault(conversation: &Conversation<'_>, unit: Json<'_>) -> Option<Wanted> {
    let [role, kind, content, calls, parts] =
        unit.pick(["role", "type", "content", "tool_calls", "parts"]);
    let dialect = conversation.dialect;
    let is_gemini = dialect.provider() == Provider::Gemini;
    if !dialect.is_wire() {
        // The AI SDK converts no message without a role that it knows.
        let is_role = |role: &Json<'_>| role.is_string() || parts.is_none() || dialect.is_log();
        return role.filter(|role| !is_role(role)).map(|_| Wanted::Role);
    }
    let is_message = match kind {
        _ if is_gemini => parts.is_some(),
        Some(kind) => kind.says("message"),
        None => content.or(calls).is_some(),
    };
    if !is_message {
        return None;
    }
    match role {
        Some(role) if role.is_string() => None,
        // A Gemini content without a role counts as the user's.
        None => (!is_gemini).then_some(Wanted::SomeRole),
        Some(role) if role.is_null() && is_gemini => None,
        Some(_) => Some(Wanted::Role),
    }
}

/// The values in the list that is sent whose role is missing or no string, with their index: no repair can
/// know what the role should be.
pub(crate) fn roleless<'a>(
    conversation: &Conversation<'a>,
) -> impl Iterator<Item = (usize, Json<'a>, Wanted)> {
    let source = &conversation.source;
    let is_array = matches!(source.lists.first(), Some(List::Array(_)));
    let units = source.units.iter().enumerate().filter(move |(_, unit)| is_array && unit.list == 0);
    let objects = units.filter(|(_, unit)| unit.json.is_object());
    objects.filter_map(|(n, unit)| Some((n, unit.json, role_fault(conversation, unit.json)?)))
}
