//! The rule that parts have the types that the provider requires.

use super::{Report, View, bedrock};
use crate::demands::bedrock::has_blocks;
use crate::demands::part_types::{WantedType, wanted_types};
use crate::json::Json;

pub(super) fn part_types<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if has_blocks(view.conversation, view.provider) {
        bedrock::forms(view, found);
    }
    for (place, part) in view.parts() {
        let role = view.messages()[place.0].role;
        let call = view.pairs.call_of(place).map(|call| view.part(call));
        for wanted in wanted_types(part, call, role, view.provider, view.wire) {
            let WantedType { object, of, told, sentence, .. } = wanted;
            let text = match told {
                None => format!("{of} has no type"),
                Some(told) if told.says("input_text") => format!("{of} has the type of an input"),
                Some(told) if told.says("output_text") => format!("{of} has the type of an output"),
                Some(told) => format!("{of} has the type \"{}\"", told.plain()),
            };
            let told = object.member("type");
            let report = Report::part(place, text).at(Some(told.unwrap_or(object)));
            let is_unsaid = told.is_some_and(Json::is_null) || sentence.is_none();
            let name = told.and_then(Json::text).unwrap_or_default();
            let report = report.sentence(sentence.unwrap_or_default()).blank("type", &name);
            found.push(report.unsaid_if(is_unsaid));
        }
    }
}
