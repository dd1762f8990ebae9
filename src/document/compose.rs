//! Composing two lists of edits: the second edits the result of the first.
//!
//! Responsible for one list of edits that has the effect of both, so that the text between them need not be
//! kept in memory.

use std::ops::Range;

use super::Edit;

/// The edits of `span` that do what `first` and then `second` do. The offsets in `second` count from the
/// beginning of the edited `span`, as if it were a document of its own.
pub fn compose(span: Range<usize>, first: &[Edit], second: &[Edit]) -> Vec<Edit> {
    let mut between = Between::of(span.clone(), first);
    let mut made = Made { edits: Vec::new(), end: span.start, new: String::new() };
    for edit in second {
        between.pass(edit.span.start, |piece| made.keep(piece));
        made.new.push_str(&edit.text);
        between.pass(edit.span.end, |_| {});
    }
    between.pass(usize::MAX, |piece| made.keep(piece));
    made.replace_to(span.end);
    made.edits
}

/// Where an offset of the text that `edits` make of `span` was in the document; inserted text stands where its
/// edit begins.
pub fn origin(span: &Range<usize>, edits: &[Edit], offset: usize) -> usize {
    // An offset in the edited text, and the same offset in the original text.
    let (mut now, mut was) = (0, span.start);
    for edit in edits {
        let kept = edit.span.start - was;
        if offset < now + kept {
            break;
        }
        now += kept;
        was = edit.span.start;
        if offset < now + edit.text.len() {
            return was;
        }
        now += edit.text.len();
        was = edit.span.end;
    }
    was + (offset - now)
}

/// A piece of the text that `first` makes and `second` edits.
#[derive(Clone)]
enum Piece<'t> {
    /// A range of the original text.
    Old(Range<usize>),
    /// Text that an edit of `first` inserted.
    New(&'t str),
}

impl Piece<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Old(span) => span.len(),
            Self::New(text) => text.len(),
        }
    }

    /// Splits the piece behind its first `length` bytes.
    fn split_at(self, length: usize) -> (Self, Self) {
        match self {
            Self::Old(Range { start, end }) => {
                (Self::Old(start..start + length), Self::Old(start + length..end))
            }
            Self::New(text) => (Self::New(&text[..length]), Self::New(&text[length..])),
        }
    }
}

/// The text that the first list of edits makes, from the offset `at` on.
struct Between<'t> {
    at: usize,
    /// The pieces from `at` on, in reverse order.
    pieces: Vec<Piece<'t>>,
}

impl<'t> Between<'t> {
    fn of(span: Range<usize>, edits: &'t [Edit]) -> Self {
        let (mut pieces, mut at) = (Vec::new(), span.start);
        for edit in edits {
            pieces.extend([Piece::Old(at..edit.span.start), Piece::New(&edit.text)]);
            at = edit.span.end;
        }
        pieces.push(Piece::Old(at..span.end));
        pieces.reverse();
        Self { at: 0, pieces }
    }

    /// Passes the text up to the offset `to`, and gives each piece of it to `visit`.
    fn pass(&mut self, to: usize, mut visit: impl FnMut(Piece<'t>)) {
        while self.at < to {
            let Some(piece) = self.pieces.pop() else { return };
            let length = piece.len().min(to - self.at);
            let (passed, rest) = piece.split_at(length);
            self.at += length;
            if rest.len() > 0 {
                self.pieces.push(rest);
            }
            visit(passed);
        }
    }
}

/// The composed edits so far.
struct Made {
    edits: Vec<Edit>,
    /// Where the last kept piece of the original text ends.
    end: usize,
    /// New text that stands behind that piece.
    new: String,
}

impl Made {
    fn keep(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::New(text) => self.new.push_str(text),
            Piece::Old(span) if span.is_empty() => {}
            Piece::Old(span) => {
                self.replace_to(span.start);
                self.end = span.end;
            }
        }
    }

    /// Replaces the original text between the last kept piece and `start` by the new text.
    fn replace_to(&mut self, start: usize) {
        if self.end < start || !self.new.is_empty() {
            let text = std::mem::take(&mut self.new);
            self.edits.push(Edit { span: self.end..start, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::apply;

    /// Lists of up to two edits of a text of `length` bytes.
    fn some_edits(length: usize, new: &'static str) -> Vec<Vec<Edit>> {
        let spans: Vec<_> = (0..=length).flat_map(|a| (a..=length).map(move |b| a..b)).collect();
        let edit = |span: &Range<usize>, text: &str| Edit { span: span.clone(), text: text.into() };
        let mut all = vec![Vec::new()];
        for (at, first) in spans.iter().enumerate() {
            all.push(vec![edit(first, ["", new][at % 2])]);
            let behind = spans.iter().filter(|second| second.start > first.end);
            all.extend(behind.map(|second| vec![edit(first, new), edit(second, "")]));
        }
        all
    }

    #[test]
    fn does_what_two_edits_do_one_after_the_other() {
        let text = b"abcde";
        for first in some_edits(text.len(), "XY") {
            let between = apply(text, &first);
            for second in some_edits(between.len(), "z") {
                let both = compose(0..text.len(), &first, &second);
                assert_eq!(apply(text, &both), apply(&between, &second), "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn is_about_a_span() {
        let edit = |span, text: &str| Edit { span, text: text.into() };
        let both = compose(2..4, &[edit(2..3, "X")], &[edit(1..2, "Y")]);
        assert_eq!(apply(b"abcde", &both), b"abXYe");
    }

    #[test]
    fn what_was_not_edited_is_found_where_it_stood() {
        let text = b"..abcdefgh";
        let edit = |span: Range<usize>, text: &str| Edit { span, text: text.to_owned() };
        let edits = [edit(3..5, ""), edit(6..6, "XYZ"), edit(8..9, "-")];
        let edited = &apply(text, &edits)[2..];
        assert_eq!(edited, b"adXYZef-h");
        let origins: Vec<_> = (0..9).map(|offset| origin(&(2..10), &edits, offset)).collect();
        assert_eq!(origins, [2, 5, 6, 6, 6, 6, 7, 8, 9]);
    }
}
