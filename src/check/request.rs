//! Rules of the request around the messages, and of rows that are no messages of the API.

use super::content::type_name;
use super::types::role_fault;
use super::{Report, View};
use crate::conversation::{Conversation, Kind, List, Origin, Role};
use crate::json::Json;

/// Whether the file holds a whole request that calls tools and defines none.
pub(crate) fn lacks_tools(view: &View<'_, '_>) -> bool {
    let request = view.conversation.source.request().filter(|request| {
        let [model, limit] = request.pick(["model", "max_tokens"]);
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
        // Where there is none at all, another rule says so.
        let is_word = || role_fault(view.conversation, message.json).is_none();
        if message.role == Role::Other && message.origin != Origin::Internal && is_word() {
            let [role, from] = message.json.pick(["role", "from"]);
            let role = role.or(from).and_then(Json::text).unwrap_or_default();
            found.push(Report::message(at, format!("role \"{role}\" is not known")));
        }
    }
}

/// A value that stands among the messages and is no object.
pub(crate) struct Stray {
    /// Its index in [`Source::units`](crate::conversation::Source::units).
    pub(crate) unit: usize,
    /// What it is, with an article.
    pub(crate) what: &'static str,
    /// Whether it stands in an array that a provider reads, and refuses for it.
    pub(crate) is_sent: bool,
}

/// The values among the messages that are no objects.
pub(crate) fn strays(conversation: &Conversation<'_>) -> impl Iterator<Item = Stray> {
    let lists = &conversation.source.lists;
    let units = conversation.source.units.iter().enumerate();
    let is_wire = conversation.dialect.is_wire();
    units.filter(|(_, value)| !value.json.is_object()).map(move |(unit, value)| Stray {
        unit,
        what: type_name(value.json),
        // Answers stand in lists of their own, behind the one that is sent.
        is_sent: is_wire && value.list == 0 && matches!(lists[value.list], List::Array(_)),
    })
}

pub(super) fn stray_values<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let units = &view.conversation.source.units;
    for Stray { unit, what, is_sent } in strays(view.conversation) {
        let value = units[unit];
        let report = Report::new(format!("{what} is no message")).at(Some(value.json));
        let report = report.blank("n", &unit).blank("type", &what);
        found.push(report.note_if(!is_sent).unsaid_if(!is_sent));
    }
}
