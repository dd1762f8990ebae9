//! A digest being made: what is always included, what was chosen, and what each choice stands for.
//!
//! Responsible for looking up everything about a choice by its number. It relies on the survey and the ledger
//! for the candidates, leaves choosing to [`choose`] and the wording to [`mod@write`].

mod archives;
pub(super) mod candidates;
pub(super) mod choose;
mod fields;
pub(super) mod fixed;
pub(super) mod grouped;
pub(super) mod header;
pub(super) mod left_out;
pub(super) mod outline;
mod quotes;
mod recorded;
mod room;
pub(super) mod select;
mod sorts;
pub(super) mod write;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::calls::{self, Call, waited, within};
use super::known::Known;
use super::ledger::Ledger;
use super::ledger::amended;
use super::ledger::fold::{self, Earlier};
use super::reading;
use super::reading::memory::Memory;
use super::reading::survey::{Leaf, Source, Survey, Unit};
use super::text::index::Id;
use super::text::kinds::Kinds;
use super::text::names;
use super::text::point::Point;
use super::text::records::Around;
use super::text::talk::Talk;
use super::text::tidy::joined;
use super::text::words::Words;
use super::{Counter, Request, Setting};
use crate::conversation::Kind;
use fixed::Fixed;
use header::Header;
use recorded::About;

/// How many places before or behind a line, among the chosen units, a pair with that line may stand.
const NEAR: usize = 4;

/// What a candidate stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A unit of the survey.
    Unit(u32),
    /// A file, told in a line of the ledger.
    File(u32),
    /// A change of a file: the numbers of the file and of the change.
    Change(u32, u32),
    /// A name that was replaced by another one in several files.
    Rename(u32),
    /// A command with its outcome.
    Command(u32),
    /// A call that changed a record or did something else beside files and commands, or was to.
    Act(u32),
}

impl Item {
    /// The number of the unit, if the item is one.
    pub(super) fn unit(self) -> Option<u32> {
        match self {
            Self::Unit(unit) => Some(unit),
            _ => None,
        }
    }
}

/// A group of lines that are written together, under one heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Heading {
    File(u32),
    Command(u32),
    Call(u32),
    Message(u32),
    /// A heading of an earlier digest.
    Earlier(u32),
    /// Lines of the ledger, which need no heading.
    Ledger,
}

/// The text of a chosen unit.
#[derive(Default)]
pub(super) struct Text {
    whole: String,
    around: Around,
    /// The whole text on one line, made on demand and kept: several pages are written of one choice.
    line: OnceCell<String>,
}

impl Text {
    pub(super) fn of((whole, around): (String, Around)) -> Self {
        Self { whole, around, ..Self::default() }
    }
}

/// The lines that were written for a group of choices, and the choices in that group.
#[derive(Default)]
struct Written {
    members: Vec<u32>,
    lines: Vec<String>,
}

/// Everything that the text of the digest is made from.
pub(super) struct Page<'r, 'a> {
    pub(super) request: &'r Request<'r, 'a>,
    pub(super) counter: Counter<'r>,
    pub(super) calls: Vec<Call>,
    /// What each call is about, by the call's number.
    about: Vec<About>,
    /// The call that made good what a call failed to do, by the failed call's number.
    made_good: Vec<Option<u32>>,
    pub(super) ledger: Ledger,
    pub(super) earlier: Vec<Earlier>,
    pub(super) survey: Survey,
    pub(super) talk: Talk,
    pub(super) fixed: Fixed,
    /// The part of the budget that choices are made for, from 0 to 1.
    pub(super) room: f32,
    /// The chosen items, first choice first.
    pub(super) items: Vec<Item>,
    /// The estimated tokens of the first `n` choices together, for each `n`.
    pub(super) prices: Vec<f32>,
    /// The text of each chosen item; empty if it is no unit.
    pub(super) texts: Vec<Text>,
    /// The chosen items under their headings, in the order of the conversation.
    pub(super) arranged: Vec<(Heading, u32)>,
    /// The lines last written for each group of choices, by the group's first member: most groups do not change
    /// from page to page.
    written: RefCell<HashMap<u32, Written>>,
}

impl<'r, 'a> Page<'r, 'a> {
    /// Reads the conversation and chooses what the digest tells.
    pub(super) fn of(
        request: &'r Request<'r, 'a>,
        counter: Counter<'r>,
        memory: &mut Memory,
    ) -> Self {
        let mut earlier = fold::earlier(request.conversation, request.summarised);
        let told = earlier.iter().rev().find_map(|earlier| earlier.home.clone());
        let home = within::home(request.conversation, told);
        let left = earlier.last().and_then(|earlier| earlier.left.as_deref());
        let calls = calls::read(request, &home, left);
        let ledger =
            Ledger::of(&home, &calls, &earlier, waited::over(request.conversation, &calls));
        ledger.bring_up_to_date(&mut earlier, request.conversation);
        let talk = if request.setting.is_talk() {
            let new = || Talk::of(&request.conversation.messages, request.may_spread);
            memory.talk.take().unwrap_or_else(new)
        } else {
            Talk::default()
        };
        let known =
            Known { request, calls: &calls, ledger: &ledger, earlier: &earlier, talk: &talk };
        let (survey, fixed) = reading::read(&known, memory, || Fixed::of(&known, counter));
        let mut page = Self {
            request,
            counter,
            about: recorded::each_about(request, &calls),
            made_good: recorded::each_made_good(&calls),
            calls,
            ledger,
            earlier,
            survey,
            talk,
            fixed,
            room: 1.0,
            items: Vec::new(),
            prices: Vec::new(),
            texts: Vec::new(),
            arranged: Vec::new(),
            written: RefCell::default(),
        };
        page.fit();
        if page.fixed.header != Header::Whole {
            page.ledger.tell_whole_paths();
        }
        page.fill();
        page
    }
}

impl Page<'_, '_> {
    /// The heading under which an item is written.
    pub(super) fn heading_of(&self, item: Item) -> Heading {
        match item {
            Item::Unit(unit) => self.heading(unit),
            Item::Change(file, _) => Heading::File(file),
            Item::Command(command) => Heading::Command(command),
            Item::Act(call) => Heading::Call(call),
            Item::File(_) | Item::Rename(_) => Heading::Ledger,
        }
    }

    /// The heading under which a unit is written.
    pub(super) fn heading(&self, unit: u32) -> Heading {
        let leaf = self.survey.leaf_of(&self.survey.units[unit as usize]);
        match leaf.source {
            Source::File(number) => Heading::File(number),
            Source::Command(number) => Heading::Command(number),
            Source::Call(Some(number)) => Heading::Call(number),
            Source::Earlier(number) => Heading::Earlier(number),
            _ => Heading::Message(leaf.message),
        }
    }

    /// The headings of earlier digests; a heading of sentences comes with the place that these follow.
    pub(super) fn headings(&self) -> impl Iterator<Item = (&str, Option<Point>)> {
        self.earlier.iter().flat_map(|earlier| {
            let said = earlier.said.iter().map(|said| &said.heading);
            let said = said.map(|heading| (heading.text.as_str(), Some(heading.place)));
            said.chain(earlier.found.iter().map(|found| (found.heading.as_str(), None)))
        })
    }

    /// A number for each heading, in this order: files, commands, calls, messages, the ledger, headings of
    /// earlier digests.
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

    /// The names in a text written by the digest that the conversation has too.
    pub(super) fn known_names(&self, text: &str) -> Vec<Id> {
        let mut found = Vec::new();
        names::scan(text, Kinds::of(text).all(), &mut Words::default(), |name| {
            found.extend(self.survey.index.known(&text[name.start..name.end]));
        });
        found
    }

    /// The text of a chosen unit.
    pub(super) fn text(&self, at: u32) -> &str {
        &self.texts[at as usize].whole
    }

    /// What surrounds a chosen field of a record.
    pub(super) fn around(&self, at: u32) -> &Around {
        &self.texts[at as usize].around
    }

    /// The text of a chosen unit, on one line.
    pub(super) fn line(&self, at: u32) -> &str {
        let Text { whole, line, .. } = &self.texts[at as usize];
        line.get_or_init(|| joined(whole))
    }

    /// The lines for a group of choices. They are only written anew if the group differs from the last page's.
    pub(super) fn again(
        &self,
        members: &[u32],
        write: impl FnOnce() -> Vec<String>,
    ) -> Vec<String> {
        let Some(first) = members.first() else { return Vec::new() };
        let mut written = self.written.borrow_mut();
        let known = written.entry(*first).or_default();
        if known.members != members {
            *known = Written { members: members.to_vec(), lines: write() };
        }
        known.lines.clone()
    }

    /// Drops the members whose lines a longer neighbour among the members shows too. The members are in order.
    pub(super) fn drop_retold(&self, members: &mut Vec<u32>) {
        let range = |at: u32| self.unit(at).map(|unit| (unit.leaf, unit.start, unit.end));
        let all = members.clone();
        let mut places = 0..;
        members.retain(|&member| {
            let at: usize = places.next().unwrap_or_default();
            let Some((leaf, start, end)) = range(member) else { return true };
            // A pair begins with the line itself or with the line before it, so it is near.
            let near = &all[at.saturating_sub(NEAR)..(at + NEAR + 1).min(all.len())];
            let holds = |&other: &u32| {
                range(other).is_some_and(|(its, from, to)| {
                    its == leaf && from <= start && end <= to && to - from > end - start
                })
            };
            !near.iter().any(holds)
        });
    }

    /// Whether a chosen line was put in by an edit.
    pub(super) fn is_put(&self, at: u32) -> bool {
        self.unit(at).is_some_and(|unit| unit.is_put)
    }

    /// Whether a call is told as a record: with what it asked for and what it answered.
    pub(super) fn is_recorded(&self, call: u32) -> bool {
        self.request.setting != Setting::Work || self.about[call as usize].is_known()
    }

    /// Whether a chosen line is part of a command's own text.
    pub(super) fn is_run(&self, at: u32) -> bool {
        self.unit(at).is_some_and(|unit| unit.is_run)
    }

    /// Whether a chosen sentence is part of a plan that the user approved.
    pub(super) fn is_approved(&self, at: u32) -> bool {
        let Some(leaf) = self.leaf(at).filter(|leaf| leaf.source == Source::Said) else {
            return false;
        };
        let place = (leaf.message as usize, leaf.part as usize);
        let conversation = self.request.conversation;
        // In the arguments of calls, only plans are prose.
        conversation.part(place).kind == Kind::ToolCall
            && self.calls.iter().any(|call| call.place == place && call.is_approved(conversation))
    }

    /// Whether the user objected to a message of the model and the model gave it up.
    pub(super) fn is_amended(&self, message: usize) -> bool {
        amended::is_amended(&self.request.conversation.messages, message)
    }

    /// Whether a call behind a message of the model changed something.
    pub(super) fn is_acted_on(&self, message: usize) -> bool {
        let behind = self.calls.iter().rev().take_while(|call| call.place.0 > message);
        behind.into_iter().any(|call| call.deed.changes() && call.outcome.went_well())
    }

    /// Whether a text is the header alone.
    pub(super) fn is_header(&self, text: &str) -> bool {
        text == self.header()
    }

    /// The lines above the sections.
    pub(super) fn header(&self) -> String {
        self.fixed.header.text(&self.known(), self.counter)
    }

    /// What is known of the conversation before its texts are read.
    pub(super) fn known(&self) -> Known<'_> {
        let Self { request, calls, ledger, earlier, talk, .. } = self;
        Known { request, calls, ledger, earlier, talk }
    }

    /// The number of the file, if the choice is a file in a line of the ledger.
    pub(super) fn file(&self, at: u32) -> Option<u32> {
        match self.items[at as usize] {
            Item::File(file) => Some(file),
            _ => None,
        }
    }

    /// The number of the rename, if the choice is a name that was replaced in several files.
    pub(super) fn rename(&self, at: u32) -> Option<u32> {
        match self.items[at as usize] {
            Item::Rename(rename) => Some(rename),
            _ => None,
        }
    }

    /// The chosen unit; `None` if the choice is no unit.
    pub(super) fn unit(&self, at: u32) -> Option<&Unit> {
        Some(&self.survey.units[self.items[at as usize].unit()? as usize])
    }

    /// The leaf of a chosen unit; `None` if the choice is no unit.
    pub(super) fn leaf(&self, at: u32) -> Option<Leaf> {
        self.unit(at).map(|unit| self.survey.leaf_of(unit))
    }

    /// Where a chosen item stood: message, text, offset.
    pub(super) fn place(&self, at: u32) -> (usize, u32, u32) {
        match self.items[at as usize] {
            Item::Unit(unit) => {
                let unit = &self.survey.units[unit as usize];
                (self.survey.leaf_of(unit).message as usize, unit.leaf, unit.start)
            }
            // Changes of one file are told in the order in which they were made, those of earlier digests
            // first.
            Item::Change(_, change) => (0, 0, change),
            Item::File(_) | Item::Rename(_) | Item::Command(_) | Item::Act(_) => (0, 0, 0),
        }
    }
}
