//! Pointers to the user's messages that stay visible after the digest.
//!
//! Responsible for choosing the messages that get such a line: the model's words are understood by the
//! message that they answer.

use std::collections::HashSet;

use super::Left;
use super::places::Seen;
use crate::digest::Request;
use crate::digest::text::labels;
use crate::digest::text::point::Point;

/// Per cent of the budget for these pointers. Readers miss them: without them they guess which words
/// answered which message.
const SHOWN: usize = 3;
/// The least length in bytes of a message that gets a pointer: `yes` alone says nothing here either.
const TELLING: usize = 8;

/// Returns the pointers that fit, the newest first to be kept, each with its place. Answers that `said`
/// tells with their question need none.
pub(super) fn pointers<'s>(
    request: &Request<'_, '_>,
    seen: &[Seen],
    said: impl Iterator<Item = (Point, &'s str)>,
    left: &mut Left<'_>,
) -> Vec<(Point, String)> {
    let messages = &request.conversation.messages;
    let mut summarised = (0..messages.len()).filter(|&at| request.summarised[at]);
    // A summary inside words of the user comes after all messages in the log, and belongs to no unit.
    let last = summarised.rfind(|at| !messages[*at].units.is_empty()).unwrap_or(0);
    // An answer was told with its question, which stands in the message before it.
    let answered: HashSet<Point> =
        said.map(|(point, _)| Point { message: point.message + 1, ..point }).collect();
    let mut room = left.room(request.share(SHOWN));
    let mut lines = Vec::new();
    // Some logs put the messages that stay after the summary.
    let is_told_of = |seen: &&Seen| (seen.message < last || seen.place.past > 0) && seen.is_placed;
    let visible = seen.iter().filter(is_told_of).filter(|seen| request.shown[seen.message]);
    let mut is_newest = true;
    for Seen { message, point, place, glimpse, .. } in visible.rev() {
        let is_told = answered.contains(&Point::now(*message));
        let line = format!("[{point}{}{glimpse}", labels::KEPT);
        // Where the newest message stood decides which words are read as its answer.
        let is_telling =
            std::mem::take(&mut is_newest) || messages[*message].text().trim().len() >= TELLING;
        if !is_told && is_telling && room.fits(&line) {
            lines.push((*place, line));
        }
    }
    lines.reverse();
    lines
}
