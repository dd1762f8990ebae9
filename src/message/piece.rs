//! What the items of a content list hold: texts, values, attachments.
//!
//! Responsible for telling lists of contents from rows of a value that a tool took or returned, and for the
//! texts in them.

use std::borrow::Cow;

use crate::few::Few;
use crate::json::Json;

/// The JSON string that an item of a content list is, or holds as its text.
fn item_string(item: Json<'_>) -> Option<Json<'_>> {
    if item.is_string() {
        return Some(item);
    }
    let [text, value, stdout, stderr] = item.pick(["text", "value", "stdout", "stderr"]);
    let printed = || stdout.filter(|_| stderr.is_none_or(|text| text.source() == "\"\""));
    text.or(value).or_else(printed).filter(|text| text.is_string())
}

/// What an item of a content list holds.
pub(super) enum Piece<'a> {
    /// The string of a text.
    Text(Json<'a>),
    /// A value that Bedrock gives as JSON.
    Value(Json<'a>),
    /// An item without a text.
    Attachment(Json<'a>),
}

impl<'a> Piece<'a> {
    pub(super) fn text(self) -> Option<Json<'a>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Its text, unescaped, or its value as JSON; `None` for an attachment.
    pub(super) fn said(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => text.text(),
            Self::Value(value) => Some(value.compact().into()),
            Self::Attachment(_) => None,
        }
    }

    pub(super) fn value(self) -> Option<Json<'a>> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    pub(super) fn attachment(self) -> Option<Json<'a>> {
        if let Self::Attachment(item) = self { Some(item) } else { None }
    }
}

/// The pieces of an item: mostly one. Anthropic's search results and documents made of texts, in Bedrock too,
/// have several.
pub(super) fn pieces(item: Json<'_>) -> Few<Piece<'_>> {
    if let Some(text) = item_string(item) {
        return Few::One(Piece::Text(text));
    }
    if let Some(value) = json_in(item) {
        return Few::One(Piece::Value(value));
    }
    let members = ["type", "title", "source", "content", "document"];
    let [kind, title, source, content, document] = item.pick(members);
    let (content, source) = match kind.and_then(Json::text).as_deref() {
        None if document.is_some() => (document.and_then(words_in), None),
        Some("search_result") => (content, source),
        Some("document") => {
            let members = source.map(|source| source.pick(["type", "data", "content"]));
            let [kind, data, content] = members.unwrap_or_default();
            let is_plain = kind.is_some_and(|kind| kind.says("text"));
            (if is_plain { data } else { content }, None)
        }
        _ => (None, None),
    };
    let Some(content) = content else { return Few::One(Piece::Attachment(item)) };
    let whole = [title, source, Some(content)].into_iter().flatten();
    let whole = whole.filter(|text| text.is_string()).map(Piece::Text);
    // These items hold no further lists.
    let items = content.items().map(|item| match item_string(item) {
        Some(text) => Piece::Text(text),
        None => Piece::Attachment(item),
    });
    whole.chain(items).collect::<Vec<_>>().into()
}

/// The text of a Bedrock document, if it is given as a text or a list of texts.
fn words_in(document: Json<'_>) -> Option<Json<'_>> {
    let [text, content] = document.member("source")?.pick(["text", "content"]);
    text.filter(|text| text.is_string()).or(content.filter(|content| content.is_array()))
}

/// Members that mark a typed item as an attachment: its data, or where that is.
const ATTACHED: [&str; 11] = [
    "source", "data", "image_url", "file", "file_id", "file_data", "file_url", "input_audio",
    "mimeType", "encrypted_content", "tool_name",
];

/// Contents that are named by their only member, and have no type.
const ONLY: &[&str] = &["text", "image", "document", "video", "inlineData", "fileData"];

/// The value of a Bedrock item that holds nothing but `json`; a string there is no value.
pub(super) fn json_in(item: Json<'_>) -> Option<Json<'_>> {
    let mut members = item.members();
    let (key, value) = members.next().filter(|_| members.next().is_none())?;
    Some(value).filter(|value| key.is("json") && !value.is_string())
}

/// Whether an item of an array is a content, as messages have it, not a row of a value.
pub(super) fn is_content(item: Json<'_>) -> bool {
    if item.is_string() {
        return true;
    }
    let has_type = item.member("type").is_some_and(Json::is_string);
    let has_stdout = || item.member("stdout").is_some();
    let is_text = item_string(item).is_some() && (has_type || has_stdout());
    let is_attached = || has_type && item.pick(ATTACHED).iter().any(Option::is_some);
    let mut members = item.members();
    let only = members.next().filter(|_| members.next().is_none());
    is_text || is_attached() || only.is_some_and(|(key, _)| ONLY.iter().any(|name| key.is(name)))
}
