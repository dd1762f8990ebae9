//! The last commit, and what followed it.
//!
//! Responsible for one line of the current state: what was committed last, whether it was pushed, and which
//! files were changed since. It relies on git's own output for what a commit holds.

use super::checks::since;
use crate::digest::Request;
use crate::digest::calls::shell::{self, Joint, git};
use crate::digest::calls::{self, Call, commands, outcome};
use crate::digest::known::Known;
use crate::digest::text::labels::{self, MOVED};
use crate::line::on_one_line;

/// The words with which git says that it committed nothing.
const NOTHING: &[&str] = &["nothing to commit", "nothing added to commit", "no changes added to"];

/// Returns the line of the last commit, from the calls or else from the `earlier` line; `None` if nothing
/// was committed. `with_branch` adds the branch, which is longer. `before` is added to the label and says
/// that the work goes on after the line.
pub(crate) fn last_commit(
    known: &Known<'_>,
    earlier: Option<&str>,
    before: &str,
    with_branch: bool,
) -> Option<String> {
    let Known { request, calls: all, .. } = *known;
    let last = all.iter().enumerate().rev();
    let last = last.into_iter().find_map(|(at, call)| Some((at, commit(request, call)?)));
    let Some((at, told)) = last else {
        let mut line = earlier?.to_owned();
        if ![labels::PUSHED, labels::UP_TO_DATE].iter().any(|label| line.contains(label)) {
            line.push_str(&pushed(all, None));
        }
        return Some(line + &taken_back(all) + &since(all, false));
    };
    let (call, label) = (&all[at], labels::LAST_COMMIT);
    let branched = if with_branch { on_branch(request, call, &told) } else { None };
    let told = branched.unwrap_or(told);
    let behind = since(&all[at + 1..], false);
    let pushed = pushed(&all[at..], Some(call));
    let back = taken_back(&all[at + 1..]);
    Some(format!("- [{}] {label}{before}: {told}{pushed}{back}{behind}", call.place.0))
}

/// Tells the last of these calls that took commits back and left what they changed.
fn taken_back(calls: &[Call]) -> String {
    let told = calls.iter().rev().filter(|call| call.outcome.went_well()).find_map(|call| {
        let part = git::uncommits(call.command.as_deref()?)?;
        Some(format!("{MOVED}`{}` [{}]", commands::named(part), call.place.0))
    });
    told.unwrap_or_default()
}

/// The commit that a call made, as `[number] subject`: as git printed it, even where a later part of the
/// command failed, or else as the command itself names it.
fn commit(request: &Request<'_, '_>, call: &Call) -> Option<String> {
    let (command, result) = (call.command.as_deref()?, call.result?);
    last_that_does(command, "commit")?;
    let went_well = call.outcome.went_well();
    let line = call.outcome.line.as_deref().filter(|line| went_well && line.starts_with('['));
    let text = || calls::result_text(request.conversation, result);
    let said = || text().lines().rev().find_map(|line| outcome::commit(line.trim()));
    // Git says so where there was nothing to commit, and not every log records the exit status.
    let is_refused = || {
        let text = text();
        NOTHING.iter().any(|words| text.contains(words))
    };
    let quiet = || made(command).filter(|_| went_well && !is_refused());
    line.map(str::to_owned).or_else(said).or_else(quiet)
}

/// What a command says of its last commit, if it must have made it to go well: the subject, or else the
/// command that commits.
fn made(command: &str) -> Option<String> {
    let at = last_that_does(command, "commit")?;
    let parts = shell::parts(command);
    let is_sure = parts[at..parts.len() - 1].iter().all(|part| part.joint == Joint::And)
        && at.checked_sub(1).is_none_or(|before| parts[before].joint != Joint::Or);
    let part = parts[at].text;
    let how = || format!("`{}`", commands::named(&on_one_line(part)));
    is_sure.then(|| git::subject(part).unwrap_or_else(how))
}

/// The commit with the branch that git prints before its number: `[main 1a2b3c4] What was done`.
fn on_branch(request: &Request<'_, '_>, call: &Call, told: &str) -> Option<String> {
    let (number, subject) = told.strip_prefix('[')?.split_once("] ")?;
    let text = calls::result_text(request.conversation, call.result?);
    let mut heads = text.lines().filter_map(|line| line.trim().split_once("] "));
    let is_it = |head: &str| head.starts_with('[') && head.ends_with(&format!(" {number}"));
    let head = heads.find_map(|(head, _)| Some(head).filter(|head| is_it(head)))?;
    Some(format!("{head}] {subject}"))
}

/// The label and message of the last of these calls that pushed and did not commit after that. If git only
/// said that all was up to date, which does not mean that this call pushed it, an earlier push counts. A push
/// from another folder than that of the `commit` may be of another repository.
fn pushed(calls: &[Call], commit: Option<&Call>) -> String {
    let pushes = |call: &&Call| {
        let last = |verb| call.command.as_deref().and_then(|command| last_that_does(command, verb));
        last("push") > last("commit")
            && call.outcome.went_well()
            && commit.is_none_or(|commit| call.within.may_hold(&commit.within))
    };
    let sends = |call: &&Call| {
        let line = call.outcome.line.as_deref().unwrap_or_default();
        pushes(call) && !line.contains("Everything up-to-date")
    };
    let told = |label: &str, call: &Call| format!("{label}[{}]", call.place.0);
    let sent = calls.iter().rfind(sends).map(|call| told(labels::PUSHED, call));
    // A push that names a branch may be of another branch.
    let is_bare = |call: &&Call| {
        let parts = call.command.as_deref().map(shell::commands).unwrap_or_default();
        let push = parts.into_iter().rfind(|part| git::verb(part) == Some("push"));
        let words = push.map(shell::words).unwrap_or_default().into_iter().rev();
        let named = words.take_while(|word| *word != "push").filter(|word| !word.starts_with('-'));
        named.filter(|word| *word != "HEAD").count() < 2
    };
    let mut idle = calls.iter().filter(|call| pushes(call) && is_bare(call));
    let idle = || idle.next_back().map(|call| told(labels::UP_TO_DATE, call));
    sent.or_else(idle).unwrap_or_default()
}

/// The index of the last part of a command in which git really does `verb`: `git push --dry-run` pushes nothing.
fn last_that_does(command: &str, verb: &str) -> Option<usize> {
    const OTHER: &[&str] = &["--dry-run", "--delete", "-d", "--tags", "-h", "--help"];
    shell::parts(command).iter().rposition(|part| {
        let part = part.text;
        // `git push origin :fix` deletes a branch.
        let is_other = |word: &&str| OTHER.contains(word) || word.starts_with(':');
        git::verb(part) == Some(verb) && !shell::words(part).iter().any(is_other)
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
