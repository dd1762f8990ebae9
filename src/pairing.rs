//! Which tool result answers which call, and where a conversation may be cut.
//!
//! Responsible for pairing per exchange: a result belongs to the nearest call before it with its
//! id, for real conversations use one id for several calls. A result that stands before its call,
//! as in some logs, belongs to it too. Where a dialect has no ids, order and name decide. Cuts
//! rely on the pairs: a cut is legal where it splits nothing that a provider wants whole.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::conversation::{Conversation, Kind, Message, Role};

/// A part's place: the index of its message, and its own within the message.
pub type Place = (usize, usize);

/// Calls and results, joined.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Every call, in order, with the result that answers it.
    pub calls: Vec<(Place, Option<Place>)>,
    /// Results without a call.
    pub orphans: Vec<Place>,
    /// Results of calls that were answered already, with the call.
    pub duplicates: Vec<(Place, Place)>,
    call_of: HashMap<Place, Place>,
}

impl Pairs {
    /// Joins the calls and results of a conversation.
    pub fn of(messages: &[Message<'_>]) -> Self {
        let mut pairs = Pairs::default();
        let mut answer: HashMap<Place, Place> = HashMap::new();
        let mut by_id: HashMap<String, Vec<Place>> = HashMap::new();
        let mut without_id = WithoutIds::default();
        let mut early: Vec<(Option<String>, Place)> = Vec::new();
        let mut order = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            for (index, part) in message.parts.iter().enumerate() {
                let place = (at, index);
                let id = part.id().filter(|id| !id.is_empty());
                match part.kind {
                    Kind::ToolCall => {
                        order.push(place);
                        match id {
                            Some(id) => by_id.entry(id.into_owned()).or_default().push(place),
                            None => without_id.call(part.tool().into_owned(), place),
                        }
                    }
                    Kind::ToolResult => {
                        let call = match &id {
                            Some(id) => {
                                by_id.get(id.as_ref()).and_then(|calls| nearest(calls, &answer))
                            }
                            None => without_id.answer(&part.tool()),
                        };
                        match call {
                            Some(call) if answer.contains_key(&call) => {
                                pairs.duplicates.push((place, call));
                            }
                            Some(call) => {
                                answer.insert(call, place);
                            }
                            None => early.push((id.map(std::borrow::Cow::into_owned), place)),
                        }
                    }
                    _ => {}
                }
            }
        }
        for (id, place) in early {
            match id.and_then(|id| call_soon_after(&by_id, &answer, &id, place, messages)) {
                Some(call) => {
                    answer.insert(call, place);
                }
                None => pairs.orphans.push(place),
            }
        }
        pairs.calls = order.into_iter().map(|call| (call, answer.get(&call).copied())).collect();
        pairs.call_of = answer.into_iter().map(|(call, result)| (result, call)).collect();
        pairs
    }

    /// The call that the result at `place` answers.
    pub fn call_of(&self, place: Place) -> Option<Place> {
        self.call_of.get(&place).copied()
    }

    /// The calls without a result.
    pub fn unanswered(&self) -> impl Iterator<Item = Place> {
        self.calls.iter().filter(|(_, result)| result.is_none()).map(|(call, _)| *call)
    }
}

/// Of the calls with one id, the one that the next result answers: the first unanswered one of the
/// message that called last, else an answered one.
fn nearest(calls: &[Place], answer: &HashMap<Place, Place>) -> Option<Place> {
    let last = calls.last()?;
    let batch = calls.iter().filter(|call| call.0 == last.0);
    batch.clone().find(|call| !answer.contains_key(call)).or(Some(last)).copied()
}

/// The unanswered calls of the exchange at hand, where the dialect has no ids.
#[derive(Default)]
struct WithoutIds {
    open: Vec<(String, Place)>,
    is_answered: bool,
}

impl WithoutIds {
    /// A call after a result begins an exchange: what the one before left open stays open.
    fn call(&mut self, name: String, place: Place) {
        if std::mem::take(&mut self.is_answered) {
            self.open.clear();
        }
        self.open.push((name, place));
    }

    fn answer(&mut self, name: &str) -> Option<Place> {
        self.is_answered = true;
        let fits = |call: &str| call == name || name.is_empty() || call.is_empty();
        let at = self.open.iter().position(|(call, _)| fits(call))?;
        Some(self.open.remove(at).1)
    }
}

/// The unanswered call with this id that follows a result within the same turn.
fn call_soon_after(
    by_id: &HashMap<String, Vec<Place>>,
    answer: &HashMap<Place, Place>,
    id: &str,
    result: Place,
    messages: &[Message<'_>],
) -> Option<Place> {
    let call = by_id.get(id)?.iter().find(|call| **call > result && !answer.contains_key(call))?;
    let between = &messages[result.0 + 1..call.0];
    (!between.iter().any(Message::is_request)).then_some(*call)
}

/// Where a conversation may be cut: `legal[i]` says whether it may be cut before message `i`; both
/// ends always may.
pub struct Cuts {
    legal: Vec<bool>,
}

impl Cuts {
    /// Finds the legal cuts: none splits a call from its result, a parallel batch, a run of results,
    /// a tool loop from the thinking part that leads it, or reasoning from the item that it led to.
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
        let mut loop_start = None;
        for (at, message) in messages.iter().enumerate() {
            let led = message.role == Role::Assistant
                && message.parts.first().is_some_and(|part| part.kind == Kind::Reasoning);
            if led {
                loop_start = message.has(Kind::ToolCall).then_some(at);
                let alone = message.parts.iter().all(|part| part.kind == Kind::Reasoning);
                if alone && at + 1 < messages.len() {
                    join(at, at + 1);
                }
            } else if message.role == Role::Assistant {
                if let Some(start) = loop_start {
                    join(start, at);
                    if !message.has(Kind::ToolCall) {
                        loop_start = None;
                    }
                }
            } else if message.is_request() {
                loop_start = None;
            }
            // An orphan stays with what it follows: a tail must not begin with a result.
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
        Self { legal }
    }

    /// Whether the conversation may be cut before message `at`.
    pub fn is_legal(&self, at: usize) -> bool {
        self.legal[at]
    }

    /// The nearest legal cut at or before `at`.
    pub fn at_or_before(&self, at: usize) -> usize {
        (0..=at).rev().find(|&at| self.legal[at]).unwrap_or(0)
    }

    /// The nearest legal cut at or after `at`.
    pub fn at_or_after(&self, at: usize) -> usize {
        (at..self.legal.len()).find(|&at| self.legal[at]).unwrap_or(self.legal.len() - 1)
    }

    /// The pieces between neighbouring legal cuts within `range`, whose ends are legal cuts.
    pub fn pieces(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let ends: Vec<usize> = (range.start..=range.end).filter(|&at| self.legal[at]).collect();
        ends.windows(2).map(|ends| ends[0]..ends[1]).collect()
    }
}

/// Every distinct call id of a conversation, unescaped.
pub fn call_ids(messages: &[Message<'_>]) -> HashSet<String> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts.filter_map(|part| part.id().map(std::borrow::Cow::into_owned)).collect()
}
