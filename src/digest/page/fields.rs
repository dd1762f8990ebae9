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
/// The worth of each argument of a call that does something to a record. Measured: two thirds of it leave out what
/// something was exchanged for; a third more loses half a point at a fifth of the tokens.
pub(super) const DONE: f32 = 9.0;

/// The factor for the names in a record that the answer of a call repeats, such as an older payment in a list to
/// which the call added one: what it did stands in the others.
const REPEATED: f32 = 0.5;

/// What is known of the fields of all records.
pub(super) struct Fields {
    /// The records that somebody named, each by its text and its number in that text.
    spoken: HashSet<(u32, u32)>,
    /// For each unit, whether it is an argument of a call that went well, or no later call of its tool has
    /// the same argument.
    is_newest: Vec<bool>,
    /// The records that an earlier record equals, in answers of calls that do something.
    repeated: HashSet<(u32, u32)>,
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
        Self { spoken, is_newest, repeated: repeated(page, names) }
    }

    /// The factor for the names in a field.
    pub(super) fn share(&self, unit: &Unit) -> f32 {
        let is_repeated = self.repeated.contains(&(unit.leaf, unit.record));
        unit.share * if is_repeated { REPEATED } else { 1.0 }
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

/// The records in answers of calls that do something, of which an earlier record has the same names.
fn repeated(page: &Page<'_, '_>, names: &[Id]) -> HashSet<(u32, u32)> {
    let record = |unit: &Unit| (unit.leaf, unit.record);
    let records = page.survey.units.chunk_by(|one, other| record(one) == record(other));
    let mut known = HashSet::new();
    let is_repeated = |fields: &&[Unit]| {
        let is_new =
            known.insert(fields.iter().flat_map(|it| named(it, names)).collect::<Vec<_>>());
        let is_answer = asked_of(page, &fields[0]).is_none();
        let call = call_of(page, &fields[0]).filter(|_| is_answer && !is_new);
        call.is_some_and(|call| !call.only_looks())
    };
    let records = records.filter(|fields| fields[0].is_field).filter(is_repeated);
    records.map(|fields| record(&fields[0])).collect()
}

/// The names of a unit, or the words of a field that has no name.
fn named<'n>(unit: &Unit, names: &'n [Id]) -> &'n [Id] {
    &names[unit.names as usize..][..usize::from(unit.count)]
}

/// The call that a unit is an argument of; `None` if it is none.
fn asked_of<'p>(page: &'p Page<'_, '_>, unit: &Unit) -> Option<&'p Call> {
    let leaf = page.survey.leaf_of(unit);
    let place = (leaf.message as usize, leaf.part as usize);
    call_of(page, unit).filter(|call| call.place == place)
}

/// The call that a unit is an argument or a part of the answer of; `None` if it is none or the call is unknown.
fn call_of<'p>(page: &'p Page<'_, '_>, unit: &Unit) -> Option<&'p Call> {
    match page.survey.leaf_of(unit).source {
        Source::Call(Some(call)) => Some(&page.calls[call as usize]),
        _ => None,
    }
}
