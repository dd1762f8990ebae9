//! A digest being made: what is always said, what was chosen, and what each choice stands for.
//!
//! Responsible for the shares of the sections: some things are said whatever is chosen, commands and
//! prose have a share to themselves, and for the rest everything competes. It relies on the survey
//! and the ledger for what there is, and leaves the wording to [`write`](super::write).

use std::cell::OnceCell;

use super::calls::{self, Call};
use super::fold::{self, Earlier};
use super::index::Id;
use super::kinds::Kinds;
use super::ledger::Ledger;
use super::memory::Memory;
use super::names;
use super::reading::{self, Known};
use super::select::{Choice, Group};
use super::survey::{Leaf, Source, Survey};
use super::talk::Talk;
use super::units::estimate;
use super::words::Words;
use super::{Request, Setting, candidates, fixed, write};
use crate::conversation::Message;

/// Per cent of the budget that prose may take before everything competes. Measured: more of it costs
/// names, less of it leaves a reader without reasons.
const PROSE: usize = 15;
/// Per cent for commands with their outcome. Measured: 9 keeps 45 % of them, 10 keeps 47 %.
const COMMANDS: usize = 10;
/// What a handful of them takes, in tokens.
const SOME_COMMANDS: usize = 120;
/// Per cent for the files that were changed, and what edits did. Measured: 12 cost two names in a
/// hundred, and with 7 readers miss what was done to half of the files.
const CHANGES: usize = 10;
/// What the names of a handful of them take, in tokens.
const SOME_CHANGES: usize = 100;
/// How much a sentence's own worth counts beside its names within the share of prose, and where it
/// competes with everything.
const WORTH_IN_PROSE: f32 = 4.0;
const WORTH_IN_ALL: f32 = 0.25;

/// How far from a line a pair with it may stand among the chosen.
const NEAR: usize = 4;

/// What a candidate stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A unit of the survey.
    Unit(u32),
    /// A file in a line of the ledger.
    File(u32),
    /// A change of a file.
    Change(u32, u32),
    /// A name that became another one in several files.
    Rename(u32),
    /// A command with its outcome.
    Command(u32),
}

/// What stands together, under one heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heading {
    File(u32),
    Command(u32),
    Call(u32),
    Message(u32),
    /// A heading of an earlier digest.
    Earlier(u32),
    /// Lines of the ledger, which need none.
    Ledger,
}

/// What a chosen unit says.
#[derive(Default)]
struct Text {
    text: String,
    /// The same on one line, once somebody asks: several pages are written of one choice.
    line: OnceCell<String>,
}

/// All that the text is made of.
pub(super) struct Page<'r, 'a> {
    pub(super) request: &'r Request<'r, 'a>,
    pub(super) setting: Setting,
    pub(super) calls: Vec<Call>,
    pub(super) ledger: Ledger,
    pub(super) earlier: Vec<Earlier>,
    pub(super) survey: Survey,
    pub(super) talk: Talk,
    pub(super) fixed: fixed::Fixed,
    /// What was chosen, first choice first.
    pub(super) items: Vec<Item>,
    /// What the first choices were estimated at, by their number.
    prices: Vec<f32>,
    /// What each of the chosen says, if it is a unit.
    texts: Vec<Text>,
    /// The chosen under their headings, in the order in which they stood.
    pub(super) arranged: Vec<(Heading, u32)>,
}

impl<'r, 'a> Page<'r, 'a> {
    /// Reads the conversation and chooses.
    pub(super) fn of(request: &'r Request<'r, 'a>, memory: &mut Memory) -> Self {
        let setting = request.setting;
        let calls = calls::read(request);
        let earlier = fold::earlier(request.conversation, request.summarised);
        let ledger = Ledger::of(&calls, &earlier);
        let talk = match setting {
            Setting::Talk => memory.talk.take().unwrap_or_else(|| Talk::of(request)),
            _ => Talk::default(),
        };
        let known =
            Known { calls: &calls, ledger: &ledger, earlier: &earlier, talk: &talk, setting };
        let (survey, fixed) = reading::read(request, known, memory, || {
            fixed::Fixed::of(request, setting, &calls, &ledger, &earlier)
        });
        let mut page = Self {
            request,
            setting,
            calls,
            ledger,
            earlier,
            survey,
            talk,
            fixed,
            items: Vec::new(),
            prices: Vec::new(),
            texts: Vec::new(),
            arranged: Vec::new(),
        };
        page.choose();
        page.fetch();
        page.arrange();
        page
    }

    /// The heading that a candidate stands under.
    pub(super) fn heading_of(&self, item: Item) -> Heading {
        match item {
            Item::Unit(unit) => self.heading(unit),
            Item::Change(file, _) => Heading::File(file),
            Item::Command(command) => Heading::Command(command),
            Item::File(_) | Item::Rename(_) => Heading::Ledger,
        }
    }

    /// The heading that a unit stands under.
    pub(super) fn heading(&self, unit: u32) -> Heading {
        let leaf = self.survey.leaves[self.survey.units[unit as usize].leaf as usize];
        match leaf.source {
            Source::File(number) => Heading::File(number),
            Source::Command(number) => Heading::Command(number),
            Source::Call(number) if number != u32::MAX => Heading::Call(number),
            Source::Earlier(number) => Heading::Earlier(number),
            _ => Heading::Message(leaf.message),
        }
    }

    /// The headings of earlier digests, with whether they head sentences.
    pub(super) fn headings(&self) -> impl Iterator<Item = (&str, bool)> {
        self.earlier.iter().flat_map(|earlier| {
            let said = earlier.said.iter().map(|said| (said.heading.as_str(), true));
            said.chain(earlier.found.iter().map(|found| (found.heading.as_str(), false)))
        })
    }

    /// The number of a heading: files, commands, calls, messages, the ledger, earlier ones last.
    pub(super) fn group(&self, heading: Heading) -> usize {
        let (files, commands) = (self.ledger.files.len(), self.ledger.commands.len());
        let (calls, messages) = (self.calls.len(), self.request.conversation.messages.len());
        match heading {
            Heading::File(number) => number as usize,
            Heading::Command(number) => files + number as usize,
            Heading::Call(number) => files + commands + number as usize,
            Heading::Message(number) => files + commands + calls + number as usize,
            Heading::Ledger => files + commands + calls + messages,
            Heading::Earlier(number) => files + commands + calls + messages + 1 + number as usize,
        }
    }

    /// What each heading costs, and the file that it names.
    #[allow(clippy::cast_possible_truncation, reason = "all of them are far fewer than 2^32")]
    fn groups(&self) -> Vec<Group> {
        let messages = self.request.conversation.messages.len();
        let cost = |line: String| f32::from(estimate(&line)) + 1.0;
        let files = (0..self.ledger.files.len()).map(|number| Group {
            cost: cost(self.ledger.files[number].heading()),
            name: self.survey.index.known(&self.ledger.files[number].path),
            is_open: false,
        });
        let plain = |cost: f32| Group { cost, name: None, is_open: false };
        let commands = self.ledger.commands.iter();
        let commands = commands.map(|command| plain(cost(command.heading())));
        let calls = self.calls.iter();
        let calls = calls.map(|call| match self.setting {
            Setting::Work => plain(cost(write::call_heading(call, &self.ledger))),
            _ => plain(cost(write::record_heading(self, call)) - 1.0),
        });
        let label = if self.setting == Setting::Talk { 3.0 } else { 5.0 };
        let messages = std::iter::repeat_n(plain(label), messages);
        let ledger = std::iter::once(Group { cost: 0.0, name: None, is_open: true });
        let earlier = self.headings().map(|(heading, _)| plain(cost(heading.to_owned())));
        files.chain(commands).chain(calls).chain(messages).chain(ledger).chain(earlier).collect()
    }

    #[allow(clippy::cast_precision_loss, reason = "counts and costs are far smaller than 2^24")]
    fn choose(&mut self) {
        let pool = candidates::of(self);
        let mut covered = vec![false; self.survey.index.len()];
        for id in &self.survey.shown {
            covered[*id as usize] = true;
        }
        for line in self.fixed.lines() {
            for id in self.known_names(line) {
                covered[id as usize] = true;
            }
        }
        let weights =
            self.survey.index.weights(self.request.conversation.messages.len(), self.setting);
        let mut choice = Choice {
            setting: self.setting,
            is_chosen: vec![false; pool.candidates.len()],
            worth: 1.0,
            candidates: pool.candidates,
            names: &pool.names,
            weights: &weights,
            groups: self.groups(),
            covered,
            order: Vec::new(),
            prices: vec![0.0],
        };
        let spent = (self.request.count)(&write::page(self, 0)) + 10;
        let mut left = self.request.budget.saturating_sub(spent) as f32;
        let share = |per_cent: usize| self.request.share(per_cent) as f32;
        let is_command = |at: usize| matches!(pool.items[at], Item::Command(_));
        let is_prose = |at: usize| match pool.items[at] {
            Item::Unit(unit) => {
                let leaf = self.survey.leaves[self.survey.units[unit as usize].leaf as usize];
                matches!(
                    leaf.source,
                    Source::Said | Source::Asked | Source::Summary | Source::Earlier(_)
                )
            }
            _ => false,
        };
        let is_change = |at: usize| match pool.items[at] {
            Item::Change(..) | Item::Rename(_) => true,
            Item::File(file) => self.ledger.files[file as usize].is_changed(),
            _ => false,
        };
        if self.setting == Setting::Work {
            let part = (self.request.share_or(COMMANDS, SOME_COMMANDS) as f32).min(left);
            left -= part - choice.spend(part, is_command);
            choice.worth = WORTH_IN_PROSE;
            let part = share(PROSE).min(left);
            left -= part - choice.spend(part, is_prose);
            let part = (self.request.share_or(CHANGES, SOME_CHANGES) as f32).min(left);
            left -= part - choice.spend(part, is_change);
        }
        choice.worth = WORTH_IN_ALL;
        // More than there is room for: the exact count takes the last choices back.
        let left = choice.spend(left * 1.5 + 20.0, |at| !is_command(at));
        // Where everything is said and room is left, what matters most is shown once more.
        choice.covered.fill(false);
        choice.spend(left, |at| !is_command(at));
        self.prices = choice.prices;
        self.items = choice.order.into_iter().map(|at| pool.items[at as usize]).collect();
    }

    /// About how many choices meet the budget, given two numbers of choices and what they count.
    #[allow(clippy::cast_precision_loss, reason = "counts are far smaller than 2^24")]
    pub(super) fn in_proportion(&self, under: (usize, usize), over: (usize, usize)) -> usize {
        let share = (self.request.budget - under.1) as f32 / (over.1 - under.1) as f32;
        let (from, to) = (self.prices[under.0], self.prices[over.0]);
        let price = from + (to - from) * share;
        self.prices.partition_point(|known| *known <= price).saturating_sub(1)
    }

    /// The names of a text of ours that the conversation knows.
    pub(super) fn known_names(&self, text: &str) -> Vec<Id> {
        let mut found = Vec::new();
        names::scan(text, Kinds::of(text).all(), &mut Words::default(), |name| {
            found.extend(self.survey.index.known(&text[name.start..name.end]));
        });
        found
    }

    /// Reads the chosen units again.
    fn fetch(&mut self) {
        let unit = |item: &Item| match item {
            Item::Unit(unit) => Some(*unit),
            _ => None,
        };
        let wanted: Vec<u32> = self.items.iter().filter_map(unit).collect();
        let mut texts = self.survey.texts(self.request, &wanted).into_iter();
        let mut text = |item: &Item| unit(item).and_then(|_| texts.next()).unwrap_or_default();
        let texts = self.items.iter().map(|item| Text { text: text(item), ..Text::default() });
        self.texts = texts.collect();
    }

    /// Puts the chosen under their headings: once, for several pages are written of one choice.
    fn arrange(&mut self) {
        let place = |(item, at): (&Item, u32)| (self.heading_of(*item), self.place(at), at);
        let mut places: Vec<_> = self.items.iter().zip(0..).map(place).collect();
        places.sort_unstable();
        self.arranged = places.into_iter().map(|(heading, _, at)| (heading, at)).collect();
    }

    /// The newest request.
    pub(super) fn newest_request(&self) -> Option<usize> {
        self.request.conversation.messages.iter().rposition(Message::is_request)
    }

    /// What a chosen unit says.
    pub(super) fn text(&self, at: u32) -> &str {
        &self.texts[at as usize].text
    }

    /// The same on one line.
    pub(super) fn line(&self, at: u32) -> &str {
        let Text { text, line } = &self.texts[at as usize];
        line.get_or_init(|| write::joined(text))
    }

    /// Drops the lines that a pair of neighbours among the members shows too; those are in order.
    pub(super) fn drop_retold(&self, members: &mut Vec<u32>) {
        if members.len() < 2 {
            return;
        }
        let range = |at: u32| match self.items[at as usize] {
            Item::Unit(unit) => {
                let unit = &self.survey.units[unit as usize];
                Some((unit.leaf, unit.start, unit.end))
            }
            _ => None,
        };
        let mut at = 0_usize;
        let all = members.clone();
        members.retain(|&member| {
            at += 1;
            let Some((leaf, start, end)) = range(member) else { return true };
            // A pair begins with the line or with the one before it: it is not far.
            let near = &all[(at - 1).saturating_sub(NEAR)..(at + NEAR).min(all.len())];
            let holds = |&other: &u32| {
                range(other).is_some_and(|(its, from, to)| {
                    its == leaf && from <= start && end <= to && to - from > end - start
                })
            };
            !near.iter().any(holds)
        });
    }

    /// The file that is chosen for a line of the ledger.
    pub(super) fn file(&self, at: u32) -> Option<u32> {
        match self.items[at as usize] {
            Item::File(file) => Some(file),
            _ => None,
        }
    }

    /// The name that is chosen to be told with its files.
    pub(super) fn rename(&self, at: u32) -> Option<u32> {
        match self.items[at as usize] {
            Item::Rename(rename) => Some(rename),
            _ => None,
        }
    }

    /// The leaf of a chosen unit.
    pub(super) fn leaf(&self, at: u32) -> Option<Leaf> {
        match self.items[at as usize] {
            Item::Unit(unit) => {
                Some(self.survey.leaves[self.survey.units[unit as usize].leaf as usize])
            }
            _ => None,
        }
    }

    /// Where a chosen thing stood: message, text, offset.
    pub(super) fn place(&self, at: u32) -> (usize, u32, u32) {
        match self.items[at as usize] {
            Item::Unit(unit) => {
                let unit = &self.survey.units[unit as usize];
                (self.survey.leaves[unit.leaf as usize].message as usize, unit.leaf, unit.start)
            }
            Item::Change(file, change) => {
                (self.ledger.files[file as usize].changes[change as usize].point.message, 0, change)
            }
            Item::File(_) | Item::Rename(_) | Item::Command(_) => (0, 0, 0),
        }
    }
}
