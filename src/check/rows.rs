//! Rules about rows that are no messages of the API, unknown roles and types, and tools that are called but
//! not defined.

use std::collections::HashSet;

use super::{Report, View};
use crate::conversation::{Origin, Role};
use crate::demands::content_types::role_fault;
use crate::demands::part_types::is_of_another;
use crate::demands::rows::{Stray, is_misnamed, lacks_tools, strays};
use crate::dialect::Provider;

pub(super) fn missing_tools<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if lacks_tools(view.conversation) {
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
    let conversation = view.conversation;
    for (at, message) in view.messages().iter().enumerate() {
        // A missing role is reported by another rule.
        let is_word = || role_fault(conversation, message.json).is_none();
        if message.role == Role::Other && message.origin != Origin::Internal && is_word() {
            let unit = message.units.first().map(|&unit| conversation.source.units[unit].json);
            let unit = unit.unwrap_or(message.json);
            let role = conversation.dialect.role_named(message.json, unit).unwrap_or_default();
            let report = Report::message(at, format!("role \"{role}\" is not known"));
            let is_sent = view.wire.is_sent_as_it_is();
            let report = report.blank("role", &role).note_if(!is_sent).unsaid_if(!is_sent);
            found.push(report.at(message.json.member("role").filter(|_| is_sent)));
        } else if is_misnamed(conversation, view.provider, message) {
            found.push(Report::message(at, "the model's role is \"assistant\""));
        }
    }
}

pub(super) fn unknown_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let mut seen = HashSet::new();
    for (place, part) in view.parts() {
        let kind = view.conversation.dialect.unknown_type(part);
        if let Some(kind) = kind.filter(|kind| !seen.contains(kind)) {
            let is_untyped = kind.is_empty() && view.provider == Provider::Anthropic;
            let is_refused =
                view.wire.is_sent_as_it_is() && (is_untyped || is_of_another(&kind, view.provider));
            let text = match kind.as_ref() {
                "" => "a part has no type".to_owned(),
                "type" if is_refused => "a part has a type, as another provider's".to_owned(),
                kind if is_refused => format!("type \"{kind}\" is another provider's"),
                kind => format!("type \"{kind}\" is not known"),
            };
            // The providers' sentences speak of parts, and not of whole items.
            let is_unsaid = !is_refused || part.list.is_none();
            let report = Report::part(place, text).blank("type", &kind);
            let report = report.sentence(usize::from(is_untyped));
            found.push(report.note_if(!is_refused).unsaid_if(is_unsaid));
            seen.insert(kind);
        }
    }
}

pub(super) fn stray_values<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let units = &view.conversation.source.units;
    for Stray { unit, what, is_sent } in strays(view.conversation) {
        let value = units[unit];
        let report = Report::new(format!("{what} is no message")).at(Some(value.json));
        let report = report.blank("n", &unit).blank("type", &what);
        let report = report.sentence(usize::from(value.json.is_object()));
        found.push(report.note_if(!is_sent).unsaid_if(!is_sent));
    }
}
