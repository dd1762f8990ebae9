//! The changes between a failure and its end.
//!
//! Responsible for naming the changed files, and for telling the change that has most to do with the failure.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::telling_words;
use crate::digest::calls::Call;
use crate::digest::calls::{aim, outcome};
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::fates::Fates;
use crate::digest::files::paths;
use crate::digest::text::point::Point;
use crate::line::counted;

/// How many changed files are named at most.
const NAMED: usize = 3;
/// How much of a change is told, in bytes.
const LONGEST: usize = 80;

/// Whether an error names the file.
pub(super) fn names(why: &str, touch: &Touch) -> bool {
    paths::is_named_in(why, &touch.path)
}

/// Whether a test failed on an expectation and only test files were changed: then no code was mended.
pub(super) fn are_expectations(core: &str, why: &str, calls: &[Call]) -> bool {
    let is_waiting = waits(why) && !why.contains("panic");
    aim::is_test(core) && is_waiting && edits(calls).all(|touch| is_test_file(&touch.path))
}

/// Whether an error is that of a test that did not get what it expected.
pub(super) fn waits(why: &str) -> bool {
    const WAITS: &[&str] = &["xpect", "want", "should", "ssert"];
    why.split("; ").any(outcome::names_test) || WAITS.iter().any(|word| why.contains(word))
}

/// Whether the name of a file or of its folder marks it as a test.
fn is_test_file(path: &str) -> bool {
    let is_test = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs");
    path.rsplit('/').take(2).any(|name| {
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words.any(|word| is_test(word) || word.ends_with("Test") || word.ends_with("Tests"))
    })
}

fn name(touch: &Touch) -> &str {
    let name = paths::name(&touch.path);
    if name.is_empty() { "all files" } else { name }
}

/// Whether a call changed a file as part of the work, by a tool or by a shell command.
pub(super) fn is_edit(call: &Call, touch: &Touch) -> bool {
    let by_shell = || {
        let is_check = call.command.as_deref().is_some_and(aim::is_check);
        touch.deed.changes() && !touch.path.starts_with("/tmp/") && !is_check
    };
    if call.deed.changes() { touch.deed != Deed::Read } else { by_shell() }
}

/// The touches by which these calls edited files, in order.
pub(super) fn edits(calls: &[Call]) -> impl Iterator<Item = &Touch> {
    let well = calls.iter().filter(|call| call.outcome.went_well());
    well.flat_map(|call| call.touches.iter().filter(|touch| is_edit(call, touch)))
}

/// The names of the files that these calls changed and that `is_wanted` accepts, each once, in order.
pub(crate) fn edited<'c>(calls: &'c [Call], is_wanted: &dyn Fn(&Touch) -> bool) -> Vec<&'c str> {
    let mut seen = HashSet::new();
    let wanted = edits(calls).filter(|touch| is_wanted(touch));
    wanted.map(name).filter(|name| seen.insert(*name)).collect()
}

/// The files all of whose edits were taken back by later ones.
fn undone<'t>(touches: &[&'t Touch]) -> HashSet<&'t str> {
    let mut files: HashMap<&str, Vec<&Touch>> = HashMap::new();
    for touch in touches {
        files.entry(&touch.path).or_default().push(touch);
    }
    let is_undone = |touches: &[&Touch]| {
        let (mut fates, mut made) = (Fates::default(), Vec::new());
        for (at, edit) in touches.iter().flat_map(|touch| &touch.edits).enumerate() {
            fates.enter(edit, Point::now(at), (at, 0), &mut made);
        }
        let is_known = |touch: &&Touch| touch.deed == Deed::Edited && !touch.edits.is_empty();
        touches.len() > 1 && touches.iter().all(is_known) && fates.is_undone()
    };
    files.into_iter().filter(|(_, touches)| is_undone(touches)).map(|(path, _)| path).collect()
}

/// Tells the changes of these calls, each file once. If there are too many, the last ones are told. The
/// change that has most to do with `why` is quoted; of equal ones, the last.
pub(super) fn changes(calls: &[Call], why: &str, is_fix: &dyn Fn(&Touch) -> bool) -> String {
    let mut touches: Vec<&Touch> = edits(calls).filter(|touch| is_fix(touch)).collect();
    let undone = undone(&touches);
    touches.retain(|touch| !undone.contains(&*touch.path));
    let words: HashSet<String> = telling_words(why).collect();
    // A failing test names its own file, while the code that it tests is mended elsewhere.
    let waits = waits(why);
    let rank = |touch: &Touch| match waits && is_test_file(&touch.path) {
        true => 0,
        false if names(why, touch) => 2,
        false => u8::from(waits),
    };
    let nearness = |touch: &&Touch| {
        let change = touch.change();
        let told = change.map(ToString::to_string).unwrap_or_default();
        let shared: HashSet<_> = telling_words(&told).filter(|word| words.contains(word)).collect();
        // An import only comes along with the code that needs it.
        let tells = change.is_some_and(|change| !change.is_import());
        // A replaced line shows what was wrong with it.
        let becomes = change.is_some_and(|it| it.before.is_some() && it.after.is_some());
        let mends = becomes && !shared.is_empty();
        (rank(touch), names(why, touch), mends, shared.len(), tells, change.is_some())
    };
    let nearest = touches.iter().copied().max_by_key(nearness);
    let mut files = HashSet::new();
    let mut last: Vec<&Touch> =
        touches.into_iter().rev().filter(|t| files.insert(&t.path)).collect();
    let is_nearest = |touch: &Touch| nearest.is_some_and(|nearest| nearest.path == touch.path);
    last.sort_by_key(|touch| (!is_nearest(touch), Reverse(rank(touch))));
    // If there are too many, only those are named that are likelier than others to have mended it, if there
    // are such.
    let best = last.first().map_or(0, |touch| rank(touch));
    let likely = last.iter().filter(|touch| best > 0 && rank(touch) == best).count();
    let told = if likely > 0 && last.len() > NAMED { likely.min(NAMED) } else { NAMED };
    let more = last.len().saturating_sub(told);
    last.truncate(told);
    let mut told: Vec<String> = Vec::new();
    for touch in last {
        let done = match touch.deed {
            Deed::Deleted => "deleting",
            Deed::Moved => "moving",
            deed if deed.puts_back() => "putting back",
            _ => "editing",
        };
        let nearest = nearest.filter(|nearest| told.is_empty() && nearest.deed == touch.deed);
        let change = nearest.and_then(Touch::change);
        let change = change.map(|change| format!(": {}", change.brief(LONGEST)));
        told.push(format!("{done} {}{}", name(touch), change.unwrap_or_default()));
    }
    if more > 0 {
        told.push(counted(more, "more file"));
    }
    told.join("; ")
}
