//! Failures, and what fixed them.
//!
//! Responsible for telling a failure that was followed by a success of the same command, with the changes
//! between the two, from a failure that is still open. A search that found nothing is no failure.

mod brief;
pub(crate) mod changes;
mod diagnosis;
mod end;
mod failed;
mod repeated;
mod run;
mod same;

use std::collections::HashMap;

use crate::conversation::Kind;
use crate::digest::Request;
use crate::digest::calls::Call;
use crate::digest::calls::folder::Folder;
use crate::digest::calls::{aim, commands, outcome};
use crate::digest::files::deed::Deed;
use crate::digest::known::Known;
use crate::digest::text::kinds::Kinds;
use crate::digest::text::labels::{AGAIN, ALSO, AT_LAST, DIAGNOSIS, OTHERWISE, PASSED};
use crate::digest::text::told::Told;
use crate::digest::text::words::Words;
use crate::digest::text::{labels, names, units};
use crate::line::on_one_line;
pub(crate) use brief::{LEVELS, added, count, more, shortened};
use diagnosis::telling_words;
use failed::Failed;
pub(crate) use repeated::once;
use run::Run;
pub(crate) use run::has_passed;
use same::Found;

/// How many of the last failures are looked at; more never fit into a digest.
const MOST: usize = 500;

/// How much is told of an error, in bytes.
const MOST_OF_ERROR: usize = 200;

/// The text before the changes that fixed a failure.
const FIXED: &str = " → fixed by ";
/// The text before the tests that were changed and then passed.
const EXPECTED: &str = " → test changed in ";
/// Ends the line of a failure whose command was not run again.
const LEFT: &str = " → not run again";
/// The text before changes that need not have mended the failure.
const THEN: &str = " → then ";
/// The text before the files in conflict that were edited since.
const RESOLVED: &str = " → edited since: ";

/// The marks before what mended a failure.
const MENDED: &[&str] = &[FIXED, EXPECTED, THEN];
/// The marks before how a failure ended, which is never shortened.
const WHOLE: &[&str] = &[PASSED, LEFT, RESOLVED];
/// All other marks that may follow an error.
const OTHERS: &[&str] = &[AGAIN, AT_LAST, OTHERWISE, DIAGNOSIS];

/// How little the line of a failure tells of the work, from 0 (it was mended) over checks and failures without
/// a told end to 3 (it was tried in passing).
pub(crate) fn idleness(line: &str) -> u8 {
    if MENDED.iter().any(|mended| line.contains(mended)) {
        return 0;
    }
    let is_check = command_of(line).is_some_and(aim::is_check);
    match (is_check, line.contains(PASSED) || line.ends_with(LEFT)) {
        (true, _) => 1,
        (_, false) => 2,
        _ => 3,
    }
}

/// The command that a line tells of.
pub(super) fn command_of(line: &str) -> Option<&str> {
    line.split('`').nth(1)
}

/// Whether a line tells how a failure ended.
fn is_ended(line: &str) -> bool {
    [PASSED, OTHERWISE].iter().any(|end| line.contains(end))
}

/// Whether a line tells of a check that is not known to have passed.
pub(crate) fn is_open(line: &str) -> bool {
    let is_check = command_of(line).is_some_and(aim::is_check);
    is_check && (!is_ended(line) || line.contains(AT_LAST))
}

/// A failure, ready to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    pub(crate) line: String,
    /// The words of the model that the line quotes.
    pub(crate) told: Vec<Told>,
}

/// The command of each call, `None` for a call that ran none.
pub(crate) fn runs<'k>(known: &Known<'k>) -> Vec<Option<Run<'k>>> {
    let home = &*known.ledger.home;
    let run = |call: &'k Call| Some(Run::of(call.command.as_deref()?, &call.within, home));
    known.calls.iter().map(run).collect()
}

/// Returns every failure that says something, in order; the failures of a command until it passes are one.
/// `all_runs` holds the runs of the calls.
pub(crate) fn failures<'r>(known: &'r Known<'r>, all_runs: &'r [Option<Run<'r>>]) -> Vec<Failure> {
    let Known { request, calls, ledger, .. } = *known;
    let goes_on = goes_on(request);
    // By command, the call until which its failures are already told.
    let mut until: HashMap<&str, usize> = HashMap::new();
    let mut found = Found::default();
    let failed: Vec<usize> = (0..calls.len()).filter(|&at| why(&calls[at]).is_some()).collect();
    for &at in &failed[failed.len().saturating_sub(MOST)..] {
        let Some(why) = why(&calls[at]) else { continue };
        let failed = Failed { request, goes_on, calls, runs: all_runs, at, why };
        let draft = match (&calls[at].command, &all_runs[at]) {
            (Some(command), Some(run)) => failed.of_command(command, run, &mut until),
            _ => failed.of_tool(ledger),
        };
        if let Some((draft, keys)) = draft {
            found.join(draft, keys);
        }
    }
    found.told()
}

/// An error on one line, in at most `most` bytes.
fn told_of(why: &str, most: usize) -> String {
    outcome::shorten(&outcome::bare(&on_one_line(units::without_marks(why))), most).into()
}

/// The line of a failure of an earlier digest, with how it ended if the same command has run since. `runs`
/// holds the runs of the calls.
pub(crate) fn brought_up_to_date<'r>(
    line: &str,
    known: &Known<'_>,
    runs: &'r [Option<Run<'r>>],
) -> String {
    let calls = known.calls;
    let line = &*repeated::came_again_once(line);
    if let Some((open, _)) = line.split_once(RESOLVED) {
        let end = calls.iter().find_map(end::concluded);
        return end.map_or(line.to_owned(), |end| format!("{open}{end}"));
    }
    let Some(command) = command_of(line).filter(|_| !is_ended(line)) else {
        return line.to_owned();
    };
    let within = Folder::of(&known.ledger.home, command);
    let beginning = commands::unmarked(command);
    let own = Run::of(beginning, &within, &known.ledger.home);
    let open = line.strip_suffix(LEFT).unwrap_or(line);
    let why = why_of(open);
    // A shortened command is only recognised by its beginning.
    let is_named = |call: &Call| {
        (beginning.contains('…') || call.within == within)
            && call
                .command
                .as_deref()
                .is_some_and(|it| commands::named_in(it, &call.within) == command)
    };
    let is_same = |call: &Call, run: &Run<'_>| run.identity() == own.identity() || is_named(call);
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
        Some((call, _)) if call.outcome.failed => {
            repeated::came_again_once(&format!("{open}{AGAIN}[{}]", call.place.0))
        }
        Some(_) => open.to_owned(),
        None if open.len() == line.len() => line.to_owned(),
        None if ran().any(|(_, run)| own.may_be(run)) => open.to_owned(),
        None => line.to_owned(),
    }
}

/// The error in the line of a failure, without what was said and done about it.
fn why_of(line: &str) -> &str {
    let why = line.split_once(labels::FAILED).map_or("", |(_, why)| why);
    why.split_once(labels::ARROW).map_or(why, |(why, _)| why)
}

/// Whether calls after the summarised messages stay visible.
pub(crate) fn goes_on(request: &Request<'_, '_>) -> bool {
    let messages = &request.conversation.messages;
    let mut behind = (0..messages.len()).rev().take_while(|&at| !request.summarised[at]);
    behind.any(|at| request.shown[at] && messages[at].has(Kind::ToolCall))
}

/// The line that says why a call failed. A search or reading that found nothing is no failure of the work.
fn why(call: &Call) -> Option<&str> {
    let is_failure = call.outcome.failed && !matches!(call.deed, Deed::Read | Deed::Searched);
    call.outcome.line.as_deref().filter(|line| is_failure && says_why(line))
}

/// Whether a line of a failed call says anything: it has a letter or digit, and says more than that nothing
/// was printed or that another call failed.
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
