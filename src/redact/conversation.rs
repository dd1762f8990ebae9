//! A conversation with its secrets masked, for code that picks lines and fields of it.
//!
//! Responsible for examining every text unescaped and as a whole, because a line of a key does not show that
//! it is one. Invariant: the masked conversation has the same messages and parts in the same places, and only
//! strings and numbers in the bodies of parts differ.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::announced::is_name;
use super::keys::{end_of_key, leaves_key_open};
use super::known::{Secrets, note};
use super::{MASK, masked};
use crate::conversation::{Conversation, Kind, Part, Place};
use crate::json::{Json, quote};
use crate::span::span_in;

/// The parts that hold a secret, masked, and the secrets that they announce.
pub(crate) struct Masked {
    parts: Vec<(Place, MaskedPart)>,
    secrets: Secrets,
}

/// The masked value of a part, and the ranges of the part's members in it.
struct MaskedPart {
    json: String,
    body: Option<Range<usize>>,
    name: Option<Range<usize>>,
    call_id: Option<Range<usize>>,
}

impl Masked {
    /// Masks the secrets in the messages.
    pub(crate) fn of(conversation: &Conversation<'_>) -> Self {
        let mut known = BTreeSet::new();
        let parts = || {
            let messages = conversation.messages.iter().enumerate();
            messages.flat_map(|(at, message)| {
                let parts = message.parts.iter().enumerate();
                parts.map(move |(index, part)| ((at, index), part))
            })
        };
        let edits: Vec<Edits> = parts().map(|(_, part)| edits_noting(part, &mut known)).collect();
        let secrets = Secrets::new(known);
        let masked = parts().zip(edits).filter_map(|((place, part), edits)| {
            let body = said_by(part)?;
            // Few parts repeat a secret that another part announced.
            let edits = if secrets.may_stand_in(body.source()) {
                edits_in(body, &mut |text| secrets.mask(text))
            } else {
                edits
            };
            Some((place, MaskedPart::of(part, body, edits)?))
        });
        Self { parts: masked.collect(), secrets }
    }

    /// The conversation with secrets masked.
    pub(crate) fn told<'t>(&'t self, conversation: &Conversation<'t>) -> Conversation<'t> {
        let mut messages = conversation.messages.clone();
        for ((at, index), masked) in &self.parts {
            let part = &mut messages[*at].parts[*index];
            *part = masked.told(*part);
        }
        Conversation { source: conversation.source.clone(), messages, ..*conversation }
    }

    /// Masks the known secrets in a text about the conversation.
    pub(crate) fn mask_known(&self, text: String) -> String {
        self.secrets.mask_known(text)
    }
}

impl Secrets {
    /// The announced secrets of all messages.
    pub fn of(conversation: &Conversation<'_>) -> Self {
        let mut known = BTreeSet::new();
        for part in conversation.messages.iter().flat_map(|message| &message.parts) {
            edits_noting(part, &mut known);
        }
        Self::new(known)
    }
}

/// The edits that mask the secrets of a part by itself; announced secrets are added to `known`.
fn edits_noting(part: &Part<'_>, known: &mut BTreeSet<String>) -> Edits {
    let Some(body) = said_by(part) else { return Edits::new() };
    edits_in(body, &mut |text| {
        let (text, secrets) = masked(text);
        for secret in secrets {
            note(secret, known);
        }
        text
    })
}

/// The body of a part, if others read it.
fn said_by<'a>(part: &Part<'a>) -> Option<Json<'a>> {
    let is_said = matches!(part.kind, Kind::Text | Kind::ToolCall | Kind::ToolResult | Kind::Other);
    part.body.filter(|_| is_said)
}

impl MaskedPart {
    /// The masked part; `None` if it holds no secret.
    fn of(part: &Part<'_>, body: Json<'_>, mut edits: Edits) -> Option<Self> {
        let whole = if part.json.holds(body) { part.json } else { body };
        let start = span_in(whole.source(), body.source()).start;
        if edits.is_empty() {
            return None;
        }
        for (span, _) in &mut edits {
            *span = span.start + start..span.end + start;
        }
        let moved = |json: Option<Json<'_>>| {
            let json = json.filter(|json| whole.holds(*json))?;
            let span = span_in(whole.source(), json.source());
            Some(place_behind(&edits, span.start)..place_behind(&edits, span.end))
        };
        Some(Self {
            body: moved(Some(body)),
            name: moved(part.name),
            call_id: moved(part.call_id),
            json: spliced(whole.source(), &edits),
        })
    }

    /// The part with secrets masked.
    fn told<'t>(&'t self, part: Part<'t>) -> Part<'t> {
        let whole = Json::from_checked(&self.json);
        let piece = |span: &Option<Range<usize>>| span.clone().map(|span| whole.piece(span));
        let holds_body = part.body.is_some_and(|body| part.json.holds(body));
        Part {
            json: if holds_body { whole } else { part.json },
            body: piece(&self.body),
            name: piece(&self.name).or(part.name),
            call_id: piece(&self.call_id).or(part.call_id),
            ..part
        }
    }
}

/// Ranges of values, with their replacements.
pub(super) type Edits = Vec<(Range<usize>, String)>;

/// The function that masks a text.
type Mask<'m> = &'m mut dyn FnMut(&str) -> String;

/// The strings and numbers in a value that are or hold secrets, with their replacements.
fn edits_in(root: Json<'_>, mask: Mask<'_>) -> Edits {
    let mut edits = Edits::new();
    let mut open = vec![(Cow::Borrowed(""), root)];
    while let Some((name, value)) = open.pop() {
        let mut put = |value: Json<'_>, masked: Option<String>| {
            let span = span_in(root.source(), value.source());
            edits.extend(masked.map(|masked| (span, masked)));
        };
        if value.is_object() {
            open.extend(value.members().map(|(key, value)| (key.text(), value)));
        } else if value.is_array() {
            // The lines of a key may be items of the array.
            let mut is_in_key = false;
            for item in value.items() {
                match item.text() {
                    Some(text) if is_in_key => {
                        let end = end_of_key(&text);
                        let rest = end.map_or("", |end| &text[end..]);
                        put(item, Some(quote(&[MASK, &mask(rest)].concat())));
                        is_in_key = end.is_none() || leaves_key_open(rest);
                    }
                    Some(text) => {
                        put(item, scalar(&name, item, mask));
                        is_in_key = leaves_key_open(&text);
                    }
                    None => open.push((name.clone(), item)),
                }
            }
        } else {
            put(value, scalar(&name, value, mask));
        }
    }
    edits.sort_unstable_by_key(|(span, _)| span.start);
    edits
}

/// The replacement for a string or number of this name, if it is or holds a secret.
fn scalar(name: &str, value: Json<'_>, mask: Mask<'_>) -> Option<String> {
    let is_text = value.is_string();
    let text = value.plain();
    let masked = if is_text || is_name(name) { said(name, &text, mask) } else { return None };
    (masked != text).then(|| quote(&masked))
}

/// A text of this name with secrets masked. Text that is itself JSON is masked value by value.
fn said(name: &str, text: &str, mask: Mask<'_>) -> String {
    let begins = |c| text.trim_start().starts_with(c);
    let json = Some(text.trim()).filter(|_| begins('{') || begins('[')).and_then(Json::parse);
    if let Some(json) = json {
        let before = text.len() - text.trim_start().len();
        let (source, behind) = text[before..].split_at(json.source().len());
        return [&text[..before], &spliced(source, &edits_in(json, mask)), behind].concat();
    }
    if is_name(name) {
        let before = format!("\"{name}\": \"");
        let masked = mask(&format!("{before}{text}\""));
        if let Some(masked) = masked.strip_prefix(&before).and_then(|it| it.strip_suffix('"')) {
            return masked.to_owned();
        }
    }
    mask(text)
}

/// An offset, shifted by the edits before it.
fn place_behind(edits: &Edits, place: usize) -> usize {
    let before = edits.iter().take_while(|(span, _)| span.end <= place);
    before.fold(place, |place, (span, text)| place + text.len() - span.len())
}

fn spliced(text: &str, edits: &Edits) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (span, new) in edits {
        out.push_str(&text[from..span.start]);
        out.push_str(new);
        from = span.end;
    }
    out + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::super::mask;
    use super::*;

    const KEY: [&str; 3] =
        ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkq", "-----END PRIVATE KEY-----"];

    fn masked(source: &str) -> String {
        let json = Json::parse(source).expect("the tests write JSON");
        spliced(source, &edits_in(json, &mut mask))
    }

    #[test]
    fn looks_at_what_json_says_in_a_text_too() {
        let account = format!(r#"{{"a":1,"private_key":{},"b":[2]}}"#, quote(&KEY.join("\n")));
        let wanted = account.replace("\\nMIIEvQIBADANBgkq\\n", MASK);
        assert_ne!(wanted, account);
        assert_eq!(masked(&account), wanted);
        assert_eq!(masked(&quote(&account)), quote(&wanted));
        assert_eq!(masked(&quote(&quote(&account))), quote(&quote(&wanted)));
    }

    #[test]
    fn a_key_that_is_a_list_of_lines_is_masked() {
        let lines = |lines: &[&str]| {
            format!("[{}]", lines.iter().map(|line| quote(line)).collect::<Vec<_>>().join(","))
        };
        assert_eq!(
            masked(&lines(&["a", KEY[0], KEY[1], KEY[1], KEY[2], "z"])),
            lines(&[
                "a",
                &format!("{}{MASK}", KEY[0]),
                MASK,
                MASK,
                &format!("{MASK}{}", KEY[2]),
                "z"
            ])
        );
    }

    #[test]
    fn the_name_of_a_member_announces_its_value() {
        assert_eq!(
            masked(r#"{"api_key":"abc123def","n":"abc123def","token":123456789,"max":123456789}"#),
            r#"{"api_key":"[masked]","n":"abc123def","token":"[masked]","max":123456789}"#
        );
    }

    #[test]
    fn a_part_is_found_again_where_it_says_something_else() {
        let source = format!(
            r#"{{"id":"c","type":"x_call","input":{},"name":"n"}}"#,
            quote(&KEY.join("\n"))
        );
        let json = Json::parse(&source).expect("the tests write JSON");
        let part = Part {
            call_id: json.member("id"),
            name: json.member("name"),
            ..Part::new(Kind::Other, json).saying(json.member("input"))
        };
        let masked =
            MaskedPart::of(&part, part.body.unwrap(), edits_noting(&part, &mut BTreeSet::new()))
                .expect("it says a key");
        let told = masked.told(part);
        assert!(told.body.unwrap().is(told.json.member("input").unwrap()));
        assert_eq!(
            (told.text().contains("MIIE"), &*told.tool(), told.id().as_deref()),
            (false, "n", Some("c"))
        );
    }
}
