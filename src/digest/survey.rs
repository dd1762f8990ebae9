//! One reading of the conversation: every text cut into units, every name counted.
//!
//! Responsible for knowing what each text is (a file's lines, a command's output, prose) and for
//! keeping the units that say something of a name. Texts are unescaped one at a time and let go;
//! a unit remembers where it stands and is read again if it is chosen.

use std::ops::Range;

use super::calls::{self, Call, Deed};
use super::index::{Id, Index, Origin, Voice};
use super::ledger::Ledger;
use super::names::{self, Form, Words};
use super::{Request, Setting, outcome, prose, records, units};
use crate::conversation::{self, Conversation, Kind, Message, Role};
use crate::marks;

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
const WHOLE: u32 = u32::MAX;

/// A line, a sentence, a pair of neighbours or a field, that may be chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) leaf: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    names: u32,
    count: u16,
    /// Its tokens, about.
    pub(super) cost: u16,
    /// What it is worth apart from its names.
    pub(super) worth: f32,
    /// Whether it is a field of a record, and of which of its text.
    pub(super) is_field: bool,
    pub(super) record: u32,
    /// Whether it barely explains its names: only for those that nothing else explains.
    pub(super) is_weak: bool,
    /// Whether it is code in prose, and whether a line of prose begins with it.
    pub(super) is_code: bool,
    pub(super) starts_line: bool,
}

/// All that was found.
pub(super) struct Survey {
    pub(super) index: Index,
    pub(super) leaves: Vec<Leaf>,
    pub(super) units: Vec<Unit>,
    names: Vec<Id>,
    /// Names in messages that stay visible.
    pub(super) shown: Vec<Id>,
}

impl Survey {
    /// The names that a unit explains.
    pub(super) fn names_of(&self, unit: &Unit) -> &[Id] {
        &self.names[unit.names as usize..][..usize::from(unit.count)]
    }

    /// What a unit says.
    pub(super) fn text(&self, conversation: &Conversation<'_>, unit: &Unit) -> String {
        let leaf = self.leaves[unit.leaf as usize];
        let part = &conversation.messages[leaf.message as usize].parts[leaf.part as usize];
        let range = unit.start as usize..unit.end as usize;
        if part.kind != Kind::ToolCall {
            return part.text()[range].to_owned();
        }
        if leaf.field == WHOLE {
            let text = part.body.map(|body| body.text().unwrap_or(body.source().into()));
            return text.map_or_else(String::new, |text| text[range].to_owned());
        }
        let (mut at, mut found) = (0, String::new());
        calls::texts(part, |_, text| {
            if at == leaf.field {
                text[range.clone()].clone_into(&mut found);
            }
            at += 1;
        });
        found
    }
}

/// Reads the conversation.
pub(super) fn read(
    request: &Request<'_, '_>,
    all: &[Call],
    ledger: &Ledger,
    setting: Setting,
) -> Survey {
    let messages = &request.conversation.messages;
    let requests = || (0..messages.len()).filter(|&at| messages[at].is_request());
    let mut reader = Reader {
        survey: Survey {
            index: Index::new(),
            leaves: Vec::new(),
            units: Vec::new(),
            names: Vec::new(),
            shown: Vec::new(),
        },
        origin: Origin {
            message: 0,
            voice: Voice::User,
            is_first_request: false,
            is_last_request: false,
        },
        is_shown: false,
        setting,
        found: Vec::new(),
        places: Vec::new(),
        words: Words::default(),
        record: None,
        is_weak: false,
        is_code: false,
        starts_line: false,
    };
    let (first, last) = (requests().next(), requests().last());
    let by_place = Places::of(all);
    for (at, message) in messages.iter().enumerate() {
        if message.is_instruction() || !(request.summarised[at] || request.shown[at]) {
            continue;
        }
        reader.is_shown = !request.summarised[at];
        #[allow(clippy::cast_possible_truncation, reason = "messages are far fewer than 2^32")]
        let number = at as u32;
        reader.origin.message = number;
        reader.origin.is_first_request = first == Some(at);
        reader.origin.is_last_request = last == Some(at);
        let ends_turn = message.role == Role::Assistant
            && !message.has(Kind::ToolCall)
            && messages[at + 1..]
                .iter()
                .find(|next| next.origin != conversation::Origin::Injected)
                .is_none_or(Message::is_request);
        for (index, part) in message.parts.iter().enumerate() {
            #[allow(clippy::cast_possible_truncation, reason = "parts are far fewer than 2^32")]
            let leaf = |source, field| Leaf { message: number, part: index as u32, field, source };
            match part.kind {
                Kind::Text if message.role == Role::Assistant => {
                    reader.prose(&part.text(), leaf(Source::Said, 0), ends_turn);
                }
                Kind::Text => match message.origin {
                    conversation::Origin::Spoken => {
                        reader.prose(&part.text(), leaf(Source::Asked, 0), false)
                    }
                    conversation::Origin::Summary => {
                        reader.prose(&part.text(), leaf(Source::Summary, 0), true)
                    }
                    _ => {}
                },
                Kind::ToolCall => {
                    if let Some(number) = by_place.call((at, index)) {
                        reader.call(part, &all[number as usize], number, ledger, &leaf);
                    }
                }
                Kind::ToolResult => {
                    let text = part.text();
                    if marks::is_placeholder(&text) {
                        continue;
                    }
                    let number =
                        request.pairs.call_of((at, index)).and_then(|call| by_place.call(call));
                    let call = number.map(|number| (number, &all[number as usize]));
                    reader.result(&text, call, ledger, &leaf);
                }
                _ => {}
            }
        }
    }
    reader.survey
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

struct Reader {
    survey: Survey,
    origin: Origin,
    is_shown: bool,
    setting: Setting,
    found: Vec<Id>,
    places: Vec<Range<usize>>,
    words: Words,
    /// The record that is being read.
    record: Option<u32>,
    is_weak: bool,
    is_code: bool,
    starts_line: bool,
}

/// A line that was read and may be joined with the next one.
#[derive(Default)]
struct Read {
    range: Range<usize>,
    words: Words,
    /// Names that the line does not explain, with their places in it.
    names: Vec<(Id, Range<usize>)>,
    cost: u16,
}

impl Reader {
    fn leaf(&mut self, leaf: Leaf) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "texts are far fewer than 2^32")]
        let number = self.survey.leaves.len() as u32;
        self.survey.leaves.push(leaf);
        number
    }

    /// Reads the names of a unit.
    fn scan(&mut self, text: &str, range: &Range<usize>) {
        let unit = &text[range.clone()];
        self.found.clear();
        self.places.clear();
        let (index, origin, found, places) =
            (&mut self.survey.index, self.origin, &mut self.found, &mut self.places);
        names::scan(unit, &mut self.words, |name| {
            if let Some(id) = index.note(unit, name, origin) {
                if !found.contains(&id) {
                    found.push(id);
                    places.push(name.start..name.end);
                }
            }
        });
        if self.is_shown {
            let explained = self.found.iter().zip(&self.places);
            let is_work = self.setting == Setting::Work;
            let explained = explained
                .filter(|(_, place)| !is_work || self.words.explain(unit, &unit[(*place).clone()]));
            self.survey.shown.extend(explained.map(|(id, _)| *id));
        }
    }

    fn keep(&mut self, leaf: u32, range: &Range<usize>, names: &[Id], cost: u16, worth: f32) {
        if self.is_shown {
            return;
        }
        #[allow(clippy::cast_possible_truncation, reason = "a text is smaller than 4 GB")]
        let unit = Unit {
            leaf,
            start: range.start as u32,
            end: range.end as u32,
            names: self.survey.names.len() as u32,
            count: names.len() as u16,
            cost,
            worth,
            is_field: self.record.is_some(),
            record: self.record.unwrap_or(0),
            is_weak: self.is_weak,
            is_code: self.is_code,
            starts_line: self.starts_line,
        };
        self.survey.names.extend_from_slice(names);
        self.survey.units.push(unit);
    }

    fn prose(&mut self, text: &str, leaf: Leaf, last: bool) {
        self.origin.voice = match leaf.source {
            Source::Asked => Voice::User,
            Source::Summary => Voice::Summary,
            _ => Voice::Assistant,
        };
        let number = self.leaf(leaf);
        let setting = self.setting;
        let mut is_lead = true;
        units::sentences(text, |sentence| {
            let units::Sentence { range, is_code, starts_line } = sentence;
            let sentence = &text[range.clone()];
            let cues = prose::cues(sentence);
            self.scan(text, &range);
            let explained = self.found.iter().zip(&self.places);
            let explained = explained
                .filter(|(_, place)| self.words.explain(sentence, &sentence[(*place).clone()]))
                .map(|(id, _)| *id);
            let mut names: Vec<Id> = explained.collect();
            let mut worth = 0.0;
            if !is_code && !sentence.starts_with('#') {
                if setting == Setting::Talk {
                    self.salient(sentence);
                    names.clone_from(&self.found);
                }
                #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
                let fullness = (self.words.count() as f32 / 6.0).min(1.0);
                worth = fullness
                    * match leaf.source {
                        Source::Asked => cues.worth_asked(),
                        Source::Summary => 6.0,
                        _ => cues.worth_said(last, is_lead),
                    };
                if setting != Setting::Work {
                    worth *= 0.2;
                }
                is_lead &= cues.filler;
            }
            if worth > 0.0 || !names.is_empty() {
                self.is_code = is_code;
                self.starts_line = starts_line;
                self.keep(number, &range, &names, estimate(sentence), worth);
                (self.is_code, self.starts_line) = (false, false);
            }
        });
    }

    /// Notes the salient words of a sentence: capitalised within it, or long.
    fn salient(&mut self, sentence: &str) {
        let mut start = true;
        for word in sentence.split(|c: char| !c.is_alphanumeric()) {
            if word.is_empty() {
                continue;
            }
            let capital = word.starts_with(char::is_uppercase) && !start;
            start = false;
            if word.len() >= 4 && word.is_char_boundary(word.len()) && (capital || word.len() >= 6)
            {
                let low = word.to_lowercase();
                let found = names::Found { form: Form::Word, start: 0, end: low.len() };
                if let Some(id) = self.survey.index.note(&low, found, self.origin) {
                    if !self.found.contains(&id) {
                        self.found.push(id);
                    }
                }
            }
        }
        if self.is_shown {
            self.survey.shown.extend_from_slice(&self.found);
        }
    }

    /// Reads lines, keeping those that explain a name, alone or with their neighbour.
    fn lines(&mut self, text: &str, leaf: Leaf, worth: impl Fn(&str) -> f32) {
        let number = self.leaf(leaf);
        let (mut before, mut now) = (Read::default(), Read::default());
        let mut explained = Vec::new();
        units::lines(text, |range| {
            let line = &text[range.clone()];
            self.scan(text, &range);
            if self.is_shown {
                return;
            }
            std::mem::swap(&mut now.words, &mut self.words);
            now.cost = estimate(line);
            now.range = range;
            now.names.clear();
            explained.clear();
            for (id, place) in self.found.iter().zip(&self.places) {
                if now.words.explain(line, &line[place.clone()]) {
                    explained.push(*id);
                } else {
                    now.names.push((*id, place.clone()));
                }
            }
            if !explained.is_empty() {
                self.keep(number, &now.range, &explained, now.cost, worth(line));
            }
            let is_near = !before.range.is_empty() && now.range.start - before.range.end <= 40;
            if is_near && !(before.names.is_empty() && now.names.is_empty()) {
                let above = &text[before.range.clone()];
                let of_above = before.names.iter().filter_map(|(id, place)| {
                    let other = (&now.words, line);
                    Some((*id, before.words.explain_with(above, other, &above[place.clone()])?))
                });
                let of_line = now.names.iter().filter_map(|(id, place)| {
                    let other = (&before.words, above);
                    Some((*id, now.words.explain_with(line, other, &line[place.clone()])?))
                });
                let (mut weak, mut strong) = (Vec::new(), Vec::new());
                for (id, spare) in of_above.chain(of_line) {
                    if spare > 0 { strong.push(id) } else { weak.push(id) }
                }
                let range = before.range.start..now.range.end;
                let cost = before.cost + now.cost + 1;
                if !strong.is_empty() {
                    self.keep(number, &range, &strong, cost, 0.0);
                }
                if !weak.is_empty() {
                    self.is_weak = true;
                    self.keep(number, &range, &weak, cost, 0.0);
                    self.is_weak = false;
                }
            }
            std::mem::swap(&mut before, &mut now);
        });
    }

    fn call(
        &mut self,
        part: &conversation::Part<'_>,
        call: &Call,
        number: u32,
        ledger: &Ledger,
        leaf: &impl Fn(Source, u32) -> Leaf,
    ) {
        self.origin.voice = Voice::Call;
        let source = match (call.deed, &call.command) {
            (_, Some(_)) => ledger.command_of(number).map_or(Source::Call(number), Source::Command),
            (Deed::Edited | Deed::Created, None) => {
                ledger.file_of(number).map_or(Source::Call(number), Source::File)
            }
            _ => Source::Call(number),
        };
        if self.setting == Setting::Service {
            let text = part
                .body
                .map(|body| body.text().unwrap_or(std::borrow::Cow::Borrowed(body.source())));
            if let Some(text) = text.filter(|text| records::is_record(text)) {
                self.fields(&text, leaf(Source::Call(number), WHOLE));
                return;
            }
        }
        let mut field = 0;
        calls::texts(part, |key, text| {
            let leaf = leaf(source, field);
            field += 1;
            let is_old = calls::OLD.contains(&key);
            self.origin.voice = Voice::Call;
            if call.deed == Deed::Delegated && text.len() > 200 {
                self.prose(text, leaf, false);
            } else if is_old || call.deed == Deed::Planned {
                // What was replaced, and plans, stand elsewhere or nowhere: their names are counted.
                units::lines(text, |range| {
                    self.scan(text, &range);
                });
            } else {
                self.lines(text, leaf, |_| 0.0);
            }
        });
    }

    /// Reads the fields of records.
    fn fields(&mut self, text: &str, leaf: Leaf) {
        let number = self.leaf(leaf);
        records::fields(text, |range, value, record| {
            self.scan(text, &value);
            let found = std::mem::take(&mut self.found);
            if !found.is_empty() {
                self.record = Some(record);
                self.keep(number, &range, &found, estimate(&text[range.clone()]), 0.0);
            }
            self.found = found;
        });
        self.record = None;
    }

    fn result(
        &mut self,
        text: &str,
        call: Option<(u32, &Call)>,
        ledger: &Ledger,
        leaf: &impl Fn(Source, u32) -> Leaf,
    ) {
        self.origin.voice = Voice::Result;
        let source = call.map_or(Source::Call(u32::MAX), |(number, call)| {
            if call.command.is_some() {
                ledger.command_of(number).map_or(Source::Call(number), Source::Command)
            } else if call.deed == Deed::Read {
                ledger.file_of(number).map_or(Source::Call(number), Source::File)
            } else {
                Source::Call(number)
            }
        });
        let leaf = leaf(source, 0);
        let failed = call.is_some_and(|(_, call)| call.outcome.failed);
        if call.is_some_and(|(_, call)| call.deed.changes()) && !failed {
            // What an edit answers repeats the call.
            return;
        }
        if records::is_record(text) {
            self.fields(text, leaf);
        } else if call.is_some_and(|(_, call)| call.deed == Deed::Delegated) {
            self.prose(text, leaf, false);
        } else {
            self.lines(
                text,
                leaf,
                |line| if failed && outcome::is_error_line(line) { 2.0 } else { 0.0 },
            );
        }
    }
}

/// About how many tokens a text has: words, pieces of long ones, digits by three, marks.
pub(super) fn estimate(text: &str) -> u16 {
    let (mut tokens, mut run, mut was) = (0_u32, 0_u32, 0_u8);
    for &byte in text.as_bytes() {
        let class = match byte {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 3,
            b' ' => 0,
            0x80.. => 5,
            _ => 4,
        };
        let joined = class == was || (class == 1 && was == 2);
        if !joined && class != 0 {
            tokens += 4;
            run = 0;
        }
        run += 1;
        tokens += match class {
            1 | 2 if run > 8 => u32::from(run.is_multiple_of(5)) * 4,
            3 if run.is_multiple_of(3) => 4,
            4 if run > 1 => 1,
            5 => 1,
            _ => 0,
        };
        was = class;
    }
    u16::try_from(tokens / 4 + 1).unwrap_or(u16::MAX)
}
