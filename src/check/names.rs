//! Rules of names that are no call's: of speakers, of documents, and of the tools that a request defines.

use super::{Report, View};
use crate::demands::names::{RepeatedTool, StrangeName, repeated_tools, strange_names};

pub(super) fn name_forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for StrangeName { message, part, name, .. } in
        strange_names(view.conversation, view.provider, view.wire)
    {
        let of = if part.is_some() { "document" } else { "speaker" };
        let text = format!("name \"{}\" of a {of} has a form that is refused", name.plain());
        let report = match part {
            Some(part) => Report::part((message, part), text),
            None => Report::message(message, text),
        };
        found.push(report.at(Some(name)));
    }
}

pub(super) fn duplicate_tools<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let named = |name: &str| name.to_owned();
    for RepeatedTool { list, index, name } in
        repeated_tools(view.conversation, view.provider, view.wire, named)
    {
        let report = Report::new(format!("tool \"{name}\" is defined twice"));
        found.push(report.at(list.items().nth(index)).blank("name", &name));
    }
}
