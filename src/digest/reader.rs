//! Reading of one text: its units, their names, and which of them a unit explains.
//!
//! Responsible for what is kept of prose, of lines, of records and of earlier digests. It relies on
//! [`survey`](super::survey) for saying what each text is.

use std::num::NonZero;
use std::ops::Range;

use super::calls::{self, Call, Deed};
use super::common;
use super::index::{self, Id, Index, Origin, Voice};
use super::ledger::Ledger;
use super::names::{self, Form};
use super::survey::{Leaf, Source, Survey, Unit, WHOLE};
use super::talk::{self, Talk};
use super::words::Words;
use super::{Setting, outcome, prose, records, units};
use crate::conversation;

/// What a line of an earlier digest is worth: it was chosen once, and is all that is left.
const CARRIED: f32 = 6.0;

/// What a comment that an edit put in is worth: it says in words what the code is for.
const COMMENT: f32 = 1.0;

/// How much the names count in what a user pasted.
const PASTED: f32 = 0.3;

/// Reads texts into a survey.
pub(super) struct Reader<'t> {
    pub(super) survey: Survey,
    pub(super) origin: Origin,
    /// The part of the message that stays visible.
    pub(super) visible: String,
    /// Whether the message stays visible: its names are covered, nothing of it is kept.
    pub(super) is_shown: bool,
    /// Where the words of the message begin in the next text.
    pub(super) start: usize,
    setting: Setting,
    talk: &'t Talk,
    found: Vec<Id>,
    places: Vec<Range<usize>>,
    words: Words,
    /// A word in small letters.
    small: String,
    /// The record that is being read.
    record: Option<u32>,
    share: f32,
    is_weak: bool,
    is_code: bool,
    starts_line: bool,
    put: Put,
    is_put: bool,
    /// A hash of the sentence that is read.
    said: Option<NonZero<u32>>,
    /// Whether something failed since the model last spoke.
    pub(super) has_failed: bool,
}

/// Which lines of the text that is read an edit put in.
enum Put {
    Nothing,
    /// All that do not stand in what the edit replaces.
    AllBut(String),
    /// Those behind a plus.
    Signed,
}

impl Put {
    fn has(&self, line: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::AllBut(old) => !old.contains(line),
            Self::Signed => line.starts_with('+'),
        }
    }
}

/// A line that was read and may be joined with the next one.
#[derive(Default)]
struct Read {
    range: Range<usize>,
    words: Words,
    /// Names that the line explains.
    explained: Vec<Id>,
    /// Names that the line does not explain, with their places in it.
    names: Vec<(Id, Range<usize>)>,
    /// Its tokens, once somebody asks.
    cost: Option<u16>,
}

impl Read {
    fn cost(&mut self, text: &str) -> u16 {
        *self.cost.get_or_insert_with(|| units::estimate(&text[self.range.clone()]))
    }
}

impl<'t> Reader<'t> {
    /// A reader of a conversation of this setting.
    pub(super) fn new(setting: Setting, talk: &'t Talk) -> Self {
        Self {
            survey: Survey {
                index: Index::new(),
                leaves: Vec::new(),
                units: Vec::new(),
                names: Vec::new(),
                shown: Vec::new(),
            },
            origin: Origin::default(),
            visible: String::new(),
            is_shown: false,
            start: 0,
            setting,
            talk,
            found: Vec::new(),
            places: Vec::new(),
            words: Words::default(),
            small: String::new(),
            record: None,
            share: 1.0,
            is_weak: false,
            is_code: false,
            starts_line: false,
            put: Put::Nothing,
            said: None,
            is_put: false,
            has_failed: false,
        }
    }

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
            if let Some(id) = index.note(unit, name, origin)
                && !found.contains(&id)
            {
                found.push(id);
                places.push(name.start..name.end);
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

    /// Reads the part of a message that stays visible.
    pub(super) fn shown(&mut self, text: &str) {
        text.clone_into(&mut self.visible);
        let was = std::mem::replace(&mut self.is_shown, true);
        self.origin.voice = Voice::User;
        units::sentences(text, |sentence| self.scan(text, &sentence.range));
        self.is_shown = was;
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
            share: self.share,
            is_field: self.record.is_some(),
            record: self.record.unwrap_or(0),
            is_weak: self.is_weak,
            is_code: self.is_code,
            starts_line: self.starts_line,
            is_put: self.is_put,
            said: self.said,
        };
        self.survey.names.extend_from_slice(names);
        self.survey.units.push(unit);
    }

    /// Reads prose; `last` where it closes a turn.
    pub(super) fn prose(&mut self, text: &str, leaf: Leaf, last: bool) {
        self.origin.voice = match leaf.source {
            Source::Asked => Voice::User,
            Source::Summary => Voice::Summary,
            _ => Voice::Assistant,
        };
        let number = self.leaf(leaf);
        let setting = self.setting;
        let start = std::mem::take(&mut self.start);
        let (mut is_lead, mut is_opening) = (true, true);
        let has_failed = self.has_failed;
        units::sentences(text, |sentence| {
            let units::Sentence { range, is_code, starts_line } = sentence;
            let mut range = range.start.max(start).min(range.end)..range.end;
            if setting == Setting::Talk && !is_code {
                range.start += self.talk.lead(&text[range.clone()]);
            }
            let sentence = &text[range.clone()];
            if leaf.source == Source::Asked && self.visible.contains(sentence) {
                return;
            }
            let tone = prose::tone(sentence);
            self.scan(text, &range);
            let mut worth = 0.0;
            let is_said = !is_code && !sentence.starts_with('#');
            let is_pasted = setting == Setting::Work
                && leaf.source == Source::Asked
                && prose::is_pasted(sentence);
            if is_said && setting == Setting::Talk {
                self.salient(sentence);
                self.share = talk::share(sentence);
            } else {
                self.drop_unexplained(sentence);
                self.share = if is_pasted { PASTED } else { 1.0 };
            }
            let names = std::mem::take(&mut self.found);
            if is_said {
                #[allow(clippy::cast_precision_loss, reason = "a handful of words")]
                let fullness = (self.words.count() as f32 / 6.0).min(1.0);
                // A few words that name nothing say nothing.
                let fullness = if names.is_empty() && fullness < 0.6 { 0.0 } else { fullness };
                worth = fullness
                    * match leaf.source {
                        Source::Asked if is_pasted => 0.0,
                        Source::Asked => tone.worth_asked(std::mem::take(&mut is_opening)),
                        Source::Summary => CARRIED,
                        _ => tone.worth_said(last, is_lead, has_failed),
                    };
                if setting != Setting::Work {
                    worth *= 0.2;
                }
                is_lead &= tone.is_filler;
            }
            if worth > 0.0 || !names.is_empty() {
                self.said = (worth > 0.0).then(|| hashed(sentence)).flatten();
                self.is_code = is_code;
                self.starts_line = starts_line;
                self.keep(number, &range, &names, units::estimate(sentence), worth);
                (self.is_code, self.starts_line, self.said) = (false, false, None);
            }
            self.found = names;
            self.share = 1.0;
        });
    }

    /// Forgets the names that were found and that `unit` does not explain.
    fn drop_unexplained(&mut self, unit: &str) {
        let mut places = self.places.iter();
        self.found.retain(|_| {
            places.next().is_some_and(|place| self.words.explain(unit, &unit[place.clone()]))
        });
    }

    /// Notes the salient words of a sentence: names by their capitals, words that are not too
    /// common, and of scripts without spaces every pair of characters.
    fn salient(&mut self, sentence: &str) {
        let mut is_first = true;
        let mut small = std::mem::take(&mut self.small);
        units::words(sentence, |word| {
            let is_name = word.starts_with(char::is_uppercase) && !is_first && word.len() > 1;
            is_first = false;
            if !word.is_ascii() && word.chars().any(is_wide) {
                let ends = word.char_indices().skip(1).map(|(at, c)| at + c.len_utf8());
                for (start, end) in word.char_indices().map(|(at, _)| at).zip(ends) {
                    self.salient_word(&word[start..end], Form::Word);
                }
            } else if is_name {
                self.salient_word(word, Form::Symbol);
            } else if word.len() >= 4 && !common::is_common(word.as_bytes()) {
                if word.is_ascii() {
                    word.clone_into(&mut small);
                    small.make_ascii_lowercase();
                } else {
                    small = word.to_lowercase();
                }
                self.salient_word(&small, Form::Word);
            }
        });
        self.small = small;
        if self.is_shown {
            self.survey.shown.extend_from_slice(&self.found);
        }
    }

    fn salient_word(&mut self, word: &str, form: Form) {
        let found = names::Found { form, start: 0, end: word.len() };
        if let Some(id) = self.survey.index.note(word, found, self.origin)
            && !self.found.contains(&id)
        {
            self.found.push(id);
        }
    }

    /// Reads lines, keeping those that explain a name, alone or with their neighbour.
    fn lines(&mut self, text: &str, leaf: Leaf, worth: impl Fn(&str) -> f32) {
        let number = self.leaf(leaf);
        let (mut before, mut now) = (Read::default(), Read::default());
        units::lines(text, |range| {
            let line = &text[range.clone()];
            self.scan(text, &range);
            if self.is_shown || outcome::is_listed(line) {
                // A listing says of a file only that it is there.
                return;
            }
            std::mem::swap(&mut now.words, &mut self.words);
            now.cost = None;
            now.range = range;
            now.names.clear();
            now.explained.clear();
            for (id, place) in self.found.iter().zip(&self.places) {
                if now.words.explain(line, &line[place.clone()]) {
                    now.explained.push(*id);
                } else {
                    now.names.push((*id, place.clone()));
                }
            }
            if !now.explained.is_empty() {
                let cost = now.cost(text);
                self.is_put = self.put.has(line);
                // Of what nothing is wrong with little more needs to be known.
                self.is_weak = outcome::is_well(line);
                let told = if self.is_put && prose::is_comment(line) { COMMENT } else { 0.0 };
                self.keep(number, &now.range, &now.explained, cost, worth(line) + told);
                self.is_weak = false;
            }
            self.is_put = false;
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
                if !(strong.is_empty() && weak.is_empty()) {
                    let range = before.range.start..now.range.end;
                    let cost = before.cost(text).saturating_add(now.cost(text)).saturating_add(1);
                    self.keep_pair(number, &range, (strong, weak), (&before, &now), cost);
                }
            }
            std::mem::swap(&mut before, &mut now);
        });
    }

    /// Keeps two neighbouring lines: for the names that they explain with words to spare, with what
    /// each explains alone, for the two say that too; and for those that they barely explain.
    fn keep_pair(
        &mut self,
        leaf: u32,
        range: &Range<usize>,
        (mut strong, weak): (Vec<Id>, Vec<Id>),
        (before, now): (&Read, &Read),
        cost: u16,
    ) {
        if !strong.is_empty() {
            strong.extend(before.explained.iter().chain(&now.explained));
            self.keep(leaf, range, &strong, cost, 0.0);
        }
        if !weak.is_empty() {
            self.is_weak = true;
            self.keep(leaf, range, &weak, cost, 0.0);
            self.is_weak = false;
        }
    }

    /// Reads the arguments of a call.
    pub(super) fn call(
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
        if call.deed.changes() {
            self.put = Put::AllBut(String::new());
        }
        let mut field = 0;
        calls::texts(part, |key, text| {
            let leaf = leaf(source, field);
            field += 1;
            let is_old = calls::OLD.contains(&key);
            self.origin.voice = Voice::Call;
            if key == "plan" && text.len() > 200 {
                // What the user was asked to approve.
                self.prose(text, Leaf { source: Source::Said, ..leaf }, true);
            } else if is_old
                || matches!(call.deed, Deed::Planned | Deed::Delegated)
                || call.about.as_deref() == Some(text)
            {
                // What was replaced, plans, errands and what the heading says stand elsewhere or
                // nowhere: their names are counted.
                units::lines(text, |range| {
                    self.scan(text, &range);
                });
            } else {
                if text.contains("*** Begin Patch") {
                    self.put = Put::Signed;
                }
                self.lines(text, leaf, |_| 0.0);
            }
            if is_old {
                self.put = Put::AllBut(text.to_owned());
            }
        });
        self.put = Put::Nothing;
    }

    /// Reads lines of an earlier digest: what they were chosen for they explain.
    pub(super) fn carried(&mut self, text: &str, leaf: Leaf, lines: &[Range<usize>]) {
        self.origin.voice = Voice::Summary;
        let number = self.leaf(leaf);
        let worth = if matches!(leaf.source, Source::Earlier(_)) { CARRIED } else { CARRIED / 2.0 };
        for (at, range) in lines.iter().enumerate() {
            self.scan(text, range);
            if self.setting == Setting::Talk {
                self.salient(&text[range.clone()]);
                self.share = talk::share(&text[range.clone()]);
            }
            let found = std::mem::take(&mut self.found);
            self.starts_line = at > 0;
            self.is_put = text[range.clone()].starts_with("+ ");
            self.keep(number, range, &found, units::estimate(&text[range.clone()]), worth);
            self.found = found;
        }
        (self.starts_line, self.is_put, self.share) = (false, false, 1.0);
    }

    /// Reads the fields of records.
    fn fields(&mut self, text: &str, leaf: Leaf) {
        let number = self.leaf(leaf);
        records::fields(text, |range, value, record| {
            self.scan(text, &value);
            let found = std::mem::take(&mut self.found);
            if !found.is_empty() {
                self.record = Some(record);
                self.keep(number, &range, &found, units::estimate(&text[range.clone()]), 0.0);
            }
            self.found = found;
        });
        self.record = None;
    }

    /// Reads a result.
    pub(super) fn result(
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
            // A report is the last word on its errand.
            self.prose(text, leaf, true);
        } else {
            self.lines(
                text,
                leaf,
                |line| if failed && outcome::is_error_line(line) { 2.0 } else { 0.0 },
            );
        }
    }
}

fn hashed(sentence: &str) -> Option<NonZero<u32>> {
    #[allow(clippy::cast_possible_truncation, reason = "the low half is enough")]
    NonZero::new(index::hash(sentence.as_bytes()) as u32)
}

/// Whether a character is of a script without spaces between words.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
