//! The failures that a digest tells, and what fixed them.
//!
//! Responsible for choosing those that there is room for: a failure that nobody has mended yet is the last
//! to be left out.

use std::collections::HashSet;

use super::Left;
use crate::digest::known::Known;
use crate::digest::ledger::errors::{self, Failure};
use crate::digest::text::more::MORE;

/// Per cent of the budget for failures and their fixes, and the same if some failures are open. Measured:
/// up to here it costs no name that is needed.
const FAILURES: [usize; 2] = [20, 24];
/// Per cent of a small budget for failures and their fixes, and the same if some failures are open.
const FEW: [usize; 2] = [10, 15];
/// What a few failures with their fixes take, in tokens.
const SOME_FAILURES: usize = 300;
/// Per cent of a small budget that a few failures may take.
const MOST_OF_ALL: usize = 40;

/// Returns the lines of the failures that there is room for, in their order.
pub(super) fn failures(known: &Known<'_>, left: &mut Left<'_>) -> Vec<Failure> {
    let Known { request, calls, earlier, .. } = *known;
    let runs = errors::runs(known);
    let old = earlier.iter().flat_map(|earlier| {
        let from = known.first_call_behind(earlier.message);
        let newer = Known { calls: &calls[from..], ..*known };
        let lines = earlier.failures.iter().filter(|line| !line.starts_with(MORE));
        let up_to_date = |line: &String| errors::brought_up_to_date(line, &newer, &runs[from..]);
        let up_to_date: Vec<String> = lines.map(up_to_date).collect();
        up_to_date.into_iter().map(|line| Failure { line, told: Vec::new() })
    });
    let mut found: Vec<Failure> = Vec::new();
    let mut lines: HashSet<String> = HashSet::new();
    found.extend(old.filter(|failure| lines.insert(failure.line.clone())));
    let old = found.len();
    let new = errors::failures(known, &runs).into_iter();
    found.extend(new.filter(|failure| lines.insert(failure.line.clone())));
    let found = errors::once(found, old);
    // Of equally telling failures the newest comes first.
    let mut order: Vec<usize> = (0..found.len()).rev().collect();
    // A failure that nobody has mended yet is the last to be left out.
    let is_open = |at: &usize| errors::is_open(&found[*at].line);
    let idleness = |at: &usize| errors::idleness(&found[*at].line);
    order.sort_by_key(|at| (!is_open(at), idleness(at)));
    // The fix of a failure stands nowhere else.
    let is_fixed = |at: &usize| idleness(at) == 0;
    let has_fixed = request.is_roomy() && order.iter().any(is_fixed);
    let least = if has_fixed { SOME_FAILURES.min(request.share(MOST_OF_ALL)) } else { 0 };
    let short = |at: usize, level| errors::shortened(&found[at].line, level);
    // Each is told in its shortest form before any is told at greater length.
    let [fixed, open] = if request.is_roomy() { FAILURES } else { FEW };
    let share = if order.iter().any(is_open) { open } else { fixed };
    let before = left.tokens;
    let mut room = left.room(request.share(share).max(least));
    let (mut told, others): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|&at| room.fits(&short(at, 0)));
    let spent = before - left.tokens;
    let share = request.share(fixed).max(least).saturating_sub(spent);
    let mut room = left.room(share);
    let mut lines: Vec<Failure> = found
        .iter()
        .map(|failure| Failure { line: errors::shortened(&failure.line, 0), told: Vec::new() })
        .collect();
    let mut lengthen = |at: usize, longer: Failure| {
        if room.fits_instead(&longer.line, &lines[at].line) {
            lines[at] = longer;
        }
    };
    for level in 1..errors::LEVELS {
        for &at in &told {
            lengthen(at, Failure { line: short(at, level), told: found[at].told.clone() });
        }
    }
    for &at in &told {
        lengthen(at, found[at].clone());
    }
    told.sort_unstable_by_key(|at| (!is_open(at), *at));
    let mut lines: Vec<Failure> = told.into_iter().map(|at| lines[at].clone()).collect();
    if !others.is_empty() && !lines.is_empty() && request.is_roomy() {
        let line = errors::more(others.iter().map(|&at| found[at].line.as_str()));
        lines.push(Failure { line, told: Vec::new() });
    }
    let counted = earlier.iter().flat_map(|earlier| &earlier.failures);
    for old in counted.filter(|line| line.starts_with(MORE)) {
        match lines.last_mut().filter(|last| last.line.starts_with(MORE)) {
            Some(more) => more.line = errors::added(&more.line, old),
            None => lines.push(Failure { line: old.clone(), told: Vec::new() }),
        }
    }
    lines
}
