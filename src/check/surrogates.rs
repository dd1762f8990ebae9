//! The rule that all that is said can be written: no string holds half a surrogate pair.

use super::{Report, View};
use crate::json::{Json, mend_surrogates};

/// The strings of a value that hold half a surrogate pair, in order, each with what it becomes.
pub(crate) fn lone_surrogates(value: Json<'_>) -> Vec<(Json<'_>, String)> {
    let mut found = Vec::new();
    if mend_surrogates(value.source()).is_none() {
        return found;
    }
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        open.extend(value.items());
        open.extend(value.members().map(|(_, value)| value));
        let mended = value.is_string().then(|| mend_surrogates(value.source())).flatten();
        found.extend(mended.map(|mended| (value, mended)));
    }
    found.sort_by_key(|(string, _)| string.source().as_ptr());
    found
}

pub(super) fn lone_halves<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let messages = view.messages().iter().enumerate();
    for (at, message) in messages.filter(|(_, message)| message.is_sent()) {
        for (string, _) in lone_surrogates(message.json) {
            let report = Report::message(at, "a string holds half a surrogate pair");
            found.push(report.at(Some(string)).note_if(view.wire.log));
        }
    }
}
