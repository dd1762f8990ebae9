//! The last commit, and what came behind it.
//!
//! Responsible for one line of where the work stands: what was committed last, whether it was pushed,
//! and which files were changed since. It relies on git's own words for what it made.

use super::checks::since;
use crate::digest::Request;
use crate::digest::calls::shell::{self, Joint, git};
use crate::digest::calls::{self, Call, commands, outcome};
use crate::digest::text::labels;
use crate::line::on_one_line;

/// With which git says that it committed nothing.
const NOTHING: &[&str] = &["nothing to commit", "nothing added to commit", "no changes added to"];

/// The line of the last commit, if one was made, now or in what an `earlier` line tells of, with its branch
/// or without, which is shorter. `before` says that the work goes on behind it.
pub(crate) fn last_commit(
    request: &Request<'_, '_>,
    all: &[Call],
    earlier: Option<&str>,
    before: &str,
    with_branch: bool,
) -> Option<String> {
    let last = all.iter().enumerate().rev();
    let last = last.into_iter().find_map(|(at, call)| Some((at, commit(request, call)?)));
    let Some((at, told)) = last else {
        let mut line = earlier?.to_owned();
        if !line.contains(labels::PUSHED) {
            line.push_str(&pushed(all));
        }
        return Some(line + &since(all, false));
    };
    let (call, label) = (&all[at], labels::LAST_COMMIT);
    let branched = if with_branch { on_branch(request, call, &told) } else { None };
    let told = branched.unwrap_or(told);
    let behind = since(&all[at + 1..], false);
    let pushed = pushed(&all[at..]);
    Some(format!("- [{}] {label}{before}: {told}{pushed}{behind}", call.place.0))
}

/// The commit that a call made: its number and its subject, as git says them even where what came behind it
/// failed, or else what the command says of it.
fn commit(request: &Request<'_, '_>, call: &Call) -> Option<String> {
    let (command, result) = (call.command.as_deref()?, call.result?);
    last_that_does(command, "commit")?;
    let went_well = call.outcome.went_well();
    let line = call.outcome.line.as_deref().filter(|line| went_well && line.starts_with('['));
    let text = || calls::result_text(request.conversation, result);
    let said = || text().lines().rev().find_map(|line| outcome::commit(line.trim()));
    // Git says so where there was nothing, and not every log has its status.
    let is_refused = || {
        let text = text();
        NOTHING.iter().any(|words| text.contains(words))
    };
    let quiet = || made(command).filter(|_| went_well && !is_refused());
    line.map(str::to_owned).or_else(said).or_else(quiet)
}

/// What a command says of its last commit, which it made if it went well: the subject, or else how it was made.
fn made(command: &str) -> Option<String> {
    let at = last_that_does(command, "commit")?;
    let parts = shell::parts(command);
    let is_sure = parts[at..parts.len() - 1].iter().all(|part| part.joint == Joint::And)
        && at.checked_sub(1).is_none_or(|before| parts[before].joint != Joint::Or);
    let part = &command[parts[at].range.clone()];
    let how = || format!("`{}`", commands::named(&on_one_line(part)));
    is_sure.then(|| git::subject(part).unwrap_or_else(how))
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

/// When these calls pushed last: in none that committed behind that.
fn pushed(calls: &[Call]) -> String {
    let pushes = |call: &&Call| {
        let last = |verb| call.command.as_deref().and_then(|command| last_that_does(command, verb));
        last("push") > last("commit") && call.outcome.went_well()
    };
    let last = calls.iter().rfind(pushes).map(|call| call.place.0);
    last.map_or(String::new(), |at| format!("{}[{at}]", labels::PUSHED))
}

/// The last part of a command by which git does this, and not something else by the same verb.
fn last_that_does(command: &str, verb: &str) -> Option<usize> {
    const OTHER: &[&str] = &["--dry-run", "--delete", "-d", "--tags", "-h", "--help"];
    shell::parts(command).iter().rposition(|part| {
        let part = &command[part.range.clone()];
        git::verb(part) == Some(verb) && !shell::words(part).iter().any(|word| OTHER.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_what_it_committed() {
        for (command, wanted) in [
            ("git commit -qam two && git push -q", Some("two")),
            ("git add -A; git commit -q -m 'Mend it'", Some("Mend it")),
            ("git commit -q --amend --no-edit", Some("`git commit -q --amend --no-edit`")),
            ("git commit -qm two; git push", None),
            ("git commit -qm two || true", None),
            ("git commit -qm two | tail -1", None),
            ("git commit --dry-run -qm two", None),
            ("make || git commit -qm two", None),
        ] {
            assert_eq!(made(command).as_deref(), wanted, "{command}");
        }
    }
}
