//! The places of the user's messages that stayed visible next to an earlier digest.
//!
//! Responsible for their order among what is told. An earlier digest says where they stood, and visible messages
//! stand in the order in which they were said, so none is told before one that was said earlier. Some logs put the
//! summary before all messages that stay: of the messages after it, only those that the digest names had stayed.

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

/// A message of the user that is or was visible, as an earlier digest may tell it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) message: usize,
    /// The point that it is told by.
    pub(crate) point: Point,
    /// The point after which it stands.
    pub(crate) place: Point,
    /// Whether `place` is known; else only what the message stands before.
    pub(crate) is_placed: bool,
    /// The beginning of the message.
    pub(crate) glimpse: Box<str>,
}

/// Returns the user's messages, in order.
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
    // A summary inside words of the user comes after all messages in the log, and belongs to no unit.
    let has_place = |at: &usize| !messages[*at].units.is_empty();
    let first = earlier.first().map(|earlier| earlier.message).filter(has_place);
    let before = all.partition_point(|seen| first.is_some_and(|first| seen.message < first));
    let kept = if before > 0 { before } else { kept_behind(&all, earlier) };
    place(&mut all[..kept], earlier);
    all
}

/// The opening of a part, or the whole part if it begins with a tag and not with the user's words.
fn beginning<'a>(part: &Part<'a>) -> Cow<'a, str> {
    let opening = part.opening();
    if opening.trim_start().starts_with('<') { part.text() } else { opening }
}

/// The beginning of a text, after any tags that open a part of it.
fn glimpse(text: &str) -> Box<str> {
    let asked = typed::asked(text);
    let text = without_asides(asked.as_deref().unwrap_or(text).into());
    let says = |line: &&str| !line.is_empty() && !prose::is_tag(line) && !prose::is_element(line);
    let line = text.lines().map(str::trim).find(says).or_else(|| text.lines().next());
    clip(line.unwrap_or("").trim(), GLIMPSE)
}

/// How many of the messages after an earlier digest were visible next to it: those that it names, in its
/// order, and those between them.
fn kept_behind(all: &[Seen], earlier: &[Earlier]) -> usize {
    let mut kept = 0;
    for old in earlier.iter().flat_map(|earlier| &earlier.shown) {
        let named = all[kept..].iter().position(|seen| *old.text == *seen.glimpse);
        kept += named.map_or(0, |at| at + 1);
    }
    // The last of them may be an answer, which the digest tells with its question.
    let last = earlier.last().and_then(|earlier| earlier.answers.last());
    let is_answer = |seen: &Seen| last.is_some_and(|last| glimpse(&last.text) == seen.glimpse);
    kept + usize::from(kept > 0 && all.get(kept).is_some_and(is_answer))
}

/// Finds the places of the messages that stood next to an earlier digest.
fn place(all: &mut [Seen], earlier: &[Earlier]) {
    let shown = earlier.iter().flat_map(|earlier| &earlier.shown);
    let shown = shown.map(|old| (old.place, Some(old.point), old.text.as_str().into()));
    let answers = earlier.iter().flat_map(|earlier| &earlier.answers);
    let answers = answers.map(|old| (old.place, None, glimpse(&old.text)));
    let mut old: Vec<(Point, Option<Point>, Box<str>)> = shown.chain(answers).collect();
    old.sort_by_key(|(place, ..)| place.order());
    // An earlier digest tells the newest messages; equal ones are matched once each.
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
        // A message that the digest does not name was said before the next one that it names.
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
