//! Repairs of calls that providers run themselves, and of what answers those: nothing made up could answer them.

use std::collections::HashSet;

use super::plan::{Item, Plan};
use crate::check::table::{ORPHAN_RESULT, UNANSWERED_CALL};
use crate::conversation::{Kind, Place};
use crate::demands::calls::call_of_server;
use crate::dialect::Provider;
use crate::pairing::{Approval, ServerResult, approvals, paused_calls, server_results};

impl Plan<'_, '_> {
    fn mends_servers(&self) -> bool {
        self.provider == Provider::Anthropic && self.wire.is_sent_as_it_is()
    }

    /// Removes calls at which the server paused, if the user says something before it goes on.
    pub(super) fn drop_paused_calls(&mut self) {
        if !self.mends_servers() {
            return;
        }
        let turns = self.turns();
        let mut turn_of = vec![None; self.conversation.messages.len()];
        for (index, turn) in turns.iter().enumerate() {
            for message in turn.members.iter().filter_map(|&slot| self.slots[slot].message) {
                turn_of[message] = Some(index);
            }
        }
        let says = |item: &Item<'_>| {
            item.place().is_some_and(|place| self.part(place).kind != Kind::ToolResult)
        };
        let is_passed = |call: &Place| {
            let next = turn_of[call.0].and_then(|turn: usize| turns.get(turn + 1));
            let mut members = next.into_iter().flat_map(|turn| &turn.members);
            members.any(|&slot| self.slots[slot].items.iter().any(says))
        };
        let parts = self.parts().into_iter().map(|(_, place)| (place, self.part(place)));
        let calls = paused_calls(parts, |message| turn_of[message]).into_iter();
        let calls: Vec<Place> = calls.filter(is_passed).collect();
        for &call in &calls {
            let name = call_of_server(self.part(call));
            self.report(&UNANSWERED_CALL, call, format!("{name} removed: no text can answer it"));
        }
        self.take(&calls.into_iter().collect::<HashSet<_>>());
    }

    /// Finds and reports results whose calls are missing or were removed.
    pub(super) fn orphans_of_servers(&mut self) -> Vec<Place> {
        if self.provider != Provider::Anthropic || self.wire.foreign || self.wire.answer {
            return Vec::new();
        }
        let parts = self.parts().into_iter().map(|(_, place)| (place, self.part(place)));
        let results = server_results(parts).into_iter();
        let orphans: Vec<_> = results.filter(|result| result.call.is_none()).collect();
        for ServerResult { place, id, .. } in &orphans {
            let text = format!("result for \"{id}\" removed: it has no call");
            self.report(&ORPHAN_RESULT, *place, text);
        }
        orphans.into_iter().map(|result| result.place).collect()
    }

    /// Removes the user's answers to MCP servers that did not ask.
    pub(super) fn drop_unasked_approvals(&mut self) {
        let is_its = self.provider == Provider::Responses && self.wire.is_sent_as_it_is();
        if !is_its || self.wire.answer || self.wire.continues {
            return;
        }
        let messages = self.slots.iter().filter_map(|slot| slot.message);
        let all = approvals(messages.map(|at| (at, &self.conversation.messages[at])));
        let mut gone = HashSet::new();
        for Approval { message, id, .. } in all.into_iter().filter(|it| it.request.is_none()) {
            let text = format!("approval of \"{id}\" removed: it has no request");
            self.report_message(&ORPHAN_RESULT, Some(message), text);
            gone.insert(message);
        }
        self.slots.retain(|slot| !slot.message.is_some_and(|at| gone.contains(&at)));
    }
}
