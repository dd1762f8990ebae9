//! Statements that the model gave up when the user objected.
//!
//! Responsible for finding such a statement, and the reply that gives it up: what that reply says holds
//! instead. It relies on [`prose`] to recognise an objection and a concession.

use crate::begins::begins_with_any;
use crate::conversation::Message;
use crate::digest::text::attached;
use crate::digest::text::prose;
use crate::digest::text::units;

/// Whether the message at `at` is the model's last before the user objects, and the model's next reply
/// gives up what it said.
pub(crate) fn is_amended(messages: &[Message<'_>], at: usize) -> bool {
    let request = || (at + 1..messages.len()).find(|&at| is_spoken(&messages[at]));
    // The cheap tests come first: most messages only hold calls, in long runs.
    messages[at].is_reply()
        && !offers(&messages[at])
        && request().is_some_and(|request| is_given_up(messages, request))
}

/// Whether the request at `at` rejects what the model said before, or the reply to it gives that up.
pub(crate) fn is_given_up(messages: &[Message<'_>], at: usize) -> bool {
    let reply = (at + 1..messages.len()).find(|&at| is_spoken(&messages[at]));
    reply.is_some_and(|reply| gives_up(messages, at, reply))
}

/// Whether the message at `at` is a reply in which the model gives up what it said before.
pub(crate) fn concedes(messages: &[Message<'_>], at: usize) -> bool {
    let before = || (0..at).rev().find(|&at| is_spoken(&messages[at]));
    messages[at].is_reply() && before().is_some_and(|before| gives_up(messages, before, at))
}

/// Whether a message ends with an offer to do more: the user's next words then answer the offer and nothing else.
fn offers(message: &Message<'_>) -> bool {
    const OFFERS: &[&str] =
        &["Want me to", "Do you want me to", "Would you like me to", "Shall I", "Should I"];
    let text = message.text();
    let mut last = 0..0;
    units::sentences(&text, |sentence| last = sentence.range);
    text[last.clone()].ends_with('?') && begins_with_any(&text[last], OFFERS)
}

fn gives_up(messages: &[Message<'_>], request: usize, reply: usize) -> bool {
    let (request, reply) = (&messages[request], &messages[reply]);
    request.is_request()
        && reply.is_reply()
        && reply.parts.iter().find(|part| part.is_words() && !part.is_blank()).is_some_and(
            |first| {
                let words = attached::said(request);
                prose::rejects(&words) || prose::gives_in(&words, &first.opening())
            },
        )
}

/// Whether a message holds words of the user or of the model.
fn is_spoken(message: &Message<'_>) -> bool {
    message.is_request() || message.is_reply()
}
