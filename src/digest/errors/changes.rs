//! What was changed between a failure and its end.
//!
//! Responsible for naming the files, and for telling of the change that has most to do with what failed.

use std::collections::HashSet;

use super::super::calls::Call;
use super::super::commands;
use super::super::deed::{Deed, Touch};
use super::telling_words;
use crate::line::clip;

/// How many changes are named, and how much of one is told, in bytes.
const NAMED: usize = 3;
const LONGEST: usize = 80;

/// Whether an error names the file.
pub(super) fn names(why: &str, touch: &Touch) -> bool {
    why.contains(name(touch))
}

fn name(touch: &Touch) -> &str {
    touch.path.rsplit('/').next().unwrap_or(&touch.path)
}

/// Whether a call, of a tool or of a shell, changed a file to change the work.
pub(super) fn is_edit(call: &Call, touch: &Touch) -> bool {
    let by_shell = || {
        let is_check = call.command.as_deref().is_some_and(commands::is_check);
        touch.deed.changes() && !touch.path.starts_with("/tmp/") && !is_check
    };
    if call.deed.changes() { touch.deed != Deed::Read } else { by_shell() }
}

/// The names of the files that these calls changed and that are wanted, each once, in order.
pub(in crate::digest) fn edited<'c>(
    calls: &'c [Call],
    is_wanted: &dyn Fn(&Touch) -> bool,
) -> Vec<&'c str> {
    let mut seen = HashSet::new();
    let well = calls.iter().filter(|call| call.outcome.went_well());
    let touches = well.flat_map(|call| call.touches.iter().filter(|touch| is_edit(call, touch)));
    touches.filter(|touch| is_wanted(touch)).map(name).filter(|name| seen.insert(*name)).collect()
}

/// The changes of these calls, a file once: of many the last ones, and what the one did that has most to
/// do with `why`, of equal ones the last.
pub(super) fn changes(calls: &[Call], why: &str, is_fix: &dyn Fn(&Touch) -> bool) -> String {
    let well = calls.iter().filter(|call| call.outcome.went_well());
    let touches = well.flat_map(|call| call.touches.iter().filter(|touch| is_edit(call, touch)));
    let touches: Vec<&Touch> = touches.filter(|touch| is_fix(touch)).collect();
    let words: HashSet<String> = telling_words(why).collect();
    let nearness = |touch: &&Touch| {
        let shared = telling_words(touch.change.as_deref()?).filter(|word| words.contains(word));
        Some((names(why, touch), shared.collect::<HashSet<_>>().len()))
    };
    let nearest = touches.iter().copied().max_by_key(nearness);
    let mut files = HashSet::new();
    let mut last: Vec<&Touch> =
        touches.into_iter().rev().filter(|t| files.insert(&t.path)).collect();
    let more = last.len().saturating_sub(NAMED);
    let is_nearest = |touch: &Touch| nearest.is_some_and(|nearest| nearest.path == touch.path);
    last.sort_by_key(|touch| !is_nearest(touch));
    last.truncate(NAMED);
    let mut told: Vec<String> = Vec::new();
    for touch in last {
        let done = match touch.deed {
            Deed::Deleted => "deleting",
            Deed::Moved => "moving",
            _ => "editing",
        };
        let nearest = nearest.filter(|nearest| told.is_empty() && nearest.deed == touch.deed);
        let change = nearest.and_then(|touch| touch.change.as_deref());
        let change = change.map(|change| format!(": {}", clip(change, LONGEST)));
        told.push(format!("{done} {}{}", name(touch), change.unwrap_or_default()));
    }
    if more > 0 {
        told.push(format!("{more} more files"));
    }
    told.join("; ")
}
