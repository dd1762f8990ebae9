//! Files that hold the logs of several sessions, as `cat` makes them: their agent reads one.
//!
//! Responsible for finding the lines of the others, where a line, or the header before it, says whose it
//! is; what is no part of the conversation for another reason, as a branch, is not asked for here.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::conversation::{Conversation, List};
use crate::json::Json;

/// Among so many first lines there is one that names a session, where any does.
const SAMPLE: usize = 32;

/// The lines of a log that speak in another session than the one that is read.
pub(crate) fn lines_of_others<'a>(conversation: &Conversation<'a>) -> Vec<Json<'a>> {
    let source = &conversation.source;
    let is_log = conversation.dialect.is_log();
    if !is_log || !matches!(source.lists.first(), Some(List::Stream)) {
        return Vec::new();
    }
    // Whose lines name no session is not asked for each of them.
    if !source.units.iter().take(SAMPLE).any(|unit| names_session(unit.json)) {
        return Vec::new();
    }
    let is_read = conversation.units_in_messages();
    let unread = source.units.iter().zip(&is_read).filter(|(_, is_read)| !**is_read);
    // Of most files all that is said is read.
    if !unread.map(|(unit, _)| unit.json).any(speaks) {
        return Vec::new();
    }
    let mut header = None;
    let mut read: HashSet<Option<Cow<'_, str>>> = HashSet::new();
    let mut unread = Vec::new();
    for (unit, is_read) in source.units.iter().zip(is_read) {
        if is_header(unit.json) {
            header = unit.json.str_member("id");
        }
        let session = || unit.json.str_member("sessionId").or(header.clone());
        if is_read {
            read.insert(session());
        } else if speaks(unit.json) {
            unread.push((session(), unit.json));
        }
    }
    unread.retain(|(session, _)| session.is_some() && !read.contains(session));
    unread.into_iter().map(|(_, line)| line).collect()
}

fn names_session(line: Json<'_>) -> bool {
    is_header(line) || line.member("sessionId").is_some()
}

fn is_header(line: Json<'_>) -> bool {
    line.member("type").is_some_and(|kind| kind.says("session"))
}

/// Whether a line is somebody's words in a session, and no side chain's.
fn speaks(line: Json<'_>) -> bool {
    let kind = line.member("type").and_then(Json::text);
    matches!(kind.as_deref(), Some("user" | "assistant" | "message"))
        && !line.member("isSidechain").is_some_and(Json::is_true)
}
