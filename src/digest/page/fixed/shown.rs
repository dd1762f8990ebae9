//! Where the user's messages stood that stay visible behind the digest.
//!
//! Responsible for which of them are worth a line: what the model said is understood by what it was
//! said to.

use std::collections::HashSet;

use super::Left;
use super::places::Seen;
use crate::digest::Request;
use crate::digest::text::labels;
use crate::digest::text::point::Point;

/// Per cent for saying where the messages stood. Readers miss them: without, they guess what was said to
/// what.
const SHOWN: usize = 3;
/// How many bytes such a message has at least that is worth a line: `yes` alone says as little here.
const TELLING: usize = 8;

/// The newest of them while they fit, each with its place. What is `said` anyhow needs none.
pub(super) fn pointers<'s>(
    request: &Request<'_, '_>,
    seen: &[Seen],
    said: impl Iterator<Item = (Point, &'s str)>,
    left: &mut Left<'_>,
) -> Vec<(Point, String)> {
    let messages = &request.conversation.messages;
    let mut summarised = (0..messages.len()).filter(|&at| request.summarised[at]);
    // A summary that stood in words of the user's comes behind all messages, and stands in no unit.
    let last = summarised.rfind(|at| !messages[*at].units.is_empty()).unwrap_or(0);
    // An answer was told with its question, in the message before it.
    let answered: HashSet<Point> =
        said.map(|(point, _)| Point { message: point.message + 1, ..point }).collect();
    let mut room = left.room(request.share(SHOWN));
    let mut lines = Vec::new();
    // Some logs have what stays behind the summary.
    let is_told_of = |seen: &&Seen| (seen.message < last || seen.place.past > 0) && seen.is_placed;
    let visible = seen.iter().filter(is_told_of).filter(|seen| request.shown[seen.message]);
    let mut is_newest = true;
    for Seen { message, point, place, glimpse, .. } in visible.rev() {
        let is_told = answered.contains(&Point::now(*message));
        let line = format!("[{point}{}{glimpse}", labels::KEPT);
        // Where the newest stood decides what is told as its answer.
        let is_telling =
            std::mem::take(&mut is_newest) || messages[*message].text().trim().len() >= TELLING;
        if !is_told && is_telling && room.fits(&line) {
            lines.push((*place, line));
        }
    }
    lines.reverse();
    lines
}
