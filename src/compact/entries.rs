//! What a model's summary must not forget: files that were changed, commands with their outcome, and
//! the newest request.
//!
//! Responsible for the lines that an audit looks for, and appends where they are missing. It relies on
//! the arguments of calls, which say more surely what was done than any text does.

use std::collections::HashSet;

use crate::digest::{Ending, does, does_nothing, ending};
use crate::line::opening;
use crate::redact::{Secrets, without};
use crate::subject::Subject;
use crate::summarizer::{Entry, Mark};

/// Lines that an audit looks for at most: more would not fit into any summary.
const MOST: usize = 300;

/// Characters of a command or request in a line.
const LINE: usize = 100;

/// The lines, the latest first: they matter most where there is little room, and of a command's outcomes
/// the last alone is true. Commands that read and search are no deeds. Secrets are masked if asked
/// for, in what is looked for too: a summarizer knows no others.
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
