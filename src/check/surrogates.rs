//! The rule that every string can be encoded: none holds half a surrogate pair.

use super::{Report, View};
use crate::demands::surrogates::{Half, lone_surrogates};

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
