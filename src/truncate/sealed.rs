//! What the policies would shorten and may not.
//!
//! Responsible for naming those results, so that the user hears of them. It relies on
//! [`hosted`] for which they are.

use crate::conversation::Place;
use crate::draft::Draft;
use crate::subject::Subject;
use crate::truncate::{Policies, clear, cut, hosted};

/// The results that stay though the policies would shorten them, had a tool of the user's given them.
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
    let mut all: Vec<Place> = clear::shortenable(&draft, pairs).into_iter().map(|r| r.0).collect();
    all.extend(sealed.iter().map(|(place, _)| place));
    all.sort_unstable();
    let keep = policies.keep_results.or(policies.idle.map(|_| 0)).unwrap_or(usize::MAX);
    let pause = policies.idle.map(|pause| clear::last_pause(conversation, pause).unwrap_or(0));
    let old = &all[..all.len().saturating_sub(keep)];
    let is_cleared =
        |place: &Place| old.binary_search(place).is_ok() && pause.is_none_or(|at| place.0 < at);
    let is_cut = |place: Place| {
        let limit = policies.per_result.as_ref();
        limit.is_some_and(|limit| cut::cut(&part(place).text(), limit, meter).is_some())
    };
    sealed.retain(|(place, tool)| {
        policies.tools.allow(tool) && (is_cleared(place) || is_cut(*place))
    });
    sealed.into_iter().map(|(place, _)| place).collect()
}
