//! One part of a message: a text, a call, a result, a medium.

use std::borrow::Cow;

use super::piece::{Piece, is_content, json_in, pieces};
use crate::json::Json;

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Text.
    Text,
    /// A picture.
    Image,
    /// A document, sound or any other attachment.
    File,
    /// What the model thought.
    Reasoning,
    /// A call of a tool.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// A type that the dialect does not know, or an opaque item.
    Other,
}

impl Kind {
    /// The name, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Image => "image",
            Kind::File => "file",
            Kind::Reasoning => "reasoning",
            Kind::ToolCall => "tool_call",
            Kind::ToolResult => "tool_result",
            Kind::Other => "other",
        }
    }
}

/// One part of a message.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// What it is.
    pub kind: Kind,
    /// The value that is this part: an item of a list, or the content itself.
    pub json: Json<'a>,
    /// The array it is an item of.
    pub list: Option<Json<'a>>,
    /// What it says: a string, an array of texts, or an object.
    pub body: Option<Json<'a>>,
    /// Joins a call and its result; a string, where the dialect has ids.
    pub call_id: Option<Json<'a>>,
    /// The name of the tool.
    pub name: Option<Json<'a>>,
    /// Whether the tool failed, as the result itself says.
    pub is_error: bool,
    /// Whether an agent put it there: a reminder beside what was typed, the text of a file that was named, what a
    /// compaction lets the assistant say.
    pub is_injected: bool,
    /// Whether it is a command that the user ran in their client, as the dialect knows it; what that printed
    /// follows.
    pub is_run: bool,
}

impl<'a> Part<'a> {
    /// A part that is the value `json` and says nothing yet.
    pub fn new(kind: Kind, json: Json<'a>) -> Self {
        let (list, body, call_id, name) = (None, None, None, None);
        let (is_error, is_injected, is_run) = (false, false, false);
        Self { kind, json, list, body, call_id, name, is_error, is_injected, is_run }
    }

    /// A part that is the value `json` and says it.
    pub fn whole(kind: Kind, json: Json<'a>) -> Self {
        Self::new(kind, json).saying(Some(json))
    }

    /// The part that a content is which is neither a text nor a list.
    pub fn of_strange_content(content: Json<'a>) -> Option<Self> {
        is_strange(content).then(|| Self::whole(Kind::Other, content))
    }

    /// The parts of a content: a string, or a list of what `read` reads.
    pub fn all_of(content: Json<'a>, read: impl Fn(Json<'a>) -> Self) -> Vec<Self> {
        if content.is_string() {
            return vec![Self::whole(Kind::Text, content)];
        }
        let parts = content.items().map(|item| Self { list: Some(content), ..read(item) });
        parts.chain(Self::of_strange_content(content)).collect()
    }

    /// This part, saying `body`.
    #[must_use]
    pub fn saying(self, body: Option<Json<'a>>) -> Self {
        Self { body, ..self }
    }

    /// The texts and attachments of its body, where that is a list of them. Any other array is a value
    /// that a tool took or gave: rows, numbers.
    fn list_of_contents(&self) -> Option<Json<'a>> {
        self.body.filter(|body| body.is_array()).filter(|list| match self.kind {
            Kind::ToolCall => false,
            Kind::ToolResult => {
                list.items().all(|item| is_content(item) || json_in(item).is_some())
                    && (list.items().any(is_content) || list.items().next().is_none())
            }
            _ => true,
        })
    }

    /// The pieces of the contents that its body is a list of.
    fn pieces(&self) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let items = self.list_of_contents().map(Json::items);
        items.into_iter().flatten().flat_map(pieces)
    }

    /// The strings of its texts: of a string itself, of a list those that its items are or hold. What
    /// is said as a value is no string.
    pub fn strings(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        let whole = self.body.filter(|body| body.is_string());
        whole.into_iter().chain(self.pieces().filter_map(Piece::text))
    }

    /// Whether it says a value, which is told as its JSON: an object, a number, rows.
    pub fn is_value(&self) -> bool {
        let has_strings = |body: Json<'_>| body.is_string() || body.is_null();
        self.body.is_some_and(|body| !has_strings(body)) && self.list_of_contents().is_none()
    }

    /// The texts it says, in order: its strings, and its values as JSON.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        let value = self.body.filter(|_| self.is_value()).map(|body| body.compact().into());
        let whole = self.body.filter(|body| body.is_string()).and_then(Json::text);
        value.into_iter().chain(whole).chain(self.pieces().filter_map(Piece::said))
    }

    /// How many bytes its texts have.
    pub fn length(&self) -> usize {
        let whole = self.body.filter(|_| self.is_value());
        let values = whole.into_iter().chain(self.pieces().filter_map(Piece::value));
        values.map(|value| value.compact().len()).sum::<usize>()
            + self.strings().filter_map(Json::length).sum::<usize>()
    }

    /// Whether it says a value, alone or among other contents.
    pub fn has_value(&self) -> bool {
        self.is_value() || self.pieces().any(|piece| piece.value().is_some())
    }

    /// Whether it says nothing, and marks where what Bedrock caches ends.
    pub fn is_cache_point(&self) -> bool {
        if self.kind != Kind::Other {
            return false;
        }
        let names = ["cachePoint", "citationsContent", "searchResult"];
        let [point, cited, found] = self.json.pick(names);
        let is_mark = |point: Json<'_>| point.is_object() || point.is_null();
        point.is_some_and(is_mark) && cited.or(found).is_none()
    }

    /// Whether it is a text of the one whose role the message carries.
    pub fn is_words(&self) -> bool {
        self.kind == Kind::Text && !self.is_injected
    }

    /// Whether its texts are white space alone. Mostly the first letter tells, or the first words.
    pub fn is_blank(&self) -> bool {
        let begins = |string: Json<'_>| {
            let mut rest = &string.source()[1..];
            while let Some(behind) = rest.strip_prefix(' ').or_else(|| rest.strip_prefix("\\n")) {
                rest = behind;
            }
            matches!(rest.as_bytes(), [first, _, ..] if first.is_ascii_graphic() && *first != b'\\')
        };
        let says = |text: Cow<'_, str>| !text.trim().is_empty();
        !self.strings().any(begins)
            && !self.strings().filter_map(Json::opening).any(says)
            && !self.texts().any(says)
    }

    /// Its texts, joined by line breaks.
    pub fn text(&self) -> Cow<'a, str> {
        let mut texts = self.texts();
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        texts.fold(first, |joined, text| Cow::Owned(format!("{joined}\n{text}")))
    }

    /// How its text begins: all of a short one, the first words of a long one.
    pub fn opening(&self) -> Cow<'a, str> {
        self.body.and_then(Json::opening).unwrap_or_else(|| self.text())
    }

    /// The items of its body that are pictures, files or anything else without a text.
    pub fn attachments(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        self.pieces().filter_map(Piece::attachment)
    }

    /// Whether it says the same as another one, with the same attachments in it.
    pub fn says_what(&self, other: &Self) -> bool {
        self.text() == other.text() && self.attachments().eq(other.attachments())
    }

    /// This part, without the attachments of its body.
    #[must_use]
    pub fn without_attachments(self) -> Self {
        let has_any = self.attachments().next().is_some();
        if has_any { self.saying(Some(Json::from_checked("[]"))) } else { self }
    }

    /// The name of the tool, unescaped.
    pub fn tool(&self) -> Cow<'a, str> {
        let name = self.name.and_then(Json::text).unwrap_or_default();
        // Where the type of the part holds the name: `"type": "tool-NAME"`.
        let own = |kind: Json<'a>| self.name.is_some_and(|name| name.is(kind));
        match name.strip_prefix("tool-") {
            Some(rest) if self.json.member("type").is_some_and(own) => rest.to_owned().into(),
            _ => name,
        }
    }

    /// The call id, unescaped.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.call_id.and_then(Json::text)
    }

    /// The arguments of a call: the object itself, or the one that an argument string holds.
    pub fn argument(&self, name: &str) -> Option<String> {
        let body = self.body?;
        if body.is_object() {
            return body.str_member(name).map(Cow::into_owned);
        }
        let text = body.text()?;
        Json::parse(&text)?.str_member(name).map(Cow::into_owned)
    }
}

/// Whether a content is neither a text nor a list: no provider takes it, and yet it says something.
pub(super) fn is_strange(content: Json<'_>) -> bool {
    !(content.is_string() || content.is_array() || content.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_a_value_and_contents_are_not() {
        let is_value = |source: &str| {
            let body = Json::from_checked(source);
            Part::new(Kind::ToolResult, body).saying(Some(body)).is_value()
        };
        for rows in [
            r#"[{"file":"a.rs","line":3}]"#,
            r#"[{"value":"x","n":2}]"#,
            r#"[{"stdout":"ok","stderr":""},{"stdout":"a","stderr":"b"}]"#,
            "[1,2]",
            "[[]]",
            r#"{"a":1}"#,
            r#"[{"json":{"a":1}},{"json":{}}]"#,
        ] {
            assert!(is_value(rows), "{rows}");
        }
        for contents in [
            r#"[{"type":"text","text":"a"},{"type":"image","source":{}}]"#,
            r#"["a","b"]"#,
            r#"[{"text":"a"},{"inlineData":{}}]"#,
            r#"[{"json":{"a":1}},{"image":{}}]"#,
            r#"[{"stdout":"ok","stderr":"","outcome":{}}]"#,
            r#"[{"type":"tool_reference","tool_name":"t"}]"#,
            r#"[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,A"}]"#,
            "[]",
            r#""text""#,
        ] {
            assert!(!is_value(contents), "{contents}");
        }
    }

    #[test]
    fn documents_and_search_results_say_their_texts() {
        let said = |source: &str| {
            let body = Json::from_checked(source);
            let part = Part::new(Kind::ToolResult, body).saying(Some(body));
            (part.text().into_owned(), part.attachments().count())
        };
        for (source, text, attachments) in [
            (
                r#"[{"type":"search_result","source":"u","title":"t","content":[{"type":"text","text":"a"}]}]"#,
                "t\nu\na",
                0,
            ),
            (
                r#"[{"type":"document","title":"t","source":{"type":"text","media_type":"text/plain","data":"d"}}]"#,
                "t\nd",
                0,
            ),
            (r#"[{"type":"document","source":{"type":"content","content":"d"}}]"#, "d", 0),
            (
                r#"[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"d"},{"type":"image","source":{}}]}}]"#,
                "d",
                1,
            ),
            (r#"[{"type":"document","title":"t","source":{"type":"base64","data":"A"}}]"#, "", 1),
            (r#"[{"document":{"format":"txt","name":"t","source":{"text":"d"}}}]"#, "d", 0),
            (r#"[{"document":{"name":"t","source":{"content":[{"text":"d"}]}}}]"#, "d", 0),
            (r#"[{"document":{"format":"pdf","name":"t","source":{"bytes":"A"}}}]"#, "", 1),
        ] {
            assert_eq!(said(source), (text.to_owned(), attachments), "{source}");
        }
    }
}
