//! The worth of the fields of records in service conversations, apart from their names.
//!
//! Responsible for two cases. A plain word, such as a place, a state or a colour, is no name, and yet it
//! may tell which record was spoken of. The arguments of a tool that does something say what was done.

use std::collections::HashSet;

use super::Page;
use crate::digest::calls::Call;
use crate::digest::reading::survey::{NAMELESS, Source, Unit};
use crate::digest::text::index::Id;

/// The worth of a field whose words somebody spoke, in an answer of a single record. Measured: with half as much
/// again names are lost.
const SPOKEN: f32 = 6.0;
/// The worth of a field whose words somebody spoke, in one of several records, of which somebody spoke too.
const SPOKEN_IN_ITS_OWN: f32 = 4.0;
/// The worth of a field whose words somebody spoke, in one of several records of which nobody spoke.
const SPOKEN_ELSEWHERE: f32 = 2.0;
/// The worth of a field whose words somebody spoke, as an argument of a tool that only looks: it says nothing
/// without the answer.
const ASKED: f32 = 1.5;
/// The worth of each argument of a call that does something to a record. Measured: half of it leaves out what
/// something was exchanged for.
pub(super) const DONE: f32 = 12.0;

/// What is known of the fields of all records.
pub(super) struct Fields {
    /// The records that somebody named, each by its text and its number in that text.
    spoken: HashSet<(u32, u32)>,
    /// For each unit, whether it is an argument of a call that went well, or no later call of its tool has
    /// the same argument.
    is_newest: Vec<bool>,
}

impl Fields {
    /// Looks at all units; `names` holds their names.
    pub(super) fn of(page: &Page<'_, '_>, names: &[Id]) -> Self {
        let units = &page.survey.units;
        let is_spoken = |unit: &&Unit| {
            let is_named = unit.is_field && unit.worth == 0.0;
            is_named && named(unit, names).iter().any(|id| page.survey.index.is_spoken(*id))
        };
        let spoken = units.iter().filter(is_spoken).map(|unit| (unit.leaf, unit.record)).collect();
        let mut asked = HashSet::new();
        let mut is_newest = vec![false; units.len()];
        for (unit, is_newest) in units.iter().zip(&mut is_newest).rev() {
            if let Some(call) = asked_of(page, unit) {
                let is_new = asked.insert((&*call.tool, named(unit, names)));
                *is_newest = is_new || call.outcome.went_well();
            }
        }
        Self { spoken, is_newest }
    }

    /// The worth of a field apart from its names, which `names` holds.
    pub(super) fn worth(&self, page: &Page<'_, '_>, number: u32, names: &[Id]) -> f32 {
        let unit = &page.survey.units[number as usize];
        let call = asked_of(page, unit);
        if call.is_some_and(|call| !call.only_looks()) {
            // Of a call that is repeated until it goes well, only the last arguments count.
            let done = if self.is_newest[number as usize] { DONE } else { 0.0 };
            return unit.worth + done;
        }
        let tells = unit.worth >= NAMELESS;
        if !(tells && page.survey.index.are_spoken_words(named(unit, names))) {
            return unit.worth;
        }
        match unit.record {
            _ if call.is_some() => ASKED,
            0 => SPOKEN,
            _ if self.spoken.contains(&(unit.leaf, unit.record)) => SPOKEN_IN_ITS_OWN,
            _ => SPOKEN_ELSEWHERE,
        }
    }
}

/// The names of a unit, or the words of a field that has no name.
fn named<'n>(unit: &Unit, names: &'n [Id]) -> &'n [Id] {
    &names[unit.names as usize..][..usize::from(unit.count)]
}

/// The call that a unit is an argument of; `None` if it is none.
fn asked_of<'p>(page: &'p Page<'_, '_>, unit: &Unit) -> Option<&'p Call> {
    let leaf = page.survey.leaf_of(unit);
    let Source::Call(Some(call)) = leaf.source else { return None };
    let call = &page.calls[call as usize];
    ((leaf.message as usize, leaf.part as usize) == call.place).then_some(call)
}
