//! Finding the picture, sound or file in an item of a conversation.
//!
//! Responsible for the many forms: `image_url`, `source`, `inlineData`, `file_data` and the rest. It relies
//! on the names of members and not on the dialect, because agents put one provider's items into another's
//! messages. An item with a text is no medium.

use std::borrow::Cow;

use super::header::{Header, decode};
use super::pages::pages;
use super::picture::Detail;
use crate::json::Json;

/// The sort of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A picture.
    Picture,
    /// Speech, music.
    Sound,
    /// A video.
    Video,
    /// A text in base64.
    Text,
    /// A PDF or any other file.
    Document,
}

/// A picture, a recording or a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medium<'a> {
    /// The sort, if the item or its data tells it.
    pub sort: Option<Sort>,
    /// The detail in which the model is to look.
    pub detail: Detail,
    data: Option<&'a str>,
    size: Option<(usize, usize)>,
}

impl Medium<'_> {
    /// Width and height, in pixels.
    pub(crate) fn size(&self) -> Option<(usize, usize)> {
        self.data.and_then(|data| Header::read(decode(data)).size()).or(self.size)
    }

    /// The approximate size in bytes; `None` if the data is not in the item.
    pub(crate) fn bytes(&self) -> Option<usize> {
        self.data.map(|data| data.len() / 4 * 3)
    }

    /// The number of pages, if it is a PDF.
    pub(crate) fn pages(&self) -> Option<usize> {
        let is_pdf = Header::read(decode(self.data?)).begins(b"%PDF");
        if is_pdf { pages(&decode(self.data?).collect::<Vec<_>>()) } else { None }
    }

    /// The length of a recording in seconds.
    pub(crate) fn seconds(&self) -> Option<usize> {
        let rate = Header::read(decode(self.data?)).byte_rate()?;
        Some((self.bytes()? / rate).max(1))
    }
}

/// Members that hold the data itself.
const DATA: &[&str] = &["data", "bytes", "blob", "base64", "file_data", "image"];

/// Members that hold a link, or the data as a `data:` link.
const LINKS: &[&str] = &[
    "url", "image_url", "audio_url", "video_url", "document_url", "file_url", "file_id", "fileUri",
    "file_uri", "asset_pointer",
];

/// Members that name the type.
const TYPES: &[&str] =
    &["media_type", "mime_type", "mimeType", "mediaType", "mime", "format", "type", "content_type"];

/// How deep in an item its data may be nested.
const DEPTH: usize = 3;

/// Reads an item; `None` if it is no medium.
pub(super) fn read(item: Json<'_>) -> Option<Medium<'_>> {
    let mut found = Found::default();
    if item.is_string() {
        // A picture that is only its data or a link, as Ollama has it.
        found.hold(item, true, false);
    } else {
        found.walk(item, DEPTH);
    }
    if found.has_text || (found.data.is_none() && !found.linked && found.size().is_none()) {
        return None;
    }
    let sort = found.sort.or_else(|| {
        let header = Header::read(decode(found.data?));
        header.picture_type().map(|_| Sort::Picture)
    });
    Some(Medium { sort, detail: found.detail, data: found.data, size: found.size() })
}

#[derive(Default)]
struct Found<'a> {
    sort: Option<Sort>,
    detail: Detail,
    data: Option<&'a str>,
    linked: bool,
    has_text: bool,
    width: Option<usize>,
    height: Option<usize>,
}

impl<'a> Found<'a> {
    fn size(&self) -> Option<(usize, usize)> {
        Some((self.width?, self.height?))
    }

    fn walk(&mut self, object: Json<'a>, depth: usize) {
        let has = |key: &str, said: &str| object.member(key).is_some_and(|value| value.says(said));
        let is_plain =
            has("type", "text") || (has("media_type", "text/plain") && !has("type", "base64"));
        for (key, value) in object.members() {
            if value.is_object() {
                if depth > 0 {
                    self.walk(value, depth - 1);
                }
                self.sort = self.sort.or(sort_of(&key.text(), false));
                self.linked |= key.is("s3Location");
                continue;
            }
            let is = |names: &[&str]| names.iter().any(|name| key.is(name));
            if !value.is_string() {
                let number = || value.as_u64().and_then(|number| usize::try_from(number).ok());
                if key.is("width") {
                    self.width = number();
                } else if key.is("height") {
                    self.height = number();
                }
            } else if is(DATA) || is(LINKS) {
                self.hold(value, is(DATA), is_plain);
                self.sort = self.sort.or(sort_of(&key.text(), false));
            } else if is(TYPES) {
                // The type of the data tells more than the type of the item.
                let precise = !key.is("type") && !key.is("content_type");
                let sort = value.text().and_then(|said| sort_of(&said, precise));
                self.sort = if precise { sort.or(self.sort) } else { self.sort.or(sort) };
            } else if key.is("text") {
                self.has_text = true;
            } else if key.is("detail") || key.is("level") || key.is("mediaResolution") {
                self.detail = detail_of(&value.text().unwrap_or_default());
            }
        }
    }

    fn hold(&mut self, value: Json<'a>, is_data: bool, is_plain: bool) {
        let source = value.source();
        let inner = &source[1..source.len() - 1];
        if let Some(rest) = inner.strip_prefix("data:") {
            let (kind, data) = rest.split_once(',').unwrap_or(("", rest));
            self.data = Some(data);
            self.sort = sort_of(&kind.replace('\\', ""), true).or(self.sort);
        } else if is_data && is_plain {
            self.has_text = true;
        } else if is_data && !inner.starts_with("http") {
            self.data = Some(inner);
        } else {
            self.linked = true;
        }
    }
}

/// The sort that a type, the name of a member or the extension of a file stands for.
fn sort_of(said: &str, precise: bool) -> Option<Sort> {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["image", "png", "jpeg", "jpg", "gif", "webp", "screenshot"]) {
        Some(Sort::Picture)
    } else if has(&["audio", "wav", "mp3", "sound"]) {
        Some(Sort::Sound)
    } else if has(&["video", "mp4"]) {
        Some(Sort::Video)
    } else if precise
        && (said.starts_with("text/")
            || matches!(said, "txt" | "md" | "html")
            || has(&["json", "xml", "yaml", "csv"]))
    {
        Some(Sort::Text)
    } else {
        has(&["document", "file", "pdf"]).then_some(Sort::Document)
    }
}

fn detail_of(said: &str) -> Detail {
    match said {
        "low" | "MEDIA_RESOLUTION_LOW" => Detail::Low,
        "medium" | "MEDIA_RESOLUTION_MEDIUM" => Detail::Medium,
        "original" => Detail::Original,
        _ => Detail::Usual,
    }
}

/// The texts inside an item that is no medium: a document given as text, a search result.
pub(crate) fn texts(item: Json<'_>) -> Vec<Cow<'_, str>> {
    let mut found = Vec::new();
    let mut open = vec![item];
    while let Some(json) = open.pop() {
        open.extend(json.items());
        let is_plain = json.member("media_type").is_some_and(|kind| kind.says("text/plain"));
        for (key, value) in json.members() {
            let is_text = ["text", "title", "context", "content"].iter().any(|name| key.is(name));
            if value.is_string() && (is_text || key.is("data") && is_plain) {
                found.extend(value.text());
            } else if value.is_object() || value.is_array() {
                open.push(value);
            }
        }
    }
    found
}

/// The title and similar members of a document or a search result.
pub(crate) fn titles(item: Json<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let [kind, title, context, source] = item.pick(["type", "title", "context", "source"]);
    let is_titled = kind.is_some_and(|kind| kind.says("document") || kind.says("search_result"));
    let all = [title, context, source].into_iter().filter(move |_| is_titled);
    all.flatten().filter(|text| text.is_string()).filter_map(Json::text)
}

/// The fewest characters of a run of base64 that counts as data.
const LONG: usize = 256;

/// A JSON text with the long base64 strings left out.
pub(crate) fn without_base64(json: &str) -> Cow<'_, str> {
    let is_digit =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\\');
    let bytes = json.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(quote) = memchr::memchr(b'"', &bytes[at..]) {
        let mut start = at + quote + 1;
        if json[start..].starts_with("data:") {
            start += json[start..].bytes().take_while(|&b| b != b',' && b != b'"').count();
            start += usize::from(bytes.get(start) == Some(&b','));
        }
        let end = start + bytes[start..].iter().take_while(|&&b| is_digit(b)).count();
        if end - start >= LONG && bytes.get(end) == Some(&b'"') {
            out.push_str(&json[kept..start]);
            kept = end;
        }
        at = end.max(start);
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[kept..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_documents_are_found() {
        let item = Json::from_checked(
            r#"{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"D"}}"#,
        );
        assert_eq!(texts(item), ["T", "D"]);
        let item = Json::from_checked(
            r#"{"type":"search_result","content":[{"type":"text","text":"x"}]}"#,
        );
        assert_eq!(texts(item), ["x"]);
    }

    #[test]
    fn documents_and_search_results_have_titles() {
        for (item, expected) in [
            (r#"{"type":"document","title":"T","context":"C","source":{}}"#, &["T", "C"][..]),
            (r#"{"type":"search_result","title":"T","source":"S","content":[]}"#, &["T", "S"]),
            (r#"{"type":"image","title":"T"}"#, &[]),
        ] {
            assert_eq!(titles(Json::from_checked(item)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn long_base64_is_left_out_of_json() {
        let data = "iVBORw0KGgo".repeat(30);
        let json = format!(r#"{{"a":"data:image/png;base64,{data}","b":"{data}","c":"short"}}"#);
        assert_eq!(without_base64(&json), r#"{"a":"data:image/png;base64,","b":"","c":"short"}"#);
        assert_eq!(without_base64(r#"{"a":"b"}"#), r#"{"a":"b"}"#);
    }
}
