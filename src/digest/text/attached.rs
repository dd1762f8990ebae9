//! The words of a user's message, with what was attached to it.
//!
//! Responsible for naming images and files after the words, since no summary contains them.

use crate::conversation::{Kind, Message, Part};
use crate::message::origin::typed_words;
use crate::message::typed;

/// The keys under which a file has its name, in its part or in an object of the part.
const NAMES: [&str; 4] = ["filename", "fileName", "name", "title"];

/// The words of a message with its attachments: `look at this [image, spec.pdf]`
pub(crate) fn said(message: &Message<'_>) -> String {
    let text = message.text();
    let text = typed::asked(&text).unwrap_or(text);
    let text = typed_words(&text);
    match attached(message) {
        Some(attached) => format!("{} {attached}", text.trim()).trim_start().to_owned(),
        None => text.to_owned(),
    }
}

/// The attachments of a message: `[image, spec.pdf]`; `None` if it has none.
pub(crate) fn attached(message: &Message<'_>) -> Option<String> {
    let attached = message.parts.iter().filter_map(|part| match part.kind {
        Kind::Image => Some("image".to_owned()),
        Kind::File => Some(name(part).unwrap_or_else(|| "file".to_owned())),
        _ => None,
    });
    let attached: Vec<String> = attached.collect();
    (!attached.is_empty()).then(|| format!("[{}]", attached.join(", ")))
}

/// The name of an attached file, if it has a plausible one.
fn name(part: &Part<'_>) -> Option<String> {
    let inner = part.json.members().map(|(_, value)| value).filter(|value| value.is_object());
    let mut places = std::iter::once(part.json).chain(inner);
    places.find_map(|place| {
        let name = place.pick(NAMES).into_iter().flatten().find_map(|name| name.text())?;
        let is_name = !name.is_empty() && !name.contains(['\n', '"', ']']) && name.len() <= 80;
        is_name.then(|| name.into_owned())
    })
}

#[cfg(test)]
mod tests {
    use crate::dialect::{self, Scope};
    use crate::document::Document;

    use super::*;

    #[test]
    fn names_what_is_attached() {
        let source = r#"[{"role":"user","content":[{"type":"text","text":"Look."},
            {"type":"image_url","image_url":{"url":"https://x.org/a.png"}},
            {"type":"file","file":{"file_id":"f1","filename":"spec.pdf"}}]},
            {"role":"user","content":[{"type":"image_url","image_url":{"url":"https://x.org/a.png"}}]}]"#;
        let document = Document::parse(source.as_bytes()).unwrap();
        let shape = dialect::recognise(document.values(), dialect::named("openai")).unwrap();
        let source = dialect::sources(&document, shape.layout).remove(0);
        let conversation = crate::conversation::decode(shape.dialect, source, Scope::Live);
        let told: Vec<String> = conversation.messages.iter().map(said).collect();
        assert_eq!(told, ["Look. [image, spec.pdf]", "[image]"]);
    }
}
