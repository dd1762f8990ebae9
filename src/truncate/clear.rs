//! Clearing old tool results: a placeholder stands where the text was.
//!
//! Responsible for which results are old: all but the newest few, or those from before the last long
//! pause. Calls stay, so pairs stay whole; a result that a placeholder would not make smaller stays.

use std::borrow::Cow;

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
use crate::truncate::hosted;

/// Which tools' results an edit may touch.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Only these, if any are named.
    pub only: Option<GlobSet>,
    /// Never these.
    pub keep: Option<GlobSet>,
}

impl Tools {
    /// Whether results of this tool may be touched.
    pub fn allow(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(name)) && !self.protect(name)
    }

    /// Whether results of this tool are to survive whatever happens.
    pub fn protect(&self, name: &str) -> bool {
        self.keep.as_ref().is_some_and(|keep| keep.is_match(name))
    }
}

/// Every tool result that stays, in order, with the name of its tool.
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

/// Every result that may say less, in order, with the name of its tool: those of tools that the provider
/// runs itself are among them.
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

/// Of results in order all but the newest `keep`, where there is a `pause` only those that stand before the last
/// one of at least so many seconds.
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

/// The old results of these tools.
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

/// Clears all but the newest `keep` results, where there is a `pause` only those that stand before the last one of
/// at least so many seconds; returns how many were cleared.
pub fn clear_old(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    keep: usize,
    pause: Option<u64>,
    tools: &Tools,
) -> usize {
    let old = clearable(draft, subject, (keep, pause), tools);
    old.into_iter().filter(|place| clear(draft, subject, *place)).count()
}

/// Clears results, the oldest first and never the newest `keep`, until the draft counts at most
/// `budget`; returns which.
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
                // The first change unbinds the thinking behind it, which goes too.
                thinking::drop_behind_edits(draft);
                tokens = meter.draft(draft, count);
            }
        }
    }
    cleared
}

/// Puts a placeholder in the place of a result, where that saves tokens. How the call ended stays known,
/// and what the user said stays.
pub fn clear(draft: &mut Draft<'_, '_>, subject: &Subject<'_, '_>, place: Place) -> bool {
    let Subject { conversation, pairs, .. } = *subject;
    let tool = pairs.tool_of(&conversation.messages, place);
    if digest::is_said_by_user(&tool, conversation.part(place)) {
        return false;
    }
    let Some(outcome) = outcome(subject, place) else {
        return replace(draft, subject.meter, place, marks::CLEARED);
    };
    // Of what was cut there may be less to tell the next time: then it would be cleared after all.
    let is_cut = draft.new_text(place).is_some();
    replace(draft, subject.meter, place, &format!("{}\n{outcome}", marks::CLEARED))
        || is_cut && replace(draft, subject.meter, place, marks::CLEARED)
}

/// The line that tells how the call of a result ended.
pub fn outcome(subject: &Subject<'_, '_>, place: Place) -> Option<String> {
    let Subject { conversation, pairs, .. } = *subject;
    digest::outcome_line(conversation.part(pairs.call_of(place)?), conversation.part(place))
}

/// Lets a result say `text` instead, without its attachments, where that saves tokens and it is no
/// placeholder already.
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

/// Lets a result say `text` instead, beside its attachments, on the same terms.
pub fn replace_text(draft: &mut Draft<'_, '_>, meter: &Meter, place: Place, text: &str) -> bool {
    let saves = saves(draft, meter, place, text, 0);
    if saves {
        draft.set_text(place, text);
    }
    saves
}

/// Whether a result is no placeholder, and counts more than `text` with what goes beside its own.
fn saves(draft: &Draft<'_, '_>, meter: &Meter, place: Place, text: &str, beside: usize) -> bool {
    let part = draft.conversation().part(place);
    let now = draft.new_text(place).map_or_else(|| part.text(), Cow::Borrowed);
    let tokens = meter.text(text);
    // Mostly it does: then its first tokens tell.
    let is_longer = || meter.prefix(&now, tokens + 1).len() < now.len();
    !marks::is_placeholder(&now)
        && (tokens < beside || is_longer() || tokens < meter.text(&now) + beside)
}

/// The messages of which it is known when they were said, with that.
fn times(conversation: &Conversation<'_>) -> impl Iterator<Item = (usize, i64)> {
    let messages = conversation.messages.iter().enumerate();
    let written = |message| calendar::seconds(&conversation.written(message)?);
    messages.filter_map(move |(at, message)| Some((at, written(message)?)))
}

/// Whether there may be pauses: of some messages it is known when they were said.
pub fn has_times(conversation: &Conversation<'_>) -> bool {
    times(conversation).nth(1).is_some()
}

/// The message that the last pause of at least `seconds` stands before.
fn last_pause(conversation: &Conversation<'_>, seconds: u64) -> Option<usize> {
    let times: Vec<(usize, i64)> = times(conversation).collect();
    let pause = times
        .windows(2)
        .rev()
        .find(|pair| u64::try_from(pair[1].1 - pair[0].1).is_ok_and(|length| length >= seconds))?;
    Some(pause[1].0)
}
