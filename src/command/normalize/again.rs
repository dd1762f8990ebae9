//! A conversation after some edits, read as the next command will read it.
//!
//! Responsible for how edits change the marks by which a dialect is recognised: once the last part in its
//! style is gone, the marks are too.

use std::cell::OnceCell;
use std::ops::Range;

use crate::command::Visit;
use crate::conversation::decode;
use crate::dialect::{Dialect, Found, Unrecognised};
use crate::document::{Document, Edit};

/// The span of a conversation in its document: that of its root or its array, or the whole document.
pub(super) fn span_of(visit: &Visit<'_, '_>) -> Range<usize> {
    let whole = visit.conversation.source.whole();
    whole.map_or(0..visit.document.bytes().len(), |value| visit.document.span(value))
}

/// The result of `then` for the conversation that `edits` leave; `None` if it can't be read by itself.
///
/// # Errors
///
/// The result would be of no recognisable dialect.
pub(super) fn read<T>(
    visit: &Visit<'_, '_>,
    edits: &[Edit],
    then: impl FnOnce(&Visit<'_, '_>) -> T,
) -> Result<Option<T>, Unrecognised> {
    let text = visit.document.apply_within(span_of(visit), edits);
    let own = visit.shape.dialect;
    let mut then = Some(then);
    let read = read_alone(visit, &text, |read| {
        let is_own = read.shape.dialect.name() == own.name() || is_known_alone(visit, own);
        then.take().filter(|_| is_own).map(|then| then(read))
    });
    // In a batch, only the batch itself shows the dialect of its requests.
    read.or_else(|why| if is_known_alone(visit, own) { Err(why) } else { Ok(None) })
}

/// Whether a conversation is recognised as one of its dialect without the text around it.
fn is_known_alone(visit: &Visit<'_, '_>, own: &dyn Dialect) -> bool {
    let text = &visit.document.bytes()[span_of(visit)];
    read_alone(visit, text, |read| read.shape.dialect.name() == own.name()) == Ok(true)
}

fn read_alone<T>(
    visit: &Visit<'_, '_>,
    text: &[u8],
    then: impl FnOnce(&Visit<'_, '_>) -> T,
) -> Result<T, Unrecognised> {
    let ends = OnceCell::new();
    let document = match Document::parse(text) {
        Err(_) if !visit.document.broken().is_empty() => Document::by_line(text, &ends),
        read => read.map_err(|_| Unrecognised::NoDialect)?,
    };
    let Visit { name, shape, is_one_of_many, .. } = *visit;
    let found = Found::of(&document, shape.named(), is_one_of_many).map_err(|(why, _)| why)?;
    let (shape, source) = found.conversations.into_iter().next().ok_or(Unrecognised::NoDialect)?;
    let conversation = &decode(shape.dialect, source, visit.conversation.scope);
    let document = &document;
    Ok(then(&Visit { name, document, shape, conversation, lines: 0, is_one_of_many }))
}

/// Where an offset of the text that `edits` make of a span was before.
pub(super) fn origin(span: &Range<usize>, edits: &[Edit], offset: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::apply;

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
