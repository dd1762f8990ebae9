//! Where a digest of ours begins and ends in a text, and which of its lines are its own.
//!
//! Responsible for telling them from what it quotes of the user, which may look the same.

use std::ops::Range;

use super::pointer;
use crate::digest::text::fenced::{self, Unended};
use crate::digest::text::labels;
use crate::marks;

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

/// Where a digest ends that begins at a place of a text: before a blank line, for it has none of its own.
/// What a model wrote has one below its header, and goes on to the end of the text.
pub(crate) fn end(text: &str, start: usize) -> usize {
    let mut lines = own_lines(text, start..text.len());
    let blank = lines.find(|line| text[line.clone()].trim().is_empty());
    let ours = blank.map_or(text, |line| text[..line.start].trim_end());
    let is_told = ours[start..].lines().any(|line| !is_header(line));
    if is_told { ours.len() } else { text.len() }
}

/// Whether a line is one of a header.
pub(super) fn is_header(line: &str) -> bool {
    let openers = ["Compaction ", labels::BASED, "The messages ", "[n] is "];
    line == marks::SUMMARY_OPENER
        || marks::is_whole(line)
        || openers.iter().any(|opener| line.starts_with(opener))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_wrote_goes_on_below_the_files_that_are_named() {
        let opener = format!("{}\nThe messages themselves are in a.json.", marks::SUMMARY_OPENER);
        let named = "- The result of read_log is whole in /tmp/spill/L0.txt";
        let text = format!("{opener}\n{named}\n\nThe parser is mended.\n\nThe lexer is not.");
        assert_eq!(end(&text, 0), text.len());
        let digest = format!("{opener}\n[1] Mend it.\n{named}");
        assert_eq!(end(&format!("{digest}\n\nAnd now?"), 0), digest.len());
    }
}
