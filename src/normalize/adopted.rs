//! Calls and results that belong together though only the result has kept the id: no repair of its own, but
//! what lets the others see a pair.

use std::collections::HashSet;

use super::pairs::Exchange;
use super::plan::{Item, Plan};
use crate::check::table::MISSING_CALL_ID;
use crate::conversation::Place;

impl Plan<'_, '_> {
    /// Lets calls that have lost their ids be answered by the results behind them whose ids no call has, in
    /// order: where there are as many of both, nothing else can be meant.
    pub(super) fn adopt_results(&mut self) {
        if self.pairs.orphans.is_empty()
            || self.wire.continues
            || !self.insists_on(&MISSING_CALL_ID)
        {
            return;
        }
        let called: HashSet<_> =
            self.pairs.calls.iter().filter_map(|(call, _)| self.part(*call).id()).collect();
        let is_strange = |result: &Place| {
            let id = self.part(*result).id().filter(|id| !id.is_empty());
            id.is_some_and(|id| !called.contains(&id))
        };
        let strange: HashSet<Place> =
            self.pairs.orphans.iter().copied().filter(is_strange).collect();
        let mut joined = Vec::new();
        for Exchange { calls, answers, .. } in self.exchanges() {
            let calls = calls.into_iter().map(|(call, _)| call);
            let open = calls.filter(|&call| self.result_of(call).is_none() && self.lacks_id(call));
            let open: Vec<Place> = open.collect();
            let items = answers.iter().flat_map(|&slot| &self.slots[slot].items);
            let results = items.filter_map(Item::place).filter(|place| strange.contains(place));
            let results: Vec<Place> = results.collect();
            let fits = |(call, result): (&Place, &Place)| {
                let (call, result) = (self.part(*call).tool(), self.part(*result).tool());
                call == result || call.is_empty() || result.is_empty()
            };
            if open.len() == results.len() && open.iter().zip(&results).all(fits) {
                joined.extend(open.into_iter().zip(results));
            }
        }
        for (call, result) in joined {
            self.pairs.join_open(call, result);
        }
    }
}
