//! Edits of an edited text, as edits of the text itself.
//!
//! Responsible for one list of edits that does what two do one after the other, so that no text in
//! between has to be kept for the second.

use std::ops::Range;

use super::Edit;

/// The edits of `span` that give the text which `second` makes of what `first` makes of it. The spans of
/// `second` begin at the beginning of that span, as if it were a document of its own.
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

/// A piece of the text between the two edits.
#[derive(Clone)]
enum Piece<'t> {
    /// It stands in the text itself.
    Old(Range<usize>),
    /// It is an edit's.
    New(&'t str),
}

impl Piece<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Old(span) => span.len(),
            Self::New(text) => text.len(),
        }
    }

    /// The first `length` bytes, and the others.
    fn split_at(self, length: usize) -> (Self, Self) {
        match self {
            Self::Old(Range { start, end }) => {
                (Self::Old(start..start + length), Self::Old(start + length..end))
            }
            Self::New(text) => (Self::New(&text[..length]), Self::New(&text[length..])),
        }
    }
}

/// The text between the two edits, from a place on.
struct Between<'t> {
    at: usize,
    /// The pieces from there on, the last first.
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

    /// Goes on to the place `to`.
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

/// Edits in the making.
struct Made {
    edits: Vec<Edit>,
    /// Where the last piece ends that stays.
    end: usize,
    /// What stands behind it.
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

    /// Lets what is new stand for all up to `start`.
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

    /// Up to two edits of a text of so many bytes.
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
}
