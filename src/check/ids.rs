//! Rules of names: call ids and tool names must have the form that the provider accepts.

use super::{Report, View};
use crate::conversation::Kind;
use crate::demands::ids::{
    ITEM_ID, StrangeId, has_half, is_functions, is_good_id, is_good_name, is_good_server_id,
    is_named, is_plain_byte, names_beside, repeated_items, should_be_functions, strange_ids,
};
use crate::dialect::Provider;
use crate::pairing::is_server_call;

pub(super) fn call_id_forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let is_its = view.provider == Provider::Anthropic && !view.wire.foreign;
    for (place, part) in view.parts().filter(|(_, part)| is_its && is_server_call(part)) {
        let id = part.json.str_member("id").unwrap_or_default();
        if !is_good_server_id(&id) {
            let text = format!("call id \"{id}\" has a form that is refused");
            found.push(Report::part(place, text).at(part.json.member("id")).sentence(1));
        }
    }
    for (place, part) in view.parts().filter(|(_, part)| part.kind == Kind::ToolCall) {
        let Some(id) = part.id().filter(|id| !id.is_empty()) else { continue };
        let is_broken = has_half(part);
        if is_broken || !is_good_id(view.provider, &id) {
            let text = format!("call id \"{id}\" has a form that is refused");
            let length = id.chars().count();
            let report = Report::part(place, text).at(part.call_id).blank("length", &length);
            found.push(report.unsaid_if(is_broken));
        }
    }
}

pub(super) fn missing_call_ids<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let dialect = view.conversation.dialect;
    for (place, part) in view.parts() {
        if part.id().is_some_and(|id| !id.is_empty()) {
            continue;
        }
        // The result of a legacy call, which has no id, needs none.
        let call = view.pairs.call_of(place).filter(|call| view.messages()[call.0].is_sent());
        let call = call.map(|call| view.part(call));
        let is_result = part.kind == Kind::ToolResult && call.is_some();
        let is_legacy = call.is_some_and(|call| {
            is_result && should_be_functions(part, call, view.provider, view.wire)
        });
        let is_result = is_legacy
            || is_result && call.is_some_and(|call| dialect.call_id_member(call).is_some());
        if part.kind != Kind::ToolCall && !is_result {
            continue;
        }
        let is_old = is_result && is_functions(part);
        if dialect.call_id_member(part).is_none() && !is_old {
            continue;
        }
        let text = if is_legacy {
            "result of a legacy call stands in a message of a `tool`".to_owned()
        } else if is_old {
            "result stands in a message of a `function`".to_owned()
        } else if is_result {
            "result does not say which call it answers".to_owned()
        } else {
            match part.tool() {
                tool if tool.is_empty() => "call has no id".to_owned(),
                tool => format!("call of {tool} has no id"),
            }
        };
        let report = Report::part(place, text).sentence(usize::from(!is_result));
        found.push(report.unsaid_if(is_old));
    }
}

pub(super) fn duplicate_item_ids<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, id) in repeated_items(view.conversation, view.provider, view.wire) {
        let name = id.text().unwrap_or_default();
        let report = Report::message(at, format!("item id \"{name}\" is used twice"));
        found.push(report.at(Some(id)).blank("id", &name));
    }
}

pub(super) fn item_id_forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for StrangeId { message, id, prefix } in
        strange_ids(view.conversation, view.provider, view.wire)
    {
        let name = id.text().unwrap_or_default();
        let sentence = match name.starts_with(prefix) {
            false => 0,
            true if name.len() > ITEM_ID => 1,
            true => 2,
        };
        let text = format!("item id \"{name}\" has a form that is refused");
        let report = Report::message(message, text).at(Some(id)).sentence(sentence);
        let report = report.blank("item", &name).blank("prefix", &prefix);
        found.push(report.blank("length", &name.len()));
    }
}

pub(super) fn tool_name_forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (place, part) in view.parts().filter(|(_, part)| is_named(part)) {
        let name = part.tool();
        if !is_good_name(view.provider, &name) {
            let text = format!("tool name \"{name}\" has a form that is refused");
            let is_other = match view.provider {
                Provider::Gemini => part.kind == Kind::ToolResult,
                _ => !name.is_empty() && name.bytes().all(is_plain_byte),
            };
            let report = Report::part(place, text).at(part.name).sentence(usize::from(is_other));
            found.push(report.blank("name", &name).blank("length", &name.len()));
        }
    }
    for name in names_beside(view.conversation) {
        let text = name.text().unwrap_or_default();
        if !is_good_name(view.provider, &text) {
            let report = Report::new(format!("tool name \"{text}\" has a form that is refused"));
            found.push(report.at(Some(name)).unsaid_if(true));
        }
    }
}
