//! One reading of the conversation: every text cut into units, every name counted.
//!
//! Responsible for knowing what each text is (a file's lines, a command's output, prose) and for
//! giving it to the [`reader`] as that. Texts are unescaped one at a time and let go.

pub(super) mod memory;
pub(super) mod reader;
pub(super) mod survey;
mod thin;

use std::ops::Range;

use super::calls::{self, Call};
use super::known::Known;
use super::ledger::Ledger;
use super::ledger::fold::Earlier;
use super::ledger::{amended, answers};
use super::text::asides::without_asides;
use super::text::labels;
use super::{Setting, narrow, spread};
use crate::conversation::{Kind, Message, Origin, Place, Role};
use crate::gap::gap;
use crate::marks;
use memory::Memory;
use reader::{Carried, Reader, Speech, Tickets};
use survey::{Leaf, Source, Survey};

/// Reads the conversation, while something else is done; gives what came of that too.
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
    // Calls in a longer tail, and earlier digests, would tell otherwise of files and commands before it.
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
        // Others read meanwhile.
        survey.index.rate(setting);
        survey.thin(messages.len(), setting);
    };
    let read = |share: Range<usize>| (share.clone(), task.read(share));
    let done = spread::read_each_while(messages, from, request.may_spread, read, take, meanwhile);
    let mut survey =
        survey.unwrap_or_else(|| Reader::new(setting, known.talk, &task.tickets).survey);
    survey.settle();
    (survey, done)
}

/// What every thread needs for reading.
struct Task<'t, 'a> {
    known: &'t Known<'t>,
    messages: &'t [Message<'a>],
    unread: Place,
    first_request: Option<usize>,
    last_request: Option<usize>,
    places: Places<'t>,
    /// What users name by a number, where there is work.
    tickets: Tickets,
    /// Whether the model says nothing in words.
    is_silent: bool,
}

impl Task<'_, '_> {
    /// Reads some messages.
    fn read(&self, share: Range<usize>) -> Survey {
        let mut reader = Reader::new(self.known.request.setting, self.known.talk, &self.tickets);
        for at in share {
            if !self.messages[at].is_instruction()
                && (self.known.request.summarised[at] || self.known.request.shown[at])
            {
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

    /// What is known of the words of a message.
    fn speech(&self, at: usize) -> Speech {
        let message = &self.messages[at];
        if message.role != Role::Assistant {
            return Speech::default();
        }
        let next = self.messages[at + 1..].iter().find(|next| next.origin != Origin::Injected);
        let closes_turn = !message.has(Kind::ToolCall) && next.is_none_or(Message::is_request);
        let is_work = self.known.request.setting == Setting::Work;
        Speech {
            // What was given up since closes nothing.
            closes_turn: closes_turn && !(is_work && amended::is_amended(self.messages, at)),
            concedes: is_work && amended::concedes(self.messages, at),
            follows_failure: self.follows_failure(at),
            is_answered: self.last_request > Some(at),
            is_accepted: closes_turn && next.is_some_and(answers::accepts_in),
            ..Speech::default()
        }
    }

    /// The part of a result that stays visible, if it is cut.
    fn shown_of(&self, place: Place) -> Option<&str> {
        self.known
            .request
            .cut_results
            .iter()
            .find(|(cut, _)| *cut == place)
            .map(|(_, shown)| *shown)
    }

    fn read_message(&self, reader: &mut Reader<'_>, at: usize) {
        let Known { calls: all, ledger, earlier, .. } = self.known;
        let message = &self.messages[at];
        let part_shown = self.known.request.partly_shown.filter(|(partly, _)| *partly == at);
        reader.is_shown = !self.known.request.summarised[at] && part_shown.is_none();
        let number = narrow(at);
        reader.origin.message = number;
        reader.origin.is_first_request = self.first_request == Some(at);
        reader.origin.is_last_request = self.last_request == Some(at);
        reader.visible.clear();
        if let Some((_, text)) = part_shown {
            reader.shown(text);
        }
        // What stands before the words of a message stands in its first text.
        let mut speech = Speech { start: self.known.talk.start(at), ..self.speech(at) };
        for (index, part) in message.parts.iter().enumerate() {
            let leaf = |source, field| Leaf { message: number, part: narrow(index), field, source };
            reader.is_unread = self.known.request.summarised[at]
                && (at, index) >= self.unread
                && self.places.call((at, index)).is_none();
            match part.kind {
                // Reminders, files that the user's words name, which the agent can read again, and what a
                // compaction said.
                Kind::Text if part.is_injected => {}
                Kind::Text if message.role == Role::Assistant => {
                    let text = without_asides(part.text());
                    reader.prose(&text, leaf(Source::Said, 0), speech);
                    speech.start = 0;
                }
                // Where a model never speaks, what it thought is all that it found.
                Kind::Reasoning if self.is_silent => {
                    reader.prose(&part.text(), leaf(Source::Said, 0), speech);
                }
                Kind::Text if message.origin == Origin::Injected => {
                    if let Some(number) = self.places.result((at, index)) {
                        let call = (number, &all[number as usize]);
                        reader.result(&calls::said(part), Some(call), ledger, &leaf);
                    }
                }
                Kind::Text => match message.origin {
                    Origin::Spoken => {
                        reader.prose(&without_asides(part.text()), leaf(Source::Asked, 0), speech);
                        speech.start = 0;
                    }
                    Origin::Summary => match number_of(earlier, (at, index)) {
                        Some(number) => {
                            let of = (number, self.last_request > Some(at));
                            carry(reader, &part.text(), earlier, of, ledger, &leaf);
                        }
                        None => reader.prose(&part.text(), leaf(Source::Summary, 0), Speech::LAST),
                    },
                    _ => {}
                },
                Kind::ToolCall => {
                    if let Some(number) = self.places.call((at, index)) {
                        reader.call(part, &all[number as usize], number, ledger, &leaf);
                    }
                }
                Kind::ToolResult => {
                    let text = calls::said(part);
                    let call = self.known.request.pairs.call_of((at, index));
                    let call = call.filter(|call| !self.places.have_several(*call));
                    let number = call.and_then(|call| self.places.call(call));
                    let call = number.map(|number| (number, &all[number as usize]));
                    let is_rejected = call.is_some_and(|(_, call)| call.outcome.is_rejected());
                    if is_rejected || marks::is_placeholder(&text) {
                        // What the user said to it is quoted.
                        continue;
                    }
                    reader.gap = self.shown_of((at, index)).map(|shown| gap(&text, shown));
                    reader.result(&text, call, ledger, &leaf);
                    reader.gap = None;
                }
                Kind::Other => {
                    let (call, result) =
                        (self.places.call((at, index)), self.places.result((at, index)));
                    if let Some(number) = call {
                        reader.call(part, &all[number as usize], number, ledger, &leaf);
                    } else if let Some(number) = result {
                        let call = (number, &all[number as usize]);
                        reader.result(&calls::said(part), Some(call), ledger, &leaf);
                    } else if let Some(shown) = self.shown_of((at, index)) {
                        let text = calls::said(part);
                        reader.gap = Some(gap(&text, shown));
                        reader.result(&text, None, ledger, &leaf);
                        reader.gap = None;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Which of the earlier digests is a part of a message.
fn number_of(earlier: &[Earlier], place: (usize, usize)) -> Option<usize> {
    earlier.iter().position(|earlier| (earlier.message, earlier.part) == place)
}

/// Reads an earlier digest: its lines go under the files, commands and headings that they had.
fn carry(
    reader: &mut Reader<'_>,
    text: &str,
    all: &[Earlier],
    (number, is_answered): (usize, bool),
    ledger: &Ledger,
    leaf: &impl Fn(Source, u32) -> Leaf,
) {
    let earlier = &all[number];
    earlier.found.iter().for_each(|found| reader.notes(&found.heading));
    reader.carries(text);
    for file in &earlier.files {
        if let Some(number) =
            ledger.paths.number_of(&file.heading.path).filter(|_| !file.lines.is_empty())
        {
            reader.carried(text, leaf(Source::File(number), 0), &file.lines, None);
        }
    }
    for command in &earlier.commands {
        let number = ledger.number_as_told(&command.heading.text);
        if let Some(number) = number.filter(|_| !command.lines.is_empty()) {
            reader.carried(text, leaf(Source::Command(number), 0), &command.lines, None);
        }
    }
    let before =
        all[..number].iter().map(|earlier| earlier.said.len() + earlier.found.len()).sum::<usize>();
    let said = earlier.said.iter().map(|said| {
        let is_asked = said.heading.text.ends_with(labels::PARTS);
        (&said.lines, Some(Carried { is_asked, is_answered }))
    });
    let found = earlier.found.iter().map(|found| (&found.lines, None));
    for (at, (lines, said)) in said.chain(found).enumerate() {
        reader.carried(text, leaf(Source::Earlier(narrow(before + at)), 0), lines, said);
    }
}

/// Which call stands at a place, and of which the result does.
struct Places<'k> {
    all: &'k [Call],
    /// The numbers of the calls, in the order of their places.
    calls: Vec<u32>,
    /// The numbers of those that have a result, in the order of their results' places.
    results: Vec<u32>,
    /// Where several commands stand: what was printed is of none of them alone.
    several: Vec<Place>,
}

impl<'k> Places<'k> {
    fn of(all: &'k [Call]) -> Self {
        let call = |number: u32| &all[number as usize];
        let mut calls: Vec<u32> = (0..narrow(all.len())).collect();
        let mut results = calls.clone();
        results.retain(|number| call(*number).result.is_some());
        // What a tool did beside that has the same place, and comes behind.
        calls.sort_by_key(|number| call(*number).place);
        calls.dedup_by_key(|number| call(*number).place);
        results.sort_by_key(|number| call(*number).result);
        results.dedup_by_key(|number| call(*number).result);
        results.shrink_to_fit();
        let ran = |call: &Call| call.command.is_some();
        let pairs = all.iter().zip(all.iter().skip(1));
        let several = pairs.filter(|(one, next)| one.place == next.place && ran(one) && ran(next));
        let several = several.map(|(one, _)| one.place).collect();
        Self { all, calls, results, several }
    }

    fn call(&self, place: Place) -> Option<u32> {
        let of = |number: &u32| self.all[*number as usize].place;
        self.calls.binary_search_by_key(&place, of).ok().map(|at| self.calls[at])
    }

    fn have_several(&self, place: Place) -> bool {
        self.several.binary_search(&place).is_ok()
    }

    fn result(&self, place: Place) -> Option<u32> {
        let of = |number: &u32| self.all[*number as usize].result;
        self.results.binary_search_by_key(&Some(place), of).ok().map(|at| self.results[at])
    }
}
