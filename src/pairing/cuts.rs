//! Where a conversation may be cut.
//!
//! Responsible for what a provider wants whole: calls with their results, batches of calls, and tool loops
//! with the thinking that leads them. It relies on the pairs.

use std::ops::Range;

use super::{Approval, Pairs, ServerResult, approvals, server_results};
use crate::conversation::{Conversation, Kind, Role};
use crate::dialect::Provider;
use crate::thinking;

/// The places where a conversation may be cut; both ends are always legal.
///
/// A tool loop led by thinking must be kept whole, or begin with that thinking: a cut inside the loop is
/// legal only if the exchange that leads it, its *leader*, stays.
pub struct Cuts {
    /// For each message and the end, whether the conversation may be cut before it, if the
    /// [`leader`](Self::leader) stays.
    legal: Vec<bool>,
    /// For each cut inside a loop, the first message of the loop, whose leader has to stay.
    led: Vec<Option<usize>>,
    /// For each message that begins such a loop, the end of its leader.
    leader_ends: Vec<usize>,
    /// Before this message, thinking is dropped when anything before it is, and then leads no loop.
    bound_until: usize,
}

impl Cuts {
    /// Finds the legal cuts. None splits a call from its result (whoever runs the tool), a parallel batch, a
    /// run of results, a tool loop from the thinking that leads it, or reasoning from the item it led to.
    pub fn of(conversation: &Conversation<'_>, pairs: &Pairs) -> Self {
        let messages = &conversation.messages;
        let mut depth = vec![0_i32; messages.len() + 2];
        let mut join = |a: usize, b: usize| {
            depth[a.min(b) + 1] += 1;
            depth[a.max(b) + 1] -= 1;
        };
        for (call, result) in &pairs.calls {
            if let Some(result) = result {
                join(call.0, result.0);
            }
        }
        // The results of these calls will be put behind all messages.
        if let Some(first) = pairs.in_flight(conversation) {
            join(first, messages.len() - 1);
        }
        if conversation.dialect.provider() == Provider::Anthropic {
            let parts = messages.iter().enumerate().flat_map(|(at, message)| message.placed(at));
            for ServerResult { place, call, .. } in server_results(parts) {
                join(call.unwrap_or(place).0, place.0);
            }
        }
        if conversation.dialect.provider() == Provider::Responses {
            for Approval { message, request, .. } in approvals(messages.iter().enumerate()) {
                join(request.unwrap_or(message), message);
            }
        }
        let mut led = vec![None; messages.len() + 1];
        let mut loop_start = None;
        for (at, message) in messages.iter().enumerate() {
            let leads = message.role == Role::Assistant
                && message.parts.first().is_some_and(|part| part.kind == Kind::Reasoning);
            if leads {
                loop_start = message.has(Kind::ToolCall).then_some(at);
                let alone = message.parts.iter().all(|part| part.kind == Kind::Reasoning);
                if alone && at + 1 < messages.len() {
                    join(at, at + 1);
                }
            } else if message.role == Role::Assistant {
                if let Some(start) = loop_start {
                    let behind = led[start + 1..=at].iter_mut().rev();
                    behind.take_while(|led| led.is_none()).for_each(|led| *led = Some(start));
                    if !message.has(Kind::ToolCall) {
                        loop_start = None;
                    }
                }
            } else if message.is_request() {
                loop_start = None;
            }
            // An orphaned result stays with the message before it, because a tail must not begin with a
            // result.
            let results_only = !message.parts.is_empty()
                && message.parts.iter().all(|part| part.kind == Kind::ToolResult);
            if results_only && at > 0 {
                join(at - 1, at);
            }
        }
        let mut open = 0;
        let mut legal: Vec<bool> = depth[..=messages.len()]
            .iter()
            .map(|change| {
                open += change;
                open == 0
            })
            .collect();
        legal[0] = true;
        legal[messages.len()] = true;
        let mut leader_ends: Vec<usize> = (1..=messages.len()).collect();
        let inside = led.iter().enumerate().rev().filter_map(|(at, start)| Some((at, (*start)?)));
        for (at, start) in inside.filter(|(at, _)| legal[*at]) {
            leader_ends[start] = at;
        }
        let bound_until = thinking::bound_until(conversation);
        Self { legal, led, leader_ends, bound_until }
    }

    /// These cuts, with inner cuts only where `may_cut` allows them.
    #[must_use]
    pub fn only(mut self, may_cut: impl Fn(usize) -> bool) -> Self {
        let inner = 1..self.legal.len().saturating_sub(1);
        inner.for_each(|at| self.legal[at] = self.legal[at] && may_cut(at));
        self
    }

    /// Whether the conversation may be cut before message `at`, whichever messages stay.
    pub fn is_legal(&self, at: usize) -> bool {
        self.legal[at] && self.led[at].is_none()
    }

    /// The nearest cut at or before `at` that is legal if the leader of that cut stays.
    pub fn behind_leader(&self, at: usize) -> usize {
        (0..=at).rev().find(|&at| self.legal[at]).unwrap_or(0)
    }

    /// The nearest cut at or after `at` that is legal if the leader of that cut stays.
    pub fn next_behind_leader(&self, at: usize) -> usize {
        let found = (at..self.legal.len()).find(|&at| self.legal[at]);
        found.unwrap_or(self.legal.len() - 1)
    }

    /// The leader of a cut: the messages that have to stay with those behind the cut when those before it go.
    pub fn leader(&self, at: usize) -> Option<Range<usize>> {
        let start = self.led[at].filter(|start| *start >= self.bound_until)?;
        Some(start..self.leader_ends[start].min(at))
    }

    /// The nearest legal cut at or before `at`.
    pub fn at_or_before(&self, at: usize) -> usize {
        (0..=at).rev().find(|&at| self.is_legal(at)).unwrap_or(0)
    }

    /// The nearest legal cut at or after `at`.
    pub fn at_or_after(&self, at: usize) -> usize {
        (at..self.legal.len()).find(|&at| self.is_legal(at)).unwrap_or(self.legal.len() - 1)
    }

    /// The shortest run of messages around `at` that may stay without its neighbours, and its leader (empty
    /// if the run is not inside a tool loop).
    pub fn exchange(&self, at: usize) -> (Range<usize>, Range<usize>) {
        let exchange = self.behind_leader(at)..self.next_behind_leader(at + 1);
        let start = exchange.start;
        (exchange, self.leader(start).unwrap_or(start..start))
    }

    /// The pieces between neighbouring legal cuts within `range`, whose ends are legal cuts.
    pub fn pieces(&self, range: Range<usize>) -> Vec<Range<usize>> {
        pieces(range, |at| self.is_legal(at))
    }

    /// The pieces of `range` as in [`pieces`](Self::pieces), with cuts inside tool loops too: to keep a piece
    /// of a loop, its leader has to stay.
    pub fn pieces_behind_leaders(&self, range: Range<usize>) -> Vec<Range<usize>> {
        pieces(range, |at| self.legal[at])
    }
}

fn pieces(range: Range<usize>, may_cut: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let ends: Vec<usize> = (range.start..=range.end).filter(|&at| may_cut(at)).collect();
    ends.windows(2).map(|ends| ends[0]..ends[1]).collect()
}
