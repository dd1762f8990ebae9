//! Words that the user typed while the model worked.
//!
//! Responsible for finding them in the lines of the client's queue. `enqueue` holds the words; `dequeue` made
//! a message of them, and `popAll` gave them back for editing. `remove` showed them to the model within its
//! turn; clients that write no attachment for that keep them nowhere else, and do not send them again. Words
//! that still wait at the end stand nowhere else either. Seen in logs of several versions; none of it is
//! documented.

use std::collections::VecDeque;

use memchr::memmem;

use crate::json::Json;
use crate::source::Source;

/// The type of a line of the queue.
const KIND: &str = "queue-operation";

/// How entries begin that the client itself put into the queue.
const NOTICE: &str = "<task-notification>";

/// The words that were shown within a turn, each with the unit that says so, and the words that wait at the
/// end.
pub(super) fn said<'a>(source: &Source<'a>) -> Vec<(usize, Json<'a>)> {
    let kind = memmem::Finder::new(KIND);
    let mut waiting: VecDeque<(usize, Json<'a>)> = VecDeque::new();
    let mut said = Vec::new();
    for (at, unit) in source.units.iter().enumerate() {
        if kind.find(unit.json.source().as_bytes()).is_none() {
            continue;
        }
        let [kind, operation, content] = unit.json.pick(["type", "operation", "content"]);
        let operation = operation.filter(|_| kind.is_some_and(|kind| kind.says(KIND)));
        match operation.and_then(Json::text).as_deref() {
            Some("enqueue") => {
                let words = content.filter(|content| content.is_string());
                waiting.extend(words.map(|words| (at, words)));
            }
            Some("dequeue") => drop(waiting.pop_front()),
            Some("popAll") => waiting.clear(),
            Some("remove") => said.extend(waiting.pop_front().map(|(_, words)| (at, words))),
            _ => {}
        }
    }
    said.extend(waiting);
    said.retain(|(_, words)| {
        words.text().is_some_and(|words| !words.trim_start().starts_with(NOTICE))
    });
    said
}
