//! Reads every call that is summarised.
//!
//! Responsible for the outcome of each call, and for what only all calls together tell: folders, files that
//! were gone, processes that ended later.

use std::ops::Range;

use super::outcome::{self, Outcome, Unended};
use super::{
    Call, Detail, deeds, drives, found, globs, gone, hosted, one, several, tested, typed, waited,
    within,
};
use crate::conversation::{Conversation, Kind, Message, Origin, Part, Place, Role};
use crate::digest::files::paths;
use crate::digest::{Request, spread};
use crate::redact::mask;

/// Reads every call that is summarised. `home` is the folder in which the session began, `left` the one in
/// which an earlier digest says that the last shell stood.
pub(in crate::digest) fn read(
    request: &Request<'_, '_>,
    home: &str,
    left: Option<&str>,
) -> Vec<Call> {
    let conversation = request.conversation;
    let messages = &conversation.messages;
    let mut calls = request.pairs.calls.clone();
    calls.extend(hosted::calls(messages));
    calls.extend(typed::calls(messages));
    calls.sort_by_key(|(call, _)| *call);
    let last = messages.iter().rposition(speaks).unwrap_or(0);
    let reading = Reading { conversation, redact: request.redact, last };
    let read = |share: Range<usize>| {
        let behind = |at: usize| calls.partition_point(|(place, _)| place.0 < at);
        let own = calls[behind(share.start)..behind(share.end)].iter();
        let own = own.filter(|(place, _)| request.summarised[place.0]);
        own.flat_map(|(place, result)| reading.call(*place, *result)).collect::<Vec<_>>()
    };
    let mut all = Vec::with_capacity(calls.len());
    let may_spread = request.may_spread && !calls.is_empty();
    spread::read_each(messages, may_spread, read, |calls| all.extend(calls));
    within::tell_apart(conversation, (home, left), &mut all);
    if let Some(folder) = paths::folder(conversation) {
        // Paths of tools are relative to the session's folder; a shell may have changed its own.
        let tools = all.iter_mut().filter(|call| call.command.is_none());
        tools.flat_map(|call| &mut call.touches).for_each(|touch| touch.move_below(&folder));
    }
    drives::settle(&mut all);
    globs::expand(&mut all);
    gone::heed(conversation, home, &mut all);
    waited::conclude(conversation, &mut all);
    all
}

/// Whether the model or the user says something in a message.
fn speaks(message: &Message<'_>) -> bool {
    let has_words = message.parts.iter().any(Part::is_words);
    (message.role, message.origin, has_words) == (Role::Assistant, Origin::Spoken, true)
        || message.is_request()
}

/// The data that is needed to read a call.
struct Reading<'r, 'a> {
    conversation: &'r Conversation<'a>,
    redact: bool,
    /// The last message with words: no call before it is still waiting.
    last: usize,
}

impl Reading<'_, '_> {
    /// Reads a call with its outcome; returns several if it ran several commands, or a check of its own.
    fn call(&self, place: Place, result: Option<Place>) -> Vec<Call> {
        let part = self.conversation.part(place);
        let around = within::around(self.conversation, place);
        let mut call = Call { result, ..one(place, part, around.as_deref(), Detail::Edits) };
        self.hide(&mut call);
        let Some(result) = result else {
            call.outcome = self.unanswered(place);
            return vec![call];
        };
        let answer = self.conversation.part(result);
        if call.command.is_some() {
            // The record of the result was written after the command had ended.
            let around = || within::around(self.conversation, result).map(|it| it.as_ref().into());
            if let Some(left_in) = within::left_in(&answer.text()).or_else(around) {
                call.way_mut().left_in = Some(left_in);
            }
        }
        let answer = if answer.kind == Kind::Other { hosted::judged(answer) } else { *answer };
        if let Some(mut calls) = several::each(&call, part, &answer) {
            for call in &mut calls {
                self.hide(call);
            }
            return calls;
        }
        call.outcome = outcome::judge(&answer, call.results());
        call.finds_nothing = found::finds_nothing(&call, &answer);
        deeds::heed(&mut call, &answer);
        let own_run = tested::own_run(&call, &answer);
        std::iter::once(call).chain(own_run).collect()
    }

    /// Masks secrets before a line is cut: half a secret could not be recognised.
    fn hide(&self, call: &mut Call) {
        let texts = call.command.iter_mut().chain(&mut call.about);
        texts.filter(|_| self.redact).for_each(|text| *text = mask(text).into());
    }

    /// The outcome of a call without a result.
    fn unanswered(&self, place: Place) -> Outcome {
        match self.conversation.part(place).kind {
            Kind::Other => Outcome::default(),
            _ if place.0 < self.last => Outcome::without_end(Unended::Abandoned),
            _ => Outcome::without_end(Unended::Pending),
        }
    }
}
