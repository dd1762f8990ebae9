//! Where a summary of ours ends in a text, and which of its lines are its own.
//!
//! Responsible for telling them from what it quotes of the user, which may look the same.

use std::ops::Range;

use super::pointer;
use crate::digest::text::fenced::{self, Unended};
use crate::digest::text::labels;
use crate::marks;
use crate::profile;

/// The text of a user's message word for word that begins on this line, and where its quotes end.
pub(super) fn verbatim(
    text: &str,
    line: &Range<usize>,
    unended: &mut Unended,
) -> Option<(Range<usize>, usize)> {
    let head = pointer(&text[line.clone()])?.len() + 1;
    let head = line.start + head;
    text[head..line.end].starts_with(labels::USER).then_some(())?;
    fenced::inside(text, head + labels::USER.len()..line.end, unended)
}

/// The lines of a text that begin outside what it quotes word for word of the user: what looks like our own
/// lines there is none.
fn own_lines(text: &str, place: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut unended = Unended::default();
    let mut at = place.start;
    std::iter::from_fn(move || {
        let start = Some(at).filter(|at| *at < place.end)?;
        let end = text[at..place.end].find('\n').map_or(place.end, |n| at + n);
        let quoted = verbatim(text, &(at..end), &mut unended).map_or(end, |(_, end)| end);
        at = text[quoted..place.end].find('\n').map_or(place.end, |n| quoted + n + 1);
        Some(start..end)
    })
}

/// Whether a digest has titles.
pub(super) fn has_titles(text: &str, place: &Range<usize>) -> bool {
    let mut titles =
        own_lines(text, place.clone()).filter_map(|line| text[line].strip_prefix("## "));
    titles.any(|title| labels::TITLES.contains(&title))
}

/// The last line of a summary that begins at a place of a text, which is no part of it; nothing at the end
/// of the text where there is none.
pub(crate) fn end(text: &str, start: usize) -> Range<usize> {
    let mut lines = own_lines(text, start..text.len());
    let closer = lines.find(|line| profile::is_closer(&text[line.clone()]));
    closer.unwrap_or(text.len()..text.len())
}

/// Whether a line is one of a header.
pub(super) fn is_header(line: &str) -> bool {
    let openers = ["Compaction ", labels::BASED, "The messages ", "[n] is "];
    line == marks::SUMMARY_OPENER
        || marks::is_whole(line)
        || openers.iter().any(|opener| line.starts_with(opener))
}
