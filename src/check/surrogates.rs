//! The rule that all that is said can be written: no string holds half a surrogate pair.

use super::{Report, View};
use crate::json::{Json, mend_surrogates};

/// A string that holds half a surrogate pair.
pub(crate) struct Half<'a> {
    pub(crate) string: Json<'a>,
    /// What it becomes.
    pub(crate) mended: String,
    /// The value that it is, or that it is the key of.
    value: Json<'a>,
}

/// The strings of a value that hold half a surrogate pair, keys included, in order.
pub(crate) fn lone_surrogates<'a>(value: Json<'a>) -> Vec<Half<'a>> {
    let mut found = Vec::new();
    if mend_surrogates(value.source()).is_none() {
        return found;
    }
    let mut add = |string: Json<'a>, value| {
        let mended = string.is_string().then(|| mend_surrogates(string.source())).flatten();
        found.extend(mended.map(|mended| Half { string, mended, value }));
    };
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        open.extend(value.items());
        for (key, value) in value.members() {
            add(key.json(), value);
            open.push(value);
        }
        add(value, value);
    }
    found.sort_by_key(|half| half.string.source().as_ptr());
    found
}

pub(super) fn lone_halves<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let messages = view.messages().iter().enumerate();
    let sent = messages.filter(|(_, message)| message.is_sent());
    let said = sent.map(|(at, message)| (Some(at), message.json));
    let tools = view.conversation.tools.map(|tools| (None, tools));
    for (message, json) in said.chain(tools) {
        for Half { string, value, .. } in lone_surrogates(json) {
            let what = if string.is(value) { "a string" } else { "a key" };
            let text = format!("{what} holds half a surrogate pair");
            let report =
                message.map_or_else(|| Report::new(&*text), |at| Report::message(at, &*text));
            found.push(report.at(Some(value)).note_if(view.wire.log));
        }
    }
}
