//! Which units, files and changes the digest shows.
//!
//! Responsible for one greedy choice over everything: gain, the weight of the names that nothing
//! chosen shows yet, over cost. A unit under a heading that is not there yet pays for the heading.
//! Ties go to the newer. Only the four basic operations and square roots touch numbers, so that
//! the choice is the same on every machine.

use std::collections::BinaryHeap;

use super::Setting;
use super::index::Id;

/// Something that can be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The heading it stands under.
    pub(super) group: u32,
    pub(super) cost: f32,
    /// What it is worth apart from its names.
    pub(super) worth: f32,
    /// How much its names count.
    pub(super) share: f32,
    /// Its names, in [`Choice::names`].
    pub(super) names: std::ops::Range<u32>,
}

/// A heading: what it costs, and the name that it shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub(super) cost: f32,
    pub(super) name: Option<Id>,
    pub(super) is_open: bool,
}

/// The state of the choice.
pub(super) struct Choice<'c> {
    /// What sort of conversation it is.
    pub(super) setting: Setting,
    pub(super) candidates: Vec<Candidate>,
    /// How much the worth of a candidate counts beside its names.
    pub(super) worth: f32,
    pub(super) names: &'c [Id],
    pub(super) weights: &'c [f32],
    pub(super) groups: Vec<Group>,
    pub(super) covered: Vec<bool>,
    pub(super) is_chosen: Vec<bool>,
    /// The chosen, first choice first.
    pub(super) order: Vec<u32>,
    /// What the first of them cost together, by their number.
    pub(super) prices: Vec<f32>,
}

/// A cost to the power of 3/4, in talk of 5/8, where short sentences say too little alone. Measured:
/// among agents that work, from 0.7 to 1.15 it makes a point.
pub(super) fn scaled(cost: f32, setting: Setting) -> f32 {
    let half = cost.sqrt();
    let quarter = half.sqrt();
    half * if setting == Setting::Talk { quarter.sqrt() } else { quarter }
}

impl Choice<'_> {
    fn priority(&self, at: usize) -> f32 {
        let candidate = &self.candidates[at];
        let names = &self.names[candidate.names.start as usize..candidate.names.end as usize];
        let open = |id: &&Id| !self.covered[**id as usize];
        let mut gain: f32 =
            names.iter().filter(open).map(|id| self.weights[*id as usize]).sum::<f32>()
                * candidate.share
                + self.worth * candidate.worth;
        let group = self.groups[candidate.group as usize];
        let mut cost = candidate.cost;
        if !group.is_open {
            cost += group.cost;
            if let Some(id) =
                group.name.filter(|id| !self.covered[*id as usize] && !names.contains(id))
            {
                gain += self.weights[id as usize];
            }
        }
        gain / scaled(cost.max(1.0), self.setting)
    }

    /// Chooses among the candidates that are `allowed` until `budget` is spent; returns what is left.
    pub(super) fn spend(&mut self, mut budget: f32, allowed: impl Fn(usize) -> bool) -> f32 {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        let mut waiting = Vec::new();
        for at in (0..self.candidates.len()).filter(|&at| !self.is_chosen[at] && allowed(at)) {
            let candidate = &self.candidates[at];
            if candidate.cost > budget {
                continue;
            }
            let priority = self.priority(at);
            if priority > 0.0 {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "candidates are far fewer than 2^32"
                )]
                let number = at as u32;
                members[candidate.group as usize].push(number);
                waiting.push((priority.to_bits(), number));
            }
        }
        let mut heap = BinaryHeap::from(waiting);
        let mut misses = 0;
        while let Some((bits, number)) = heap.pop() {
            let at = number as usize;
            if self.is_chosen[at] {
                continue;
            }
            let priority = self.priority(at);
            if priority <= 0.0 {
                continue;
            }
            if priority.to_bits() < bits {
                heap.push((priority.to_bits(), number));
                continue;
            }
            let group = self.candidates[at].group as usize;
            let opens = !self.groups[group].is_open;
            let cost = self.candidates[at].cost + if opens { self.groups[group].cost } else { 0.0 };
            if cost > budget {
                // The budget only shrinks: what does not fit alone goes, all of it from time to time.
                misses += 1;
                if misses > heap.len() / 8 {
                    heap.retain(|(_, other)| self.candidates[*other as usize].cost <= budget);
                    misses = 0;
                }
                continue;
            }
            budget -= cost;
            self.prices.push(self.prices[self.order.len()] + cost);
            self.take(number);
            if opens {
                // The heading is paid for: what else stands under it is cheaper now.
                for &other in &members[group] {
                    if !self.is_chosen[other as usize] {
                        let priority = self.priority(other as usize);
                        if priority > 0.0 {
                            heap.push((priority.to_bits(), other));
                        }
                    }
                }
            }
        }
        budget
    }

    fn take(&mut self, number: u32) {
        let candidate = &self.candidates[number as usize];
        for id in &self.names[candidate.names.start as usize..candidate.names.end as usize] {
            self.covered[*id as usize] = true;
        }
        let group = &mut self.groups[candidate.group as usize];
        group.is_open = true;
        if let Some(id) = group.name {
            self.covered[id as usize] = true;
        }
        self.is_chosen[number as usize] = true;
        self.order.push(number);
    }
}
