//! Everything that may be chosen for a digest: units, files, what edits changed, commands.
//!
//! Responsible for what each candidate costs, what it is worth apart from its names, and the heading
//! that it stands under. It relies on the survey and the ledger for what there is.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::fields::Fields;
use super::recorded;
use super::select::Candidate;
use super::{Heading, Item, Page};
use crate::digest::calls::{Call, shell};
use crate::digest::files::File;
use crate::digest::files::fates::Made;
use crate::digest::files::paths;
use crate::digest::reading::survey::Source;
use crate::digest::text::index::Id;
use crate::digest::text::names;
use crate::digest::text::told::Told;
use crate::digest::text::units::estimate;
use crate::digest::{Setting, narrow};

/// The factor for the worth of a sentence of the model at the beginning of the conversation; at the end it
/// is greater by one.
const LEAST_WORTH: f32 = 0.5;
/// The factor for the worth of a sentence in the report of a subagent.
const REPORTED: f32 = 0.8;
/// The factor for the names in the result of another call: a search shows where a name stands, and little
/// of what it is.
const ELSEWHERE: f32 = 0.3;
/// The factor for the names in a file that was only read: the lines that edits wrote say what was done, and read
/// better. Measured: a point at the size of a model's summary, a name or two less at a fifth of the tokens.
const ONLY_READ: f32 = 0.7;
/// The factor for the names of a record where the model repeats them: in the record they stand with their
/// fields. Measured: half a point.
const RETOLD: f32 = 0.7;
/// The budget in tokens above which the model's words count more in service conversations: with room for what is
/// asked for by name, a reader wants to know what was decided.
const ROOM_FOR_WORDS: f32 = 400.0;
/// How many times more the model's words count at most.
const MOST_RETOLD: f32 = 4.0;
/// How many of the last messages hold what the work continues with.
const LAST: usize = 3;
/// The factor for the names in the last messages. Measured: a point at a tenth of the tokens, and half a point at
/// four times a model's summary.
const GOES_ON: f32 = 2.0;
/// The worth of a change of a file apart from its names.
const CHANGE: f32 = 8.0;
/// How fast the worth of a change falls with each further change of its file: a word on every file says more than
/// everything on one.
const FURTHER: f32 = 2.0;
/// The worth of a changed file.
const CHANGED: f32 = 4.0;
/// The worth of a file that was deleted or moved.
const GONE: f32 = 8.0;
/// The factor for the worth of the oldest change.
const OLDEST_CHANGE: f32 = 0.6;
/// How much the factor for a change grows from the oldest to the newest.
const NEWER: f32 = 0.8;
/// The factor for the worth of an import.
const IMPORT: f32 = 0.25;
/// The factor for a change that adds a definition.
const DEFINITION: f32 = 1.5;
/// The factor for the outline of a file that was written whole: its lines say more.
const OUTLINE: f32 = 0.5;
/// A rename counts once for each of its files, but at most this many times.
const MANY: usize = 4;
/// The worth of a command.
const COMMAND: f32 = 1.0;
/// The worth of a command that only looked, without saying at what.
const LOOK: f32 = 0.85;
/// The worth of a command whose outcome says how the work stands.
const VERDICT: f32 = 1.1;
/// The worth of a command that made a commit: its subject says what was done.
const COMMIT: f32 = 3.0;
/// The worth of a command that runs nothing: `true`, `echo done`.
const IDLE: f32 = 0.3;
/// The worth of a call that changed a record. The newest come first where there is no room for all: what an older
/// one did may be undone, so the first call is worth half of it and the last one half as much again.
const ACT: f32 = 8.0;
/// The worth of a command that still runs, of which nothing else tells.
const RUNNING: f32 = 6.0;

/// All candidates, with the item of each and their names.
pub(crate) struct Pool {
    pub(crate) items: Vec<Item>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) names: Vec<Id>,
    /// The titles of records, each a heading of its own.
    pub(crate) titles: Vec<Title>,
}

/// The title of a record: its cost in tokens, and the heading that the record stands under.
pub(crate) struct Title {
    pub(crate) cost: u16,
    pub(crate) heading: u32,
}

/// Gathers all candidates. Takes the names out of the survey, until the choice is made.
pub(crate) fn of(page: &mut Page<'_, '_>) -> Pool {
    let units = page.survey.units.len();
    let mut pool = Pool {
        items: Vec::with_capacity(units),
        candidates: Vec::with_capacity(units),
        names: std::mem::take(&mut page.survey.names),
        titles: Vec::new(),
    };
    pool.add_units(page);
    pool.add_files(page);
    pool.add_renames(page);
    pool.add_commands(page);
    pool.add_acts(page);
    pool
}

#[allow(clippy::cast_precision_loss, reason = "counts and costs are far smaller than 2^24")]
impl Pool {
    /// Adds the units that are not already told elsewhere.
    fn add_units(&mut self, page: &Page<'_, '_>) {
        let is_work = page.request.setting == Setting::Work;
        let is_service = page.request.setting == Setting::Service;
        let retold = RETOLD * (page.request.budget as f32 / ROOM_FOR_WORDS).clamp(1.0, MOST_RETOLD);
        let behind = page.request.summarised.iter().rposition(|is_summarised| *is_summarised);
        let last = behind.map_or(0, |behind| (behind + 1).saturating_sub(LAST));
        let headings = page.group(Heading::Earlier(narrow(page.headings().count())));
        let mut titled: HashMap<(u32, u32), usize> = HashMap::new();
        let fields = Fields::of(page, &self.names);
        for (number, unit) in (0..).zip(&page.survey.units) {
            let leaf = page.survey.leaf_of(unit);
            if leaf.source == Source::Asked && page.fixed.is_quoted[leaf.message as usize] {
                continue;
            }
            let is_told = |told: &Told| {
                leaf.message as usize == told.message
                    && leaf.source == Source::Said
                    && told.ranges.iter().any(|range| range.contains(&(unit.start as usize)))
            };
            if page.fixed.told.iter().any(is_told) {
                continue;
            }
            let is_undone = |file: u32| page.ledger.files[file as usize].undone;
            if matches!(leaf.source, Source::File(file) if is_undone(file)) {
                continue;
            }
            let mut group = page.group(page.heading(number));
            if unit.title > 0 {
                let heading = narrow(group);
                group = *titled.entry((unit.leaf, unit.record)).or_insert_with(|| {
                    self.titles.push(Title { cost: unit.title, heading });
                    headings + self.titles.len() - 1
                });
            }
            let cost = f32::from(unit.cost) + if unit.is_field { 1.0 } else { 2.0 };
            let names = unit.names..unit.names + u32::from(unit.count);
            // What was said last is nearest to where the work stands.
            let place = leaf.message as f32 / page.request.conversation.messages.len() as f32;
            let late = LEAST_WORTH + place;
            let worth = match leaf.source {
                Source::Said if is_work => (unit.worth * late, unit.share),
                Source::Call(_) if is_work => {
                    (unit.worth * late * REPORTED, unit.share * ELSEWHERE)
                }
                Source::Said if is_service => (unit.worth, unit.share * retold),
                Source::Call(_) if is_service && unit.is_field => {
                    (fields.worth(page, number, &self.names), fields.share(unit))
                }
                // A later rule may take back an earlier one.
                _ if unit.is_rule => (unit.worth * late, unit.share),
                Source::File(file) if is_work && !unit.is_put => {
                    let is_changed = page.ledger.files[file as usize].is_changed();
                    (unit.worth, unit.share * if is_changed { 1.0 } else { ONLY_READ })
                }
                _ => (unit.worth, unit.share),
            };
            let goes_on = is_work && leaf.message as usize >= last;
            let worth = if goes_on { (worth.0, worth.1 * GOES_ON) } else { worth };
            self.put(Item::Unit(number), group, cost, worth, names);
        }
    }

    /// Adds the files that something is known of, and the changes of each.
    fn add_files(&mut self, page: &Page<'_, '_>) {
        for (number, file) in (0..).zip(&page.ledger.files) {
            self.add_changes(page, number, &file.changes);
            let is_named = names::is_file(&file.path) && !file.lost && !file.spared;
            let is_telling = file.reads > 0 || file.is_changed() || is_named;
            // A file that only an earlier digest tells has no known name, but a change of it still counts.
            let id = page.survey.index.known(&file.path);
            if !is_telling || id.is_none() && !file.is_changed() {
                continue;
            }
            let worth = match file {
                File { created: true, deleted: true, .. } | File { undone: true, .. } => 1.0,
                File { deleted: true, .. } | File { moved: true, .. } => GONE,
                _ if file.is_changed() => CHANGED,
                _ => 0.0,
            };
            let cost = f32::from(estimate(paths::name(&file.path))) + 3.0;
            let group = page.group(Heading::Ledger);
            self.add(Item::File(number), group, cost, worth, id.into_iter());
        }
    }

    /// Adds the changes of a file.
    fn add_changes(&mut self, page: &Page<'_, '_>, file: u32, all: &[Made]) {
        let length = page.request.conversation.messages.len() as f32;
        let newer = |made: &Made| OLDEST_CHANGE + made.order.0 as f32 / length * NEWER;
        let share = |made: &Made| match &made.change {
            change if change.is_import() => IMPORT,
            change if change.defines() => newer(made) * DEFINITION,
            _ => newer(made),
        };
        let mut changes: Vec<(f32, usize)> = all.iter().map(share).zip(0..).collect();
        changes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let group = page.group(Heading::File(file));
        for (rank, (share, at)) in changes.into_iter().enumerate() {
            let change = all[at].change.to_string();
            // An import of a library says little beside the change that needs it; one of a module of the
            // project may.
            let names_module = change.contains(['/', '.']) || change.contains("::");
            if rank > 0 && all[at].change.is_import() && !names_module {
                continue;
            }
            // An outline only lists names: they are still to be explained.
            let lists = !all[at].change.holds.is_empty();
            let names = if lists { Vec::new() } else { page.known_names(&change) };
            let cost = f32::from(estimate(&change)) + 2.0;
            let share = if lists { share * OUTLINE } else { share };
            let worth = CHANGE * share / (1.0 + FURTHER * rank as f32);
            self.add(Item::Change(file, narrow(at)), group, cost, worth, names.into_iter());
        }
    }

    /// Adds the names that were replaced by others.
    fn add_renames(&mut self, page: &Page<'_, '_>) {
        let group = page.group(Heading::Ledger);
        for (number, rename) in (0..).zip(&page.ledger.renames) {
            let line = rename.line(&page.ledger.files);
            let files = rename.files.iter().map(|file| &page.ledger.files[*file as usize].path);
            let files = files.filter(|path| line.contains(path.as_str()));
            let mut names: Vec<Id> =
                files.filter_map(|path| page.survey.index.known(path)).collect();
            names.extend(page.known_names(&format!("`{}` `{}`", rename.before, rename.after)));
            let cost = f32::from(estimate(&line)) + 1.0;
            let worth = CHANGED * rename.files.len().min(MANY) as f32;
            self.add(Item::Rename(number), group, cost, worth, names.into_iter());
        }
    }

    /// Adds the commands.
    fn add_commands(&mut self, page: &Page<'_, '_>) {
        for (number, command) in (0..).zip(&page.ledger.commands) {
            let worth = match (command.committed(), command.is_verdict()) {
                _ if command.outcome.is_running() => RUNNING,
                (true, _) => COMMIT,
                (_, true) => VERDICT,
                _ if shell::runs_nothing(&command.text) && !command.text.contains('>') => IDLE,
                _ if command.only_looked() => LOOK,
                _ => COMMAND,
            };
            let group = page.group(Heading::Command(number));
            self.add(Item::Command(number), group, 0.1, worth, std::iter::empty());
        }
    }

    /// Adds the calls that changed a record, or tried to; of those with the same line only the newest.
    fn add_acts(&mut self, page: &Page<'_, '_>) {
        if page.request.setting.is_talk() {
            return;
        }
        let mut told = HashSet::new();
        let calls = (0..narrow(page.calls.len())).zip(&page.calls).rev();
        let does = |(number, call): &(u32, &Call)| !call.only_looks() && page.is_recorded(*number);
        for (number, _) in calls.filter(does) {
            let line = recorded::record_line(page, number as usize, &[]);
            let says = line.split_once("] ").map_or("", |(_, says)| says);
            if !told.insert(says.to_owned()) {
                continue;
            }
            let heading = recorded::record_heading(page, number as usize);
            let cost = f32::from(estimate(&line).saturating_sub(estimate(&heading))) + 1.0;
            let names = page.known_names(&line).into_iter();
            let group = page.group(Heading::Call(number));
            let late = LEAST_WORTH + number as f32 / page.calls.len() as f32;
            self.add(Item::Act(number), group, cost, ACT * late, names);
        }
    }

    /// Adds a candidate whose names are in the pool already.
    fn put(
        &mut self,
        item: Item,
        group: usize,
        cost: f32,
        (worth, share): (f32, f32),
        names: Range<u32>,
    ) {
        self.candidates.push(Candidate { group: narrow(group), cost, worth, share, names });
        self.items.push(item);
    }

    /// Adds a candidate, and its names to the pool.
    fn add(
        &mut self,
        item: Item,
        group: usize,
        cost: f32,
        worth: f32,
        names: impl Iterator<Item = Id>,
    ) {
        let start = self.names.len();
        for id in names {
            if !self.names[start..].contains(&id) {
                self.names.push(id);
            }
        }
        self.put(item, group, cost, (worth, 1.0), narrow(start)..narrow(self.names.len()));
    }
}
