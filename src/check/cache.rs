//! The rule about cache marks: how many there may be, where, and in which order of their lifetimes.

use super::{Report, View, bedrock};
use crate::demands::bedrock::has_blocks;
use crate::demands::cache::{
    CACHE_CONTROLS, cached, cached_tools, has_cache_control, hour, is_cached_thinking,
};
use crate::demands::content::is_prompt;
use crate::dialect::Provider;
use crate::json::Json;

pub(super) fn cache_controls<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if !view.wire.is_sent_as_it_is() {
        return;
    }
    if has_blocks(view.conversation, view.provider) {
        bedrock::cache_points(view, found);
        return;
    }
    for (place, part) in view.parts().filter(|(_, part)| is_cached_thinking(part)) {
        let kind = part.json.str_member("type").unwrap_or_default();
        let report = Report::part(place, "thinking has a cache_control").sentence(1);
        found.push(report.blank("type", &kind));
    }
    let blocks = view.parts().flat_map(|(place, part)| cached(part).map(move |it| (place.0, it)));
    let blocks: Vec<_> = blocks.collect();
    let tools = cached_tools(view.conversation).count();
    let count = blocks.len() + tools;
    if count > CACHE_CONTROLS {
        let text = format!("{count} blocks have a cache_control, {CACHE_CONTROLS} are allowed");
        let over = blocks.get(CACHE_CONTROLS.saturating_sub(tools));
        let report = match over {
            Some(&(message, block)) => Report::message(message, text).at(Some(block)),
            None => Report::new(text),
        };
        found.push(report.blank("count", &count));
    }
    lifetimes(view, found);
}

/// Finds blocks whose cache lasts an hour behind one whose cache does not.
fn lifetimes<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let is_its = view.provider == Provider::Anthropic;
    let mut falls = false;
    let mut is_late = |block: Json<'a>| {
        let late = hour(block).filter(|_| falls);
        falls |= hour(block).is_none();
        late
    };
    let text = "cache of an hour stands behind one of five minutes";
    let tools = view.conversation.tools.into_iter().flat_map(Json::items).enumerate();
    for (index, tool) in tools.filter(|(_, tool)| has_cache_control(*tool)) {
        if let Some(late) = is_late(tool) {
            let report = Report::new(text).at(Some(late)).sentence(2).unsaid_if(!is_its);
            found.push(report.blank("block", &format!("tools.{index}")));
        }
    }
    for (place, part) in view.parts() {
        for block in cached(part) {
            let Some(late) = is_late(block) else { continue };
            let list = if is_prompt(&view.messages()[place.0]) {
                "system".to_owned()
            } else {
                format!("messages.{}.content", view.position(place.0))
            };
            let path = format!("{list}.{}", view.index_in_list(place));
            let report = Report::part(place, text).at(Some(late)).sentence(2);
            // How the provider names a block within a result is not known.
            found.push(report.blank("block", &path).unsaid_if(!block.is(part.json) || !is_its));
        }
    }
}
