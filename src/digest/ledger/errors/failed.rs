//! A call that failed, with what is told of it.
//!
//! Responsible for putting together what failed, why, and what came of it, with the keys by which equal
//! failures are found. The failures of a command until it passes are told as one.

use std::collections::HashMap;
use std::ops::Range;

use super::diagnosis::{MOST_SAID, diagnosis, subject};
use super::end::End;
use super::run::Run;
use super::same::{self, Draft, How, Key};
use super::{DIAGNOSIS, LEFT, MOST_OF_ERROR, names_something, told_of};
use crate::begins::begins_with_any;
use crate::digest::Request;
use crate::digest::calls::Call;
use crate::digest::calls::{aim, commands, outcome, shell};
use crate::digest::files::deed::Deed;
use crate::digest::ledger::Ledger;
use crate::digest::text::labels;

/// How many calls after a failure its end is searched for.
const FAR: usize = 400;

/// How many calls after a refusal a tool is still taken to have retried it.
const SOON: usize = 60;

/// One of the calls, with the line that says why it failed.
pub(super) struct Failed<'f, 'r> {
    pub(super) request: &'f Request<'f, 'f>,
    /// Whether calls after the summarised messages stay visible.
    pub(super) goes_on: bool,
    pub(super) calls: &'f [Call],
    /// The run of each call, `None` for a call without a command.
    pub(super) runs: &'r [Option<Run<'r>>],
    pub(super) at: usize,
    pub(super) why: &'f str,
}

impl<'r> Failed<'_, 'r> {
    /// The indices of the calls that may be the end of this failure.
    fn behind(&self) -> Range<usize> {
        self.at + 1..self.calls.len().min(self.at + 1 + FAR)
    }

    fn draft(&self) -> Draft {
        let place = self.calls[self.at].place.0;
        Draft { place, why: told_of(self.why, MOST_OF_ERROR), ..Draft::default() }
    }

    /// The failure of a command; `None` if the command only looked for something, or if its failures are
    /// already told `until` a later call.
    pub(super) fn of_command(
        &self,
        command: &str,
        run: &'r Run<'r>,
        until: &mut HashMap<&'r str, usize>,
    ) -> Option<(Draft, Vec<Key>)> {
        let Self { calls, at, why, .. } = *self;
        let identity = run.identity();
        if only_looked(command, why) || until.get(identity).is_some_and(|&until| at < until) {
            return None;
        }
        let (call, later, runs) = (&calls[at], &calls[self.behind()], &self.runs[self.behind()]);
        let end = End::of(later, run, runs, why);
        let again = 0..end.until().unwrap_or(later.len());
        until.insert(identity, at + 1 + again.end);
        let is_same = |run: &Run<'_>| run.identity() == identity;
        let last = end.until_last().map_or(at, |last| at + 1 + last);
        let runs_on = self.runs[last + 1..].iter().flatten().any(is_same);
        let since = end.since(run, why, later, runs, self.goes_on || runs_on);
        let subject = subject(run.core, why, call, &later[..end.until().unwrap_or(0)]);
        let failed_again =
            |n: &usize| later[*n].outcome.failed && runs[*n].as_ref().is_some_and(is_same);
        let (first, last) = (again.clone().find(failed_again), again.rev().find(failed_again));
        // Words after the last failure are about that one.
        let place = |n: usize| later[n].place.0;
        let others = later
            .iter()
            .zip(runs)
            .filter(|(call, run)| call.outcome.failed && !run.as_ref().is_some_and(is_same));
        let others: Vec<usize> = others.map(|(call, _)| call.place.0).collect();
        let mut draft = self.draft();
        // The next run of the command may have shown what this one did not.
        let lines = first.into_iter().chain(last).filter_map(|n| later[n].outcome.line.as_deref());
        let telling = lines.filter(|_| outcome::is_vague(why)).find(|it| !outcome::is_vague(it));
        if let Some(line) = telling {
            draft.why = told_of(line, MOST_OF_ERROR);
        }
        let mut said = |from: usize, to: Option<usize>| {
            let other = others.iter().copied().find(|&other| other > from);
            let told = diagnosis(self.request, from..to.unwrap_or(usize::MAX), other, &subject);
            let phrase = told
                .as_ref()
                .map_or(String::new(), |told| told.phrase(DIAGNOSIS, MOST_SAID, self.request));
            draft.told.extend(told);
            phrase
        };
        let closed = end.until().map(place);
        let before = said(call.place.0, first.map(place).or(closed));
        let behind = last.map_or(String::new(), |last| said(place(last), closed));
        let told = end.told(run, why, later);
        let is_late = end.until_last().is_some();
        let (between, behind) = if is_late { ("", behind.as_str()) } else { (behind.as_str(), "") };
        draft.end = format!("{before}{between}{told}{behind}{since}");
        draft.what = format!("`{}`{}", commands::named_in(command, &call.within), labels::FAILED);
        let mut errors = vec![why];
        errors.extend(last.and_then(|last| later[last].outcome.line.as_deref()));
        let is_check = aim::is_check(command);
        let how = match (end, closed) {
            (End::Otherwise(_), _) => How::Otherwise,
            (_, Some(message)) => How::Closed(message),
            (_, None) => How::Open,
        };
        let mut keys = same::keys(&errors, how, is_check);
        if closed.is_none() && names_something(&draft.why) {
            keys.push((without_digits(&draft.why), String::new()));
        }
        if !is_check && (draft.end.is_empty() || draft.end == LEFT) {
            keys.push(slip(&draft));
        }
        Some((draft, keys))
    }

    /// The failure of a tool; `None` if the tool did it soon after, which makes the failure no news.
    pub(super) fn of_tool(&self, ledger: &Ledger) -> Option<(Draft, Vec<Key>)> {
        let call = &self.calls[self.at];
        if retried(&self.calls[self.behind()], call) {
            return None;
        }
        let file = call.touches.first().map(|touch| ledger.paths.told(&touch.path));
        let what = format!("{} {}", call.tool, file.unwrap_or_default());
        let what = format!("{}{}", what.trim_end(), labels::FAILED);
        let draft = Draft { what, ..self.draft() };
        let keys = vec![slip(&draft)];
        Some((draft, keys))
    }
}

/// Whether a failed command only looked for something, which is no failure of the work.
fn only_looked(command: &str, why: &str) -> bool {
    let is_error = begins_with_any(why, &["fatal", "error"]);
    shell::LOOKING.ends(command) && !aim::is_check(command)
        || shell::does_nothing(command) && !is_error
}

/// The key that two equal slips share: the program and the error.
fn slip(draft: &Draft) -> Key {
    let program = draft.what.split(' ').next().unwrap_or_default();
    (format!("{program} {}", draft.why.rsplit(": ").next().unwrap_or_default()), String::new())
}

/// An error without what differs each time: durations, counts, line numbers.
fn without_digits(why: &str) -> String {
    why.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Whether a tool that failed did later what it was asked for.
fn retried(later: &[Call], failed: &Call) -> bool {
    let is_same = |call: &Call| match call.deed {
        Deed::Other => failed.deed == Deed::Other && call.tool == failed.tool,
        deed => deed == failed.deed || deed.changes() && failed.deed.changes(),
    };
    later.iter().take(SOON).any(|call| {
        call.outcome.went_well()
            && is_same(call)
            // A page that answered says nothing of another one.
            && (failed.deed != Deed::Fetched || call.about == failed.about)
            && call.touches.first().map(|touch| &touch.path)
                == failed.touches.first().map(|touch| &touch.path)
    })
}
