//! The rule that contents are texts or lists of parts, and that texts are strings.

use super::{Report, View};
use crate::demands::content::type_name;
use crate::demands::content_types::{Mistyped, Wanted, mistyped, roleless, text_of};
use crate::dialect::Provider;

fn roles<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (n, unit, wanted) in roleless(view.conversation) {
        let role = unit.member("role");
        let report = Report::new(wanted.name(None)).at(Some(role.unwrap_or(unit)));
        let report = report.sentence(wanted as usize).blank("n", &n).blank("m", &0);
        found.push(report.blank("type", &role.map_or("nothing", type_name)));
    }
}

pub(super) fn content_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    roles(view, found);
    let sent = view.messages().iter().enumerate().filter(|(_, message)| message.is_sent());
    for (at, message) in sent {
        let dialect = view.conversation.dialect;
        let wrong = mistyped(message, dialect, view.provider, view.wire);
        for Mistyped { wanted, part, item, value } in wrong {
            let parts = message.json.member("parts");
            let is_parts = parts.is_some_and(|parts| message.content.is_some_and(|c| c.is(parts)));
            let list = if is_parts { "parts" } else { "content" };
            let name = wanted.name(Some(list).filter(|_| view.wire.takes_lists));
            let report = match part {
                Some(part) => Report::part((at, part), name),
                None => Report::message(at, name).blank("m", &0),
            };
            let report = match (item, part) {
                (Some(item), Some(part)) if view.part((at, part)).list.is_some() => {
                    let of = view.index_in_list((at, part));
                    let index = match view.provider {
                        Provider::Bedrock if wanted == Wanted::Result => {
                            format!("{of}.toolResult.content.{item}")
                        }
                        Provider::Bedrock => format!("{of}].toolResult.content[{item}"),
                        _ => format!("{of}.tool_result.content.{item}"),
                    };
                    report.blank("m", &index)
                }
                (Some(item), _) => report.blank("m", &item),
                (None, _) => report,
            };
            let report = match wanted {
                Wanted::Part if value.is_empty_object() => report.saying("a block is empty"),
                Wanted::Part if value.is_object() => report.saying("a part holds no object"),
                _ => report,
            };
            let list = if message.content.is_some() { "content" } else { "output" };
            let sentence = match (view.provider, wanted, item) {
                (Provider::Bedrock, Wanted::Result, None) => 2,
                (Provider::Bedrock, Wanted::Result, Some(_)) => 1,
                (Provider::Bedrock, ..) if value.is_empty_object() => 3,
                (Provider::Bedrock, ..) => 0,
                (Provider::Gemini, Wanted::Part, _) if value.is_empty_object() => 5,
                (Provider::Responses, Wanted::Summary, _) => 8,
                _ => wanted as usize,
            };
            let report = report.at(Some(value)).sentence(sentence).blank("list", &list);
            let whole = part.map_or(value, |part| message.parts[part].json);
            let key = text_of(whole).map_or("text", |(key, _)| key);
            let report = report.blank("key", &key);
            // The provider's sentences speak of messages only.
            let report = report.unsaid_if(message.units.is_empty());
            let is_missing = match wanted {
                Wanted::Result => whole.is(value),
                Wanted::Content => message.content.is_none(),
                _ => false,
            };
            let name = if is_missing { "nothing" } else { type_name(value) };
            found.push(report.blank("type", &name).note_if(view.wire.log));
        }
    }
}
