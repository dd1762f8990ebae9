//! Condensations of OpenHands: events that take others out of the conversation.
//!
//! Responsible for the events that are forgotten, and for the place at which the summary is read. The event
//! itself may stand far behind that place.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::json::Json;
use crate::message::{Kind, Message, Origin, Part, Role};
use crate::source::Unit;

/// The content of a condensation.
pub(crate) struct Condensation<'a> {
    forgotten: HashSet<u64>,
    range: Option<RangeInclusive<u64>>,
    summary: Option<Json<'a>>,
    /// The number of events before the summary.
    pub(crate) offset: Option<Json<'a>>,
}

impl<'a> Condensation<'a> {
    pub(crate) fn read(event: Json<'a>) -> Option<Self> {
        let [action, args] = event.pick(["action", "args"]);
        let args = args.filter(|_| action.is_some_and(|action| action.says("condensation")))?;
        let [ids, start, end, summary, offset] = args.pick([
            "forgotten_event_ids", "forgotten_events_start_id", "forgotten_events_end_id",
            "summary", "summary_offset",
        ]);
        let number = |value: Option<Json<'a>>| value.and_then(Json::as_u64);
        Some(Self {
            forgotten: ids.into_iter().flat_map(Json::items).filter_map(Json::as_u64).collect(),
            range: number(start).zip(number(end)).map(|(start, end)| start..=end),
            summary: summary.filter(|summary| summary.is_string()),
            offset,
        })
    }

    /// Whether the condensation removes an event.
    pub(crate) fn forgets(&self, event: Json<'_>) -> bool {
        let in_range = |id: &u64| self.range.as_ref().is_some_and(|range| range.contains(id));
        let id = event.member("id").and_then(Json::as_u64);
        id.is_some_and(|id| self.forgotten.contains(&id) || in_range(&id))
    }

    /// Removes the forgotten events from the messages, and inserts the summary.
    pub(crate) fn apply(&self, unit: usize, units: &[Unit<'a>], messages: &mut Vec<Message<'a>>) {
        messages.retain(|message| !message.units.iter().any(|&own| self.forgets(units[own].json)));
        let Some(text) = self.summary else { return };
        let mut message = Message::new(Role::User, units[unit].json);
        message.origin = Origin::Summary;
        message.parts.push(Part::whole(Kind::Text, text));
        message.units.push(unit);
        let offset = self.offset.and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
        messages.insert(offset.unwrap_or_default().min(messages.len()), message);
    }
}
