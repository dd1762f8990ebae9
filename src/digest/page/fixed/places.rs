//! Where the user's messages belong that stayed visible beside an earlier digest.
//!
//! Responsible for their places among what is told: an earlier digest says where they stood, and what
//! is visible stands in the order in which it was said, so none is told before one that was said earlier.
//! Some logs have the summary before all that stays: behind it, only what the digest names stayed.

use std::borrow::Cow;

use crate::conversation::Part;
use crate::digest::known::Known;
use crate::digest::ledger::fold::Earlier;
use crate::digest::text::asides::without_asides;
use crate::digest::text::attached;
use crate::digest::text::point::Point;
use crate::digest::text::prose;
use crate::line::clip;
use crate::message::typed;

/// How much is told of a message that stays visible, in bytes.
const GLIMPSE: usize = 24;

/// A message of the user's that is visible or was, as an earlier digest may tell it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) message: usize,
    /// What it is told by, and behind what it stands.
    pub(crate) point: Point,
    pub(crate) place: Point,
    /// Whether that is known, or only what it stands before.
    pub(crate) is_placed: bool,
    /// How it begins.
    pub(crate) glimpse: Box<str>,
}

/// The user's messages, in order.
pub(super) fn seen(known: &Known<'_>) -> Vec<Seen> {
    let Known { request, earlier, .. } = *known;
    let messages = &request.conversation.messages;
    let asked = (0..messages.len())
        .filter(|&at| (request.shown[at] || request.summarised[at]) && messages[at].is_request());
    let mut all: Vec<Seen> = asked
        .map(|message| {
            let now = Point::now(message);
            let words = messages[message].parts.iter().filter(|part| part.is_words());
            let words = glimpse(&words.map(beginning).collect::<Vec<_>>().join("\n"));
            let attached = || attached::attached(&messages[message]).unwrap_or_default();
            let glimpse = if words.is_empty() { attached().into() } else { words };
            Seen { message, point: now, place: now, is_placed: true, glimpse }
        })
        .collect();
    // A summary that stood in words of the user's comes behind all messages, and stands in no unit.
    let has_place = |at: &usize| !messages[*at].units.is_empty();
    let first = earlier.first().map(|earlier| earlier.message).filter(has_place);
    let before = all.partition_point(|seen| first.is_some_and(|first| seen.message < first));
    let kept = if before > 0 { before } else { kept_behind(&all, earlier) };
    place(&mut all[..kept], earlier);
    all
}

/// How a text begins, all of it where that is no word of the user's.
fn beginning<'a>(part: &Part<'a>) -> Cow<'a, str> {
    let opening = part.opening();
    if opening.trim_start().starts_with('<') { part.text() } else { opening }
}

/// How a message begins, behind the tags that open a part of it.
fn glimpse(text: &str) -> Box<str> {
    let asked = typed::asked(text);
    let text = without_asides(asked.as_deref().unwrap_or(text).into());
    let says = |line: &&str| !line.is_empty() && !prose::is_tag(line) && !prose::is_element(line);
    let line = text.lines().map(str::trim).find(says).or_else(|| text.lines().next());
    clip(line.unwrap_or("").trim(), GLIMPSE)
}

/// How many of the messages behind an earlier digest were visible beside it: those that it names, in its
/// order, and what stands between them.
fn kept_behind(all: &[Seen], earlier: &[Earlier]) -> usize {
    let mut kept = 0;
    for old in earlier.iter().flat_map(|earlier| &earlier.shown) {
        let named = all[kept..].iter().position(|seen| *old.text == *seen.glimpse);
        kept += named.map_or(0, |at| at + 1);
    }
    // The last of them may be an answer, which it tells with its question.
    let last = earlier.last().and_then(|earlier| earlier.answers.last());
    let is_answer = |seen: &Seen| last.is_some_and(|last| glimpse(&last.text) == seen.glimpse);
    kept + usize::from(kept > 0 && all.get(kept).is_some_and(is_answer))
}

/// Finds the places of those that stood beside an earlier digest.
fn place(all: &mut [Seen], earlier: &[Earlier]) {
    let shown = earlier.iter().flat_map(|earlier| &earlier.shown);
    let shown = shown.map(|old| (old.place, Some(old.point), old.text.as_str().into()));
    let answers = earlier.iter().flat_map(|earlier| &earlier.answers);
    let answers = answers.map(|old| (old.place, None, glimpse(&old.text)));
    let mut old: Vec<(Point, Option<Point>, Box<str>)> = shown.chain(answers).collect();
    old.sort_by_key(|(place, ..)| place.order());
    // An earlier digest told the newest, and of equal ones each once.
    let mut until = old.len();
    for seen in all.iter_mut().rev() {
        let known = old[..until].iter().rposition(|(.., text)| *text == seen.glimpse);
        seen.is_placed = known.is_some();
        if let Some(at) = known {
            let (place, point, _) = &old[at];
            (seen.place, seen.point) = (*place, point.unwrap_or(seen.point));
            until = at;
        }
    }
    let mut before = Point::FIRST;
    for seen in &mut *all {
        // What stands before an earlier digest was said before what that one tells last.
        if !seen.is_placed {
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
    use crate::digest::ledger::fold::Placed;

    #[test]
    fn a_glimpse_passes_over_tags() {
        assert_eq!(&*glimpse("\n<task>\n  Trim it.\n</task>"), "Trim it.");
        assert_eq!(&*glimpse("<task>"), "<task>");
        assert_eq!(&*glimpse("<open>a.rs</open>\nTrim it."), "Trim it.");
        assert_eq!(&*glimpse(" "), "");
    }

    #[test]
    fn what_was_said_again_stands_in_its_own_round() {
        let places = |old: &[(usize, &str)]| {
            let mut all: Vec<Seen> = ["look", "go on", "stop", "go on"]
                .into_iter()
                .enumerate()
                .map(|(message, glimpse)| {
                    let now = Point::now(message);
                    Seen {
                        message,
                        point: now,
                        place: now,
                        is_placed: true,
                        glimpse: glimpse.into(),
                    }
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
