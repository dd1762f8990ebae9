//! How the failure of a command ended.
//!
//! Responsible for telling a failure that passed later from one that came again, that became another
//! failure or that was left open, and for the words that say so. It only tells what is known: changes made
//! after the last failure have fixed it only if the command passed then.

use std::collections::HashSet;
use std::fmt::Write;

use super::changes::{are_expectations, changes, edited, names, waits};
use super::run::{Run, has_passed};
use super::{
    AGAIN, AT_LAST, EXPECTED, FIXED, LEFT, MOST_OF_ERROR, OTHERWISE, PASSED, RESOLVED, THEN,
    telling_words, told_of, why,
};
use crate::digest::calls::Call;
use crate::digest::calls::shell::git;
use crate::digest::calls::{aim, commands, outcome, shell};

/// How many calls after a failure changes still belong to it if its command has not passed.
const SOON: usize = 40;

/// How the failure of a command ended.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// No later run of the command decided it.
    Open,
    /// The last of the later runs failed too.
    Again(usize),
    /// The next run failed for another reason, after a change.
    Otherwise(usize),
    /// A later run of the command passed.
    Passed(usize),
    /// A merge in conflict was committed, continued or given up.
    Concluded(usize),
}

impl End {
    /// Finds how a failure ended among the `later` calls, whose commands are `runs`.
    pub(super) fn of(later: &[Call], run: &Run<'_>, runs: &[Option<Run<'_>>], why: &str) -> Self {
        let core = run.core;
        let is_same = |at: usize| runs[at].as_ref().is_some_and(|r| r.identity() == run.identity());
        let again = || (0..later.len()).rfind(|&at| is_same(at) && later[at].outcome.failed);
        let passed_from = |from: usize, why: &str| {
            let mut is_run = run.until_run(why);
            (from..later.len())
                .find(|&at| has_passed(&later[at]) && runs[at].as_ref().is_some_and(&mut is_run))
        };
        // What failed last may be only a part of what failed first.
        let passed = passed_from(0, why).or_else(|| {
            let again = again()?;
            let last = self::why(&later[again]).filter(|last| !are_unlike(why, last))?;
            passed_from(again + 1, last)
        });
        let next = (0..passed.unwrap_or(later.len()))
            .find(|&at| is_same(at) && !later[at].outcome.never_ran());
        if let Some(next) = next
            && self::why(&later[next]).is_some_and(|other| are_unlike(why, other))
            && aim::is_check(core)
            && !changes(&later[..next], why, &|_| true).is_empty()
        {
            return Self::Otherwise(next);
        }
        if let Some(passed) = passed {
            return Self::Passed(passed);
        }
        if let Some(again) = again() {
            return Self::Again(again);
        }
        if outcome::is_in_conflict(why) {
            let concluded = later.iter().position(|call| concluded(call).is_some());
            return concluded.map_or(Self::Open, Self::Concluded);
        }
        Self::Open
    }

    pub(super) fn until(self) -> Option<usize> {
        match self {
            Self::Open | Self::Again(_) => None,
            Self::Passed(until) | Self::Otherwise(until) | Self::Concluded(until) => Some(until),
        }
    }

    /// The text that tells the end: the changes before it, and what passed.
    pub(super) fn told(self, run: &Run<'_>, why: &str, later: &[Call]) -> String {
        if let Self::Concluded(end) = self {
            return concluded(&later[end]).unwrap_or_default();
        }
        let Some(until) = self.until() else {
            return match self {
                Self::Open if outcome::is_in_conflict(why) => {
                    let edited = edited(later, &|touch| names(why, touch)).join(", ");
                    format!("{RESOLVED}{}", if edited.is_empty() { "none" } else { &edited })
                }
                Self::Again(last) => {
                    let line = later[last].outcome.line.as_deref().filter(|line| *line != why);
                    let told = line.map(|line| format!(": {}", told_of(line, MOST_OF_ERROR)));
                    let how = if line.is_some_and(|line| are_unlike(why, line)) {
                        AT_LAST
                    } else {
                        AGAIN
                    };
                    format!("{how}[{}]{}", later[last].place.0, told.unwrap_or_default())
                }
                _ => String::new(),
            };
        };
        let mut told = String::new();
        let is_check = aim::is_check(run.core);
        let edits = if is_check { changes(&later[..until], why, &|_| true) } else { String::new() };
        let takes = |call| takes_elsewhere(call, run);
        let moved = later[..until].iter().rev().find_map(takes).filter(|_| is_check);
        if let Some(moved) = moved.filter(|_| matches!(self, Self::Passed(_))) {
            // After a checkout or the like, what passes may never have failed there; an install may have
            // mended it.
            let joint = if edits.is_empty() { "" } else { "; " };
            let _ = write!(told, "{THEN}{edits}{joint}`{}`", commands::named(moved));
        } else if !edits.is_empty() {
            let how = match self {
                Self::Passed(_) if are_expectations(run.core, why, &later[..until]) => EXPECTED,
                Self::Passed(_) => FIXED,
                _ => THEN,
            };
            told.push_str(how);
            let bare = edits.strip_prefix("editing ").filter(|_| how == EXPECTED);
            told.push_str(bare.unwrap_or(&edits));
        }
        let passed = if matches!(self, Self::Otherwise(_)) { OTHERWISE } else { PASSED };
        let _ = write!(told, "{} [{}]", passed.trim_end(), later[until].place.0);
        told
    }

    /// The text for what followed the last failure of a command that has not passed since: the changes of files
    /// that the error names, and that the command was not run again, unless it may have been or `goes_on` says
    /// that it may still run.
    pub(super) fn since(
        self,
        run: &Run<'_>,
        why: &str,
        later: &[Call],
        runs: &[Option<Run<'_>>],
        goes_on: bool,
    ) -> String {
        let (why, from) = match self {
            Self::Open if !outcome::is_in_conflict(why) => (why, 0),
            Self::Again(last) => (later[last].outcome.line.as_deref().unwrap_or(why), last + 1),
            _ => return String::new(),
        };
        let behind = &later[from..];
        let may_be = goes_on || runs[from..].iter().flatten().any(|other| run.may_be(other));
        let left = if may_be { "" } else { LEFT };
        let is_mended = aim::is_check(run.core) && !is_misrun(why);
        let soon = &behind[..behind.len().min(if is_mended { SOON } else { 0 })];
        let told = changes(soon, why, &|touch| names(why, touch));
        match self {
            _ if !told.is_empty() => format!("{THEN}{told}{left}"),
            Self::Again(_) => String::new(),
            _ => left.to_owned(),
        }
    }

    /// The call of the last failure, if the command failed again.
    pub(super) fn until_last(self) -> Option<usize> {
        if let Self::Again(last) = self { Some(last) } else { None }
    }
}

/// Whether two failures are about different things: their lines share no test, place or error, whatever is
/// said of it there, or one is of a test and the other of code that does not compile.
fn are_unlike(why: &str, other: &str) -> bool {
    let kind = |line: &str| {
        let mut pieces = line.split("; ");
        (pieces.clone().any(outcome::names_test), pieces.any(outcome::names_place))
    };
    let subjects = |line| -> HashSet<String> {
        let subjects = str::split(line, "; ").flat_map(|piece| {
            let (subject, rest) = piece.split_once([':', '(']).unwrap_or((piece, ""));
            // The names that every error has tell none from another.
            let is_any = ["error", "fatal", "failed", "warning"]
                .iter()
                .any(|word| subject.eq_ignore_ascii_case(word));
            let (subject, said) = if is_any { ("", rest) } else { (subject, "") };
            let subject = subject.split(" - ").next().unwrap_or(subject);
            telling_words(said).chain(Some(subject.to_owned()).filter(|s| !s.is_empty()))
        });
        let letters = |subject: String| subject.replace(|c: char| c.is_ascii_digit(), "");
        subjects.map(|subject| letters(subject).trim_end().to_owned()).collect()
    };
    if [why, other].iter().any(|line| outcome::is_vague(line)) {
        return false;
    }
    match (kind(why), kind(other)) {
        ((true, false), (false, true)) | ((false, true), (true, false)) => return true,
        // One run may name the test and the other only what it expected.
        ((one, _), (two, _)) if one != two && waits(why) && waits(other) => return false,
        _ => {}
    }
    subjects(why).is_disjoint(&subjects(other))
}

/// The text for how a call ended a merge that stopped on conflicts: by a commit, by going on or by giving
/// up. `None` if it did not end one.
pub(super) fn concluded(call: &Call) -> Option<String> {
    let command = call.command.as_deref().filter(|_| has_passed(call))?;
    let ends = |part: &&str| {
        let words = shell::words(part);
        let is_end = |word: &&str| matches!(*word, "commit" | "--continue" | "--abort" | "--quit");
        words.first() == Some(&"git") && words.iter().any(is_end)
    };
    let end = shell::commands(command).into_iter().find(ends)?;
    Some(format!("{THEN}`{}` [{}]", commands::named(end), call.place.0))
}

/// The part of a command that moved the work to another state, or installed what is needed where `run` ran.
fn takes_elsewhere<'c>(call: &'c Call, run: &Run<'_>) -> Option<&'c str> {
    let command = call.command.as_deref().filter(|_| has_passed(call))?;
    let installs = || shell::commands(command).into_iter().rfind(|part| shell::installs(part));
    git::moves(command).or_else(|| installs().filter(|_| call.within == *run.within))
}

/// Whether a check did not run because it was not found.
fn is_misrun(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    ["not found", "no such file", "no task", "unknown"].iter().any(|words| why.contains(words))
}
