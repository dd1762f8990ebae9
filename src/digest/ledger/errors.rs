//! Failures, and what fixed them.
//!
//! Responsible for telling a failure that was followed by a success of the same command, with the
//! changes between the two, from one that is still open. A search that found nothing is none.

mod act;
mod brief;
pub(crate) mod changes;
mod diagnosis;
mod end;
mod instead;
mod pasted;
mod run;
mod same;

use std::collections::HashMap;

use super::Ledger;
use crate::conversation::Kind;
use crate::digest::Request;
use crate::digest::calls::Call;
use crate::digest::calls::{aim, commands, folder, outcome, shell};
use crate::digest::files::deed::Deed;
use crate::digest::text::kinds::Kinds;
use crate::digest::text::told::Told;
use crate::digest::text::words::Words;
use crate::digest::text::{labels, names, units};
use crate::line::on_one_line;
pub(crate) use brief::{LEVELS, added, count, more, shortened};
use diagnosis::{diagnosis, subject, telling_words};
use end::End;
use instead::Behind;
use pasted::pasted;
use run::Run;
pub(crate) use run::has_passed;
use same::{Draft, Found, Key};

/// How many calls later a failure's end is looked for.
const FAR: usize = 400;

/// How many of the last failures are looked at: more fit into no digest.
const MOST: usize = 500;

/// How many calls later a tool that refused may have done it.
const SOON: usize = 60;

/// How much is told of an error, in bytes.
const MOST_OF_ERROR: usize = 200;

/// What ends the line of a failure that was fixed.
const PASSED: &str = " → passed";
/// What stands before the changes that fixed it.
const FIXED: &str = " → fixed by ";
/// What stands before the tests that were changed and passed then.
const EXPECTED: &str = " → test changed in ";
/// What ends the line of one that failed to the last.
const AGAIN: &str = " → failed again ";
/// What ends the line of one behind which the same command failed of something else.
const OTHERWISE: &str = " → failed otherwise ";
/// What ends the line of one that was left.
const LEFT: &str = " → not run again";
/// What stands before what was run in place of one.
const INSTEAD: &str = " → instead ";
/// What ends the line of one behind which the same command failed of something else at last.
const AT_LAST: &str = " → failed otherwise at last ";
/// What failed in what the user shows.
const SHOWN: &str = "the user's run";
/// What ends the line of such a failure that nothing was run for.
const NEVER: &str = " → never run here";
/// What stands before the changes that another command's success followed.
const THEN: &str = " → then ";
/// What stands before the files in conflict that were edited since.
const RESOLVED: &str = " → edited since: ";
/// What stands before the place of another one that is the same.
const ALSO: &str = ", also [";
/// What stands before what the model said of it.
const SAID: &str = " → said ";

/// All that may stand behind an error: what mended it, how it ended and is told whole, and the rest.
const MENDED: &[&str] = &[FIXED, EXPECTED, THEN];
const WHOLE: &[&str] = &[PASSED, LEFT, INSTEAD, RESOLVED, NEVER];
const OTHERS: &[&str] = &[AGAIN, AT_LAST, OTHERWISE, SAID];

/// How little the line of a failure tells of the work: what an edit fixed least, then tests that
/// still fail and tools; last what was tried in passing.
pub(crate) fn idleness(line: &str) -> u8 {
    let is_shown = line.contains(&format!("{SHOWN}{}", labels::FAILED));
    if is_shown || MENDED.iter().any(|mended| line.contains(mended)) {
        return 0;
    }
    let is_check = line.split('`').nth(1).is_some_and(aim::is_check);
    match (is_check, line.contains(PASSED) || line.ends_with(LEFT)) {
        (true, _) => 1,
        (_, false) => 2,
        _ => 3,
    }
}

/// Whether a check failed to the last, as far as the line of it says.
pub(crate) fn is_open(line: &str) -> bool {
    let is_ended = [PASSED, OTHERWISE, INSTEAD].iter().any(|end| line.contains(end));
    let is_check = line.split('`').nth(1).is_some_and(aim::is_check);
    is_check && (!is_ended || line.contains(AT_LAST))
}

/// A failure as it is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    pub(crate) line: String,
    /// What the line quotes of the model.
    pub(crate) told: Vec<Told>,
}

/// What each call ran.
pub(crate) fn runs(calls: &[Call]) -> Vec<Option<Run<'_>>> {
    calls.iter().map(|call| Some(Run::of(call.command.as_deref()?, &call.within))).collect()
}

/// Every failure that says something, in order; those of a command until it passes as one.
/// `all_runs` are those of the calls.
pub(crate) fn failures<'r>(
    request: &Request<'_, '_>,
    calls: &[Call],
    all_runs: &'r [Option<Run<'r>>],
    ledger: &Ledger,
) -> Vec<Failure> {
    let goes_on = goes_on(request);
    // Until which call a command's failures are told.
    let mut until: HashMap<&str, usize> = HashMap::new();
    let mut found = Found::default();
    for draft in pasted(request, calls, all_runs) {
        found.add(draft);
    }
    let failed: Vec<usize> = (0..calls.len()).filter(|&at| why(&calls[at]).is_some()).collect();
    for &at in &failed[failed.len().saturating_sub(MOST)..] {
        let call = &calls[at];
        let Some(why) = why(call) else { continue };
        let behind = at + 1..calls.len().min(at + 1 + FAR);
        let (later, runs) = (&calls[behind.clone()], (&all_runs[at], &all_runs[behind]));
        let mut draft =
            Draft { place: call.place.0, why: told_of(why, MOST_OF_ERROR), ..Draft::default() };
        let (mut errors, mut since) = (vec![why], String::new());
        if let (Some(command), (Some(run), runs)) = (&call.command, runs) {
            let core = run.core;
            let identity = run.identity.as_str();
            if only_looked(command, why) || until.get(identity).is_some_and(|&until| at < until) {
                continue;
            }
            let end = End::of(later, run, runs, why);
            until.insert(identity, at + 1 + end.until().unwrap_or(later.len()));
            let is_same = |run: &Run<'_>| run.identity == identity;
            let last = end.until_last().map_or(at, |last| at + 1 + last);
            let runs_on = all_runs[last + 1..].iter().flatten().any(is_same);
            since = end.since(run, why, later, runs, goes_on || runs_on);
            let subject = subject(core, why, call, &later[..end.until().unwrap_or(0)]);
            let failed_again =
                |n: &usize| later[*n].outcome.failed && runs[*n].as_ref().is_some_and(is_same);
            let again = 0..end.until().unwrap_or(later.len());
            let (first, last) = (again.clone().find(failed_again), again.rev().find(failed_again));
            // What was said behind the last failure is of that one.
            let place = |n: usize| later[n].place.0;
            let others = later
                .iter()
                .zip(runs)
                .filter(|(call, run)| call.outcome.failed && !run.as_ref().is_some_and(is_same));
            let others: Vec<usize> = others.map(|(call, _)| call.place.0).collect();
            let mut said = |from: usize, to: Option<usize>| {
                let other = others.iter().copied().find(|&other| other > from);
                let told = diagnosis(request, from..to.unwrap_or(usize::MAX), other, &subject);
                let phrase = told.as_ref().map_or(String::new(), |told| told.phrase(request));
                draft.told.extend(told);
                phrase
            };
            let instead = || same::closed(&since)?.parse().ok();
            let closed = end.until().map(place).or_else(instead);
            let before = said(call.place.0, first.map(place).or(closed));
            let behind = last.map_or(String::new(), |last| said(place(last), closed));
            let told = end.told(run, why, later);
            let is_late = end.until_last().is_some();
            let (between, behind) =
                if is_late { ("", behind.as_str()) } else { (behind.as_str(), "") };
            draft.end = format!("{before}{between}{told}{behind}{since}");
            draft.what =
                format!("`{}`{}", commands::named_in(command, &call.within), labels::FAILED);
            errors.extend(last.and_then(|last| later[last].outcome.line.as_deref()));
        } else if retried(later, call) {
            // A tool that refused and then did it is no news.
            continue;
        } else {
            let file = call.touches.first().map(|touch| ledger.paths.told(&touch.path));
            let what = format!("{} {}", call.tool, file.unwrap_or_default());
            draft.what = format!("{}{}", what.trim_end(), labels::FAILED);
        }
        let is_check = call.command.as_deref().is_some_and(aim::is_check);
        let mut keys = same::keys(&errors, &draft.end, is_check);
        if !since.is_empty() && names_something(&draft.why) {
            keys.push((without_digits(&draft.why), since));
        }
        if !is_check && (draft.end.is_empty() || draft.end == LEFT) {
            keys.push(slip(&draft));
        }
        found.join(draft, keys);
    }
    found.told()
}

/// An error as it is told, in at most `most` bytes.
fn told_of(why: &str, most: usize) -> String {
    outcome::shorten(&outcome::bare(&on_one_line(units::without_marks(why))), most).into()
}

/// Whether a command that failed only looked for something, which is no failure of the work.
fn only_looked(command: &str, why: &str) -> bool {
    let is_error = ["fatal", "error"].iter().any(|word| why.starts_with(word));
    shell::ends_looking(command) && !aim::is_check(command)
        || shell::does_nothing(command) && !is_error
}

/// What a slip has in common with another one: the program and the error.
fn slip(draft: &Draft) -> Key {
    let program = draft.what.split(' ').next().unwrap_or_default();
    (format!("{program} {}", draft.why.rsplit(": ").next().unwrap_or_default()), String::new())
}

/// A failure of an earlier digest, with the run of the same command that has passed since.
/// `runs` are those of the calls, `home` is where the session began.
pub(crate) fn brought_up_to_date<'r>(
    line: &str,
    home: &str,
    calls: &[Call],
    runs: &'r [Option<Run<'r>>],
) -> String {
    if let Some((open, _)) = line.split_once(RESOLVED) {
        let end = calls.iter().find_map(end::concluded);
        return end.map_or(line.to_owned(), |end| format!("{open}{end}"));
    }
    if let Some(open) = line.strip_suffix(NEVER) {
        return format!("{open}{}", pasted::ended(why_of(line), calls, runs));
    }
    let is_ended = [PASSED, OTHERWISE, INSTEAD].iter().any(|end| line.contains(end));
    let Some(command) = line.split('`').nth(1).filter(|_| !is_ended) else {
        return line.to_owned();
    };
    let within = folder::told_by(home, command);
    let own = Run::of(command, &within);
    let open = line.strip_suffix(LEFT).unwrap_or(line);
    let why = why_of(open);
    // One that was shortened is known by its beginning alone.
    let is_named = |call: &Call| {
        (command.contains('…') || *call.within == *within)
            && call
                .command
                .as_deref()
                .is_some_and(|it| commands::named_in(it, &call.within) == command)
    };
    let is_same = |call: &Call, run: &Run<'_>| run.identity == own.identity || is_named(call);
    let mut is_run = own.until_run(why);
    let mut mends = |call: &Call, run: &Run<'_>| {
        let is_run = if commands::is_whole(command) { is_run(run) } else { own.begins_in(run) };
        is_run || is_named(call)
    };
    let ran = || calls.iter().zip(runs).filter_map(|(call, run)| Some((call, run.as_ref()?)));
    if let Some((call, _)) = ran().find(|(call, run)| has_passed(call) && mends(call, run)) {
        return format!("{open}{PASSED} [{}]", call.place.0);
    }
    let last = ran().filter(|(call, run)| !call.outcome.never_ran() && is_same(call, run)).last();
    match last {
        Some((call, _)) if call.outcome.failed => format!("{open}{AGAIN}[{}]", call.place.0),
        Some(_) => open.to_owned(),
        None if open.len() == line.len() => line.to_owned(),
        None => match Behind::of(&own, why, calls, runs) {
            Behind::Nothing => line.to_owned(),
            around => format!("{open}{}", around.told(calls)),
        },
    }
}

/// The error in a line that tells a failure, without what was said and done of it.
fn why_of(line: &str) -> &str {
    let why = line.split_once(labels::FAILED).map_or("", |(_, why)| why);
    why.split_once(labels::ARROW).map_or(why, |(why, _)| why)
}

/// Whether calls behind the summarised ones stay visible.
pub(crate) fn goes_on(request: &Request<'_, '_>) -> bool {
    let messages = &request.conversation.messages;
    let mut behind = (0..messages.len()).rev().take_while(|&at| !request.summarised[at]);
    behind.any(|at| request.shown[at] && messages[at].has(Kind::ToolCall))
}

/// The line that says why a call failed. Looking for what is not there is no failure of the work.
fn why(call: &Call) -> Option<&str> {
    let is_failure = call.outcome.failed && !matches!(call.deed, Deed::Read | Deed::Searched);
    call.outcome.line.as_deref().filter(|line| is_failure && says_why(line))
}

/// Whether a line of a failed call tells anything: not a rule, nor that nothing was printed or another
/// call failed.
fn says_why(line: &str) -> bool {
    let is_empty = line.eq_ignore_ascii_case("(no output)");
    line.chars().any(char::is_alphanumeric) && !is_empty && !outcome::is_cancelled(line)
}

/// Whether an error names what it is about, and does not only say that something failed.
fn names_something(why: &str) -> bool {
    let mut names = 0;
    names::scan(why, Kinds::of(why).all(), &mut Words::default(), |_| names += 1);
    names > 0
}

/// An error without what differs each time: durations, counts, lines.
fn without_digits(why: &str) -> String {
    why.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn retried(later: &[Call], failed: &Call) -> bool {
    let is_same = |call: &Call| match call.deed {
        Deed::Other => failed.deed == Deed::Other && call.tool == failed.tool,
        deed => deed == failed.deed || deed.changes() && failed.deed.changes(),
    };
    later.iter().take(SOON).any(|call| {
        call.outcome.went_well()
            && is_same(call)
            && call.touches.first().map(|touch| &touch.path)
                == failed.touches.first().map(|touch| &touch.path)
    })
}
