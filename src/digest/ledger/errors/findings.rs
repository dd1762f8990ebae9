//! Bugs that no command showed: what the model found wrong when the user reported or asked something.
//!
//! Responsible for telling what was changed after the words that name a bug, and for leaving out bugs that
//! were taken back. What a failed call showed is told with that call.

use std::collections::HashSet;
use std::ops::Range;

use super::bug::{bug, proposed};
use super::changes::{changes, changes_work, edits};
use super::diagnosis::telling_words;
use super::run::{Run, has_passed};
use super::same::Draft;
use super::{THEN, why};
use crate::conversation::Role;
use crate::digest::Request;
use crate::digest::calls::{Call, aim, commands};
use crate::digest::files::deed::Touch;
use crate::digest::files::paths;
use crate::digest::known::Known;
use crate::digest::ledger::amended;
use crate::digest::text::labels::{self, FOUND_FOR, PROPOSED};
use crate::digest::text::prose;
use crate::digest::text::told::Told;
use crate::line::clip_at_word;

/// The least budget, in tokens, with which bugs get lines of their own; below it the model's words are told
/// where there is room. Measured: at a thousand tokens the lines cost a name in a hundred.
const ROOM: usize = 2000;

/// How many bugs are told for one request; the last ones are.
const MOST: usize = 2;

/// The text between paragraphs.
const PARAGRAPH: &str = "\n\n";

/// How much is told of a bug, in bytes.
const MOST_SAID: usize = 160;

/// How many words two bugs share that are told as one.
const ALIKE: usize = 3;

/// How much is told of a proposed fix, in bytes.
const MOST_PROPOSED: usize = 120;

/// The text before changes of which nothing is left.
const UNDONE: &str = "(undone since) ";

/// How many messages after a failed call a bug still belongs to that call.
const SOON: usize = 10;

/// A bug that the model found.
struct Bug {
    told: Told,
    /// What the model says of it, on one line.
    said: String,
    /// What the model proposes to mend it.
    proposed: Option<Told>,
    /// The calls after it, until the next bug is found or the user asks again.
    behind: Range<usize>,
}

/// The bugs found for each request of the user, in order, with what was changed before the next was found.
pub(super) fn found(known: &Known<'_>, runs: &[Option<Run<'_>>]) -> Vec<Draft> {
    let request = known.request;
    if request.budget < ROOM {
        return Vec::new();
    }
    let messages = &request.conversation.messages;
    let asked: Vec<usize> = (0..messages.len()).filter(|&at| messages[at].is_request()).collect();
    let ends = asked.iter().skip(1).copied().chain([messages.len()]);
    let turns = asked.iter().zip(ends);
    let drafts = turns.flat_map(|(&at, end)| {
        // A bug that the user rejects and the model gives up was none.
        let is_given_up = amended::is_given_up(messages, end);
        let bugs = if is_given_up { Vec::new() } else { found_within(known, at..end) };
        let first = bugs.len().saturating_sub(MOST);
        bugs.into_iter().skip(first).map(move |bug| bug.draft(known, at, runs))
    });
    drafts.collect()
}

/// The bugs found in the turn that a request of the user begins.
fn found_within(known: &Known<'_>, turn: Range<usize>) -> Vec<Bug> {
    let Known { request, calls, .. } = *known;
    let before = |message: usize| calls.partition_point(|call| call.place.0 < message);
    let has_failed = |message: usize| {
        let soon = before(turn.start.max(message.saturating_sub(SOON)))..before(message);
        calls[soon].iter().any(|call| why(call).is_some())
    };
    let messages = &request.conversation.messages;
    let is_mended = |bug: &Bug| calls[bug.behind.clone()].iter().any(changes_work);
    let mut bugs: Vec<Bug> = Vec::new();
    // A bug that the model wants to verify first; its next words confirm or drop it.
    let mut supposed = None;
    let summarised = turn.clone().skip(1).filter(|&at| request.summarised[at]);
    for at in summarised.filter(|&at| messages[at].role == Role::Assistant) {
        let text = messages[at].text();
        if text.trim().is_empty() {
            continue;
        }
        if prose::takes_back(&text) {
            bugs.pop();
        }
        let found = bug(&text, at).filter(|_| !has_failed(at)).map(|(told, said, is_supposed)| {
            let behind = before(at)..before(turn.end);
            (Bug { told, said, proposed: None, behind }, is_supposed)
        });
        let verified = supposed.take().filter(|_| prose::confirms(&text));
        let sure = match found {
            Some((bug, true)) => {
                supposed = Some(bug);
                verified
            }
            Some((bug, false)) => Some(bug),
            None => verified,
        };
        if let Some(bug) = sure {
            if let Some(last) = bugs.last_mut() {
                last.behind.end = bug.behind.start;
            }
            // A bug for which nothing was changed is replaced by what was found after it.
            bugs.pop_if(|last| !is_mended(last));
            bugs.push(bug);
        }
        if let Some(last) = bugs.last_mut() {
            let proposed =
                proposed(&text, at).filter(|fix| !has_failed(at) && !fix.overlaps(&last.told));
            last.proposed = proposed.or(last.proposed.take());
        }
    }
    // The model's closing words name again what was mended before.
    if let Some((last, others)) = bugs.split_last()
        && !is_mended(last)
        && others.iter().any(|other| other.is_like(last))
    {
        bugs.pop();
    }
    bugs
}

impl Bug {
    /// Whether another bug is told in much the same words.
    fn is_like(&self, other: &Self) -> bool {
        let words: HashSet<String> = telling_words(&self.said).collect();
        telling_words(&other.said).filter(|word| words.contains(word)).count() >= ALIKE
    }

    /// The paragraphs that tell the bug and the one after them, in lower case.
    fn around(&self, request: &Request<'_, '_>) -> String {
        let text = request.conversation.messages[self.told.message].text();
        let ranges = &self.told.ranges;
        let (start, end) =
            ranges.first().zip(ranges.last()).map_or((0, 0), |(a, b)| (a.start, b.end));
        let begin = text[..start].rfind(PARAGRAPH).unwrap_or(0);
        let behind = text[end..].match_indices(PARAGRAPH).nth(1);
        text[begin..behind.map_or(text.len(), |(at, _)| end + at)].to_lowercase()
    }

    /// The line of a bug found for the request `asked`, with what the calls after it changed and the check
    /// that passed then, or else with the proposed fix.
    fn draft(self, known: &Known<'_>, asked: usize, runs: &[Option<Run<'_>>]) -> Draft {
        let Known { request, calls, ledger, .. } = *known;
        let own = self.behind.clone();
        let around = self.around(request);
        let is_for_it = edits(&calls[own.clone()]).any(|touch| is_kin(touch, &around));
        let edits = changes(&calls[own.clone()], &self.said, &|_| is_for_it);
        let mut told = vec![self.told];
        let end = if edits.is_empty() {
            told.extend(self.proposed);
            let fix = told.get(1).map(|fix| fix.phrase(PROPOSED, MOST_PROPOSED, request));
            fix.unwrap_or_default()
        } else if own.clone().filter(|&at| changes_work(&calls[at])).all(|at| ledger.has_undone(at))
        {
            format!("{THEN}{UNDONE}{edits}")
        } else {
            format!("{THEN}{edits}{}", passed(&calls[own.clone()], &runs[own]))
        };
        Draft {
            place: told[0].message,
            what: format!("{FOUND_FOR}[{asked}{}", labels::FOUND_END),
            why: clip_at_word(&self.said, MOST_SAID).into(),
            end,
            told,
            ..Draft::default()
        }
    }
}

/// Whether a change may have been made for a bug: it shares a word with what is said `around` the bug, in lower case.
/// Other changes may be for something else that the user asked for. A change that is not known counts, and so does
/// every change where the words are not English: code has few words of other languages.
fn is_kin(touch: &Touch, around: &str) -> bool {
    let Some(change) = touch.change() else { return true };
    let changed = format!("{} {change}", paths::name(&touch.path)).to_lowercase();
    around.contains(|c: char| !c.is_ascii() && c.is_alphabetic())
        || telling_words(around).any(|word| changed.contains(&word))
        || telling_words(&changed).any(|word| around.contains(&word))
}

/// The text that names the check which passed after the last change of these calls; empty if a check failed since.
fn passed(calls: &[Call], runs: &[Option<Run<'_>>]) -> String {
    let last = calls.iter().rposition(changes_work).unwrap_or(0);
    let behind = calls.iter().zip(runs).skip(last);
    let checks = behind.filter_map(|(call, run)| Some((call, run.as_ref()?)));
    let checks: Vec<_> = checks.filter(|(_, run)| aim::is_check(run.core)).collect();
    let since = checks.iter().rposition(|(call, _)| !has_passed(call)).map_or(0, |at| at + 1);
    // A test tells more than any other check.
    let test = checks[since..].iter().rev().max_by_key(|(_, run)| aim::is_test(run.core));
    test.map_or(String::new(), |(call, run)| {
        format!("; `{}` ok [{}]", commands::named(run.core), call.place.0)
    })
}
