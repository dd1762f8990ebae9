//! The arguments that a call was given.
//!
//! Responsible for reading them, as an object or a string that holds one, also where that was cut off within a
//! string: by the most tokens of an answer, or by who saved the log.

use std::borrow::Cow;

use crate::conversation::Part;
use crate::digest::text::records;
use crate::json::Json;

/// Gives the arguments of a call, an object or a string that holds one, to `then`.
pub(in crate::digest) fn with_arguments(part: &Part<'_>, then: impl FnOnce(Json<'_>)) -> bool {
    let Some(body) = part.body else { return false };
    if body.is_object() {
        then(body);
        return true;
    }
    let Some(text) = body.text() else { return false };
    let is_object = |json: &Json<'_>| json.is_object();
    if let Some(arguments) = Json::parse(&text).filter(is_object) {
        then(arguments);
        return true;
    }
    let whole = Some(text).filter(|text| text.starts_with('{')).and_then(|text| completed(&text));
    whole.as_deref().and_then(Json::parse).filter(is_object).map(then).is_some()
}

/// The strings in the arguments of a call, with the names of their members, in order.
pub(in crate::digest) fn texts(part: &Part<'_>, mut then: impl FnMut(&str, &str)) {
    let whole = !with_arguments(part, |arguments| {
        let mut open = vec![(Cow::Borrowed(""), arguments, 0)];
        while let Some((key, value, depth)) = open.pop() {
            let (at, deeper) = (open.len(), depth + 1);
            match value.text() {
                Some(text) => then(&key, &text),
                None if depth == records::DEEPEST => then(&key, value.source()),
                None if value.is_object() => {
                    open.extend(value.members().map(|(key, value)| (key.text(), value, deeper)));
                }
                None => open.extend(value.items().map(|value| (key.clone(), value, deeper))),
            }
            open[at..].reverse();
        }
    });
    if whole {
        then("", &part.text());
    }
}

/// The object whose beginning a text is, ended where it breaks off within a string, or where no string of JSON goes on.
fn completed(text: &str) -> Option<String> {
    let mut closing = Vec::new();
    let mut bytes = text.bytes().enumerate();
    let mut end = None;
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'{' => closing.push('}'),
            b'[' => closing.push(']'),
            b'}' | b']' => drop(closing.pop()),
            b'"' => {
                end = end_of_string(&mut bytes, text.len());
                if end.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    let mut whole = text[..end?].to_owned();
    whole.push('"');
    whole.extend(closing.into_iter().rev());
    Some(whole)
}

/// Where a string breaks off; none where it ends.
fn end_of_string(bytes: &mut impl Iterator<Item = (usize, u8)>, length: usize) -> Option<usize> {
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return None,
            b'\\' => {
                let escaped = bytes.next().map(|(_, byte)| byte);
                let is_whole = match escaped {
                    Some(b'u') => {
                        bytes.take(4).filter(|(_, it)| it.is_ascii_hexdigit()).count() == 4
                    }
                    Some(byte) => br#""\/bfnrt"#.contains(&byte),
                    None => false,
                };
                if !is_whole {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_within_a_string_is_ended() {
        for (text, wanted) in [
            (r#"{"command": "ls -l\nmake"#, Some(r#"{"command": "ls -l\nmake"}"#)),
            (r#"{"edits": [{"old": "a\"#, Some(r#"{"edits": [{"old": "a"}]}"#)),
            (r#"{"path": "a", "text": "b\u00e"#, Some(r#"{"path": "a", "text": "b"}"#)),
            (r#"{"command": "grep a\... [cut]"#, Some(r#"{"command": "grep a"}"#)),
            (r#"{"path": "灯"#, Some(r#"{"path": "灯"}"#)),
            (r#"{"path": "a"}"#, None),
            (r#"{"path": "a", "#, None),
            ("", None),
        ] {
            assert_eq!(completed(text).as_deref(), wanted, "{text}");
        }
    }
}
