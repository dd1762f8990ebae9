//! The arguments that a call was given.
//!
//! Responsible for reading them, as an object or a string that holds one.

use std::borrow::Cow;

use crate::conversation::Part;
use crate::digest::text::records;
use crate::json::Json;

/// Calls `then` with the arguments of a call, which are an object or a string that holds one; returns its
/// result. `None` if there are no such arguments.
pub(in crate::digest) fn with_arguments<T>(
    part: &Part<'_>,
    then: impl FnOnce(Json<'_>) -> T,
) -> Option<T> {
    let body = part.body?;
    if body.is_object() {
        return Some(then(body));
    }
    Json::parse(&body.text()?).filter(|json| json.is_object()).map(then)
}

/// Calls `then` for each string in the arguments of a call, in order, with the name of its member.
pub(in crate::digest) fn texts(part: &Part<'_>, mut then: impl FnMut(&str, &str)) {
    let read = with_arguments(part, |arguments| {
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
    if read.is_none() {
        then("", &part.text());
    }
}
