//! Fewer units of a very long conversation.
//!
//! Responsible for bounding what is remembered while a conversation is read: of many megabytes only a small
//! part can be chosen. Hardly any conversation of an agent is long enough for this. It relies on shares
//! being merged in order, so that the same units are removed on every machine.

use std::cmp::Reverse;

use super::survey::{Survey, Unit, scaled};
use crate::conversation::Message;
use crate::digest::text::index::Id;
use crate::digest::{Setting, narrow};
use crate::hash::mix;

/// How many units are remembered; a chat of about five megabytes has as many.
const MOST: usize = 1 << 16;

/// About how many bytes of a conversation yield one unit.
const BYTES: usize = 48;

impl Survey {
    /// Reserves room for the units of all messages: a vector that grows step by step takes twice as much.
    pub(crate) fn reserve(&mut self, messages: &[Message<'_>]) {
        let bytes: usize = messages.iter().map(|message| message.json.source().len()).sum();
        self.units.reserve((bytes / BYTES).min(MOST + MOST / 8));
    }

    /// Removes units if there are too many: of those that explain the same names all but the best, then
    /// those that are worth least for their cost.
    pub(crate) fn thin(&mut self, messages: usize, setting: Setting) {
        if self.units.len() <= MOST {
            return;
        }
        let weights = self.index.weights(messages, setting);
        let weight = |id: &Id| weights[self.index.canonical(*id) as usize];
        let mut order = Vec::with_capacity(self.units.len());
        for (unit, at) in self.units.iter().zip(0_u32..) {
            let names = self.names_of(unit);
            let gain = names.iter().map(weight).sum::<f32>() * unit.share + unit.worth;
            let priority = gain / scaled(f32::from(unit.cost), setting);
            order.push((key(names, at), Reverse(priority.to_bits()), Reverse(at)));
        }
        // The best of each kind first; of equal ones the newest.
        order.sort_unstable();
        order.dedup_by_key(|(key, ..)| *key);
        order.sort_unstable_by_key(|(_, priority, at)| (*priority, *at));
        order.truncate(MOST / 2);
        order.sort_unstable_by_key(|(.., at)| at.0);
        self.keep_only(order.iter().map(|(.., at)| at.0 as usize));
    }

    /// Keeps the units at these indices, which are sorted, and their names.
    fn keep_only(&mut self, kept: impl Iterator<Item = usize>) {
        let (mut units, mut names) = (0, 0);
        for at in kept {
            let unit = self.units[at];
            let from = unit.names as usize;
            self.names.copy_within(from..from + usize::from(unit.count), names);
            let moved = Unit { names: narrow(names), ..unit };
            self.units[units] = moved;
            units += 1;
            names += usize::from(unit.count);
        }
        self.units.truncate(units);
        self.names.truncate(names);
    }
}

/// A key that units with the same names share; a unit without names shares it with no other.
fn key(names: &[Id], at: u32) -> u64 {
    let own = if names.is_empty() { u64::from(at) + 1 } else { 0 };
    names.iter().fold(mix(0, own), |state, id| mix(state, u64::from(*id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::text::index::{Index, Origin};
    use crate::digest::text::names::{Form, Found};

    #[test]
    fn of_too_many_units_the_best_of_each_kind_stay() {
        let mut index = Index::default();
        let mut note = |name: &str| {
            let found = Found { form: Form::Symbol, start: 0, end: name.len() };
            index.note(name, found, Origin::default()).unwrap()
        };
        let (first, again) = (note("named_once"), note("named_again"));
        let mut names = vec![again; 2 * MOST];
        names[7] = first;
        let unit = Unit { count: 1, ..Unit::of(0, &(0..9), 3) };
        let units = (0..).zip(&names).map(|(names, _)| Unit { names, ..unit }).collect();
        let (leaves, shown) = (Vec::new(), Vec::new());
        let mut survey = Survey { index, leaves, units, names, shown };
        // The newest of those that are alike.
        survey.units[2 * MOST - 1].start = 5;
        survey.thin(1, Setting::Work);
        let left: Vec<_> =
            survey.units.iter().map(|unit| (unit.start, survey.names_of(unit)[0])).collect();
        assert_eq!(left, [(0, first), (5, again)]);
    }
}
