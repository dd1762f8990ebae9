//! Strings that hold half a surrogate pair, and their replacements.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::json::{Json, mend_surrogates};
use crate::span::span_in;

/// A string that holds half a surrogate pair.
pub(crate) struct Half<'a> {
    pub(crate) string: Json<'a>,
    /// The string that replaces it, as JSON.
    pub(crate) mended: String,
    /// The value that is the string, or that has it as its key.
    pub(crate) value: Json<'a>,
}

/// The strings of a value that hold half a surrogate pair, keys included, in order.
pub(crate) fn lone_surrogates(value: Json<'_>) -> Vec<Half<'_>> {
    let mut found = Vec::new();
    if mend_surrogates(value.source()).is_none() {
        return found;
    }
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        open.extend(value.items());
        let halves = found.len();
        for (key, value) in value.members() {
            let string = key.json();
            let mended = mend_surrogates(string.source());
            found.extend(mended.map(|mended| Half { string, mended, value }));
            open.push(value);
        }
        keep_apart(value, &mut found[halves..]);
        let own = value.is_string().then(|| mend_surrogates(value.source())).flatten();
        found.extend(own.map(|mended| Half { string: value, mended, value }));
    }
    found.sort_by_key(|half| half.string.source().as_ptr());
    found
}

/// Adds numbers to mended keys of an object that would equal another key, because only the last of equal keys
/// is read.
fn keep_apart(object: Json<'_>, halves: &mut [Half<'_>]) {
    if halves.is_empty() {
        return;
    }
    let keys = object.members().map(|(key, _)| key.json());
    let whole = keys.filter(|key| mend_surrogates(key.source()).is_none());
    let mut taken: HashSet<Cow<'_, str>> = whole.filter_map(Json::text).collect();
    let mut number = 1;
    for half in halves {
        let name = half.string.text().unwrap_or_default();
        if taken.insert(name.clone()) {
            continue;
        }
        while !taken.insert(Cow::Owned(format!("{name}{number}"))) {
            number += 1;
        }
        half.mended.insert_str(half.mended.len() - 1, &number.to_string());
    }
}

/// The JSON text without halves of surrogate pairs; `None` if it holds none.
pub(crate) fn without_halves(source: &str) -> Option<String> {
    let halves = lone_surrogates(Json::parse(source)?);
    if halves.is_empty() {
        return None;
    }
    let mut out = String::new();
    let mut rest = source;
    for Half { string, mended, .. } in halves {
        let span = span_in(rest, string.source());
        out.push_str(&rest[..span.start]);
        out.push_str(&mended);
        rest = &rest[span.end..];
    }
    Some(out + rest)
}
