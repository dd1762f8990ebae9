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
mod tickets;
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

/// The worth of the fact that a call found nothing, in service conversations.
const NOTHING: f32 = 4.0;
/// The worth of the fact that a call found nothing, in all other conversations.
const NOTHING_THERE: f32 = 1.0;
/// The cost in tokens of the line that says what was looked for.
const HEADING: u16 = 12;

/// Reads texts into a survey.
pub(crate) struct Reader<'t> {
    pub(crate) survey: Survey,
    pub(crate) origin: Origin,
    /// The part of the message that stays visible.
    pub(crate) visible: String,
    /// Whether the message stays visible: its names count as covered, and none of its units is kept.
    pub(crate) is_shown: bool,
    /// The range of a visible text that is nevertheless left out.
    pub(crate) gap: Option<Range<usize>>,
    /// Whether nobody has read the text yet and it is summarised: some of it is always told.
    pub(crate) is_unread: bool,
    /// The hashes of the errors found in the result so far; `None` if its error lines are hits of a search.
    errors: Option<Vec<u64>>,
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
    put: Put,
    /// Whether the text that is being read is a command.
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
            visible: String::new(),
            is_shown: false,
            gap: None,
            is_unread: false,
            errors: None,
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
            put: Put::Nothing,
            is_run: false,
        }
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
        let is_gone = |gap: &Range<usize>| gap.start <= range.start && range.end <= gap.end;
        self.is_shown && !self.gap.as_ref().is_some_and(is_gone)
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
        if call.deed.changes() {
            self.put = Put::AllBut(HashSet::new());
        }
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
                    self.put = Put::Signed(patch::set_anew(text));
                }
                let anew = match &self.put {
                    Put::Signed(anew) => Some(anew.clone()),
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
                    let is_anew =
                        || anew.as_ref().is_some_and(|anew| anew.contains(&change::key(line)));
                    let is_out = is_out || is_anew();
                    !is_out && stands(ledger, source, line, call.place)
                };
                self.is_run = call.command.is_some() && calls::is_command(key);
                self.lines(text, leaf, of, stands, |_| 0.0);
                self.is_run = false;
            }
            if is_old {
                self.put = Put::AllBut(text.lines().map(change::key).collect());
            }
        });
        self.put = Put::Nothing;
    }

    /// Reads a result, of the call with this number if that is known.
    pub(crate) fn result(&mut self, text: &str, number: Option<u32>, at: Leaf) {
        let Known { calls, ledger, .. } = *self.known;
        let call = number.map(|number| (number, &calls[number as usize]));
        self.origin.voice = Voice::Result;
        self.begin_result(text);
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
        let (is_cut, is_unread) = (self.gap.is_some(), self.is_unread);
        // The result of an edit or a plan repeats the call, except for errors that it may lead to.
        let repeats = |deed: Deed| deed.changes() || deed == Deed::Planned;
        let only_errors = call.is_some_and(|(_, call)| repeats(call.deed)) && !failed;
        if only_errors && !is_cut && !is_unread {
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
