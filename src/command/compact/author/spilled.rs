//! Lines of a summary that name the files of results.
//!
//! Responsible for telling which results these are, and for how much room they take. It relies on the summary
//! standing for the results: those that stay name their files themselves.

use crate::compact::rebuild::Rebuild;
use crate::conversation::Place;
use crate::digest::{Does, does};
use crate::line::{clip, on_one_line};
use crate::marks;
use crate::redact::mask;
use crate::subject::Subject;
use crate::truncate::spill;

/// Part of a summary's room that names of files may take.
const SHARE: usize = 4;

/// How much is told of a command whose result is in a file, in bytes.
const COMMAND: usize = 40;

/// Lines that name the files of results that the summary stands for, those `spilled` now among them, as many as a
/// part of its room holds.
pub(super) fn lines(
    subject: &Subject<'_, '_>,
    rebuild: &Rebuild<'_, '_>,
    spilled: &[(Place, String)],
) -> String {
    let mut left = rebuild.summary_room() / SHARE;
    let mut lines = String::new();
    let now = spilled.iter().map(|(place, path)| (*place, path.clone()));
    let files = spill::written_before(subject).chain(now);
    for (place, path) in files.filter(|((at, _), _)| !rebuild.kept[*at]) {
        let line = marks::whole(&call_of(subject, place), &path) + "\n";
        if let Some(rest) = left.checked_sub(subject.meter.text(&line)) {
            left = rest;
            lines.push_str(&line);
        }
    }
    lines
}

/// The tool whose result stands at a place, and what it read or ran: of one tool there are many results.
fn call_of(subject: &Subject<'_, '_>, result: Place) -> String {
    let messages = &subject.conversation.messages;
    let tool = subject.pairs.tool_of(messages, result);
    let does = subject.pairs.call_of(result).map(|(at, part)| does(&messages[at].parts[part]));
    let Does { reads, command, .. } = does.unwrap_or_default();
    let file = reads.first().and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    let command = || command.map(|it| format!("`{}`", clip(&on_one_line(&mask(&it)), COMMAND)));
    match file.or_else(command) {
        Some(what) => format!("{tool} {what}"),
        None => tool.into_owned(),
    }
}
