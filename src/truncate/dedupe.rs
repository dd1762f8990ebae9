//! Results that a later one makes needless: a file that is read again, or edited later.
//!
//! Responsible for knowing which calls read and which change a file, by the names of their tools and
//! arguments. Of readings that ask for the same part and say the same only the newest stays; of those
//! before a change of the file none does, for what was read is stale.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::conversation::Part;
use crate::draft::Draft;
use crate::pairing::Place;
use crate::subject::Subject;
use crate::truncate::clear::{self, Tools};

/// Stands for a reading whose file was read again with the same result.
pub const READ_AGAIN: &str = "[This file was read again later, unchanged: see the newer result.]";
/// Stands for a reading whose file was changed afterwards.
pub const READ_STALE: &str =
    "[This file was read again or changed later: this reading is out of date.]";

/// What a call does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it, whole or the named part.
    Read,
    /// Changes, creates or deletes it.
    Change,
}

/// Names that arguments have for a path.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "filename",
    "filePath",
    "file",
    "notebook_path",
    "absolute_path",
    "target_file",
];

/// The file that a call names, and what it does to it, judged by the tool's name.
pub fn access(call: &Part<'_>) -> Option<(Access, String)> {
    let tool = call.tool().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| tool.contains(word));
    let access = if has(&["edit", "write", "patch", "replace", "create", "insert", "delete"]) {
        Access::Change
    } else if has(&["read", "view", "open", "cat"]) {
        Access::Read
    } else {
        return None;
    };
    let path = PATHS.iter().find_map(|name| call.argument(name))?;
    Some((access, path))
}

/// Replaces readings that a later reading or change made needless, none of the newest `keep` results
/// among them; returns how many.
pub fn drop_superseded_reads(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    tools: &Tools,
    keep: usize,
) -> usize {
    let Subject { conversation, pairs, .. } = *subject;
    let results = clear::results(draft, pairs);
    let newest = results.len().saturating_sub(keep);
    let first_kept = results.get(newest).map(|(place, _)| *place);
    let mut changed: HashSet<String> = HashSet::new();
    let mut newest_answers: HashMap<(String, String), &Part<'_>> = HashMap::new();
    let mut stubs: Vec<(Place, &str)> = Vec::new();
    for &(call, result) in pairs.calls.iter().rev() {
        let part = &conversation.messages[call.0].parts[call.1];
        let Some(result) = result else { continue };
        let answer = &conversation.messages[result.0].parts[result.1];
        let Some((access, path)) = access(part).filter(|_| !answer.is_error) else { continue };
        if access == Access::Change {
            changed.insert(path);
            continue;
        }
        let stub = if changed.contains(&path) {
            Some(READ_STALE)
        } else {
            // Readings of different parts of a file do not replace each other.
            match newest_answers.entry((path, scope_of(part))) {
                Entry::Occupied(newest) => newest.get().says_what(answer).then_some(READ_AGAIN),
                Entry::Vacant(none) => {
                    none.insert(answer);
                    None
                }
            }
        };
        // What other tools did counts, and their results stay.
        let stub = stub.filter(|_| tools.allow(&part.tool()));
        stubs.extend(stub.map(|stub| (result, stub)));
    }
    stubs.retain(|(place, _)| first_kept.is_none_or(|kept| *place < kept));
    stubs
        .into_iter()
        .filter(|(place, stub)| clear::replace(draft, subject.meter, *place, stub))
        .count()
}

/// The part of the file that a reading asks for.
fn scope_of(call: &Part<'_>) -> String {
    let Some(body) = call.body else { return String::new() };
    if body.is_object() { body.compact() } else { body.text().unwrap_or_default().into_owned() }
}
