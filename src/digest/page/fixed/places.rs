//! Where the user's messages belong that stayed visible beside an earlier digest.
//!
//! Responsible for their places among what is told: an earlier digest says where they stood, and what
//! is visible stands in the order in which it was said, so none is told before one that was said earlier.

use crate::digest::Request;
use crate::digest::ledger::fold::{Earlier, Placed};
use crate::digest::text::point::Point;
use crate::line::clip;

/// How much is told of a message that stays visible, in bytes.
const GLIMPSE: usize = 24;

/// A message of the user's that is visible or was, as an earlier digest may tell it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) message: usize,
    /// What it is told by, and behind what it stands.
    pub(crate) point: Point,
    pub(crate) place: Point,
    /// How it begins.
    pub(crate) glimpse: Box<str>,
}

/// The user's messages, in order.
pub(super) fn seen(request: &Request<'_, '_>, earlier: &[Earlier]) -> Vec<Seen> {
    let messages = &request.conversation.messages;
    let asked = (0..messages.len())
        .filter(|&at| (request.shown[at] || request.summarised[at]) && messages[at].is_request());
    let mut all: Vec<Seen> = asked
        .map(|message| {
            let text = messages[message].text();
            let glimpse = clip(text.trim().lines().next().unwrap_or(""), GLIMPSE);
            let now = Point::now(message);
            Seen { message, point: now, place: now, glimpse }
        })
        .collect();
    // A summary that stood in words of the user's comes behind all messages, and stands in no unit.
    let has_place = |at: &usize| !messages[*at].units.is_empty();
    let first = earlier.first().map(|earlier| earlier.message).filter(has_place);
    if let Some(first) = first {
        let before = all.partition_point(|seen| seen.message < first);
        place(&mut all[..before], earlier);
    }
    all
}

/// Finds the places of those before an earlier digest.
fn place(all: &mut [Seen], earlier: &[Earlier]) {
    let old: Vec<&Placed> = earlier.iter().flat_map(|earlier| &earlier.shown).collect();
    let mut is_known = vec![false; all.len()];
    // An earlier digest told the newest, and of equal ones each once.
    let mut until = old.len();
    for (seen, is_known) in all.iter_mut().zip(&mut is_known).rev() {
        if let Some(at) = old[..until].iter().rposition(|old| *old.text == *seen.glimpse) {
            (seen.point, seen.place, until, *is_known) = (old[at].point, old[at].place, at, true);
        }
    }
    let mut before = Point::FIRST;
    for (seen, is_known) in all.iter_mut().zip(is_known) {
        // What stands before an earlier digest was said before what that one tells last.
        if !is_known {
            seen.place = before;
        }
        before = seen.place;
    }
    for at in (1..all.len()).rev() {
        if all[at - 1].place.order() > all[at].place.order() {
            all[at - 1].place = all[at].place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_again_stands_in_its_own_round() {
        let places = |old: &[(usize, &str)]| {
            let mut all: Vec<Seen> = ["look", "go on", "stop", "go on"]
                .into_iter()
                .enumerate()
                .map(|(message, glimpse)| {
                    let now = Point::now(message);
                    Seen { message, point: now, place: now, glimpse: glimpse.into() }
                })
                .collect();
            let old = old.iter().map(|&(message, text)| {
                let point = Point { past: 2, message };
                Placed { point, place: point, text: text.to_owned() }
            });
            place(&mut all, &[Earlier { shown: old.collect(), ..Earlier::default() }]);
            all.into_iter().map(|seen| seen.place).collect::<Vec<_>>()
        };
        let (first, point) = (Point::FIRST, |message| Point { past: 2, message });
        let all = places(&[(1, "go on"), (5, "stop"), (8, "go on")]);
        assert_eq!(all, [first, point(1), point(5), point(8)]);
        let newest = places(&[(5, "stop"), (8, "go on")]);
        assert_eq!(newest, [first, first, point(5), point(8)]);
    }
}
