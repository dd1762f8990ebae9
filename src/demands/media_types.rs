//! The media types of pictures and documents in base64: each says what its data is.
//!
//! Responsible for what Anthropic refuses: a type that is missing, that it does not read, or that the first
//! bytes of the data contradict, and data in a link.

use crate::conversation::{Kind, Part};
use crate::json::Json;
use crate::media::{is_pdf, picture_type};

/// The formats of pictures that Anthropic accepts.
const PICTURES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The format of documents in base64 that Anthropic accepts.
const PDF: &str = "application/pdf";

/// What is wrong with a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The provider does not read it.
    Unread,
    /// The data is of another type.
    Contradicted,
    /// There is none.
    Missing,
    /// A link holds the data, which is no base64 then.
    Linked,
}

/// A picture or document whose media type is refused.
pub(crate) struct Mislabelled<'a> {
    pub(crate) wrong: Wrong,
    /// Whether it is a document, else a picture.
    pub(crate) is_document: bool,
    /// The object that holds the data and its type.
    pub(crate) source: Json<'a>,
    /// The type as it is written.
    pub(crate) label: Option<Json<'a>>,
    /// The type that it should have, if its data or its label tells one that is read.
    pub(crate) right: Option<&'static str>,
    /// The link that stands in place of the data, and the data in it.
    pub(crate) link: Option<(Json<'a>, &'a str)>,
}

impl Mislabelled<'_> {
    /// What findings and repairs call it.
    pub(crate) fn what(&self) -> &'static str {
        if self.is_document { "document" } else { "picture" }
    }
}

/// The pictures and documents of a part: the part itself, or those in a result.
pub(crate) fn media<'a>(part: &Part<'a>) -> impl Iterator<Item = Json<'a>> + use<'a> {
    let is_medium = matches!(part.kind, Kind::Image | Kind::File) && part.list.is_some();
    let inner = (part.kind == Kind::ToolResult).then(|| part.attachments());
    is_medium.then_some(part.json).into_iter().chain(inner.into_iter().flatten())
}

/// The fault of the media type of a picture or document in Anthropic's form, if it has one.
pub(crate) fn mislabelled<'a>(medium: Json<'a>) -> Option<Mislabelled<'a>> {
    let [kind, source] = medium.pick(["type", "source"]);
    let is_document = kind.is_some_and(|kind| kind.says("document"));
    let source = source.filter(|_| is_document || kind.is_some_and(|kind| kind.says("image")))?;
    let [form, label, data] = source.pick(["type", "media_type", "data"]);
    form.filter(|form| form.says("base64"))?;
    let name = label.and_then(Json::text);
    let read: &[&'static str] = if is_document { &[PDF] } else { PICTURES };
    let is_read = name.as_ref().is_some_and(|name| read.contains(&name.as_ref()));
    let data = data.map(|data| (data, data.source().trim_matches('"')));
    let in_link = |(data, text): (Json<'a>, &'a str)| {
        let (_, held) = text.strip_prefix("data:")?.split_once(";base64,")?;
        Some((data, held))
    };
    let link = data.and_then(in_link);
    let base64 = link.or(data).map(|(_, text)| text);
    let held = if is_document {
        base64.filter(|data| is_pdf(data)).map(|_| PDF)
    } else {
        base64.and_then(picture_type)
    };
    let wrong = match held {
        _ if link.is_some() => Wrong::Linked,
        _ if label.is_none() => Wrong::Missing,
        _ if !is_read => Wrong::Unread,
        Some(held) if name.is_some_and(|name| name != held) => Wrong::Contradicted,
        _ => return None,
    };
    let is_misspelt = label.is_some_and(|label| label.says("image/jpg")) && !is_document;
    let told = || read.iter().copied().find(|read| label.is_some_and(|label| label.says(read)));
    let right = held.or(is_misspelt.then_some("image/jpeg")).or_else(told);
    Some(Mislabelled { wrong, is_document, source, label, right, link })
}
