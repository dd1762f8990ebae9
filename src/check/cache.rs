//! The rule about cache marks: how many there may be, and where.

use super::{Report, View, bedrock};
use crate::demands::bedrock::has_blocks;
use crate::demands::cache::{CACHE_CONTROLS, cached, cached_tools, is_cached_thinking};

pub(super) fn cache_controls<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.log || view.wire.foreign {
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
}
