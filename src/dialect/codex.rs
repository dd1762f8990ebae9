//! Rollouts of Codex: one line per event; some of the events are items of the conversation.
//!
//! Responsible for what a resumed session sends: the history of the last `compacted` record, then the items
//! after it, without the turns that were rolled back. All other lines repeat events for the screen. Items are
//! read as in OpenAI Responses. Rollouts from before mid-2025 have no envelope: a header without a type comes
//! first, then bare items.

use std::borrow::Cow;

use crate::dialect::contract::{Dialect, Facts, Provider, Scope, Sign, Site};
use crate::dialect::responses_items::{self, FRAMING};
use crate::dialect::session::Naming;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};
use crate::source::{List, Source, Unit};

pub(super) struct Codex;

impl Dialect for Codex {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "codex",
            about: "Codex rollouts (~/.codex/sessions/**/rollout-*.jsonl)",
            provider: Provider::Responses,
            is_log: true,
            written: Some("timestamp"),
            framing: FRAMING,
            reads_across: true,
            ..Facts::USUAL
        }
    }

    fn result_member(&self, text: &str) -> (&'static str, String) {
        ("output", quote(text))
    }

    fn call_id_member(&self, _part: &Part<'_>) -> Option<&'static str> {
        Some("call_id")
    }

    fn session(&self, source: &Source<'_>) -> Option<String> {
        // A fork repeats the header of its origin behind its own; old headers have no envelope.
        let header = source.units.iter().find(|unit| unit.json.is_object())?.json;
        Some(id_of(header)?.text()?.into_owned())
    }

    fn naming<'a>(&self, unit: &Object<'a>) -> Option<Naming<'a>> {
        let id = id_of(unit.json())?;
        // The client skips lines without a time.
        let time = unit.member("timestamp")?.text()?;
        let [kind, instructions, git] = unit.pick(["type", "instructions", "git"]);
        // The header of a rollout without envelopes says more than an id and a time.
        let is_header = kind.or(instructions).or(git).is_some();
        let is_read = is_header && time.starts_with(|first: char| first.is_ascii_digit());
        is_read.then(|| Naming::header(Some(id)))
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        responses_items::unknown_item(part)
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [kind, payload, record, id, timestamp, instructions, git] =
            unit.pick(["type", "payload", "record_type", "id", "timestamp", "instructions", "git"]);
        match kind.and_then(Json::text).as_deref() {
            Some(
                "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted"
                | "world_state",
            ) if payload.is_some() => Sign::Certain,
            None if id.and(timestamp).is_some() && instructions.or(git).is_some() => Sign::Certain,
            None if record.is_some_and(|record| record.says("state")) => Sign::Typical,
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        match Record::read(unit) {
            Record::Item(item) => responses_items::item(item),
            _ => None,
        }
    }

    fn is_frame(&self, unit: Json<'_>) -> bool {
        matches!(Record::read(unit), Record::Meta(_))
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let has_envelope = has_envelope(&source.units);
        let read = |unit: &Unit<'a>| match Record::read(unit.json) {
            // Among lines with an envelope, a line without one is no item.
            Record::Item(item) if has_envelope && item.is(unit.json) => Record::Other,
            record => record,
        };
        let records: Vec<Record<'a>> = source.units.iter().map(read).collect();
        // A fork repeats the header of its origin; the first is its own.
        let meta = records.iter().find_map(|record| match record {
            Record::Meta(instructions) => Some(*instructions),
            _ => None,
        });
        let mut messages: Vec<Message<'a>> = meta.flatten().map(instructions).into_iter().collect();
        let system = messages.len();
        let is_live = scope == Scope::Live;
        let start = records.iter().rposition(|record| matches!(record, Record::Compacted { .. }));
        let start = start.filter(|_| is_live).unwrap_or(0);
        for (at, record) in records.iter().enumerate().skip(start) {
            match *record {
                Record::Item(item) => messages.extend(read_item(item, at)),
                Record::Compacted { message, history } => {
                    let list = source.lists.len();
                    source.lists.push(List::Array(history));
                    let first = messages.len();
                    for item in history.items() {
                        messages.extend(read_item(item, source.units.len()));
                        source.units.push(Unit { json: item, list });
                    }
                    mark_summary(&mut messages[first..], message);
                }
                Record::Summarised(text) => {
                    if is_live {
                        let items = messages.split_off(system);
                        messages.extend(items.into_iter().filter(Message::is_request));
                    }
                    messages.push(summary(text));
                }
                Record::RolledBack(turns) if is_live => roll_back(&mut messages, system, turns),
                Record::RolledBack(_) | Record::Meta(_) | Record::Other => {}
            }
        }
        messages
    }

    fn says_unanswered(&self, call: &Part<'_>) -> Option<&'static str> {
        responses_items::says_unanswered(call)
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let timestamp = site.neighbour().and_then(|unit| unit.member("timestamp"));
        let items = responses_items::write_items(message);
        match site.list {
            List::Stream if has_envelope(&site.source.units) => {
                items.iter().map(|item| line("response_item", item, timestamp)).collect()
            }
            _ => items,
        }
    }

    fn write_part(&self, part: &NewPart<'_>, role: Role) -> String {
        responses_items::write_part(part, role)
    }
}

/// The meaning of a line for the conversation.
#[derive(Clone, Copy)]
pub(crate) enum Record<'a> {
    /// `session_meta`, or the header of a rollout without an envelope: the system prompt.
    Meta(Option<Json<'a>>),
    /// A Responses item.
    Item(Json<'a>),
    /// `compacted`: this history replaces everything before; the summary in it has the same text as the
    /// `message` beside it.
    Compacted { message: Json<'a>, history: Json<'a> },
    /// `compacted` as older versions wrote it: this summary follows the user messages.
    Summarised(Json<'a>),
    /// This many turns before the line were taken back; their lines stay in the file.
    RolledBack(u64),
    /// An event repeated for the screen, the state of a turn, or anything unknown.
    Other,
}

impl<'a> Record<'a> {
    pub(crate) fn read(line: Json<'a>) -> Self {
        let [kind, payload, id, instructions] =
            line.pick(["type", "payload", "id", "instructions"]);
        let Some(payload) = payload else {
            return match kind {
                Some(_) => Self::Item(line),
                None if id.or(instructions).is_none() => Self::Other,
                None => Self::Meta(instructions.filter(|text| text.is_string())),
            };
        };
        match kind.and_then(Json::text).as_deref() {
            Some("response_item") => Self::Item(payload),
            Some("session_meta") => {
                Self::Meta(payload.at("base_instructions.text").filter(|text| text.is_string()))
            }
            Some("compacted") => {
                // Without the member `message` the client ignores the line.
                let [message, history] = payload.pick(["message", "replacement_history"]);
                let message = message.filter(|message| message.is_string());
                match (message, history.filter(|history| history.is_array())) {
                    (Some(message), Some(history)) => Self::Compacted { message, history },
                    (Some(message), None) => Self::Summarised(message),
                    (None, _) => Self::Other,
                }
            }
            Some("event_msg") => {
                let [kind, turns] = payload.pick(["type", "num_turns"]);
                match turns.and_then(Json::as_u64) {
                    Some(turns) if kind.is_some_and(|kind| kind.says("thread_rolled_back")) => {
                        Self::RolledBack(turns)
                    }
                    _ => Self::Other,
                }
            }
            _ => Self::Other,
        }
    }
}

/// The id of the session in its header.
fn id_of(header: Json<'_>) -> Option<Json<'_>> {
    match header.member("type") {
        Some(kind) if kind.says("session_meta") => header.at("payload.id"),
        Some(_) => None,
        None => header.member("id"),
    }
}

fn instructions(text: Json<'_>) -> Message<'_> {
    Message::of_one(Role::System, Part::whole(Kind::Text, text))
}

/// Whether lines have an envelope, judged by the first ones. Rollouts from before mid-2025 hold bare items.
pub(crate) fn has_envelope(units: &[Unit<'_>]) -> bool {
    units.iter().take(8).any(|unit| unit.json.member("payload").is_some())
}

fn read_item(item: Json<'_>, unit: usize) -> Option<Message<'_>> {
    Some(responses_items::item(item)?.in_unit(unit))
}

/// The summary of an older record, which stands in no unit: if its line were removed, everything before it
/// would be live again.
fn summary(text: Json<'_>) -> Message<'_> {
    let message = Message::of_one(Role::User, Part::whole(Kind::Text, text));
    Message { origin: Origin::Summary, ..message }
}

/// Marks the summary in a history, whatever its first words: the last message whose text is `message`.
fn mark_summary(history: &mut [Message<'_>], message: Json<'_>) {
    let Some(text) = message.text().filter(|text| !text.is_empty()) else { return };
    if let Some(summary) = history.iter_mut().rfind(|it| it.is_request() && it.text() == text) {
        summary.origin = Origin::Summary;
    }
}

/// Takes back the last `turns`, each from its user message on.
fn roll_back(messages: &mut Vec<Message<'_>>, system: usize, turns: u64) {
    for _ in 0..turns {
        let Some(turn) = messages[system..].iter().rposition(Message::is_request) else { return };
        messages.truncate(system + turn);
    }
}

/// A line of the rollout.
pub(crate) fn line(kind: &str, payload: &str, timestamp: Option<Json<'_>>) -> String {
    let time = timestamp.map(|time| format!(r#""timestamp":{},"#, time.source()));
    format!(r#"{{{}"type":"{kind}","payload":{payload}}}"#, time.unwrap_or_default())
}
