//! Results made needless by later ones: a file that is read again, or edited later.
//!
//! Responsible for which readings stay. Of several that read the same part of a file with the same result
//! only the newest stays; readings from before a change of the file all go, because they are stale. The
//! digest tells which calls read and which change a file.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::conversation::{Part, Place};
use crate::digest::{does_each, has_failed, plainly};
use crate::draft::Draft;
use crate::json::quote;
use crate::marks::{self, READ_AGAIN, READ_STALE};
use crate::subject::Subject;
use crate::truncate::clear::{self, Tools};

/// Replaces readings that a later reading or change made needless by placeholders, except among the newest
/// `keep` results; returns their places.
pub fn drop_superseded_reads(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    tools: &Tools,
    keep: usize,
) -> Vec<Place> {
    let Subject { conversation, pairs, .. } = *subject;
    let results = clear::results(draft, pairs);
    let newest = results.len().saturating_sub(keep);
    let first_kept = results.get(newest).map(|(place, _)| *place);
    let mut changed: HashSet<String> = HashSet::new();
    let mut newest_answers: HashMap<String, &Part<'_>> = HashMap::new();
    let mut stubs: Vec<(Place, &str)> = Vec::new();
    let part = |place: Place| conversation.part(place);
    let answered = pairs.calls.iter().filter_map(|&(call, result)| Some((call, result?)));
    let (calls, results): (Vec<Place>, Vec<Place>) =
        answered.filter(|(_, result)| !part(*result).is_error).unzip();
    let may_spread = subject.meter.shares(conversation);
    let all = does_each(&conversation.messages, &calls, may_spread);
    for ((call, result), does) in calls.into_iter().zip(results).zip(all).rev() {
        let (part, answer) = (part(call), part(result));
        // A cut result may have reported a failure: a second run must not miss that and replace more.
        let is_whole = || marks::behind_cut_header(&answer.text()).is_none();
        let has_failed = || has_failed(answer, &does);
        if !does.changes.is_empty() && is_whole() && !has_failed() {
            changed.extend(does.changes.iter().map(|path| plainly(path)));
        }
        if does.reads.is_empty() {
            continue;
        }
        let stub = if does.reads.iter().all(|path| changed.contains(&plainly(path))) {
            Some(READ_STALE)
        } else {
            // Readings of different parts of a file do not replace each other.
            match newest_answers.entry(scope_of(part, &does.reads)) {
                Entry::Occupied(newest) => {
                    let (newest, dialect) = (*newest.get(), conversation.dialect);
                    let has_same = || dialect.attached(newest) == dialect.attached(answer);
                    (newest.says_what(answer) && has_same()).then_some(READ_AGAIN)
                }
                Entry::Vacant(none) => {
                    none.insert(answer);
                    None
                }
            }
        };
        // Calls of protected tools count too, but their own results stay.
        let stub = stub.filter(|_| tools.allow(&part.tool()));
        stubs.extend(stub.map(|stub| (result, stub)));
    }
    stubs.retain(|(place, _)| first_kept.is_none_or(|kept| *place < kept));
    stubs.retain(|(place, stub)| clear::replace(draft, subject.meter, *place, stub));
    stubs.into_iter().map(|(place, _)| place).collect()
}

/// What a reading asks for: the arguments of its call, which name the file and the part. The same path may be
/// written in several ways.
fn scope_of(call: &Part<'_>, reads: &[String]) -> String {
    let Some(body) = call.body else { return String::new() };
    let text = body.text().filter(|_| !body.is_object());
    let scope = text.map_or_else(|| body.compact(), Cow::into_owned);
    reads.iter().fold(scope, |scope, path| scope.replace(&quote(path), &quote(&plainly(path))))
}
