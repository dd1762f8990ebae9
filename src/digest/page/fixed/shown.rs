//! Where the user's messages stood that stay visible behind the digest.
//!
//! Responsible for their places among what is told: an earlier digest says where they stood, and what
//! is visible stands in the order in which it was said, so none is told before one that was said earlier.

use std::collections::HashSet;

use super::room;
use crate::digest::Request;
use crate::digest::ledger::fold::Earlier;
use crate::digest::text::labels;
use crate::digest::text::point::Point;
use crate::line::clip;

/// Per cent for saying where the messages stood, and how much of one is told, in bytes. Readers miss
/// them: without, they guess what was said to what.
const SHOWN: usize = 3;
const GLIMPSE: usize = 24;
/// How many bytes such a message has at least that is worth a line: `yes` alone says as little here.
const TELLING: usize = 8;

/// A visible message of the user's, and how it begins.
struct Shown {
    message: usize,
    glimpse: Box<str>,
}

/// The newest of them while they fit, each with its place; what the model said is understood by what it
/// was said to. What is `said` anyhow needs none.
pub(super) fn pointers<'s>(
    request: &Request<'_, '_>,
    earlier: &[Earlier],
    said: impl Iterator<Item = &'s (Point, String)>,
    left: &mut usize,
) -> Vec<(Point, String)> {
    let messages = &request.conversation.messages;
    // A summary that stood in words of the user's comes behind all messages, and stands in no unit.
    let has_place = |at: &usize| !messages[*at].units.is_empty();
    let mut summarised = (0..messages.len()).filter(|&at| request.summarised[at]);
    let last = summarised.rfind(has_place).unwrap_or(0);
    let first = earlier.first().map(|earlier| earlier.message).filter(has_place).unwrap_or(0);
    let visible = (0..last).filter(|&at| request.shown[at] && messages[at].is_request());
    let visible: Vec<Shown> = visible
        .map(|message| {
            let text = messages[message].text();
            let glimpse = clip(text.trim().lines().next().unwrap_or(""), GLIMPSE);
            Shown { message, glimpse }
        })
        .collect();
    // An answer was told with its question, in the message before it.
    let answered: HashSet<Point> =
        said.map(|(point, _)| Point { message: point.message + 1, ..*point }).collect();
    let mut fits = room(request, request.share(SHOWN), left);
    let mut lines = Vec::new();
    for (place, Shown { message, glimpse }) in
        places(&visible, earlier, first).into_iter().zip(&visible).rev()
    {
        let is_told = answered.contains(&Point::now(*message));
        let line = format!("[{message}{}{glimpse}", labels::KEPT);
        if !is_told && messages[*message].text().trim().len() >= TELLING && fits(&line) {
            lines.push((place, line));
        }
    }
    lines.reverse();
    lines
}

/// The place of each; the first earlier digest is message `first`.
fn places(visible: &[Shown], earlier: &[Earlier], first: usize) -> Vec<Point> {
    let old: Vec<_> = earlier.iter().flat_map(|earlier| &earlier.shown).collect();
    let mut places: Vec<Option<Point>> = vec![None; visible.len()];
    // An earlier digest told the newest, and of equal ones each once.
    let mut until = old.len();
    for (place, shown) in places.iter_mut().zip(visible).rev() {
        let told = |(_, glimpse): &&(Point, String)| **glimpse == *shown.glimpse;
        if let Some(at) = old[..until].iter().rposition(told) {
            (*place, until) = (Some(old[at].0), at);
        }
    }
    let mut before = Point::FIRST;
    let mut places: Vec<Point> = places
        .into_iter()
        .zip(visible)
        .map(|(place, shown)| {
            // What stands before an earlier digest was said before what that one tells last.
            let new = if shown.message < first { before } else { Point::now(shown.message) };
            before = place.unwrap_or(new);
            before
        })
        .collect();
    for at in (1..places.len()).rev() {
        if places[at - 1].order() > places[at].order() {
            places[at - 1] = places[at];
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_again_stands_in_its_own_round() {
        let shown = |message, glimpse: &str| Shown { message, glimpse: glimpse.into() };
        let visible = [
            shown(0, "look"),
            shown(1, "go on"),
            shown(2, "stop"),
            shown(3, "go on"),
            shown(9, "so?"),
        ];
        let point = |message| Point { past: 2, message };
        let told = |points: &[(usize, &str)]| {
            let shown = points.iter().map(|(at, glimpse)| (point(*at), (*glimpse).to_owned()));
            [Earlier { shown: shown.collect(), ..Earlier::default() }]
        };
        let all = told(&[(1, "go on"), (5, "stop"), (8, "go on")]);
        let first = Point::FIRST;
        assert_eq!(places(&visible, &all, 4), [first, point(1), point(5), point(8), Point::now(9)]);
        let newest = told(&[(5, "stop"), (8, "go on")]);
        assert_eq!(places(&visible, &newest, 4), [first, first, point(5), point(8), Point::now(9)]);
    }
}
