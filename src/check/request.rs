//! Rules of the request around the messages, and of rows that are no messages of the API.

use super::{Report, View, is_sent};
use crate::conversation::{Kind, Origin, Role};

/// Whether the file holds a whole request that calls tools and defines none.
pub(crate) fn lacks_tools(view: &View<'_, '_>) -> bool {
    let request = view.conversation.source.root.as_ref().filter(|root| {
        let [model, limit] = root.pick(["model", "max_tokens"]);
        model.or(limit).is_some()
    });
    let tools = view.conversation.tools.filter(|tools| tools.items().next().is_some());
    request.is_some()
        && tools.is_none()
        && view.parts().any(|(_, part)| part.kind == Kind::ToolCall)
}

pub(super) fn missing_tools<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if lacks_tools(view) {
        found.push(Report::new("tools are called and none is defined"));
    }
}

pub(super) fn internal_rows<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, message) in view.messages().iter().enumerate() {
        if message.origin == Origin::Internal {
            found.push(Report::message(at, "row is internal and never sent"));
        }
    }
}

pub(super) fn unknown_roles<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, message) in view.messages().iter().enumerate() {
        if message.role == Role::Other && (is_sent(message) || message.origin != Origin::Internal) {
            let role = message.json.str_member("role").unwrap_or_default();
            found.push(Report::message(at, format!("role \"{role}\" is not known")));
        }
    }
}
