//! Clearing old tool results: a placeholder replaces the text.
//!
//! Responsible for which results are old: all but the newest few, or those from before the last long pause.
//! Calls stay, so pairs stay whole; a result stays if a placeholder would not be smaller. Of one that is in a
//! file only the preview goes.

use globset::GlobSet;

use crate::calendar;
use crate::conversation::{Conversation, Kind, Place};
use crate::count::Meter;
use crate::digest;
use crate::draft::Draft;
use crate::marks;
use crate::pairing::Pairs;
use crate::subject::Subject;
use crate::thinking;
use crate::truncate::{hosted, text_of};

/// The tools whose results an edit may touch.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// If set, only results of these tools may be touched.
    pub only: Option<GlobSet>,
    /// Results of these tools are never touched.
    pub keep: Option<GlobSet>,
}

impl Tools {
    /// Whether results of this tool may be touched.
    pub fn allow(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(name)) && !self.protect(name)
    }

    /// Whether results of this tool are never touched.
    pub fn protect(&self, name: &str) -> bool {
        self.keep.as_ref().is_some_and(|keep| keep.is_match(name))
    }
}

/// All tool results that the draft keeps, in order, each with the name of its tool.
pub fn results(draft: &Draft<'_, '_>, pairs: &Pairs) -> Vec<(Place, String)> {
    let conversation = draft.conversation();
    let mut all = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        let places = message.parts_of(Kind::ToolResult).map(|(index, _)| (at, index));
        let stays = places.filter(|place| !draft.is_removed(*place));
        let tool = |place| pairs.tool_of(&conversation.messages, place).into_owned();
        all.extend(stays.map(|place| (place, tool(place))));
    }
    all
}

/// All results that may get a shorter text, in order, each with the name of its tool. They include results of
/// tools that the provider runs itself.
pub fn shortenable(draft: &Draft<'_, '_>, pairs: &Pairs) -> Vec<(Place, String)> {
    let mut results = results(draft, pairs);
    for (at, message) in draft.conversation().messages.iter().enumerate() {
        let hosted = hosted::results(message, hosted::is_open).into_iter();
        let hosted = hosted.map(|(index, tool)| ((at, index), tool));
        results.extend(hosted.filter(|(place, _)| !draft.is_removed(*place)));
    }
    results.sort_by_key(|(place, _)| *place);
    results
}

/// The old ones of `results`, which are in order: all but the newest `keep`, and with a `pause` only those
/// before the last pause of at least that many seconds.
pub(super) fn old(
    mut results: Vec<(Place, String)>,
    conversation: &Conversation<'_>,
    keep: usize,
    pause: Option<u64>,
) -> Vec<(Place, String)> {
    results.truncate(results.len().saturating_sub(keep));
    if let Some(pause) = pause {
        let pause = last_pause(conversation, pause).unwrap_or(0);
        results.retain(|((at, _), _)| *at < pause);
    }
    results
}

/// The places of old results of the allowed tools.
fn clearable(
    draft: &Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    (keep, pause): (usize, Option<u64>),
    tools: &Tools,
) -> Vec<Place> {
    let old = old(shortenable(draft, subject.pairs), draft.conversation(), keep, pause);
    let places = old.into_iter().filter(|(_, tool)| tools.allow(tool)).map(|(place, _)| place);
    places.collect()
}

/// Clears old results: all but the newest `keep`, and with a `pause` only those before the last pause of at
/// least that many seconds. Returns the places of those cleared.
pub fn clear_old(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    keep: usize,
    pause: Option<u64>,
    tools: &Tools,
) -> Vec<Place> {
    let mut old = clearable(draft, subject, (keep, pause), tools);
    old.retain(|place| clear(draft, subject, *place));
    old
}

/// Clears results, the oldest first and never the newest `keep`, until the draft counts at most `budget`
/// tokens; returns the places of the cleared results.
pub fn clear_until(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    keep: usize,
    tools: &Tools,
    budget: usize,
) -> Vec<Place> {
    let Subject { meter, count, .. } = *subject;
    let mut tokens = meter.draft(draft, count);
    let mut cleared = Vec::new();
    for place in clearable(draft, subject, (keep, None), tools) {
        if tokens <= budget {
            break;
        }
        let before = meter.drafted(draft, place.0, count);
        if clear(draft, subject, place) {
            tokens -= before - meter.drafted(draft, place.0, count);
            cleared.push(place);
            if cleared.len() == 1 {
                // The first edit makes the thinking behind it void, so that goes too.
                thinking::drop_behind_edits(draft);
                tokens = meter.draft(draft, count);
            }
        }
    }
    cleared
}

/// Replaces a result by a placeholder, if that saves tokens. The placeholder tells how the call ended. A
/// result that holds the user's own words stays.
pub fn clear(draft: &mut Draft<'_, '_>, subject: &Subject<'_, '_>, place: Place) -> bool {
    let Subject { conversation, pairs, .. } = *subject;
    let tool = pairs.tool_of(&conversation.messages, place);
    if digest::is_said_by_user(&tool, conversation.part(place)) {
        return false;
    }
    if let Some(unseen) = marks::with_preview(&text_of(draft, place), 0) {
        return replace(draft, subject.meter, place, &unseen);
    }
    let Some(outcome) = outcome(subject, place) else {
        return replace(draft, subject.meter, place, marks::CLEARED);
    };
    // A cut result may have a longer outcome than remains; a second run would clear it after all, so do it
    // now without the outcome.
    let is_cut = draft.new_text(place).is_some();
    replace(draft, subject.meter, place, &format!("{}\n{outcome}", marks::CLEARED))
        || is_cut && replace(draft, subject.meter, place, marks::CLEARED)
}

/// The line that tells how the call of a result ended, if there is anything to tell.
pub fn outcome(subject: &Subject<'_, '_>, place: Place) -> Option<String> {
    let Subject { conversation, pairs, .. } = *subject;
    digest::outcome_line(conversation.part(pairs.call_of(place)?), conversation.part(place))
}

/// Replaces a result by `text` and removes its attachments, if that saves tokens and the result is not a
/// placeholder already, other than one that shows more of the same file. Returns whether it did.
pub fn replace(draft: &mut Draft<'_, '_>, meter: &Meter, place: Place, text: &str) -> bool {
    let conversation = draft.conversation();
    let part = conversation.part(place);
    let attached = meter.attached(conversation.dialect, part);
    let saves = saves(draft, meter, place, text, attached);
    if saves {
        draft.clear(place, text);
    }
    saves
}

/// Replaces the text of a result by `text` and keeps its attachments, under the conditions of [`replace`].
pub fn replace_text(draft: &mut Draft<'_, '_>, meter: &Meter, place: Place, text: &str) -> bool {
    let saves = saves(draft, meter, place, text, 0);
    if saves {
        draft.set_text(place, text);
    }
    saves
}

/// Whether a result may be replaced by `text` and counts, together with `beside` more tokens, more than that.
fn saves(draft: &Draft<'_, '_>, meter: &Meter, place: Place, text: &str, beside: usize) -> bool {
    let now = text_of(draft, place);
    let tokens = meter.text(text);
    // Usually it does, and then its first tokens are enough to tell.
    let is_longer = || meter.prefix(&now, tokens + 1).len() < now.len();
    let may = !marks::is_placeholder(&now) || marks::with_preview(&now, 0).as_deref() == Some(text);
    may && (tokens < beside || is_longer() || tokens < meter.text(&now) + beside)
}

/// The messages whose time is known, each with that time in seconds.
fn times(conversation: &Conversation<'_>) -> impl Iterator<Item = (usize, i64)> {
    let messages = conversation.messages.iter().enumerate();
    let written = |message| calendar::seconds(&conversation.written(message)?);
    messages.filter_map(move |(at, message)| Some((at, written(message)?)))
}

/// Whether there can be pauses: at least two messages have a known time.
pub fn has_times(conversation: &Conversation<'_>) -> bool {
    times(conversation).nth(1).is_some()
}

/// The index of the message behind the last pause of at least `seconds`.
fn last_pause(conversation: &Conversation<'_>, seconds: u64) -> Option<usize> {
    let times: Vec<(usize, i64)> = times(conversation).collect();
    let pause = times
        .windows(2)
        .rev()
        .find(|pair| u64::try_from(pair[1].1 - pair[0].1).is_ok_and(|length| length >= seconds))?;
    Some(pause[1].0)
}
