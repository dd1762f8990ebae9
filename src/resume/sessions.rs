//! Files that hold the logs of several sessions, as `cat` makes them; the agent reads one session.
//!
//! Responsible for finding the lines of the other sessions, if a line or the header before it names its
//! session. Lines outside the conversation for other reasons, such as branches, are not its concern.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::conversation::{Conversation, List};
use crate::json::Json;

/// If any line names a session, one among this many first lines does.
const SAMPLE: usize = 32;

/// The lines of a log that belong to the conversation of another session than the one that is read.
pub(crate) fn lines_of_others<'a>(conversation: &Conversation<'a>) -> Vec<Json<'a>> {
    let source = &conversation.source;
    let is_log = conversation.dialect.is_log();
    if !is_log || !matches!(source.lists.first(), Some(List::Stream)) {
        return Vec::new();
    }
    // Skip the search if the lines name no session.
    if !source.units.iter().take(SAMPLE).any(|unit| names_session(unit.json)) {
        return Vec::new();
    }
    let is_read = conversation.units_in_messages();
    let unread = source.units.iter().zip(&is_read).filter(|(_, is_read)| !**is_read);
    // In most files, all lines of a conversation are read.
    let mut unread = unread.map(|(unit, _)| unit.json.pick(["type", "isSidechain"]));
    if !unread.any(|[kind, aside]| speaks(kind, aside)) {
        return Vec::new();
    }
    let mut header = None;
    let mut read: HashSet<Option<Cow<'_, str>>> = HashSet::new();
    let mut unread = Vec::new();
    for (unit, is_read) in source.units.iter().zip(is_read) {
        let [id, session, kind, aside] = unit.json.pick(["id", "sessionId", "type", "isSidechain"]);
        if is_header(kind) {
            header = id.and_then(Json::text);
        }
        let session = || session.and_then(Json::text).or_else(|| header.clone());
        if is_read {
            read.insert(session());
        } else if speaks(kind, aside) {
            unread.push((session(), unit.json));
        }
    }
    unread.retain(|(session, _)| session.is_some() && !read.contains(session));
    unread.into_iter().map(|(_, line)| line).collect()
}

fn names_session(line: Json<'_>) -> bool {
    let [kind, session] = line.pick(["type", "sessionId"]);
    is_header(kind) || session.is_some()
}

/// Whether a line of this type begins a session.
fn is_header(kind: Option<Json<'_>>) -> bool {
    kind.is_some_and(|kind| kind.says("session"))
}

/// Whether a line of this type is part of a conversation and not of a side chain.
fn speaks(kind: Option<Json<'_>>, aside: Option<Json<'_>>) -> bool {
    let kind = kind.and_then(Json::text);
    matches!(kind.as_deref(), Some("user" | "assistant" | "message"))
        && !aside.is_some_and(Json::is_true)
}
