//! Which tool result answers which call.
//!
//! Responsible for pairing per exchange: a result belongs to the nearest call before it that has its id,
//! because real conversations use one id for several calls. A result that stands before its call, as in some
//! logs, belongs to that call too. Where a result has no id, the tool's name and the order decide.
//! Bookkeeping that is never sent neither calls nor answers. A result whose call is written in a text is
//! neither in a pair nor an orphan. The legal cuts follow from the pairs.

mod approvals;
mod cuts;
mod nameless;
mod servers;

pub(crate) use approvals::{Approval, approvals};
pub use cuts::Cuts;
pub(crate) use servers::{ServerResult, is_server_call, paused_calls, server_results};

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::conversation::{Conversation, Kind, Message, Origin, Part, Place, Role};
use crate::few::Few;
use crate::wire::Wire;

use nameless::{Nameless, Tools};

/// The calls and results of a conversation, joined.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Every call, in order, with the result that answers it.
    pub calls: Vec<(Place, Option<Place>)>,
    /// Results without a call, in order.
    pub orphans: Vec<Place>,
    /// Results of calls that were answered already, each with its call.
    pub duplicates: Vec<(Place, Place)>,
    /// Each result with the call that it answers, in order.
    call_of: Vec<(Place, Place)>,
}

/// The calls of one id, in order.
#[derive(Default)]
struct OfId {
    calls: Few<Place>,
    /// All calls before this index are answered or belong to an earlier batch.
    open: usize,
}

/// The calls met so far.
#[derive(Default)]
struct Calls<'a> {
    by_id: HashMap<Cow<'a, str>, OfId>,
    all: Vec<(Place, Cow<'a, str>)>,
    /// The index in `all` where the current exchange begins.
    exchange: usize,
    /// Whether the current exchange has a result.
    is_answered: bool,
    /// Whether the newest call stands in a message that is never sent.
    is_unsent: bool,
    /// The index in `all` of the first call since the user's last words.
    turn: usize,
    /// The index in `all` where the newest batch begins: calls with nothing but the assistant between them.
    batch: usize,
    /// Whether a message of another role stands behind the newest batch.
    is_interrupted: bool,
}

impl<'a> Calls<'a> {
    fn add(&mut self, call: &Part<'a>, place: Place, is_sent: bool) {
        if let Some(id) = id_of(call) {
            self.by_id.entry(id).or_default().calls.push(place);
        }
        // A call after a result begins a new exchange; calls that the exchange before left open stay open.
        let is_answered = std::mem::take(&mut self.is_answered);
        let was_unsent = std::mem::replace(&mut self.is_unsent, !is_sent);
        if is_answered || (was_unsent && is_sent) {
            self.exchange = self.all.len();
        }
        if std::mem::take(&mut self.is_interrupted) || is_answered {
            self.batch = self.all.len();
        }
        self.all.push((place, call.tool()));
    }

    /// Whether the newest call with the id of `call` belongs to this turn and has no result yet.
    fn is_open(&self, call: &Part<'_>, answer: &HashMap<Place, Place>) -> bool {
        let of = id_of(call).and_then(|id| self.by_id.get(&id));
        let first = self.all.get(self.turn).map(|(first, _)| first);
        let is_open =
            |last: &Place| first.is_some_and(|it| it <= last) && !answer.contains_key(last);
        of.and_then(|of| of.calls.last()).is_some_and(is_open)
    }

    /// The call that a result with an id answers: of the calls with this id in the newest batch that have no
    /// result the first that it `fits`, else the first, else the last call with this id.
    fn with_id(
        &mut self,
        id: &str,
        answer: &HashMap<Place, Place>,
        fits: impl Fn(Place) -> bool,
    ) -> Option<Place> {
        let OfId { calls, open } = self.by_id.get_mut(id)?;
        let first = self.all.get(self.batch)?.0;
        let is_open = |call: &Place| *call >= first && !answer.contains_key(call);
        *open += calls[*open..].iter().take_while(|call| !is_open(call)).count();
        let open = &calls[*open..];
        let fitting = || open.iter().find(|call| is_open(call) && fits(**call));
        let chosen = if open.len() > 1 { fitting() } else { None };
        chosen.or(open.first()).or(calls.last()).copied()
    }

    /// The calls that a result without an id may answer.
    fn within_reach(&mut self, result: Place) -> Nameless {
        self.is_answered = true;
        Nameless { result, exchange: self.exchange, turn: self.turn, end: self.all.len() }
    }
}

impl Pairs {
    /// Joins the calls and results of a conversation: first by id, then the results without an id.
    pub fn of(messages: &[Message<'_>]) -> Self {
        let mut pairs = Pairs::default();
        let mut answer: HashMap<Place, Place> = HashMap::new();
        let mut calls = Calls::default();
        let mut early: Vec<Place> = Vec::new();
        let mut nameless: Vec<Nameless> = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            if message.origin == Origin::Internal {
                continue;
            }
            calls.is_interrupted |= message.role != Role::Assistant;
            for (index, part) in message.parts.iter().enumerate() {
                let place = (at, index);
                if part.kind == Kind::ToolCall {
                    // A message that is never sent must not take the result of an open call.
                    if message.is_sent() || !calls.is_open(part, &answer) {
                        calls.add(part, place, message.is_sent());
                    }
                } else if part.kind == Kind::ToolResult {
                    let reach = calls.within_reach(place);
                    // A result inside its call belongs to that call, whatever ids other calls have.
                    let call = index.checked_sub(1).filter(|&call| {
                        let call = &message.parts[call];
                        call.kind == Kind::ToolCall && call.json.holds(part.json)
                    });
                    if let Some(call) = call {
                        pairs.join((at, call), place, &mut answer);
                        continue;
                    }
                    let Some(id) = id_of(part) else {
                        nameless.push(reach);
                        continue;
                    };
                    let fits = |call: Place| is_of_kind(&messages[call.0].parts[call.1], part);
                    match calls.with_id(&id, &answer, fits) {
                        Some(call) => pairs.join(call, place, &mut answer),
                        None => early.push(place),
                    }
                }
            }
            // Results in the same message as the user's words answer earlier calls.
            if message.is_request() {
                calls.turn = calls.all.len();
            }
        }
        for place in early {
            let id = id_of(&messages[place.0].parts[place.1]);
            let same_id = id.and_then(|id| calls.by_id.get(&id)).map_or(&[][..], |of| &of.calls);
            match call_soon_after(same_id, &answer, place, messages) {
                Some(call) => pairs.join(call, place, &mut answer),
                None => pairs.orphans.push(place),
            }
        }
        let mut caller = Caller::default();
        let mut tools = Tools::of(if nameless.is_empty() { &[] } else { &calls.all });
        for nameless in nameless {
            let place = nameless.result;
            let result = &messages[place.0].parts[place.1];
            let call = tools.answered_by(&nameless, &result.tool(), &answer);
            match call {
                Some(call) if !answer.contains_key(&call) => pairs.join(call, place, &mut answer),
                _ if is_turn(result) || caller.answers(messages, place) => {}
                Some(call) => pairs.join(call, place, &mut answer),
                None => pairs.orphans.push(place),
            }
        }
        pairs.orphans.sort_unstable();
        pairs.duplicates.sort_unstable();
        let all = calls.all.into_iter();
        pairs.calls = all.map(|(call, _)| (call, answer.get(&call).copied())).collect();
        pairs.call_of = answer.into_iter().map(|(call, result)| (result, call)).collect();
        pairs.call_of.sort_unstable();
        pairs
    }

    fn join(&mut self, call: Place, result: Place, answer: &mut HashMap<Place, Place>) {
        match answer.entry(call) {
            Entry::Occupied(_) => self.duplicates.push((result, call)),
            Entry::Vacant(entry) => {
                entry.insert(result);
            }
        }
    }

    /// Joins calls without a result and results without a call.
    pub(crate) fn join_open(&mut self, joined: &[(Place, Place)]) {
        for &(call, result) in joined {
            if let Ok(at) = self.calls.binary_search_by_key(&call, |(call, _)| *call) {
                self.calls[at].1 = Some(result);
                self.call_of.push((result, call));
            }
        }
        self.call_of.sort_unstable();
        let Self { orphans, call_of, .. } = self;
        orphans.retain(|orphan| call_in(call_of, *orphan).is_none());
    }

    /// The call that the result at `place` answers.
    pub fn call_of(&self, place: Place) -> Option<Place> {
        call_in(&self.call_of, place)
    }

    /// The name of the tool whose result stands at `place`.
    pub fn tool_of<'a>(&self, messages: &[Message<'a>], place: Place) -> Cow<'a, str> {
        let (at, index) = self.call_of(place).unwrap_or(place);
        messages[at].parts[index].tool()
    }

    /// The message with the first call whose result is still awaited, if there is one: neither a request nor
    /// text nor a new exchange came after the call, nor, in a dialect where each message is a turn, another
    /// message with calls.
    pub fn in_flight(&self, conversation: &Conversation<'_>) -> Option<usize> {
        let messages = &conversation.messages;
        let goes_on = |message: &Message<'_>| message.is_request() || message.has(Kind::Text);
        let calls_again =
            |pair: &[Message<'_>]| pair[0].has(Kind::ToolResult) && pair[1].has(Kind::ToolCall);
        let again = messages.windows(2).rposition(calls_again).map_or(0, |result| result + 1);
        let mut from = messages.iter().rposition(goes_on).unwrap_or(0).max(again);
        if !Wire::of(conversation, conversation.dialect.provider()).joins_assistants {
            let calls = |message: &Message<'_>| message.has(Kind::ToolCall);
            from = from.max(messages.iter().rposition(calls).unwrap_or(0));
        }
        self.unanswered().map(|call| call.0).filter(|at| *at >= from).min()
    }

    /// The calls without a result.
    pub fn unanswered(&self) -> impl Iterator<Item = Place> {
        self.calls.iter().filter(|(_, result)| result.is_none()).map(|(call, _)| *call)
    }
}

/// The call that the result at `place` answers, in a list sorted by result.
fn call_in(call_of: &[(Place, Place)], place: Place) -> Option<Place> {
    call_of.binary_search_by_key(&place, |(result, _)| *result).ok().map(|at| call_of[at].1)
}

fn id_of<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    part.id().filter(|id| !id.is_empty())
}

/// Whether call and result are of one kind in Responses, where custom tools have calls and outputs of their own.
fn is_of_kind(call: &Part<'_>, result: &Part<'_>) -> bool {
    let is =
        |part: &Part<'_>, name: &str| part.json.member("type").is_some_and(|kind| kind.says(name));
    is(call, "custom_tool_call") == is(result, "custom_tool_call_output")
}

/// Whether a result is a turn of ShareGPT's, which has `from` and no role. There a call may be written as an
/// ordinary text, or several calls in one text.
fn is_turn(result: &Part<'_>) -> bool {
    let [from, role] = result.json.pick(["from", "role"]);
    from.is_some() && role.is_none()
}

/// Who spoke last before a result without an id. Results must be asked for in order.
#[derive(Default)]
struct Caller {
    /// All messages before this index were looked at.
    seen: usize,
    /// Whether the speaker's text holds a call, as in training data for models that write calls as text.
    calls_in_text: bool,
}

impl Caller {
    /// Whether the result at the given place answers a call that is written in the text before it.
    fn answers(&mut self, messages: &[Message<'_>], (at, index): Place) -> bool {
        let mut before = messages[self.seen.min(at)..at].iter().rev();
        if let Some(caller) = before.find(|message| !message.has(Kind::ToolResult)) {
            let mut texts = caller.parts_of(Kind::Text).flat_map(|(_, text)| text.texts());
            self.calls_in_text =
                caller.role == Role::Assistant && texts.any(|text| holds_call(&text));
        }
        self.seen = at;
        messages[at].parts[index].call_id.is_none() && self.calls_in_text
    }
}

/// Whether a text holds a call and does not just mention the tags of one: behind the tag stands an object in
/// JSON or Python notation, or a function with its arguments in tags, as Qwen and GLM write them. The end tag
/// may be missing, as the model's stop sequence may cut it off.
fn holds_call(text: &str) -> bool {
    text.split("<tool_call>").skip(1).any(|call| {
        let call = call.trim_start();
        let members = call.strip_prefix('{').map(str::trim_start);
        let is_object = members.is_some_and(|members| members.starts_with(['"', '\'', '}']));
        is_object || call.starts_with("<function=") || call.contains("<arg_key>")
    })
}

/// The first of `calls` behind `result` without a result of its own, if it belongs to the same turn.
fn call_soon_after(
    calls: &[Place],
    answer: &HashMap<Place, Place>,
    result: Place,
    messages: &[Message<'_>],
) -> Option<Place> {
    let from = calls.partition_point(|call| *call < result);
    let call = *calls[from..].iter().find(|call| !answer.contains_key(call))?;
    let between = &messages[(result.0 + 1).min(call.0)..call.0];
    (!between.iter().any(Message::is_request)).then_some(call)
}

/// The pairs and the legal cuts of a conversation.
pub struct Joints {
    /// The calls and results.
    pub pairs: Pairs,
    /// The places where the conversation may be cut.
    pub cuts: Cuts,
}

impl Joints {
    /// Finds the pairs and the legal cuts.
    pub fn of(conversation: &Conversation<'_>) -> Self {
        let pairs = Pairs::of(&conversation.messages);
        let cuts = Cuts::of(conversation, &pairs);
        Self { pairs, cuts }
    }
}

/// Every distinct call id of a conversation, unescaped.
pub fn call_ids(messages: &[Message<'_>]) -> HashSet<String> {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts.filter_map(|part| part.id().map(Cow::into_owned)).collect()
}
