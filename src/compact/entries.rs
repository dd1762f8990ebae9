//! Entries that a model's summary must not lack: changed files, commands with their outcome, and the newest
//! request.
//!
//! Responsible for the lines that an audit looks for and appends if they are missing. It relies on the
//! arguments of calls, which say more surely than any text what was done.

use std::collections::HashSet;

use crate::digest::{Ending, does, does_nothing, ending};
use crate::line::opening;
use crate::redact::{Secrets, without};
use crate::subject::Subject;
use crate::summarizer::{Entry, Mark};

/// The most lines that an audit looks for: more would not fit into any summary.
const MOST: usize = 300;

/// The most characters of a command or request in a line.
const LINE: usize = 100;

/// The entries, the latest first: they matter most if there is little room, and of a command's outcomes only
/// the last is true. Commands that only read or search are left out. If `secrets` are given they are masked,
/// in the texts to look for too, because the summarizer saw only masked texts.
pub fn entries(
    subject: &Subject<'_, '_>,
    summarised: &[bool],
    secrets: Option<&Secrets>,
) -> Vec<Entry> {
    let masked = |text: String| without(secrets, text.into()).into_owned();
    let messages = &subject.conversation.messages;
    let mut entries: Vec<Entry> = Vec::new();
    if let Some(newest) = subject.conversation.newest_request().filter(|at| summarised[*at]) {
        let said = masked(messages[newest].text());
        let line = format!("The newest request: {}", opening(&said, LINE));
        entries.push(Entry { line, at: newest, keys: vec![Mark::Text(said)] });
    }
    let mut known: HashSet<String> = HashSet::new();
    for &(call, result) in subject.pairs.calls.iter().rev() {
        if entries.len() == MOST {
            break;
        }
        if !summarised[call.0] {
            continue;
        }
        let part = &messages[call.0].parts[call.1];
        let does = does(part);
        let result = result.map(|(at, index)| &messages[at].parts[index]);
        let Some(Ending { word, is_bad }) = ending(result, &does) else { continue };
        let command = does.command.filter(|command| !does_nothing(command));
        let paths = does.changes.into_iter().filter(|_| command.is_none() && !is_bad);
        let changed = paths.map(|path| (format!("- changed {path}"), Mark::Path(path)));
        let ran = command.iter().map(|command| {
            let command = masked(command.clone());
            (format!("- ran `{}`: {word}", opening(&command, LINE)), Mark::Text(command))
        });
        for (line, mark) in ran.chain(changed).take(MOST - entries.len()) {
            let (Mark::Path(key) | Mark::Text(key)) = &mark;
            if known.insert(key.clone()) {
                entries.push(Entry { line, at: call.0, keys: vec![mark] });
            }
        }
    }
    entries
}
