//! Streams that hold several sessions, as `cat a.jsonl b.jsonl` makes them.
//!
//! Responsible for parting them where a question is asked, and for refusing them where a log is written: neither
//! their sum as one conversation nor the last of them is what was asked. It relies on [`Sessions`] for where each
//! begins.

use std::fmt::Write as _;

use crate::dialect::{self, Layout, Sessions, Shape};
use crate::document::Document;
use crate::input::{InputError, Name};

/// What becomes of the sessions of a stream that holds several, as `cat a.jsonl b.jsonl` makes it.
#[derive(Clone, Copy)]
pub(super) enum Several {
    /// Each is a conversation by itself, as long as all are of one dialect.
    Parted,
    /// They are refused: a log that is written is one session.
    Refused,
}

/// Parts a stream of several sessions, or refuses it. A dialect that the user named reads its own lines.
pub(super) fn part_sessions(
    name: &Name,
    lines: usize,
    document: &Document<'_>,
    found: &mut dialect::Found<'_>,
    (several, is_named): (Several, bool),
) -> Result<(), InputError> {
    let [(shape @ Shape { dialect, layout: Layout::Stream, .. }, source)] =
        &found.conversations[..]
    else {
        return Ok(());
    };
    let sessions = Sessions::of(*dialect, source, is_named);
    let Some(second) = sessions.second() else { return Ok(()) };
    if matches!(several, Several::Parted) && sessions.border.is_none() {
        let parts = sessions.part(source).into_iter();
        found.conversations = parts.map(|part| (*shape, part)).collect();
        return Ok(());
    }
    let first = source.units[second].json;
    let start = document.span(first).start;
    let line = lines + document.line(start);
    let mut hint = "give each session as a FILE of its own".to_owned();
    if document.bytes()[..start].ends_with(b"\n") {
        let _ = write!(hint, ": head -n {} FILE and tail -n +{line} FILE part them", line - 1);
    }
    let name = format!("{name}:{line}");
    let reason = "another session begins here".to_owned();
    Err(InputError { name, place: None, reason, hint: Some(hint) })
}
