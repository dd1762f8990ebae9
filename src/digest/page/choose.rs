//! The choice of what a digest shows.
//!
//! Responsible for the shares of the sections. Some things are said whatever is chosen; unread results,
//! commands and prose have a share of their own; for the rest everything competes. It relies on
//! [`candidates`] for what there is and on [`select`] for the choice.

use std::collections::HashSet;

use super::candidates::{self, Pool};
use super::header::Header;
use super::select::{self, Choice, Group};
use super::sorts::Sorts;
use super::{Heading, Item, Page, Text};
use super::{fields, fixed};
use super::{recorded, write};
use crate::digest::reading::survey::Unread;
use crate::digest::text::units::estimate;
use crate::digest::{Setting, narrow};

/// Per cent of the budget that prose may take before everything competes. Measured: with 15 a name in a hundred
/// more is kept, but readers of real sessions miss one answer in fifty, mostly reasons; with 25 what was changed
/// is missed.
const PROSE: usize = 20;
/// Per cent of the budget for commands with their outcome. Measured: 9 keeps 45 % of them, 10 keeps 47 %.
const COMMANDS: usize = 10;
/// What a handful of commands takes, in tokens.
const SOME_COMMANDS: usize = 120;
/// Per cent of the budget for changed files, and for what edits did and wrote. Measured: 14 costs one or
/// two names in a hundred; with 7 readers missed a third of what was changed.
const CHANGES: usize = 9;
/// Per cent of the budget for the change of each file that says most, beside that. Measured: 92 changes are told
/// where 11 in all told 71, and no name is lost.
const FOREMOST: usize = 6;
/// What the names of a handful of changed files take, in tokens.
const SOME_CHANGES: usize = 100;
/// Per cent of the budget for rules of the user in messages that are not told whole. A choice: most sessions have
/// few, and what they do not take goes to the rest.
pub(super) const RULES: usize = 40;
/// Per cent of the budget for the newest results, which nobody has read yet. Measured: with 10 fewer
/// commands stand.
const UNREAD: usize = 7;
/// What an unread error takes under its heading, in tokens.
const AN_ERROR: f32 = 40.0;
/// Per cent of the budget for the lines of one file that was only read, before they count less. Measured: a
/// name in two hundred more at a tenth of the tokens, and one long file takes no whole page.
const A_FILE: usize = 10;
/// Per cent of the budget for the output of one command, before its lines count less. Measured: a listing
/// takes no third of a page, and a name and two commands more are told.
const A_COMMAND: usize = 15;
/// The least part of the room for which something is still chosen.
const LEAST_ROOM: f32 = 0.25;
/// Per cent of the budget for what was done to records.
const ACTS: usize = 40;
/// Per cent of the budget for calls beside files and commands, in work on files.
const OTHER_ACTS: usize = 20;
/// Per cent of the budget for the customer's requests in summarised messages. Measured: no name is lost at a fifth
/// of the tokens, and a request in five is told that was not before; with less room names are lost for it.
const REQUESTS: usize = 20;
/// The budget in tokens from which on the customer's requests get their whole share.
const ROOM_FOR_REQUESTS: f32 = 600.0;
/// How much the worth of a candidate counts beside its names, in the share of unread lines.
const WORTH_IN_UNREAD: f32 = 4.0;
/// How much the worth of a candidate counts beside its names, in the share of prose.
const WORTH_IN_PROSE: f32 = 4.0;
/// How much the worth of a candidate counts beside its names, where everything competes.
const WORTH_IN_ALL: f32 = 0.25;

impl Page<'_, '_> {
    /// Chooses for the room that is left.
    pub(super) fn fill(&mut self) {
        self.written.take();
        self.choose();
        if self.items.is_empty() && self.fixed.lines().next().is_none() {
            // No candidate has a name or a sentence: tell at least what was done last.
            self.fixed.state.extend(fixed::last_step(&self.known(), ""));
            self.fit();
        }
        self.fetch();
        self.arrange();
    }

    /// Chooses anew with a shorter header: what the digest says matters more than how to read it. Returns
    /// false if there is no shorter header.
    pub(crate) fn shorten_header(&mut self) -> bool {
        let Some(shorter) = self.fixed.header.shorter() else { return false };
        if self.fixed.header == Header::Whole {
            self.ledger.tell_whole_paths();
        }
        self.fixed.header = shorter;
        self.fill();
        true
    }

    /// Chooses anew for half the room, if the only choice that fits takes more tokens than estimated.
    /// Returns false if that was tried to the end.
    pub(crate) fn choose_smaller(&mut self) -> bool {
        let is_worth_it = !self.items.is_empty() && self.room > LEAST_ROOM;
        if is_worth_it {
            self.room /= 2.0;
            self.fill();
        }
        is_worth_it
    }

    /// Removes lines that are said whatever is chosen until they fit: their sections were filled one by one.
    pub(super) fn fit(&mut self) {
        let count = self.counter.text;
        let over = |page: &Self| count(&write::page(page, 0)).saturating_sub(page.request.budget);
        let mut left = over(self);
        while left > 0 {
            let Some(line) = self.fixed.shorten() else { return };
            left = left.saturating_sub(count(&line));
            // `shorten` returns an empty line when it cut the header: only a recount shows what that saved.
            if left == 0 || line.is_empty() {
                left = over(self);
            }
        }
    }

    /// The groups of the choice: what each heading with a candidate costs and which names it shows, and
    /// after them the titles of records.
    fn groups(&self, pool: &Pool) -> Vec<Group> {
        let earlier: Vec<&str> = self.headings().map(|(heading, _)| heading).collect();
        let all = self.group(Heading::Earlier(0)) + earlier.len();
        let mut groups: Vec<Option<Group>> = vec![None; all];
        for item in &pool.items {
            let heading = self.heading_of(*item);
            groups[self.group(heading)]
                .get_or_insert_with(|| self.heading_as_group(heading, &earlier));
        }
        let titles = pool.titles.iter().map(|title| Group {
            cost: f32::from(title.cost),
            under: Some(title.heading),
            ..Group::default()
        });
        groups.into_iter().map(Option::unwrap_or_default).chain(titles).collect()
    }

    #[allow(clippy::cast_precision_loss, reason = "a budget is far smaller than 2^52")]
    fn heading_as_group(&self, heading: Heading, earlier: &[&str]) -> Group {
        let cost = |line: &str| f32::from(estimate(line)) + 1.0;
        let plain = |cost: f32| Group { cost, ..Group::default() };
        match heading {
            Heading::File(number) => {
                let file = &self.ledger.files[number as usize];
                let names = self.survey.index.known(&file.path).into_iter().collect();
                let is_capped = self.request.setting == Setting::Work && !file.is_changed();
                let ample = is_capped.then(|| self.request.share(A_FILE) as f32);
                Group { names, ample, ..plain(cost(&file.heading())) }
            }
            Heading::Command(number) => {
                let is_capped = self.request.setting == Setting::Work;
                let ample = is_capped.then(|| self.request.share(A_COMMAND) as f32);
                Group { ample, ..plain(cost(&self.ledger.commands[number as usize].heading())) }
            }
            Heading::Call(number) if self.is_recorded(number) => {
                let heading = recorded::record_heading(self, number as usize);
                let names = self.known_names(&heading);
                let beside = self.made_good[number as usize];
                let beside = beside.map(|at| narrow(self.group(Heading::Call(at))));
                Group { names, beside, ..plain(cost(&heading) - 1.0) }
            }
            Heading::Call(number) => {
                plain(cost(&write::call_heading(&self.calls[number as usize], &self.ledger)))
            }
            Heading::Message(_) if self.request.setting.is_talk() => plain(3.0),
            Heading::Message(_) => plain(5.0),
            Heading::Ledger => Group { is_open: true, ..plain(0.0) },
            Heading::Earlier(number) => {
                let heading = earlier[number as usize];
                let is_record = heading.starts_with("> [");
                let names = if is_record { self.known_names(heading) } else { Vec::new() };
                Group { names, ..plain(cost(heading)) }
            }
        }
    }

    /// For each name, whether it stands in a visible message or in what is said whatever is chosen.
    fn shown(&self) -> Vec<bool> {
        let told = self.fixed.lines().flat_map(|line| self.known_names(line));
        let mut shown = vec![false; self.survey.index.len()];
        for id in self.survey.shown.iter().copied().chain(told) {
            shown[id as usize] = true;
        }
        shown
    }

    #[allow(clippy::cast_precision_loss, reason = "counts and costs are far smaller than 2^24")]
    fn choose(&mut self) {
        let pool = candidates::of(self);
        let (messages, setting) = (self.request.conversation.messages.len(), self.request.setting);
        let weights = self.survey.index.weights(messages, setting);
        let mut choice = Choice {
            setting,
            is_chosen: vec![false; pool.candidates.len()],
            worth: WORTH_IN_UNREAD,
            groups: self.groups(&pool),
            candidates: pool.candidates,
            names: &pool.names,
            weights: &weights,
            covered: self.shown(),
            again: select::again(setting),
            order: Vec::new(),
            prices: vec![0.0],
        };
        let spent = (self.counter.text)(&write::page(self, 0)) + 10;
        let mut left = self.request.budget.saturating_sub(spent) as f32 * self.room;
        let sorts = Sorts::of(self, &pool.items);
        // A rule that is lost will be broken, and nobody notices.
        let part = self.share(RULES).min(left);
        left -= part - choice.spend(part, |at| sorts.is_rule(at));
        // The results that the work waited for come before all that was known, their errors first.
        let lines: Vec<usize> =
            (0..pool.items.len()).filter(|at| sorts.unread(*at) != Unread::No).collect();
        if !lines.is_empty() {
            let part = self.share(UNREAD).max(AN_ERROR.min(left / 2.0)).min(left);
            let spent = part - choice.spend(part, |at| sorts.unread(at) == Unread::Error);
            let part = (self.share(UNREAD).min(left) - spent).max(0.0);
            left -= spent + part - choice.spend(part, |at| sorts.unread(at) != Unread::No);
        }
        // Beyond their share unread lines only count for their names, until there is room for everything else.
        let take = |at: usize| (at, std::mem::take(&mut choice.candidates[at].worth));
        let lines = lines.into_iter().filter(|at| sorts.is_unread_line(*at));
        let lines: Vec<(usize, f32)> = lines.map(take).collect();
        choice.worth = 1.0;
        let left = match setting {
            Setting::Work => self.spend_on_work(&mut choice, &sorts, left),
            Setting::Service => self.spend_on_service(&mut choice, &sorts, left),
            Setting::Advice | Setting::Talk => left,
        };
        choice.worth = WORTH_IN_ALL;
        let is_work = setting == Setting::Work;
        let is_other = |at: usize| sorts.is_command(at) || is_work && sorts.is_act(at);
        // This overspends: the exact count takes the last choices back.
        let left = choice.spend(left * 1.5 + 20.0 * self.room, |at| !is_other(at));
        // The other commands and calls get what nothing else takes.
        let left = choice.spend(left, is_other);
        for (at, worth) in lines {
            choice.candidates[at].worth = worth;
        }
        // If everything is said and room is left, what matters most is shown once more.
        choice.covered.fill(false);
        choice.spend(left, |at| !is_other(at));
        self.prices = choice.prices;
        self.items = choice.order.into_iter().map(|at| pool.items[at as usize]).collect();
        self.survey.names = pool.names;
    }

    /// A part of the budget, in tokens.
    #[allow(clippy::cast_precision_loss, reason = "a budget is far smaller than 2^24")]
    fn share(&self, per_cent: usize) -> f32 {
        self.request.share(per_cent) as f32
    }

    /// Spends the shares of work on files; returns what is left of the room.
    #[allow(clippy::cast_precision_loss, reason = "a budget is far smaller than 2^24")]
    fn spend_on_work(&self, choice: &mut Choice<'_>, sorts: &Sorts<'_>, mut left: f32) -> f32 {
        let mut changes = self.request.share_or(CHANGES, SOME_CHANGES) as f32;
        let mut commands = self.request.share_or(COMMANDS, SOME_COMMANDS) as f32;
        // If there is too little room for both, each gets its part of it.
        let fits = (left / (commands + changes)).min(1.0);
        (changes, commands) = (changes * fits, commands * fits);
        left -= commands + changes;
        left += choice.spend(commands, |at| sorts.is_command(at));
        choice.worth = WORTH_IN_PROSE;
        let part = self.share(PROSE).min(left);
        left -= part - choice.spend(part, |at| sorts.is_prose(at));
        // Which files were changed comes before how they were changed.
        let unused = choice.spend(changes, |at| sorts.is_changed_file(at));
        let part = self.share(FOREMOST).min(left);
        left -= part - choice.spend(part, |at| sorts.is_foremost_change(at));
        left += choice.spend(unused, |at| sorts.is_change(at));
        let part = self.share(OTHER_ACTS).min(left);
        left - part + choice.spend(part, |at| sorts.is_act(at))
    }

    /// Spends the shares of a service conversation; returns what is left of the room.
    #[allow(clippy::cast_precision_loss, reason = "a budget is far smaller than 2^24")]
    fn spend_on_service(&self, choice: &mut Choice<'_>, sorts: &Sorts<'_>, mut left: f32) -> f32 {
        let worth: Vec<f32> = choice.candidates.iter().map(|it| it.worth).collect();
        let is_argument = |at: usize| worth[at] >= fields::DONE && sorts.is_of_call(at);
        let part = self.share(ACTS).min(left);
        // What was done comes before what failed, and both before what they were done with.
        let unused = choice.spend(part, |at| sorts.is_done(at));
        let unused = choice.spend(unused, |at| sorts.is_refused(at));
        let is_of_act = |at: usize| sorts.is_act(at) && !sorts.is_settled(at) || is_argument(at);
        left -= part - choice.spend(unused, is_of_act);
        let room = (self.request.budget as f32 / ROOM_FOR_REQUESTS).min(1.0);
        let part = (self.share(REQUESTS) * room).min(left);
        left - part + choice.spend(part, |at| sorts.is_asked(at))
    }

    /// Reads the texts of the chosen units again.
    fn fetch(&mut self) {
        let wanted: Vec<u32> = self.items.iter().filter_map(|item| item.unit()).collect();
        let mut texts = self.survey.texts(self.request, &self.talk, &wanted).into_iter();
        let mut text = |item: &Item| item.unit().and_then(|_| texts.next()).unwrap_or_default();
        let texts = self.items.iter().map(|item| Text::of(text(item)));
        self.texts = texts.collect();
    }

    /// Puts the choices under their headings, once for all the pages that are written of one choice.
    fn arrange(&mut self) {
        // A line that stands in two files is only told once. Output belongs to its command, a field to its
        // record, a sentence to its speaker.
        let mut told = HashSet::new();
        let may_repeat = self.request.setting != Setting::Work;
        let is_new = |(item, at): &(&Item, u32)| {
            if may_repeat || !matches!(item, Item::Unit(_)) {
                return true;
            }
            let of = match self.heading_of(**item) {
                Heading::File(_) => None,
                other => Some(other),
            };
            told.insert((of, self.text(*at)))
        };
        let place = |(item, at): (&Item, u32)| (self.heading_of(*item), self.place(at), at);
        let mut places: Vec<_> = self.items.iter().zip(0..).filter(is_new).map(place).collect();
        places.sort_unstable();
        self.arranged = places.into_iter().map(|(heading, _, at)| (heading, at)).collect();
    }
}
