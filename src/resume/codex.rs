//! Making a rollout of Codex resumable after items were dropped, changed or added.
//!
//! Responsible for the `compacted` record, for the lines that are removed with the items it replaces, and for
//! the recorded size: the client compacts again at once if the last `token_count` of the file is over its
//! limit. Items before the summary go into the record's history, in the order of the draft; those behind it
//! stay as lines.

use crate::conversation::Conversation;
use crate::dialect::codex::{Record, has_envelope, line};
use crate::dialect::responses_items;
use crate::document::Document;
use crate::draft::{Draft, Drafted};
use crate::json::{Json, quote};
use crate::message::{Message, NewMessage, Origin, Role};

/// The drafted conversation, divided at its summary.
struct Compaction<'a> {
    before: Vec<Drafted<'a>>,
    /// `None` if messages were only shortened; then all messages are in `before`.
    summary: Option<NewMessage<'a>>,
    behind: Vec<Drafted<'a>>,
    timestamp: Option<Json<'a>>,
}

impl<'a> Compaction<'a> {
    /// Takes the new messages out of the draft.
    fn take(draft: &mut Draft<'_, 'a>) -> Self {
        let mut before = draft.take_up_to(draft.conversation().messages.len());
        let is_summary = |it: &Drafted<'_>| matches!(it, Drafted::New(new) if new.is_summary);
        let at = before.iter().position(is_summary).unwrap_or(before.len());
        let mut behind = before.split_off(at).into_iter();
        let summary = match behind.next() {
            Some(Drafted::New(summary)) => Some(summary),
            _ => None,
        };
        Self { before, summary, behind: behind.collect(), timestamp: None }
    }

    /// The text of the record beside its history: the new summary, or a kept one, which is recognised by this
    /// text.
    fn says(&self, messages: &[Message<'a>]) -> String {
        let kept = self.before.iter().rev().find_map(|it| match it {
            Drafted::Kept(at) => Some(&messages[*at]).filter(|it| it.origin == Origin::Summary),
            Drafted::New(_) => None,
        });
        let new = self.summary.as_ref().map(NewMessage::texts);
        new.or_else(|| kept.map(Message::text)).unwrap_or_default()
    }

    /// The `compacted` line, with the items of `behind` at the end of its history.
    fn record(
        &self,
        draft: &Draft<'_, 'a>,
        document: &Document<'a>,
        behind: &[Drafted<'a>],
    ) -> String {
        let mut history = items(draft, document, &self.before);
        let messages = &draft.conversation().messages;
        let summary = self.summary.iter();
        history.extend(summary.flat_map(responses_items::write_items));
        history.extend(items(draft, document, behind));
        let payload = format!(
            r#"{{"message":{},"replacement_history":[{}]}}"#,
            quote(&self.says(messages)),
            history.join(",")
        );
        line("compacted", &payload, self.timestamp)
    }
}

/// The items of drafted messages, as they will be written.
fn items<'a>(
    draft: &Draft<'_, 'a>,
    document: &Document<'a>,
    drafted: &[Drafted<'a>],
) -> Vec<String> {
    let conversation = draft.conversation();
    let mut items = Vec::new();
    for it in drafted {
        let at = match it {
            Drafted::New(message) => {
                items.extend(draft.with_edited(document, message, responses_items::write_items));
                continue;
            }
            Drafted::Kept(at) => *at,
        };
        let message = &conversation.messages[at];
        if message.units.is_empty() && message.role == Role::User {
            // The summary of an older record is no item yet.
            let text = draft.new_text((at, 0)).map_or_else(|| message.text(), str::to_owned);
            let again = NewMessage::text(Role::User, text);
            items.extend(responses_items::write_items(&again));
        }
        for (unit, text) in draft.written_units(document, at) {
            match conversation.source.units[unit].list {
                0 => items.extend(payload(&text)),
                _ => items.push(text),
            }
        }
    }
    items
}

/// The item in a line, as it is written.
fn payload(line: &str) -> Option<String> {
    Some(Json::parse(line)?.member("payload")?.source().to_owned())
}

/// The number of units that are lines; the items of a history come behind them.
fn lines(conversation: &Conversation<'_>) -> usize {
    conversation.source.units.iter().take_while(|unit| unit.list == 0).count()
}

/// Makes the file resumable after the draft.
pub(super) fn make_resumable<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) {
    drop_own_prompt(draft);
    let has_summary = draft.new_messages().any(|(_, message)| message.is_summary);
    if has_summary && !is_older(draft.conversation()) {
        compact(Compaction::take(draft), draft, document, tokens);
    } else {
        write_history(draft, document);
        forget_summary(draft);
        lower_size(draft, 0, tokens);
    }
}

/// Removes the text of a dropped summary from its record; otherwise another message with the same text would
/// be taken for the summary.
fn forget_summary(draft: &mut Draft<'_, '_>) {
    let conversation = draft.conversation();
    let (source, messages) = (&conversation.source, &conversation.messages);
    for (unit, line) in source.units.iter().enumerate() {
        let Record::Compacted { message, history } = Record::read(line.json) else { continue };
        let mut items = messages.iter().enumerate().filter(|(_, item)| history.holds(item.json));
        let is_gone = items.any(|(at, item)| {
            draft.is_dropped(at)
                && item.origin == Origin::Summary
                && message.text().is_some_and(|text| text == item.text())
        });
        if is_gone {
            draft.set_unit_value(unit, message, "\"\"");
        }
    }
}

/// Removes the recorded system prompt if the draft drops it; without one, the client sends its model's own.
fn drop_own_prompt(draft: &mut Draft<'_, '_>) {
    let conversation = draft.conversation();
    let is_prompt = |message: &Message<'_>| message.units.is_empty() && message.is_instruction();
    let Some(at) = conversation.messages.iter().position(is_prompt) else { return };
    if !draft.is_dropped(at) {
        return;
    }
    let text = conversation.messages[at].json;
    for (unit, line) in conversation.source.units.iter().enumerate() {
        let places = ["payload.base_instructions", "instructions"];
        let mut held = places.iter().filter_map(|path| line.json.at(path));
        if let Some(value) = held.find(|value| value.holds(text)) {
            draft.set_unit_value(unit, value, "null");
            return;
        }
    }
}

/// Gives an older record, whose history is derived from the lines before it, a history of its own, if the
/// draft decides anything about these lines.
fn write_history<'a>(draft: &mut Draft<'_, 'a>, document: &Document<'a>) {
    let conversation = draft.conversation();
    let is_record = |message: &Message<'_>| message.units.is_empty() && message.role == Role::User;
    let Some(summary) = conversation.messages.iter().position(is_record) else { return };
    // If nothing before the record is kept, the record needs no change.
    let stays = |at: usize| !draft.is_dropped(at) && !conversation.messages[at].is_instruction();
    let is_alone = !draft.is_touched(summary) && !(0..summary).any(stays);
    let is_decided = !is_alone && (0..=summary).any(|at| draft.is_touched(at))
        || draft.new_messages().any(|(before, _)| before <= summary);
    let units = conversation.source.units.iter();
    let record =
        units.enumerate().find(|(_, unit)| unit.json.holds(conversation.messages[summary].json));
    let (true, Some((unit, record))) = (is_decided, record) else { return };
    let drafted = draft.take_up_to(summary);
    let Some(payload) = record.json.member("payload") else { return };
    let message = payload.member("message").filter(|_| !draft.is_dropped(summary));
    let message = message.map_or("\"\"", Json::source);
    let history = items(draft, document, &drafted).join(",");
    let history = format!(r#"{{"message":{message},"replacement_history":[{history}]}}"#);
    draft.set_unit_value(unit, payload, history);
}

/// Inserts the record at the place of the summary, and drops everything that it replaces.
fn compact<'a>(
    mut compaction: Compaction<'a>,
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let end = lines(conversation);
    let line_of = |it: &Drafted<'_>| match it {
        Drafted::Kept(at) => {
            conversation.messages[*at].units.first().copied().filter(|&at| at < end)
        }
        Drafted::New(_) => None,
    };
    let start = compaction.behind.iter().find_map(line_of).unwrap_or(end);
    let timestamp =
        units[..start.max(1)].iter().rev().find_map(|unit| unit.json.member("timestamp"));
    compaction.timestamp = timestamp;
    // The units of a history come behind the lines, so the end of the file is behind both.
    let at_end = units.len();
    let place = if start < end { start } else { at_end };
    draft.insert_unit(place, compaction.record(draft, document, &[]));
    if !lower_size(draft, start, tokens)
        && let Some(size) = new_size(conversation, tokens, timestamp)
    {
        draft.insert_unit(place, size);
    }
    let mut pending: Vec<String> = Vec::new();
    for it in &compaction.behind {
        if let Some(unit) = line_of(it) {
            pending.drain(..).for_each(|line| draft.insert_unit(unit, line));
        } else {
            let items = items(draft, document, std::slice::from_ref(it));
            pending.extend(items.iter().map(|item| line("response_item", item, timestamp)));
        }
    }
    pending.drain(..).for_each(|line| draft.insert_unit(at_end, line));
    drop_replaced(draft, &compaction.before, start, end);
}

/// Drops everything before the record, except the header and states that later lines build on; behind it,
/// drops turns that were rolled back and the events that say so.
fn drop_replaced(draft: &mut Draft<'_, '_>, before: &[Drafted<'_>], start: usize, end: usize) {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let mut is_live = conversation.units_in_messages();
    for it in before {
        if let Drafted::Kept(at) = it {
            for &unit in &conversation.messages[*at].units {
                is_live[unit] = false;
            }
        }
    }
    let kinds: Vec<_> = units.iter().map(|unit| unit.json.str_member("type")).collect();
    let is = |unit: usize, name: &str| kinds[unit].as_deref() == Some(name);
    let header = (0..end).find(|&unit| is(unit, "session_meta"));
    let context = (0..start).rev().find(|&unit| is(unit, "turn_context"));
    // Incremental states build on the last full one.
    let world = (0..start).rev().find(|&unit| {
        is(unit, "world_state") && units[unit].json.at("payload.full").is_some_and(Json::is_true)
    });
    for unit in 0..units.len() {
        let stays = if (start..end).contains(&unit) {
            let is_item = is(unit, "response_item") || is(unit, "compacted");
            is_live[unit]
                || !(is_item || matches!(Record::read(units[unit].json), Record::RolledBack(_)))
        } else {
            Some(unit) == header
                || Some(unit) == context
                || (unit < end && is(unit, "world_state") && world.is_some_and(|at| at <= unit))
        };
        if !stays {
            draft.drop_unit(unit);
        }
    }
}

/// The members of a `token_count` with the size of the last request; the first two are totals.
const SIZES: [&str; 5] = [
    "total_tokens", "input_tokens", "cached_input_tokens", "output_tokens",
    "reasoning_output_tokens",
];

fn size(member: usize, tokens: usize) -> String {
    if member < 2 { tokens.to_string() } else { "0".to_owned() }
}

/// Lowers the last recorded size from line `start` on; returns whether there is one.
fn lower_size(draft: &mut Draft<'_, '_>, start: usize, tokens: usize) -> bool {
    let conversation = draft.conversation();
    let units = &conversation.source.units;
    let usage = |unit: usize| token_count(units[unit].json)?.at("info.last_token_usage");
    let last = (start..lines(conversation)).rev().find_map(|unit| Some((unit, usage(unit)?)));
    let Some((unit, usage)) = last else { return false };
    let sizes = usage.pick(SIZES);
    let is_larger = |total: u64| usize::try_from(total).is_ok_and(|total| total > tokens);
    if sizes[0].and_then(Json::as_u64).is_some_and(is_larger) {
        for (member, value) in sizes.into_iter().enumerate() {
            if let Some(value) = value {
                draft.set_unit_value(unit, value, size(member, tokens));
            }
        }
    }
    true
}

/// The payload of a `token_count` event.
fn token_count(line: Json<'_>) -> Option<Json<'_>> {
    let payload = line.member("payload")?;
    payload.member("type").is_some_and(|kind| kind.says("token_count")).then_some(payload)
}

/// A `token_count` like the last one with the new size; `None` if the rollout has none.
fn new_size(
    conversation: &Conversation<'_>,
    tokens: usize,
    timestamp: Option<Json<'_>>,
) -> Option<String> {
    let mut events =
        conversation.source.units.iter().rev().filter_map(|unit| token_count(unit.json));
    let info = events.find_map(|event| event.member("info").filter(|info| info.is_object()))?;
    let [total, window] = info.pick(["total_token_usage", "model_context_window"]);
    let sizes = SIZES.iter().enumerate();
    let sizes: Vec<String> =
        sizes.map(|(member, name)| format!(r#""{name}":{}"#, size(member, tokens))).collect();
    let last = format!("{{{}}}", sizes.join(","));
    let payload = format!(
        concat!(
            r#"{{"type":"token_count","info":{{"total_token_usage":{},"#,
            r#""last_token_usage":{},"model_context_window":{}}},"rate_limits":null}}"#
        ),
        total.map_or(last.as_str(), Json::source),
        last,
        window.map_or("null", Json::source)
    );
    Some(line("event_msg", &payload, timestamp))
}

/// Whether a rollout is older than records.
pub(super) fn is_older(conversation: &Conversation<'_>) -> bool {
    !has_envelope(&conversation.source.units)
}

/// The record and the new size, behind the untouched rollout; the tail is in the history too.
pub(super) fn append<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Vec<String> {
    let mut compaction = Compaction::take(draft);
    let conversation = draft.conversation();
    let mut last = conversation.source.units.iter().rev();
    compaction.timestamp = last.find_map(|unit| unit.json.member("timestamp"));
    let mut appended = vec![compaction.record(draft, document, &compaction.behind)];
    appended.extend(new_size(conversation, tokens, compaction.timestamp));
    appended
}
