//! A conversation after some edits, read as the next command will read it.
//!
//! Responsible for how edits change the marks by which a dialect is recognised: once the last part in its
//! style is gone, the marks are too.

use std::cell::OnceCell;

use crate::conversation::decode;
use crate::dialect::{Dialect, Found, Unrecognised};
use crate::document::{Document, Edit};
use crate::placed::Placed;

/// The result of `then` for the conversation that `edits` leave; `None` if it can't be read by itself.
///
/// # Errors
///
/// The result would be of no recognisable dialect.
pub(super) fn read<T>(
    placed: &Placed<'_, '_>,
    edits: &[Edit],
    then: impl FnOnce(&Placed<'_, '_>) -> T,
) -> Result<Option<T>, Unrecognised> {
    let text = placed.document.apply_within(placed.span(), edits);
    let own = placed.shape.dialect;
    let mut then = Some(then);
    let read = read_alone(placed, &text, |read| {
        let is_own = read.shape.dialect.name() == own.name() || is_known_alone(placed, own);
        then.take().filter(|_| is_own).map(|then| then(read))
    });
    // In a batch, only the batch itself shows the dialect of its requests.
    read.or_else(|why| if is_known_alone(placed, own) { Err(why) } else { Ok(None) })
}

/// Whether a conversation is recognised as one of its dialect without the text around it.
fn is_known_alone(placed: &Placed<'_, '_>, own: &dyn Dialect) -> bool {
    let text = &placed.document.bytes()[placed.span()];
    read_alone(placed, text, |read| read.shape.dialect.name() == own.name()) == Ok(true)
}

fn read_alone<T>(
    placed: &Placed<'_, '_>,
    text: &[u8],
    then: impl FnOnce(&Placed<'_, '_>) -> T,
) -> Result<T, Unrecognised> {
    let Placed { document, shape, conversation, is_one_of_many } = *placed;
    let ends = OnceCell::new();
    let document = match Document::parse(text) {
        Err(_) if !document.broken().is_empty() => Document::by_line(text, &ends),
        read => read.map_err(|_| Unrecognised::NoDialect)?,
    };
    let found = Found::of(&document, shape.named(), is_one_of_many).map_err(|(why, _)| why)?;
    let (shape, source) = found.conversations.into_iter().next().ok_or(Unrecognised::NoDialect)?;
    let conversation = &decode(shape.dialect, source, conversation.scope);
    Ok(then(&Placed { document: &document, shape, conversation, is_one_of_many }))
}
