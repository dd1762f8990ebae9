//! Results that the policies would shorten but must not.
//!
//! Responsible for naming these results, so that the user hears of them. It relies on [`hosted`] to recognise
//! them.

use crate::conversation::Place;
use crate::draft::Draft;
use crate::subject::Subject;
use crate::truncate::{Policies, clear, cut, hosted};

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
    let keep = policies.keep_results.or(policies.idle.map(|_| 0)).unwrap_or(usize::MAX);
    let old = clear::old(all, conversation, keep, policies.idle);
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
