//! One reading of the conversation: every text cut into units, every name counted.
//!
//! Responsible for knowing what each text is (a file's lines, a command's output, prose) and for
//! keeping the units that say something of a name. Texts are unescaped one at a time and let go;
//! a unit remembers where it stands and is read again if it is chosen.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::num::NonZero;
use std::ops::Range;

use super::calls::{self, Call};
use super::fold::Earlier;
use super::index::{Id, Index};
use super::ledger::Ledger;
use super::reader::{Reader, Speech};
use super::talk::Talk;
use super::{Request, Setting, spread};
use crate::conversation::{Kind, Message, Origin, Part, Role};
use crate::marks;
use crate::pairing::Pairs;

/// What a text is, and so where its units go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A user's message.
    Asked,
    /// What the model said.
    Said,
    /// An earlier summary.
    Summary,
    /// Lines of a file, read or written: the file's number.
    File(u32),
    /// The output of a command: the command's number.
    Command(u32),
    /// What another call said or was told: the call's number.
    Call(u32),
    /// Lines of an earlier digest under a heading of it: the heading's number.
    Earlier(u32),
}

/// A text of the conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) message: u32,
    pub(super) part: u32,
    /// Of a call, which of the strings in its arguments.
    pub(super) field: u32,
    pub(super) source: Source,
}

/// The field that stands for the arguments as they are written.
pub(super) const WHOLE: u32 = u32::MAX;

/// A line, a sentence, a pair of neighbours or a field, that may be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) leaf: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) names: u32,
    pub(super) count: u16,
    /// Its tokens, about.
    pub(super) cost: u16,
    /// What it is worth apart from its names, and how much these count.
    pub(super) worth: f32,
    pub(super) share: f32,
    /// Of a field: the number of its record in its text; of a sentence: that of its line.
    pub(super) record: u32,
    /// Whether it is a field of a record.
    pub(super) is_field: bool,
    /// Whether it barely explains its names: only for those that nothing else explains.
    pub(super) is_weak: bool,
    /// Whether it is code in prose, and whether a line of prose begins with it.
    pub(super) is_code: bool,
    pub(super) starts_line: bool,
    /// Whether an edit put it in.
    pub(super) is_put: bool,
    /// Of a sentence: a hash of it. What is said again, as plans are, is told once.
    pub(super) said: Option<NonZero<u64>>,
}

/// All that was found.
pub(super) struct Survey {
    pub(super) index: Index,
    pub(super) leaves: Vec<Leaf>,
    pub(super) units: Vec<Unit>,
    pub(super) names: Vec<Id>,
    /// Names in messages that stay visible.
    pub(super) shown: Vec<Id>,
}

impl Survey {
    /// The names that a unit explains.
    pub(super) fn names_of(&self, unit: &Unit) -> &[Id] {
        &self.names[unit.names as usize..][..usize::from(unit.count)]
    }

    /// Adds what was found in the messages behind these.
    #[allow(clippy::cast_possible_truncation, reason = "texts and names are far fewer than 2^32")]
    fn absorb(&mut self, other: Self) {
        let ids = self.index.absorb(&other.index);
        let (leaves, names) = (self.leaves.len() as u32, self.names.len() as u32);
        self.leaves.extend(other.leaves);
        self.names.extend(other.names.iter().map(|id| ids[*id as usize]));
        self.shown.extend(other.shown.iter().map(|id| ids[*id as usize]));
        self.units.extend(other.units.into_iter().map(|unit| Unit {
            leaf: unit.leaf + leaves,
            names: unit.names + names,
            ..unit
        }));
    }

    /// Gives every unit the names that stand for its own, each once; one that barely explains its names
    /// keeps those that nothing else explains, and a sentence that was said before keeps none.
    pub(super) fn settle(&mut self) {
        for id in self.names.iter_mut().chain(&mut self.shown) {
            *id = self.index.canonical(*id);
        }
        let mut said = HashSet::with_capacity_and_hasher(self.units.len(), AsItIs::default());
        for unit in &mut self.units {
            if unit.said.is_some_and(|sentence| !said.insert(sentence.get())) {
                (unit.count, unit.worth) = (0, 0.0);
            }
        }
        let mut is_explained = vec![false; self.index.len()];
        for unit in self.units.iter().filter(|unit| !unit.is_weak) {
            for id in self.names_of(unit) {
                is_explained[*id as usize] = true;
            }
        }
        for unit in &mut self.units {
            let names = &mut self.names[unit.names as usize..][..usize::from(unit.count)];
            let mut kept = 0;
            for at in 0..names.len() {
                let id = names[at];
                let is_known = unit.is_weak && is_explained[id as usize];
                if !names[..kept].contains(&id) && !is_known {
                    names[kept] = id;
                    kept += 1;
                }
            }
            unit.count = u16::try_from(kept).unwrap_or(unit.count);
        }
    }

    /// What some units say, each text read once.
    pub(super) fn texts(&self, request: &Request<'_, '_>, wanted: &[u32]) -> Vec<String> {
        let messages = &request.conversation.messages;
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        let unit = |at: usize| &self.units[wanted[at] as usize];
        let leaf = |at: usize| self.leaves[unit(at).leaf as usize];
        order.sort_by_key(|&at| unit(at).leaf);
        let read = |share: Range<usize>| {
            let behind = |end| order.partition_point(|&at| (leaf(at).message as usize) < end);
            let own = &order[behind(share.start)..behind(share.end)];
            let mut texts = Vec::with_capacity(own.len());
            for group in own.chunk_by(|&a, &b| unit(a).leaf == unit(b).leaf) {
                let leaf = leaf(group[0]);
                let part = &messages[leaf.message as usize].parts[leaf.part as usize];
                leaf_text(part, leaf.field, |text| {
                    let said = |at| &text[unit(at).start as usize..unit(at).end as usize];
                    texts.extend(group.iter().map(|&at| (at, said(at).to_owned())));
                });
            }
            texts
        };
        let mut texts = vec![String::new(); wanted.len()];
        let take = |read: Vec<(usize, String)>| read.into_iter().for_each(|(at, t)| texts[at] = t);
        spread::read_each(messages, request.may_spread, read, take);
        texts
    }
}

/// Gives the text of a leaf to `then`.
fn leaf_text(part: &Part<'_>, field: u32, mut then: impl FnMut(&str)) {
    if part.kind != Kind::ToolCall {
        then(&part.text());
    } else if field == WHOLE {
        if let Some(body) = part.body {
            then(&body.text().unwrap_or(body.source().into()));
        }
    } else {
        let mut at = 0;
        calls::texts(part, |_, text| {
            if at == field {
                then(text);
            }
            at += 1;
        });
    }
}

/// Hashes nothing: what is looked up is a hash already.
#[derive(Default)]
struct Hash(u64);

type AsItIs = BuildHasherDefault<Hash>;

impl Hasher for Hash {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What is known of the conversation before it is read.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    pub(super) calls: &'k [Call],
    pub(super) ledger: &'k Ledger,
    pub(super) earlier: &'k [Earlier],
    pub(super) talk: &'k Talk,
    pub(super) setting: Setting,
}

/// Reads the conversation, while something else is done; gives what came of that too.
pub(super) fn read<R>(
    request: &Request<'_, '_>,
    known: Known<'_>,
    meanwhile: impl FnOnce() -> R,
) -> (Survey, R) {
    let messages = &request.conversation.messages;
    let is_request = |at: &usize| messages[*at].is_request();
    let task = Task {
        messages,
        pairs: request.pairs,
        summarised: request.summarised,
        shown: request.shown,
        partly_shown: request.partly_shown,
        first_request: (0..messages.len()).find(is_request),
        last_request: (0..messages.len()).rev().find(is_request),
        places: Places::of(known.calls),
        known,
    };
    let mut survey: Option<Survey> = None;
    let take = |next| {
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
        survey.index.rate(known.setting);
        survey.thin(messages.len(), known.setting);
    };
    let read = |share| task.read(share);
    let done = spread::read_each_while(messages, request.may_spread, read, take, meanwhile);
    let mut survey = survey.unwrap_or_else(|| Reader::new(known.setting, known.talk).survey);
    survey.settle();
    (survey, done)
}

/// What every thread needs for reading.
struct Task<'t, 'a> {
    messages: &'t [Message<'a>],
    pairs: &'t Pairs,
    summarised: &'t [bool],
    shown: &'t [bool],
    partly_shown: Option<(usize, &'t str)>,
    first_request: Option<usize>,
    last_request: Option<usize>,
    places: Places,
    known: Known<'t>,
}

impl Task<'_, '_> {
    /// Reads some messages.
    fn read(&self, share: Range<usize>) -> Survey {
        let mut reader = Reader::new(self.known.setting, self.known.talk);
        for at in share {
            if !self.messages[at].is_instruction() && (self.summarised[at] || self.shown[at]) {
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
        let calls = results.filter_map(|place| self.places.call(self.pairs.call_of(place)?));
        calls.into_iter().any(|call| self.known.calls[call as usize].outcome.failed)
    }

    fn read_message(&self, reader: &mut Reader<'_>, at: usize) {
        let Known { calls: all, ledger, earlier, .. } = self.known;
        let message = &self.messages[at];
        let part_shown = self.partly_shown.filter(|(partly, _)| *partly == at);
        reader.is_shown = !self.summarised[at] && part_shown.is_none();
        #[allow(clippy::cast_possible_truncation, reason = "messages are far fewer than 2^32")]
        let number = at as u32;
        reader.origin.message = number;
        reader.origin.is_first_request = self.first_request == Some(at);
        reader.origin.is_last_request = self.last_request == Some(at);
        let ends_turn = message.role == Role::Assistant
            && !message.has(Kind::ToolCall)
            && self.messages[at + 1..]
                .iter()
                .find(|next| next.origin != Origin::Injected)
                .is_none_or(Message::is_request);
        reader.visible.clear();
        if let Some((_, text)) = part_shown {
            reader.shown(text);
        }
        // What stands before the words of a message stands in its first text.
        let mut start = self.known.talk.start(at);
        let follows_failure = message.role == Role::Assistant && self.follows_failure(at);
        for (index, part) in message.parts.iter().enumerate() {
            #[allow(clippy::cast_possible_truncation, reason = "parts are far fewer than 2^32")]
            let leaf = |source, field| Leaf { message: number, part: index as u32, field, source };
            match part.kind {
                Kind::Text if message.role == Role::Assistant => {
                    let start = std::mem::take(&mut start);
                    let is_answered = self.last_request > Some(at);
                    let speech =
                        Speech { closes_turn: ends_turn, follows_failure, is_answered, start };
                    reader.prose(&part.text(), leaf(Source::Said, 0), speech);
                }
                Kind::Text => match message.origin {
                    Origin::Spoken => {
                        let start = std::mem::take(&mut start);
                        let speech = Speech { start, ..Speech::default() };
                        reader.prose(&part.text(), leaf(Source::Asked, 0), speech);
                    }
                    Origin::Summary => match number_of(earlier, at) {
                        Some(number) => {
                            carry(reader, &part.text(), earlier, number, ledger, &leaf);
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
                    let text = part.text();
                    let call = self.pairs.call_of((at, index));
                    let number = call.and_then(|call| self.places.call(call));
                    let call = number.map(|number| (number, &all[number as usize]));
                    let is_rejected = call.is_some_and(|(_, call)| call.outcome.is_rejected());
                    if is_rejected || marks::is_placeholder(&text) {
                        // What the user said to it is quoted.
                        continue;
                    }
                    reader.result(&text, call, ledger, &leaf);
                }
                _ => {}
            }
        }
    }
}

/// Which of the earlier digests stands in a message.
fn number_of(earlier: &[Earlier], message: usize) -> Option<usize> {
    earlier.iter().position(|earlier| earlier.message == message)
}

/// Reads an earlier digest: its lines go under the files, commands and headings that they had.
fn carry(
    reader: &mut Reader<'_>,
    text: &str,
    all: &[Earlier],
    number: usize,
    ledger: &Ledger,
    leaf: &impl Fn(Source, u32) -> Leaf,
) {
    let earlier = &all[number];
    for file in &earlier.files {
        if let Some(number) =
            ledger.paths.number_of(&file.heading.path).filter(|_| !file.lines.is_empty())
        {
            reader.carried(text, leaf(Source::File(number), 0), &file.lines);
        }
    }
    for command in &earlier.commands {
        let number = ledger.number_of_command(&command.heading.text);
        if let Some(number) = number.filter(|_| !command.lines.is_empty()) {
            reader.carried(text, leaf(Source::Command(number), 0), &command.lines);
        }
    }
    let before =
        all[..number].iter().map(|earlier| earlier.said.len() + earlier.found.len()).sum::<usize>();
    let said = earlier.said.iter().map(|said| &said.lines);
    for (at, lines) in said.chain(earlier.found.iter().map(|found| &found.lines)).enumerate() {
        #[allow(clippy::cast_possible_truncation, reason = "headings are far fewer than 2^32")]
        let heading = (before + at) as u32;
        reader.carried(text, leaf(Source::Earlier(heading), 0), lines);
    }
}

/// Which call stands at a place.
struct Places(Vec<((usize, usize), u32)>);

impl Places {
    fn of(all: &[Call]) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "calls are far fewer than 2^32")]
        let mut places: Vec<_> =
            all.iter().enumerate().map(|(at, call)| (call.place, at as u32)).collect();
        places.sort_unstable();
        Self(places)
    }

    fn call(&self, place: (usize, usize)) -> Option<u32> {
        self.0.binary_search_by_key(&place, |(place, _)| *place).ok().map(|at| self.0[at].1)
    }
}
