//! Making a Claude Code session resumable after lines were dropped, changed or added.
//!
//! Responsible for the lines that are dropped with a message, for the chain of `parentUuid`, and for the
//! recorded size. It relies on [`live`](crate::dialect::claude_code::live) for how the client will read the
//! result. A summary always comes first, because the live conversation begins at its boundary; everything
//! else keeps the order of the draft.

mod append;
mod dead;
mod drop;
mod usage;

use std::collections::HashSet;

use crate::conversation::Conversation;
use crate::document::Document;
use crate::draft::Draft;
use crate::json::Json;
use crate::message::NewMessage;

use crate::dialect::claude_code::line::{Line, LineKind};
use crate::dialect::claude_code::live::{Live, Log};
use crate::dialect::claude_code::record::{Compaction, Scribe};
pub(super) use append::append;
use drop::drop_screen_copies;

/// An entry of the live conversation as drafted.
enum LiveEntry<'a> {
    /// The index of a kept line.
    Line(usize),
    /// A new message.
    New(NewMessage<'a>),
}

/// The messages that a draft inserts.
struct New<'a> {
    summary: Option<NewMessage<'a>>,
    /// The live conversation, without the summary.
    entries: Vec<LiveEntry<'a>>,
    /// Messages inserted among lines that are not live, each with the index of the message it stands before.
    dead: Vec<(usize, NewMessage<'a>)>,
}

/// The lines that a compaction keeps by name, and the line behind which they go.
#[derive(Default)]
struct Named {
    anchor: Option<String>,
    uuids: Vec<String>,
}

/// The session that a draft is about.
struct Session<'a> {
    log: Log<'a>,
    live: Live,
    /// The lines that the last compaction keeps by name.
    preserved: HashSet<usize>,
    /// The message that each unit belongs to.
    message: Vec<Option<usize>>,
    /// The index of the first live message; if all lines were read, others come before it.
    first_live: usize,
    scribe: Scribe<'a>,
}

impl<'a> Session<'a> {
    fn of(conversation: &Conversation<'a>) -> Self {
        let units = &conversation.source.units;
        let log = Log::read(units);
        let live = log.live();
        let mut message = vec![None; units.len()];
        for (at, own) in conversation.messages.iter().enumerate() {
            for &unit in &own.units {
                message[unit] = Some(at);
            }
        }
        let pattern = live.order.last().map(|&at| log.lines[at].json);
        let scribe = Scribe::new(pattern, log.lines.iter().filter_map(|line| line.uuid));
        let preserved = live.preserved.iter().copied().collect();
        let live_messages = live.order.iter().filter_map(|&at| message[log.lines[at].unit]);
        let first_live = live_messages.min().unwrap_or(conversation.messages.len());
        Self { log, live, preserved, message, first_live, scribe }
    }

    fn line(&self, at: usize) -> &Line<'a> {
        &self.log.lines[at]
    }

    /// The time at which the live part of the session began.
    fn timestamp(&self) -> Option<Json<'a>> {
        self.live.order.iter().find_map(|&at| self.line(at).timestamp)
    }

    fn message_of(&self, at: usize) -> Option<usize> {
        self.message[self.line(at).unit]
    }

    /// Takes the new messages out of the draft: the summary, the live conversation, and messages among lines
    /// that are not live.
    fn take_new(&self, draft: &mut Draft<'_, 'a>) -> New<'a> {
        let mut new = draft.take_new_messages();
        let summary = new.iter().position(|(_, message)| message.is_summary);
        let summary = summary.map(|at| new.remove(at).1);
        let (dead, new): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|(before, new)| self.answers_dead(draft, *before, new));
        let mut new = new.into_iter().peekable();
        let mut entries = Vec::new();
        let mut reached = None;
        for &at in &self.live.order {
            if let Some(message) = self.message_of(at).filter(|&own| reached < Some(own)) {
                reached = Some(message);
                while let Some((_, new)) = new.next_if(|(before, _)| *before <= message) {
                    entries.push(LiveEntry::New(new));
                }
            }
            entries.push(LiveEntry::Line(at));
        }
        entries.extend(new.map(|(_, new)| LiveEntry::New(new)));
        New { summary, entries, dead }
    }

    /// The unit at which each line stands: for a line that replaced others, the first of these that is not
    /// dropped.
    fn units(&self, gone: &[bool]) -> Vec<usize> {
        let mut first: Vec<usize> = self.log.lines.iter().map(|line| line.unit).collect();
        for &(at, unit) in self.log.replaced.iter().filter(|(_, unit)| !gone[*unit]) {
            first[at] = first[at].min(unit);
        }
        first
    }

    /// The unit at which each entry stands, or before which its new line goes. The last entry goes to the end
    /// of the file if the client would otherwise begin reading at the unit `dead`.
    fn places(
        &self,
        entries: &[LiveEntry<'_>],
        first: &[usize],
        dead: Option<usize>,
    ) -> Vec<usize> {
        let units = self.live.order.iter().map(|&at| self.line(at).unit);
        let mut next = units.max().map_or(0, |last| last + 1);
        let mut places = vec![next; entries.len()];
        for (entry, place) in entries.iter().zip(&mut places).rev() {
            if let LiveEntry::Line(at) = entry {
                next = first[*at];
            }
            *place = next;
        }
        if let Some(end) = self.end(entries).filter(|&end| Some(places[end]) <= dead) {
            places[end] = self.message.len();
        }
        places
    }

    /// The entry at which the client begins, reading backwards.
    fn end(&self, entries: &[LiveEntry<'_>]) -> Option<usize> {
        entries.iter().rposition(|entry| match entry {
            LiveEntry::New(_) => true,
            LiveEntry::Line(at) => {
                self.line(*at).is_conversation() && !self.live.beside.contains(at)
            }
        })
    }

    /// Attaches every line to the one before it, if that changed, and writes the new lines. Returns what now
    /// stands where a compaction kept lines by name.
    fn chain(
        &mut self,
        draft: &mut Draft<'_, 'a>,
        document: &Document<'a>,
        entries: &[LiveEntry<'a>],
        places: &[usize],
        mut before: Option<String>,
    ) -> Named {
        let end = entries.iter().rposition(|entry| self.is_preserved(entry));
        let by_list = self.preserved_list().is_some();
        let mut named = Named::default();
        let mut last: Option<usize> = None;
        let mut timestamp = self.timestamp();
        for (index, entry) in entries.iter().enumerate() {
            match entry {
                LiveEntry::New(message) => {
                    let parent = before.as_deref().unwrap_or("null");
                    let line = draft.with_edited(document, message, |message| {
                        self.scribe.message(message, parent, timestamp)
                    });
                    draft.insert_unit(places[index], line.json);
                    if Some(index) < end && !named.uuids.is_empty() {
                        named.uuids.push(line.uuid.clone());
                    }
                    (before, last) = (Some(line.uuid), None);
                }
                &LiveEntry::Line(at) => {
                    let line = *self.line(at);
                    let Some(uuid) = line.uuid else { continue };
                    timestamp = line.timestamp.or(timestamp);
                    let is_named = self.is_preserved(entry);
                    if is_named {
                        if named.uuids.is_empty() {
                            named.anchor.clone_from(&before);
                        }
                        named.uuids.push(uuid.to_owned());
                    }
                    let follows = match (&before, last) {
                        _ if line.kind == LineKind::Boundary => true,
                        _ if is_named && (by_list || named.uuids.len() == 1) => true,
                        // If the path is a circle, the client ends it here.
                        (None, _) => self.log.before(at).is_none_or(|parent| {
                            let is_parent =
                                |entry: &LiveEntry<'_>| matches!(entry, LiveEntry::Line(at) if *at == parent);
                            entries[index..].iter().any(is_parent)
                        }),
                        (Some(_), last) => last.is_some() && self.log.before(at) == last,
                    };
                    if last.is_some_and(|last| self.is_beside(draft, at, last)) {
                        continue;
                    }
                    if !follows {
                        if line.kind == LineKind::Skipped {
                            draft.drop_unit(line.unit);
                            continue;
                        }
                        set_parent(draft, &line, before.as_deref().unwrap_or("null"));
                    }
                    (before, last) = (Some(uuid.to_owned()), Some(at));
                }
            }
        }
        named
    }

    /// Moves lines that stand behind the last line of the conversation in the file, because the client begins
    /// at the last line of the file.
    fn end_with_last(
        &self,
        draft: &mut Draft<'_, 'a>,
        document: &Document<'a>,
        entries: &[LiveEntry<'a>],
        places: &[usize],
    ) {
        let Some(end) = self.end(entries) else { return };
        for (entry, &place) in entries[..=end].iter().zip(places) {
            let LiveEntry::Line(at) = entry else { continue };
            let line = self.line(*at);
            if line.is_conversation() && (place > places[end] || place == self.message.len()) {
                let message = self.message_of(*at);
                let written = message.map_or_else(Vec::new, |at| draft.written_units(document, at));
                for (_, text) in written.into_iter().filter(|(unit, _)| *unit == line.unit) {
                    draft.insert_unit(places[end], text);
                }
                draft.drop_unit(line.unit);
            }
        }
    }

    /// Whether a line hangs beside the path on a kept line; for a fragment, whether `last`, the last line on
    /// the path, is a fragment of the same message.
    fn is_beside(&self, draft: &Draft<'_, 'a>, at: usize, last: usize) -> bool {
        let parent = self.log.parent(at);
        let stays = |parent| self.message_of(parent).is_some_and(|own| !draft.is_dropped(own));
        let is_found = self.line(at).kind != LineKind::Assistant
            || self.message_of(last) == self.message_of(at);
        self.live.beside.contains(&at) && is_found && parent.is_some_and(stays)
    }

    fn is_preserved(&self, entry: &LiveEntry<'_>) -> bool {
        matches!(entry, LiveEntry::Line(at) if self.preserved.contains(at))
    }

    fn boundary(&self) -> Option<&Line<'a>> {
        let first = self.line(*self.live.order.first()?);
        (first.kind == LineKind::Boundary).then_some(first)
    }

    /// The list in which the last compaction names the lines that it keeps.
    fn preserved_list(&self) -> Option<Json<'a>> {
        self.boundary()?.json.at("compactMetadata.preservedMessages.uuids")
    }

    /// Updates the names in the boundary: if one name has no line, the client ignores all of them.
    fn name_preserved(&self, draft: &mut Draft<'_, 'a>, named: &Named) {
        let Some(boundary) = self.boundary().filter(|_| !self.preserved.is_empty()) else {
            return;
        };
        let metadata = |path: &str| boundary.json.member("compactMetadata")?.at(path);
        let ends = [named.anchor.as_ref(), named.uuids.first(), named.uuids.last()];
        let values = [
            ("preservedMessages.anchorUuid", ends[0]),
            ("preservedSegment.anchorUuid", ends[0]),
            ("preservedSegment.headUuid", ends[1]),
            ("preservedSegment.tailUuid", ends[2]),
        ];
        for (path, uuid) in values {
            let changed = metadata(path).zip(uuid).filter(|(old, new)| old.source() != *new);
            if let Some((value, uuid)) = changed {
                draft.set_unit_value(boundary.unit, value, uuid.as_str());
            }
        }
        let uuids = self.live.preserved.iter().filter_map(|&at| self.line(at).uuid);
        if let Some(list) = self.preserved_list().filter(|_| !uuids.eq(&named.uuids)) {
            draft.set_unit_value(boundary.unit, list, format!("[{}]", named.uuids.join(",")));
        }
    }
}

/// Whether any message lacks a `uuid`, by which a changed copy could replace it.
pub(super) fn is_older(conversation: &Conversation<'_>) -> bool {
    let mut said = conversation.messages.iter().flat_map(|message| &message.units);
    said.any(|&unit| conversation.source.units[unit].json.member("uuid").is_none())
}

/// Makes the file resumable after the draft.
pub(super) fn make_resumable<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) {
    let mut session = Session::of(draft.conversation());
    drop_screen_copies(draft);
    if session.log.leaf().is_some() {
        let New { summary, mut entries, dead } = session.take_new(draft);
        session.drop_silent_lines(draft, summary.is_some());
        session.drop_dead_lines(draft, summary.is_some());
        let gone = draft.gone_units();
        let last = session.live.order.iter().rev().find(|&&at| gone[session.line(at).unit]);
        let last = last.map(|&at| *session.line(at));
        entries.retain(|entry| match entry {
            LiveEntry::Line(at) => !gone[session.line(*at).unit],
            LiveEntry::New(_) => true,
        });
        let units = session.units(&gone);
        let anything_new = !dead.is_empty();
        session.put_dead(draft, document, dead, &gone, &units);
        let last_dead = session.last_dead(draft, &units);
        let places = session.places(&entries, &units, last_dead);
        let mut root = None;
        if let Some(summary) = &summary {
            let record = Compaction {
                summary,
                last: last.and_then(|line| line.uuid),
                timestamp: last.and_then(|line| line.timestamp).or(session.timestamp()),
                before: session.recorded(),
                tokens,
                kept: &[],
                head: None,
            };
            let [boundary, summary] = session.scribe.compaction(&record);
            let first = places.iter().copied().min().unwrap_or(document.values().len());
            draft.insert_unit(first, boundary.json);
            draft.insert_unit(first, summary.json);
            root = Some(summary.uuid);
            session.preserved.clear();
        }
        let named = session.chain(draft, document, &entries, &places, root);
        session.name_preserved(draft, &named);
        session.hang_dead_lines(draft, anything_new);
        session.end_with_last(draft, document, &entries, &places);
    }
    session.drop_replaced_lines(draft);
    session.lower_usage(draft, u64::try_from(tokens).unwrap_or(u64::MAX));
}

fn set_parent<'a>(draft: &mut Draft<'_, 'a>, line: &Line<'a>, parent: &str) {
    match (line.parent_json, line.json.member("uuid")) {
        (Some(old), _) => draft.set_unit_value(line.unit, old, parent),
        (None, Some(uuid)) => {
            let members = format!(r#"{},"parentUuid":{parent}"#, uuid.source());
            draft.set_unit_value(line.unit, uuid, members);
        }
        (None, None) => {}
    }
}
