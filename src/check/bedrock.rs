//! Rules of Bedrock's blocks: each block has one name, and a document never stands alone.

use super::{Report, View};
use crate::conversation::Kind;
use crate::demands::bedrock::{
    beside_name, empty_tools, has_words, is_document, named, strange_status,
};
use crate::demands::cache::{CACHE_CONTROLS, has_cache_point};
use crate::demands::rows::lacks_tools;
use crate::json::Json;

pub(super) fn forms<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (place, part) in view.parts().filter(|(_, part)| part.list.is_some()) {
        let is_prompt = view.messages()[place.0].units.is_empty();
        let names = named(part.json);
        if names.len() > 1 {
            let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
            let text = format!("one block is {}", names.join(" and "));
            found.push(Report::part(place, text).unsaid_if(is_prompt));
        }
        for (key, value) in beside_name(part.json) {
            let key = key.text();
            let text = match key.as_ref() {
                "type" => "block has a type beside its name".to_owned(),
                other => format!("block has \"{other}\" beside its name"),
            };
            let report = Report::part(place, text).at(Some(value)).sentence(1);
            found.push(report.blank("member", &key).unsaid_if(is_prompt));
        }
        if let Some((status, _)) = strange_status(part) {
            let name = status.plain();
            let text = format!("status of a result is \"{name}\"");
            let report = Report::part(place, text).at(Some(status)).sentence(2);
            found.push(report.blank("status", &name));
        }
    }
}

pub(super) fn lone_documents<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (at, message) in view.messages().iter().enumerate().filter(|(_, it)| it.is_sent()) {
        let document = message.parts.iter().position(is_document);
        if let Some(document) =
            document.filter(|_| !message.parts.iter().any(|it| has_words(it.json)))
        {
            found.push(
                Report::part((at, document), "no text stands beside the document").sentence(2),
            );
        }
    }
}

pub(super) fn toolless<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if let Some(tools) = empty_tools(view.conversation).filter(|_| !lacks_tools(view.conversation))
    {
        found.push(Report::new("\"tools\" is an empty array").at(Some(tools)));
    }
}

/// Whether the first name of a block is that of a cache point.
fn leads_with_point(block: Json<'_>) -> bool {
    named(block).first().is_some_and(|(name, _)| *name == "cachePoint")
}

pub(super) fn cache_points<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let points: Vec<_> = view.parts().filter(|(_, part)| has_cache_point(part.json)).collect();
    for (place, part) in points.iter().filter(|(_, part)| leads_with_point(part.json)) {
        let before = place.1.checked_sub(1).map(|before| view.part((place.0, before)));
        if before.is_some_and(|before| before.kind == Kind::Reasoning) {
            let report = Report::part(*place, "cache point stands behind thinking");
            found.push(report.at(Some(part.json)).sentence(1));
        }
    }
    let tools = view.conversation.tools.into_iter().flat_map(Json::items);
    let tools = tools.filter(|tool| has_cache_point(*tool)).count();
    let count = points.len() + tools;
    if count > CACHE_CONTROLS {
        let text = format!("{count} cache points, {CACHE_CONTROLS} are allowed");
        let over = points.get(CACHE_CONTROLS.saturating_sub(tools));
        let report = match over {
            Some((place, _)) => Report::part(*place, text),
            None => Report::new(text),
        };
        found.push(report.blank("count", &count));
    }
}
