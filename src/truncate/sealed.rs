//! Results that the policies would shorten but must not.
//!
//! Responsible for naming these results, so that the user hears of them: those of tools that the provider runs,
//! which [`hosted`] recognises, and those with pictures or files, which are never cut.

use crate::conversation::{Kind, Place, Role};
use crate::draft::Draft;
use crate::marks;
use crate::subject::Subject;
use crate::truncate::cut::Measure;
use crate::truncate::{Policies, clear, cut, hosted};

/// The results with pictures or files for which the policies leave less room than these alone take: their
/// tokens.
pub fn pictured(subject: &Subject<'_, '_>, policies: &Policies) -> Vec<usize> {
    if policies.per_result.is_none() && policies.keep_results.is_none() && policies.idle.is_none() {
        return Vec::new();
    }
    let Subject { conversation, pairs, meter, count, .. } = *subject;
    let all = clear::shortenable(&Draft::new(conversation), pairs);
    let old = old(all.clone(), subject, policies);
    let limit = policies.per_result.filter(|limit| limit.measure == Measure::Tokens);
    let most = limit.map_or(usize::MAX, |limit| limit.most);
    let allowed = all.into_iter().filter(|(_, tool)| policies.tools.allow(tool));
    let pictured = allowed.filter_map(|(place, _)| {
        // A screenshot is the whole result, so nothing else can stand in its place.
        let message = &conversation.messages[place.0];
        let parts = message.parts.iter().zip(&count.parts[place.0]);
        let shots = parts.filter(|(part, _)| {
            message.role == Role::Tool && matches!(part.kind, Kind::Image | Kind::File)
        });
        let shots: usize = shots.map(|(_, tally)| tally.tokens()).sum();
        let attached = || meter.attached(conversation.dialect, conversation.part(place));
        let (stays, most) = match old.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(_) => (shots, meter.text(marks::CLEARED)),
            Err(_) => (shots + attached(), most),
        };
        (stays > most).then_some(stays)
    });
    pictured.collect()
}

/// The places of sealed results that the policies would shorten if a tool of the user's had returned them.
pub fn sealed(subject: &Subject<'_, '_>, policies: &Policies) -> Vec<Place> {
    let Subject { conversation, pairs, meter, .. } = *subject;
    let draft = Draft::new(conversation);
    let part = |place: Place| conversation.part(place);
    let messages = conversation.messages.iter().enumerate();
    let sealed = messages.flat_map(|(at, message)| {
        let results = hosted::results(message, hosted::is_sealed).into_iter();
        results.map(move |(index, tool)| ((at, index), tool))
    });
    let mut sealed: Vec<(Place, String)> = sealed.collect();
    if sealed.is_empty() {
        return Vec::new();
    }
    let mut all = clear::shortenable(&draft, pairs);
    all.extend_from_slice(&sealed);
    all.sort_unstable();
    let old = old(all, subject, policies);
    let is_cleared = |place: &Place| old.binary_search_by_key(place, |(place, _)| *place).is_ok();
    let is_cut = |place: Place| {
        let limit = policies.per_result.as_ref();
        limit.is_some_and(|limit| cut::cut(&part(place).text(), limit, meter).is_some())
    };
    sealed.retain(|(place, tool)| {
        policies.tools.allow(tool) && (is_cleared(place) || is_cut(*place))
    });
    sealed.into_iter().map(|(place, _)| place).collect()
}

/// Those of the results, which are in order, that the policies clear.
fn old(
    all: Vec<(Place, String)>,
    subject: &Subject<'_, '_>,
    policies: &Policies,
) -> Vec<(Place, String)> {
    let keep = policies.keep_results.or(policies.idle.map(|_| 0)).unwrap_or(usize::MAX);
    clear::old(all, subject.conversation, keep, policies.idle)
}
