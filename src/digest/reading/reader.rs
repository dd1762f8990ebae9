//! The reader of one text: its units, their names, and which of the names a unit explains.
//!
//! Responsible for reading calls, results and records; the submodules read sentences and lines. It relies
//! on [`survey`](super::survey) for the kinds of texts.

mod carried;
mod crowd;
mod fields;
mod lines;
mod meanings;
mod sentences;
pub(crate) mod tickets;
mod unread;
mod words;

pub(crate) use sentences::Speech;

use std::collections::HashSet;
use std::ops::Range;

use super::survey::{Leaf, Source, Survey, Unit, WHOLE};
use crate::begins::begins_with_any;
use crate::conversation;
use crate::digest::calls;
use crate::digest::calls::outcome;
use crate::digest::files::change;
use crate::digest::files::deed::Deed;
use crate::digest::files::fates::Order;
use crate::digest::files::patch;
use crate::digest::files::paths::slashed;
use crate::digest::known::Known;
use crate::digest::ledger::Ledger;
use crate::digest::text::index::{Id, Origin, Voice};
use crate::digest::text::kinds::Kinds;
use crate::digest::text::names;
use crate::digest::text::records;
use crate::digest::text::units;
use crate::digest::text::words::Words;
use crate::digest::{Setting, narrow};
use meanings::Meanings;
pub(crate) use tickets::Tickets;
pub(crate) use unread::Awaited;

/// The worth of the fact that a call found nothing, in service conversations.
const NOTHING: f32 = 4.0;
/// The worth of the fact that a call found nothing, in all other conversations.
const NOTHING_THERE: f32 = 1.0;
/// The cost in tokens of the line that says what was looked for.
const HEADING: u16 = 12;

/// Reads texts into a survey.
pub(crate) struct Reader<'t> {
    pub(crate) survey: Survey,
    origin: Origin,
    /// Whether the message stays visible: its names count as covered, and none of its units is kept.
    is_shown: bool,
    /// The part of the message that stays visible.
    visible: String,
    /// What the agent still waits for in the result that is being read.
    awaited: Awaited,
    known: &'t Known<'t>,
    setting: Setting,
    /// What users name by a number alone.
    tickets: &'t Tickets,
    found: Vec<Id>,
    places: Vec<Range<usize>>,
    words: Words,
    /// The kinds of the bytes of the text that is being read.
    kinds: Kinds,
    /// What is known of the words read so far in plain talk.
    meanings: Meanings,
    /// A buffer for a word in lower case.
    small: String,
    /// The number of the line of prose that is being read.
    line: u32,
}

/// The nature of the lines of a text.
#[derive(Clone, Copy)]
struct Nature<'p> {
    /// Those that an edit wrote.
    put: &'p Put,
    /// Whether they are a command.
    is_run: bool,
}

/// The lines of a text that an edit wrote.
enum Put {
    Nothing,
    /// All lines except those in the text that the edit replaces, whatever their indentation.
    AllBut(HashSet<u64>),
    /// The lines after a plus, except those that are only indented anew.
    Signed(HashSet<u64>),
}

impl Put {
    fn has(&self, line: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::AllBut(old) => !old.contains(&change::key(line)),
            Self::Signed(anew) => {
                line.strip_prefix('+').is_some_and(|line| !anew.contains(&change::key(line)))
            }
        }
    }
}

impl<'t> Reader<'t> {
    /// A reader that has read nothing yet.
    pub(crate) fn new(known: &'t Known<'t>, tickets: &'t Tickets) -> Self {
        Self {
            survey: Survey::default(),
            origin: Origin::default(),
            is_shown: false,
            visible: String::new(),
            awaited: Awaited::default(),
            known,
            setting: known.request.setting,
            tickets,
            found: Vec::new(),
            places: Vec::new(),
            words: Words::default(),
            kinds: Kinds::default(),
            meanings: Meanings::default(),
            small: String::new(),
            line: 0,
        }
    }

    /// Begins the next message, which stays visible if `is_shown`.
    pub(crate) fn begin(&mut self, origin: Origin, is_shown: bool) {
        (self.origin, self.is_shown) = (origin, is_shown);
        self.visible.clear();
    }

    fn leaf(&mut self, leaf: Leaf) -> u32 {
        let number = narrow(self.survey.leaves.len());
        self.survey.leaves.push(leaf);
        number
    }

    /// The approximate number of tokens in a part of the text that is being read.
    fn cost(&self, range: &Range<usize>) -> u16 {
        units::estimated(self.kinds.within(range))
    }

    /// Whether a part of the text that is being read stays visible.
    pub(super) fn shows(&self, range: &Range<usize>) -> bool {
        self.is_shown && !self.awaited.leaves_out(range)
    }

    /// Notes the names of a unit.
    fn scan(&mut self, text: &str, range: &Range<usize>) {
        let unit = &text[range.clone()];
        self.found.clear();
        self.places.clear();
        let (index, origin, found, places) =
            (&mut self.survey.index, self.origin, &mut self.found, &mut self.places);
        names::scan(unit, self.kinds.within(range), &mut self.words, |name| {
            if let Some(id) = index.note(unit, name, origin)
                && !found.contains(&id)
            {
                found.push(id);
                places.push(name.start..name.end);
            }
        });
        if self.shows(range) {
            let explained = self.found.iter().zip(&self.places);
            let is_work = self.setting == Setting::Work;
            let explained =
                explained.filter(|(_, place)| !is_work || self.words.explain(unit, place));
            self.survey.shown.extend(explained.map(|(id, _)| *id));
        }
    }

    /// Keeps a unit with the names that it explains, unless it stays visible.
    fn keep(&mut self, unit: Unit, names: &[Id]) {
        if self.shows(&(unit.start as usize..unit.end as usize)) {
            return;
        }
        let start = narrow(self.survey.names.len());
        let count = u16::try_from(names.len()).unwrap_or(u16::MAX);
        self.survey.names.extend_from_slice(names);
        self.survey.units.push(Unit { names: start, count, ..unit });
    }

    /// Notes the names in a heading of an earlier digest.
    fn notes(&mut self, heading: &str) {
        self.origin.voice = Voice::Summary;
        self.kinds.read(heading);
        self.scan(heading, &(0..heading.len()));
    }

    /// Reads the arguments of a call.
    pub(crate) fn call(&mut self, part: &conversation::Part<'_>, number: u32, at: Leaf) {
        let Known { calls, ledger, .. } = *self.known;
        let call = &calls[number as usize];
        self.origin.voice = Voice::Call;
        let is_done = call.outcome.may_have_gone_well();
        let source = match (call.deed, call.runs()) {
            (_, true) => ledger.last_run(number, call).map_or(at.source, Source::Command),
            (Deed::Edited | Deed::Created, false) if is_done => {
                ledger.file_of(number).map_or(at.source, Source::File)
            }
            _ => at.source,
        };
        if self.setting == Setting::Service {
            let text = part.body.map(|body| body.plain());
            if let Some(text) = text.filter(|text| records::is_record(text)) {
                self.fields(&text, Leaf { field: WHOLE, ..at });
                return;
            }
        }
        let mut put = if call.deed.changes() { Put::AllBut(HashSet::new()) } else { Put::Nothing };
        let mut field = 0;
        calls::texts(part, |key, text| {
            let leaf = Leaf { field, source, ..at };
            field += 1;
            let is_old = calls::OLD.contains(&key);
            self.origin.voice = Voice::Call;
            if calls::is_proposed(key, text) {
                // The user was asked to approve this text.
                let speech = if is_done { Speech::PLAN } else { Speech::REFUSED };
                self.prose(text, Leaf { source: Source::Said, ..leaf }, speech);
            } else if is_old
                || call.deed.changes() && !is_done
                || matches!(call.deed, Deed::Planned | Deed::Delegated)
                || call.about.as_deref() == Some(text)
                || call.command.is_some() && !calls::is_command(key) && !text.contains(' ')
                || text.contains('\\')
                    && call.touches.iter().any(|touch| *touch.path == *slashed(text))
            {
                // Replaced text, edits that failed, plans, errands, what the heading tells and the options
                // of a command stand elsewhere or nowhere: only their names are counted.
                self.kinds.read(text);
                units::lines(text, |range| {
                    self.scan(text, &range);
                });
            } else {
                if text.contains(patch::BEGIN) {
                    put = Put::Signed(patch::set_anew(text));
                }
                let anew = match &put {
                    Put::Signed(anew) => Some(anew),
                    _ => None,
                };
                let is_patch = anew.is_some();
                let of = |line: &str| {
                    let path = slashed(patch::named(line).filter(|_| is_patch)?);
                    let touch = call.touches.iter().find(|touch| touch.path.ends_with(&*path));
                    let file = touch.and_then(|touch| ledger.paths.number_of(&touch.path));
                    Some(file.map_or(at.source, Source::File))
                };
                let stands = |source, line: &str| {
                    // Lines that a patch removes or only indents anew, and the frame of the patch, are not
                    // written lines.
                    let is_out = is_patch && begins_with_any(line, &["-", "@@", "*** "]);
                    let line = if is_patch { line.trim_start_matches('+') } else { line };
                    let is_anew = || anew.is_some_and(|anew| anew.contains(&change::key(line)));
                    let is_out = is_out || is_anew();
                    !is_out && stands(ledger, source, line, call.place)
                };
                let is_run = call.command.is_some() && calls::is_command(key);
                self.lines(text, leaf, Nature { put: &put, is_run }, of, stands, |_| 0.0);
            }
            if is_old {
                put = Put::AllBut(text.lines().map(change::key).collect());
            }
        });
    }

    /// Reads a result, of the call with this number if that is known.
    pub(crate) fn result(&mut self, text: &str, number: Option<u32>, awaited: Awaited, at: Leaf) {
        self.origin.voice = Voice::Result;
        self.awaited = awaited;
        self.printed(text, number, at);
        self.awaited = Awaited::default();
    }

    /// Reads what a call printed or answered.
    fn printed(&mut self, text: &str, number: Option<u32>, at: Leaf) {
        let Known { calls, ledger, .. } = *self.known;
        let call = number.map(|number| (number, &calls[number as usize]));
        let failed = call.is_some_and(|(_, call)| call.outcome.failed);
        let source = call.map_or(at.source, |(number, call)| {
            if call.runs() {
                ledger.last_run(number, call).map_or(at.source, Source::Command)
            } else if call.deed == Deed::Read && !failed && call.touches.len() == 1 {
                ledger.file_of(number).map_or(at.source, Source::File)
            } else {
                at.source
            }
        });
        let leaf = Leaf { source, ..at };
        let is_cut = self.awaited.is_cut();
        // The result of an edit or a plan repeats the call, except for errors that it may lead to.
        let repeats = |deed: Deed| deed.changes() || deed == Deed::Planned;
        let only_errors = call.is_some_and(|(_, call)| repeats(call.deed)) && !failed;
        if only_errors && !self.awaited.is_some() {
            return;
        }
        if records::is_record(text) {
            self.fields(text, leaf);
        } else if call.is_some_and(|(_, call)| call.finds_nothing)
            && (self.setting == Setting::Service || !text.trim().is_empty())
        {
            let number = self.leaf(leaf);
            let (worth, cost) = match self.setting {
                Setting::Service => (NOTHING, 2),
                _ => (NOTHING_THERE, units::estimate(text) + HEADING),
            };
            self.keep(Unit { worth, ..Unit::of(number, &(0..text.len()), cost) }, &[]);
        } else if call.is_some_and(|(_, call)| call.deed == Deed::Delegated) {
            // A report is the last word on its errand.
            self.prose(text, leaf, Speech::LAST);
        } else {
            let order = (leaf.message as usize, leaf.part as usize);
            let command = call.and_then(|(_, call)| call.command.as_deref());
            // That a check passed is told by its outcome, or by the visible end of a result that is cut.
            let is_check = is_cut || command.is_some_and(calls::aim::is_check);
            self.lines(
                text,
                leaf,
                Nature { put: &Put::Nothing, is_run: false },
                |_| None,
                |source, line| {
                    (!only_errors || outcome::is_error_line(line))
                        && !file_of(source).is_some_and(|file| ledger.is_doubtful(file, order))
                        && stands(ledger, source, line, order)
                        && !(is_check && outcome::is_of_course(line))
                },
                |line| if failed && outcome::is_error_line(line) { 2.0 } else { 0.0 },
            );
        }
    }
}

/// Whether a line of a source, seen at `since`, still stands as far as is known.
fn stands(ledger: &Ledger, source: Source, line: &str, since: Order) -> bool {
    file_of(source).is_none_or(|file| !ledger.is_gone(file, line, since))
}

/// The file of a source; `None` if the source is no file.
fn file_of(source: Source) -> Option<u32> {
    match source {
        Source::File(file) => Some(file),
        _ => None,
    }
}
