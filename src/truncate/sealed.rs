//! What the policies would shorten and may not.
//!
//! Responsible for naming those results, so that the user hears of them. It relies on
//! [`hosted`] for which they are.

use crate::draft::Draft;
use crate::pairing::Place;
use crate::subject::Subject;
use crate::truncate::{Policies, clear, cut, hosted};

/// The results that stay though the policies would shorten them, had a tool of the user's given them.
pub fn sealed(subject: &Subject<'_, '_>, policies: &Policies) -> Vec<Place> {
    let Subject { conversation, pairs, meter, .. } = *subject;
    let draft = Draft::new(conversation);
    let part = |(at, index): Place| &conversation.messages[at].parts[index];
    let messages = conversation.messages.iter().enumerate();
    let places = messages.flat_map(|(at, message)| (0..message.parts.len()).map(move |p| (at, p)));
    let mut sealed: Vec<Place> = places.filter(|&place| hosted::is_sealed(part(place))).collect();
    if sealed.is_empty() {
        return sealed;
    }
    let mut all: Vec<Place> = clear::shortenable(&draft, pairs).into_iter().map(|r| r.0).collect();
    all.extend(&sealed);
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
    sealed.retain(|place| {
        let name = hosted::tool(&conversation.messages[place.0], place.1);
        let is_meant = policies.tools.allow(&name);
        is_meant && (is_cleared(place) || is_cut(*place))
    });
    sealed
}
