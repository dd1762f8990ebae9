//! Commands that the user ran in their client, and their output.
//!
//! Responsible for finding them among injected messages. It relies on the dialect, or on the tags around them.

use crate::conversation::{Kind, Message, Origin, Part, Place, Role};
use crate::message::typed::{is_printed, is_run, is_run_and_printed};

/// The places of the commands, each with the place of its output.
pub(super) fn calls<'m>(
    messages: &'m [Message<'_>],
) -> impl Iterator<Item = (Place, Option<Place>)> + use<'m> {
    let texts = move |at: usize| {
        let beside = messages.get(at).filter(|message| is_beside(message));
        let texts = beside.into_iter().flat_map(|message| message.parts_of(Kind::Text));
        texts.map(move |(index, part)| ((at, index), part))
    };
    (0..messages.len()).flat_map(move |at| {
        texts(at).filter(|(_, part)| is_command(part)).map(move |(place, part)| {
            let holds_both = !part.is_run && is_run_and_printed(&part.opening());
            let behind = || texts(at).chain(texts(at + 1)).find(|(next, _)| *next > place);
            let is_its = |next: &Part<'_>| {
                if part.is_run { !is_command(next) } else { is_printed(&next.opening()) }
            };
            let printed = || behind().filter(|(_, next)| is_its(next)).map(|(next, _)| next);
            (place, if holds_both { Some(place) } else { printed() })
        })
    })
}

fn is_beside(message: &Message<'_>) -> bool {
    (message.role, message.origin) == (Role::User, Origin::Injected)
}

/// Whether a part is a command that the user ran.
pub(super) fn is_command(part: &Part<'_>) -> bool {
    part.kind == Kind::Text && (part.is_run || is_run(&part.opening()))
}
