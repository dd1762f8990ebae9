//! Which units, files and changes the digest shows.
//!
//! Responsible for one greedy choice over everything: gain, the weight of the names that nothing
//! chosen shows yet, over cost. A unit under a heading that is not there yet pays for the heading.
//! Ties go to the newer. Only the four basic operations and square roots touch numbers, so that
//! the choice is the same on every machine.

use std::collections::BinaryHeap;

use crate::digest::reading::survey::scaled;
use crate::digest::text::index::Id;
use crate::digest::{Setting, narrow};

/// A unit, file, change or the like that can be chosen.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The number of its heading.
    pub(crate) group: u32,
    /// The cost in tokens, without its heading.
    pub(crate) cost: f32,
    /// Its worth apart from its names.
    pub(crate) worth: f32,
    /// The factor for the weights of its names.
    pub(crate) share: f32,
    /// The range of its names in [`Choice::names`].
    pub(crate) names: std::ops::Range<u32>,
}

/// A heading: its cost in tokens, the names that it shows, and the heading that it stands under.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) cost: f32,
    pub(crate) names: Vec<Id>,
    pub(crate) under: Option<u32>,
    /// The heading without which this one is not told: a failure without the success that followed misleads.
    pub(crate) beside: Option<u32>,
    pub(crate) is_open: bool,
    /// The tokens spent under the heading.
    pub(crate) spent: f32,
    /// The tokens beyond which names under it count [`BEYOND`]; `None` if any amount is fine.
    pub(crate) ample: Option<f32>,
}

/// The factor for names under a heading that had its part: one file that was read, or one command, takes no
/// whole page.
const BEYOND: f32 = 0.4;

impl Group {
    fn keenness(&self) -> f32 {
        if self.ample.is_some_and(|ample| self.spent > ample) { BEYOND } else { 1.0 }
    }
}

/// The state of the choice.
pub(crate) struct Choice<'c> {
    /// The kind of the conversation.
    pub(crate) setting: Setting,
    pub(crate) candidates: Vec<Candidate>,
    /// The factor for the worth of a candidate apart from its names.
    pub(crate) worth: f32,
    pub(crate) names: &'c [Id],
    pub(crate) weights: &'c [f32],
    pub(crate) groups: Vec<Group>,
    pub(crate) covered: Vec<bool>,
    /// The factor for a name that something chosen shows already.
    pub(crate) again: f32,
    pub(crate) is_chosen: Vec<bool>,
    /// The chosen candidates, in the order of the choice.
    pub(crate) order: Vec<u32>,
    /// The cost in tokens of the first n chosen candidates, at index n.
    pub(crate) prices: Vec<f32>,
}

/// The factor for names that are shown already, in talk: each thing said of a name may be asked for.
/// Measured: from 0.2 to 0.5 it keeps a fiftieth more of long chats.
const AGAIN_IN_TALK: f32 = 0.4;
/// The factor for names that are shown already, in records: where there is room, each has its dates and its
/// customer beside its number. Measured: twice as much takes the place of what has no name, like `insurance: no`,
/// and from 0.2 on of names.
const AGAIN_IN_RECORDS: f32 = 0.03;

/// The factor for names that are shown already, in a kind of conversation.
pub(crate) fn again(setting: Setting) -> f32 {
    match setting {
        Setting::Work => 0.0,
        Setting::Service => AGAIN_IN_RECORDS,
        Setting::Advice | Setting::Talk => AGAIN_IN_TALK,
    }
}

/// A priority with the number of its candidate: of equal priorities the higher number, which is newer, is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn(u64);

impl Turn {
    fn new(priority: f32, number: u32) -> Self {
        Self(u64::from(priority.to_bits()) << 32 | u64::from(number))
    }

    #[allow(clippy::cast_possible_truncation, reason = "the low bits are the number")]
    fn number(self) -> u32 {
        self.0 as u32
    }
}

impl Choice<'_> {
    /// The heading and the one that it stands under.
    fn headings(&self, group: u32) -> impl Iterator<Item = &Group> {
        let group = &self.groups[group as usize];
        let under = group.under.map(|under| &self.groups[under as usize]);
        [Some(group), under].into_iter().flatten()
    }

    /// Those of them that are not paid for yet.
    fn closed(&self, group: u32) -> impl Iterator<Item = &Group> {
        self.headings(group).filter(|group| !group.is_open)
    }

    /// Whether all headings are told without which this one is not.
    fn may_stand(&self, group: u32) -> bool {
        let mut beside = self.headings(group).filter_map(|group| group.beside);
        beside.all(|beside| self.groups[beside as usize].is_open)
    }

    fn priority(&self, at: usize) -> f32 {
        let candidate = &self.candidates[at];
        let names = &self.names[candidate.names.start as usize..candidate.names.end as usize];
        // A name that the candidate's own heading shows counts no more.
        let own = &self.groups[candidate.group as usize].names;
        let open = |id: Id| match self.covered[id as usize] {
            true if own.contains(&id) => 0.0,
            true => self.again,
            false => 1.0,
        };
        let mut gain: f32 =
            names.iter().map(|id| open(*id) * self.weights[*id as usize]).sum::<f32>()
                * candidate.share
                * self.groups[candidate.group as usize].keenness()
                + self.worth * candidate.worth;
        let mut cost = candidate.cost;
        for group in self.closed(candidate.group) {
            cost += group.cost;
            let shown = group.names.iter();
            let shown = shown.filter(|id| !self.covered[**id as usize] && !names.contains(id));
            gain += shown.map(|id| self.weights[*id as usize]).sum::<f32>();
        }
        gain / scaled(cost.max(1.0), self.setting)
    }

    /// Chooses among the candidates that are `allowed` until `budget` tokens are spent; returns what is left.
    pub(crate) fn spend(&mut self, mut budget: f32, allowed: impl Fn(usize) -> bool) -> f32 {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        let mut waiting = Vec::new();
        for at in (0..self.candidates.len()).filter(|&at| !self.is_chosen[at] && allowed(at)) {
            let candidate = &self.candidates[at];
            if candidate.cost > budget || !self.may_stand(candidate.group) {
                continue;
            }
            let priority = self.priority(at);
            if priority > 0.0 {
                let number = narrow(at);
                members[candidate.group as usize].push(number);
                if let Some(under) = self.groups[candidate.group as usize].under {
                    members[under as usize].push(number);
                }
                waiting.push(Turn::new(priority, number));
            }
        }
        let costs = waiting.iter().map(|turn| self.candidates[turn.number() as usize].cost);
        let least = costs.fold(f32::INFINITY, f32::min);
        let mut waiting = BinaryHeap::from(waiting);
        while let Some(turn) = waiting.pop().filter(|_| least <= budget) {
            let number = turn.number();
            let at = number as usize;
            // The budget only shrinks: a candidate that does not fit now never will.
            if self.is_chosen[at] || self.candidates[at].cost > budget {
                continue;
            }
            let priority = self.priority(at);
            if priority <= 0.0 {
                continue;
            }
            let now = Turn::new(priority, number);
            if now < turn {
                waiting.push(now);
                continue;
            }
            let group = self.candidates[at].group;
            let headings: f32 = self.closed(group).map(|group| group.cost).sum();
            let cost = self.candidates[at].cost + headings;
            if cost > budget {
                continue;
            }
            budget -= cost;
            self.prices.push(self.prices[self.order.len()] + cost);
            let under = self.groups[group as usize].under;
            let opened = [Some(group), under].into_iter().flatten();
            let opened: Vec<_> =
                opened.filter(|&group| !self.groups[group as usize].is_open).collect();
            self.take(number);
            for group in opened {
                // The heading is paid for: its other candidates are cheaper now.
                for &other in &members[group as usize] {
                    if !self.is_chosen[other as usize] {
                        let priority = self.priority(other as usize);
                        if priority > 0.0 {
                            waiting.push(Turn::new(priority, other));
                        }
                    }
                }
            }
        }
        budget
    }

    fn take(&mut self, number: u32) {
        let candidate = &self.candidates[number as usize];
        self.groups[candidate.group as usize].spent += candidate.cost;
        for id in &self.names[candidate.names.start as usize..candidate.names.end as usize] {
            self.covered[*id as usize] = true;
        }
        let mut next = Some(candidate.group);
        while let Some(group) = next.map(|group| &mut self.groups[group as usize]) {
            group.is_open = true;
            for id in &group.names {
                self.covered[*id as usize] = true;
            }
            next = group.under;
        }
        self.is_chosen[number as usize] = true;
        self.order.push(number);
    }
}
