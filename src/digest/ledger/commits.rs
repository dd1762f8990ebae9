//! The last commit, and what came behind it.
//!
//! Responsible for one line of where the work stands: what was committed last, whether it was pushed,
//! and which files were changed since. It relies on git's own words for what it made.

use super::checks::since;
use crate::digest::Request;
use crate::digest::calls::shell::{self, git};
use crate::digest::calls::{self, Call};
use crate::digest::text::labels;

/// The line of the last commit, if one was made, now or in what an `earlier` line tells of, with its branch
/// or without, which is shorter. `before` says that the work goes on behind it.
pub(crate) fn last_commit(
    request: &Request<'_, '_>,
    all: &[Call],
    earlier: Option<&str>,
    before: &str,
    with_branch: bool,
) -> Option<String> {
    let Some(at) = all.iter().rposition(|call| commit(call).is_some()) else {
        let mut line = earlier?.to_owned();
        if !line.contains(labels::PUSHED) {
            line.push_str(&pushed(all));
        }
        return Some(line + &since(all, false));
    };
    let call = &all[at];
    let (told, label) = (commit(call)?, labels::LAST_COMMIT);
    let branched = if with_branch { on_branch(request, call, told) } else { None };
    let told = branched.unwrap_or_else(|| told.to_owned());
    let behind = since(&all[at + 1..], false);
    let pushed = pushed(&all[at..]);
    Some(format!("- [{}] {label}{before}: {told}{pushed}{behind}", call.place.0))
}

/// What git says of the commit that a call made: its number and its subject.
fn commit(call: &Call) -> Option<&str> {
    let commits = git_does(call, "commit") && call.outcome.went_well();
    call.outcome.line.as_deref().filter(|line| commits && line.starts_with('['))
}

/// The same with the branch that git names before the number: `[main 1a2b3c4] What was done`.
fn on_branch(request: &Request<'_, '_>, call: &Call, told: &str) -> Option<String> {
    let (number, subject) = told.strip_prefix('[')?.split_once("] ")?;
    let text = calls::result_text(request.conversation, call.result?);
    let mut heads = text.lines().filter_map(|line| line.trim().split_once("] "));
    let is_it = |head: &str| head.starts_with('[') && head.ends_with(&format!(" {number}"));
    let head = heads.find_map(|(head, _)| Some(head).filter(|head| is_it(head)))?;
    Some(format!("{head}] {subject}"))
}

/// When these calls pushed last.
fn pushed(calls: &[Call]) -> String {
    let pushes = |call: &&Call| git_does(call, "push") && call.outcome.went_well();
    let last = calls.iter().rfind(pushes).map(|call| call.place.0);
    last.map_or(String::new(), |at| format!("{}[{at}]", labels::PUSHED))
}

/// Whether a call has git do this, and not something else by the same verb.
fn git_does(call: &Call, verb: &str) -> bool {
    const OTHER: &[&str] = &["--dry-run", "--delete", "-d", "--tags"];
    let does = |part: &&str| {
        git::verb(part) == Some(verb) && !shell::words(part).iter().any(|word| OTHER.contains(word))
    };
    call.command.as_deref().is_some_and(|command| shell::commands(command).iter().any(does))
}
