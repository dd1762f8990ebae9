//! Calls that lost their ids and the results that kept them: no repair, but preparation so that the repairs
//! see pairs.

use std::collections::{HashMap, HashSet};

use super::pairs::Exchange;
use super::plan::{Item, Plan};
use crate::check::table::MISSING_CALL_ID;
use crate::conversation::Place;

impl Plan<'_, '_> {
    /// Pairs calls without ids with the results behind them whose ids no call has, if there are as many of
    /// both: by tool name if the results have names, else in order, like results without ids.
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
            if open.len() != results.len() {
                continue;
            }
            joined.extend(self.in_order(open, results).unwrap_or_default());
        }
        self.pairs.join_open(&joined);
    }

    /// Each result with the first open call of its tool, or else the first open call; `None` if a result
    /// finds no call.
    fn in_order(&self, mut calls: Vec<Place>, results: Vec<Place>) -> Option<Vec<(Place, Place)>> {
        // Reversed, so that popping takes the first call.
        calls.reverse();
        let mut of_tool: HashMap<_, Vec<Place>> = HashMap::new();
        for &call in &calls {
            of_tool.entry(self.part(call).tool()).or_default().push(call);
        }
        let mut taken = HashSet::new();
        let mut take = |stack: &mut Vec<Place>| {
            std::iter::from_fn(|| stack.pop()).find(|call| taken.insert(*call))
        };
        let join = |result: Place| {
            let name = self.part(result).tool();
            let named = of_tool.get_mut(&name).and_then(&mut take);
            let call = match named {
                None if name.is_empty() => take(&mut calls)?,
                None => of_tool.get_mut("").and_then(&mut take)?,
                Some(call) => call,
            };
            Some((call, result))
        };
        results.into_iter().map(join).collect()
    }
}
