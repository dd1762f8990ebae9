//! The places of calls and their results.
//!
//! Responsible for finding a call by the part of a message that holds it or its result.

use crate::conversation::Place;
use crate::digest::calls::Call;
use crate::digest::narrow;

/// Finds a call by its place or by the place of its result.
pub(super) struct Places<'k> {
    all: &'k [Call],
    /// The numbers of the calls, sorted by their places.
    calls: Vec<u32>,
    /// The numbers of the calls that have a result, sorted by the places of the results.
    results: Vec<u32>,
    /// The places that hold several commands, sorted: no output belongs to one of them alone.
    several: Vec<Place>,
}

impl<'k> Places<'k> {
    pub(super) fn of(all: &'k [Call]) -> Self {
        let call = |number: u32| &all[number as usize];
        let mut calls: Vec<u32> = (0..narrow(all.len())).collect();
        let mut results = calls.clone();
        results.retain(|number| call(*number).result.is_some());
        // A tool call may stand for several calls at one place: the first is the main one.
        calls.sort_by_key(|number| call(*number).place);
        calls.dedup_by_key(|number| call(*number).place);
        results.sort_by_key(|number| call(*number).result);
        results.dedup_by_key(|number| call(*number).result);
        results.shrink_to_fit();
        let ran = |call: &Call| call.command.is_some();
        let pairs = all.iter().zip(all.iter().skip(1));
        let several = pairs.filter(|(one, next)| one.place == next.place && ran(one) && ran(next));
        let several = several.map(|(one, _)| one.place).collect();
        Self { all, calls, results, several }
    }

    pub(super) fn call(&self, place: Place) -> Option<u32> {
        let of = |number: &u32| self.all[*number as usize].place;
        self.calls.binary_search_by_key(&place, of).ok().map(|at| self.calls[at])
    }

    pub(super) fn have_several(&self, place: Place) -> bool {
        self.several.binary_search(&place).is_ok()
    }

    pub(super) fn result(&self, place: Place) -> Option<u32> {
        let of = |number: &u32| self.all[*number as usize].result;
        self.results.binary_search_by_key(&Some(place), of).ok().map(|at| self.results[at])
    }
}
