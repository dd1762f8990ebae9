//! One reading of the conversation: every text cut into units, every name counted.
//!
//! Responsible for knowing what each text is (a file's lines, a command's output, prose) and for
//! giving it to the [`reader`] as that. Texts are unescaped one at a time and let go.

pub(super) mod memory;
mod places;
pub(super) mod reader;
pub(super) mod survey;
mod thin;

use std::ops::Range;

use super::calls;
use super::known::Known;
use super::ledger::fold::Earlier;
use super::ledger::{amended, answers};
use super::text::asides::without_asides;
use super::text::index;
use super::{Setting, narrow, spread};
use crate::conversation::{Kind, Message, Origin, Place, Role};
use crate::gap::gap;
use crate::marks;
use memory::Memory;
use places::Places;
use reader::{Awaited, Reader, Speech, Tickets};
use survey::{Leaf, Source, Survey};

/// Reads the conversation while `meanwhile` runs on this thread; returns the survey and the result of
/// `meanwhile`.
pub(super) fn read<R>(
    known: &Known<'_>,
    memory: &mut Memory,
    meanwhile: impl FnOnce() -> R,
) -> (Survey, R) {
    let request = known.request;
    let messages = &request.conversation.messages;
    let is_request = |at: &usize| messages[*at].is_request();
    let setting = request.setting;
    let task = Task {
        known,
        messages,
        unread: request.conversation.unread(),
        first_request: (0..messages.len()).find(is_request),
        last_request: (0..messages.len()).rev().find(is_request),
        places: Places::of(known.calls),
        tickets: if setting == Setting::Work { Tickets::of(messages) } else { Tickets::default() },
        is_silent: setting == Setting::Work && !messages.iter().any(Message::is_reply),
    };
    let (from, mut survey) = memory.begun();
    // With calls or earlier digests in a longer tail, the files and commands before it would be told
    // differently.
    let is_before = |tail: usize| known.earlier.iter().all(|earlier| earlier.message < tail);
    memory.keep_if(|tail| known.calls.is_empty() && is_before(tail));
    let take = |(share, next): (Range<usize>, Survey)| {
        memory.keep(&share, survey.as_ref(), request.budget);
        let survey = match &mut survey {
            Some(survey) => {
                survey.absorb(next);
                survey
            }
            none => {
                let survey = none.insert(next);
                survey.reserve(messages);
                survey
            }
        };
        // Other threads read in the meantime.
        survey.index.rate(setting);
        survey.thin(messages.len(), setting);
    };
    let read = |share: Range<usize>| (share.clone(), task.read(share));
    let done = spread::read_each_while(messages, from, request.may_spread, read, take, meanwhile);
    let mut survey = survey.unwrap_or_else(|| Reader::new(known, &task.tickets).survey);
    survey.settle();
    (survey, done)
}

/// What every thread needs to read messages.
struct Task<'t, 'a> {
    known: &'t Known<'t>,
    messages: &'t [Message<'a>],
    unread: Place,
    first_request: Option<usize>,
    last_request: Option<usize>,
    places: Places<'t>,
    /// The things that users name by a number, in conversations about work.
    tickets: Tickets,
    /// Whether the model writes no text of its own.
    is_silent: bool,
}

impl Task<'_, '_> {
    /// Reads a range of messages.
    fn read(&self, share: Range<usize>) -> Survey {
        let mut reader = Reader::new(self.known, &self.tickets);
        let request = self.known.request;
        for at in share {
            let is_there = request.summarised[at] || request.shown[at];
            if is_there && !self.messages[at].is_instruction() {
                self.read_message(&mut reader, at);
            }
        }
        reader.survey
    }

    /// Whether something failed since the model last spoke.
    fn follows_failure(&self, at: usize) -> bool {
        let since = (0..at).rev().take_while(|&at| self.messages[at].role != Role::Assistant);
        let results =
            since.flat_map(|at| (0..self.messages[at].parts.len()).map(move |part| (at, part)));
        let calls =
            results.filter_map(|place| self.places.call(self.known.request.pairs.call_of(place)?));
        calls.into_iter().any(|call| self.known.calls[call as usize].outcome.failed)
    }

    /// What is known of the text of a message.
    fn speech(&self, at: usize) -> Speech {
        let message = &self.messages[at];
        if message.role != Role::Assistant {
            return Speech::default();
        }
        let next = self.messages[at + 1..].iter().find(|next| next.origin != Origin::Injected);
        let closes_turn = !message.has(Kind::ToolCall) && next.is_none_or(Message::is_request);
        let is_work = self.known.request.setting == Setting::Work;
        Speech {
            // A message that the model gave up later closes nothing.
            closes_turn: closes_turn && !(is_work && amended::is_amended(self.messages, at)),
            concedes: is_work && amended::concedes(self.messages, at),
            follows_failure: self.follows_failure(at),
            is_answered: self.last_request > Some(at),
            is_accepted: closes_turn && next.is_some_and(answers::accepts_in),
            ..Speech::default()
        }
    }

    /// The part of a result that stays visible; `None` if the result is not cut.
    fn shown_of(&self, place: Place) -> Option<&str> {
        let mut cut = self.known.request.cut_results.iter();
        cut.find(|(cut, _)| *cut == place).map(|(_, shown)| *shown)
    }

    fn read_message(&self, reader: &mut Reader<'_>, at: usize) {
        let Known { request, calls: all, earlier, talk, .. } = *self.known;
        let message = &self.messages[at];
        let part_shown = request.partly_shown.filter(|(partly, _)| *partly == at);
        let number = narrow(at);
        let origin = index::Origin {
            message: number,
            is_first_request: self.first_request == Some(at),
            is_last_request: self.last_request == Some(at),
            ..index::Origin::default()
        };
        reader.begin(origin, !request.summarised[at] && part_shown.is_none());
        if let Some((_, text)) = part_shown {
            reader.shown(text);
        }
        // The words of a message begin behind its `start`, which lies in its first text.
        let mut speech = Speech { start: talk.start(at), ..self.speech(at) };
        for (index, part) in message.parts.iter().enumerate() {
            let place = (at, index);
            let leaf = |source| Leaf { message: number, part: narrow(index), field: 0, source };
            let is_unread =
                request.summarised[at] && place >= self.unread && self.places.call(place).is_none();
            let result = |reader: &mut Reader<'_>, text: &str, gap, call| {
                let awaited = Awaited::of(text, is_unread, gap);
                reader.result(text, call, awaited, leaf(Source::Call(call)));
            };
            match part.kind {
                // Injected parts: reminders, files that the user's words name (the agent can read them again),
                // and the text of a compaction.
                Kind::Text if part.is_injected => {}
                Kind::Text if message.role == Role::Assistant => {
                    let text = without_asides(part.text());
                    reader.prose(&text, leaf(Source::Said), speech);
                    speech.start = 0;
                }
                // Where the model never speaks, its reasoning is all that tells what it found.
                Kind::Reasoning if self.is_silent => {
                    reader.prose(&part.text(), leaf(Source::Said), speech);
                }
                Kind::Text if message.origin == Origin::Injected => {
                    if let Some(number) = self.places.result(place) {
                        result(reader, &calls::said(part), None, Some(number));
                    }
                }
                Kind::Text => match message.origin {
                    Origin::Spoken => {
                        reader.prose(&without_asides(part.text()), leaf(Source::Asked), speech);
                        speech.start = 0;
                    }
                    Origin::Summary => match number_of(earlier, place) {
                        Some(number) => {
                            let is_answered = self.last_request > Some(at);
                            reader.carry(&part.text(), number, is_answered, leaf(Source::Summary));
                        }
                        None => reader.prose(&part.text(), leaf(Source::Summary), Speech::LAST),
                    },
                    _ => {}
                },
                Kind::ToolCall => {
                    if let Some(number) = self.places.call(place) {
                        reader.call(part, number, leaf(Source::Call(Some(number))));
                    }
                }
                Kind::ToolResult => {
                    let text = calls::said(part);
                    let call = request.pairs.call_of(place);
                    let call = call.filter(|call| !self.places.have_several(*call));
                    let number = call.and_then(|call| self.places.call(call));
                    let is_rejected =
                        number.is_some_and(|number| all[number as usize].outcome.is_rejected());
                    if is_rejected || marks::is_placeholder(&text) {
                        // The user's words about it are quoted elsewhere.
                        continue;
                    }
                    let gap = self.shown_of(place).map(|shown| gap(&text, shown));
                    result(reader, &text, gap, number);
                }
                Kind::Other => {
                    if let Some(number) = self.places.call(place) {
                        reader.call(part, number, leaf(Source::Call(Some(number))));
                    } else if let Some(number) = self.places.result(place) {
                        result(reader, &calls::said(part), None, Some(number));
                    } else if let Some(shown) = self.shown_of(place) {
                        let text = calls::said(part);
                        result(reader, &text, Some(gap(&text, shown)), None);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The index of the earlier digest that a part of a message is; `None` if it is none.
fn number_of(earlier: &[Earlier], place: Place) -> Option<usize> {
    earlier.iter().position(|earlier| (earlier.message, earlier.part) == place)
}
