//! One part of a message: a text, a call, a result, an attachment.

use std::borrow::Cow;

use super::piece::{Piece, is_content, json_in, pieces};
use crate::json::Json;

/// The kind of a part.
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
    /// The kind.
    pub kind: Kind,
    /// The value that is this part: an item of a list, or the content itself.
    pub json: Json<'a>,
    /// The array that `json` is an item of.
    pub list: Option<Json<'a>>,
    /// The content of the part: a string, an array of texts, or an object.
    pub body: Option<Json<'a>>,
    /// The id that joins a call and its result; a string where the dialect has ids.
    pub call_id: Option<Json<'a>>,
    /// The name of the tool.
    pub name: Option<Json<'a>>,
    /// Whether the tool failed, as the result itself says.
    pub is_error: bool,
    /// Whether an agent or a compaction put it there: a reminder beside typed words, the text of a mentioned
    /// file, the acknowledgement after a summary.
    pub is_injected: bool,
    /// Whether it is a command that the user ran in their client, where the dialect records that; its output
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

    /// A part that is the value `json` and whose body is that value too.
    pub fn whole(kind: Kind, json: Json<'a>) -> Self {
        Self::new(kind, json).saying(Some(json))
    }

    /// The part for a content that is neither a text nor a list; `None` for any other content.
    pub fn of_strange_content(content: Json<'a>) -> Option<Self> {
        is_strange(content).then(|| Self::whole(Kind::Other, content))
    }

    /// The parts of a content: one text for a string, else the items of the list as `read` reads them.
    pub fn all_of(content: Json<'a>, read: impl Fn(Json<'a>) -> Self) -> Vec<Self> {
        if content.is_string() {
            return vec![Self::whole(Kind::Text, content)];
        }
        let parts = content.items().map(|item| Self { list: Some(content), ..read(item) });
        parts.chain(Self::of_strange_content(content)).collect()
    }

    /// This part with `body` as its body.
    #[must_use]
    pub fn saying(self, body: Option<Json<'a>>) -> Self {
        Self { body, ..self }
    }

    /// The body, if it is a list of texts and attachments. Any other array is a value that a tool took or
    /// returned, such as rows or numbers.
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

    /// The pieces of the body's items, if the body is a list of contents.
    fn pieces(&self) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let items = self.list_of_contents().map(Json::items);
        items.into_iter().flatten().flat_map(pieces)
    }

    /// The JSON strings of its texts: the body if that is a string, or those in the items of a list. Values
    /// have none.
    pub fn strings(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        let whole = self.body.filter(|body| body.is_string());
        whole.into_iter().chain(self.pieces().filter_map(Piece::text))
    }

    /// Whether the body is a value, shown as JSON: an object, a number, rows.
    pub fn is_value(&self) -> bool {
        let has_strings = |body: Json<'_>| body.is_string() || body.is_null();
        self.body.is_some_and(|body| !has_strings(body)) && self.list_of_contents().is_none()
    }

    /// The texts of the part, in order: its strings unescaped, and its values as JSON.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        let value = self.body.filter(|_| self.is_value()).map(|body| body.compact().into());
        let whole = self.body.filter(|body| body.is_string()).and_then(Json::text);
        value.into_iter().chain(whole).chain(self.pieces().filter_map(Piece::said))
    }

    /// The length of its texts in bytes.
    pub fn length(&self) -> usize {
        let whole = self.body.filter(|_| self.is_value());
        let values = whole.into_iter().chain(self.pieces().filter_map(Piece::value));
        values.map(|value| value.compact().len()).sum::<usize>()
            + self.strings().filter_map(Json::length).sum::<usize>()
    }

    /// Whether it holds a value, alone or among other contents.
    pub fn has_value(&self) -> bool {
        self.is_value() || self.pieces().any(|piece| piece.value().is_some())
    }

    /// Whether it is Bedrock's mark for the end of the cached prefix, which says nothing.
    pub fn is_cache_point(&self) -> bool {
        if self.kind != Kind::Other {
            return false;
        }
        let names = ["cachePoint", "citationsContent", "searchResult"];
        let [point, cited, found] = self.json.pick(names);
        let is_mark = |point: Json<'_>| point.is_object() || point.is_null();
        point.is_some_and(is_mark) && cited.or(found).is_none()
    }

    /// Whether it is a text by the speaker of the message, not one that an agent added.
    pub fn is_words(&self) -> bool {
        self.kind == Kind::Text && !self.is_injected
    }

    /// Whether its texts are only white space. Looks at the first letter and the first words before it
    /// decodes the whole text.
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

    /// Its texts, each on a line of its own.
    pub fn text(&self) -> Cow<'a, str> {
        let mut texts = self.texts();
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        texts.fold(first, |joined, text| {
            let mut joined = joined.into_owned();
            if !joined.ends_with('\n') {
                joined.push('\n');
            }
            joined.push_str(&text);
            Cow::Owned(joined)
        })
    }

    /// Whether the text may begin with one of these, behind white space: `false` is sure, and known from two bytes of
    /// the source alone.
    pub(crate) fn may_begin_with<'o>(&self, openings: impl IntoIterator<Item = &'o str>) -> bool {
        let Some(body) = self.body.filter(|body| body.is_string()) else { return true };
        let inner = body.source()[1..].trim_start_matches(' ').as_bytes();
        match inner {
            // An escape may stand for anything, and a short text is soon read.
            [first, second, ..]
                if first.is_ascii_graphic() && ![first, second].contains(&&b'\\') =>
            {
                let begins =
                    |opening: &str| opening.bytes().zip([*first, *second]).all(|(a, b)| a == b);
                openings.into_iter().any(begins)
            }
            _ => true,
        }
    }

    /// How its text begins: all of a short text, the first words of a long one.
    pub fn opening(&self) -> Cow<'a, str> {
        self.body.and_then(Json::opening).unwrap_or_else(|| self.text())
    }

    /// The items of its body that have no text, such as pictures and files.
    pub fn attachments(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        self.pieces().filter_map(Piece::attachment)
    }

    /// Whether its text and attachments equal those of another part.
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
        // Some parts hold the name in their type: `"type": "tool-NAME"`.
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

    /// The value of a call's string argument, whether the arguments are an object or a string that holds one.
    pub fn argument(&self, name: &str) -> Option<String> {
        let body = self.body?;
        if body.is_object() {
            return body.str_member(name).map(Cow::into_owned);
        }
        let text = body.text()?;
        Json::parse(&text)?.str_member(name).map(Cow::into_owned)
    }
}

/// Whether a content is neither a text nor a list (nor null): no provider accepts it, although it says
/// something.
pub(super) fn is_strange(content: Json<'_>) -> bool {
    !(content.is_string() || content.is_array() || content.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_begins_a_line_and_leaves_none_blank() {
        for (texts, text) in [
            (r#"[{"text":"a"},{"text":"b"}]"#, "a\nb"),
            (r#"[{"text":"a\n"},{"text":"b\n"}]"#, "a\nb\n"),
        ] {
            let body = Json::from_checked(texts);
            assert_eq!(Part::new(Kind::ToolResult, body).saying(Some(body)).text(), text);
        }
    }

    #[test]
    fn what_a_text_begins_with_it_may_begin_with() {
        let may_begin = |source: &str, opening: &str| {
            let body = Json::from_checked(source);
            Part::new(Kind::Text, body).saying(Some(body)).may_begin_with([opening])
        };
        for source in
            [r#""[Note] x""#, r#""  [Note]""#, r#""\n[Note]""#, r#""\u005bNote""#, r#"" \t[N""#]
        {
            assert!(may_begin(source, "[") && may_begin(source, "[Note"), "{source}");
        }
        for source in [r#""""#, r#""é[""#, r#"[{"type":"text","text":"[Note"}]"#] {
            assert!(may_begin(source, "[Note"), "{source}");
        }
        for source in [r#""N""#, r#""Not""#, r#""[not""#, r#""  ([Note""#] {
            assert!(!may_begin(source, "[Note"), "{source}");
        }
    }

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
