//! Records: results that are JSON, as the tools of service conversations give them.
//!
//! Responsible for finding the fields of a record with their names, as ranges of the text, so that
//! several of one record can be written on a line.

use std::ops::Range;

use serde_json::value::RawValue;

use crate::json::Json;

/// Whether a text is a JSON object or array, and so made of fields.
pub(super) fn is_record(text: &str) -> bool {
    let text = text.trim();
    let shaped = text.starts_with('{') && text.ends_with('}')
        || text.starts_with('[') && text.ends_with(']');
    shaped && text.len() > 2 && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The fields of a record, each from its name to the end of its value.
pub(super) fn fields(text: &str, mut then: impl FnMut(Range<usize>)) {
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else { return };
    let base = text.as_ptr().addr();
    let span = |json: Json<'_>| {
        let start = json.source().as_ptr().addr() - base;
        start..start + json.source().len()
    };
    let mut open = vec![Json::from_checked(raw.get())];
    while let Some(value) = open.pop() {
        let at = open.len();
        for (key, member) in value.members() {
            if member.is_object() || member.items().next().is_some_and(Json::is_object) {
                open.push(member);
            } else {
                then(span(key.json()).start..span(member).end);
            }
        }
        for item in value.items() {
            if item.is_object() || item.is_array() {
                open.push(item);
            } else {
                then(span(item));
            }
        }
        open[at..].reverse();
    }
}

/// A field as it is written: `name: value`, without quotes.
pub(super) fn plain(field: &str) -> String {
    let Some((key, value)) = field.split_once(':') else {
        return field.trim_matches('"').to_owned();
    };
    let value: String = value.trim().chars().filter(|c| !matches!(c, '"' | '[' | ']')).collect();
    format!("{}: {}", key.trim().trim_matches('"'), value.trim())
}
