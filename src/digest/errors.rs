//! Failures, and what fixed them.
//!
//! Responsible for telling a failure that was followed by a success of the same command, with the
//! changes between the two, from one that is still open. A search that found nothing is none.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::calls::Call;
use super::deed::{Deed, Touch};
use super::ledger::Ledger;
use super::told::Told;
use super::{Request, commands, labels, outcome, prose, shell, units};
use crate::conversation::{Kind, Message, Role};
use crate::line::{clip, on_one_line};

/// How many calls later a failure's end is looked for.
const FAR: usize = 400;

/// How many of the last failures are looked at: more fit into no digest.
const MOST: usize = 500;

/// How far from a failure, in messages, what the model says of it is looked for.
const NEAR: usize = 12;

/// How much is told of an error, of what the model says of it and of a change, in bytes.
const MOST_OF_ERROR: usize = 130;
const MOST_SAID: usize = 180;
const MOST_OF_CHANGE: usize = 80;

/// How many changes between a failure and its end are named.
const CHANGES: usize = 3;

/// What stands before what the model said of it.
const SAID: &str = " → said ";
/// What ends the line of a failure that was fixed.
const PASSED: &str = " → passed";
/// What stands before the changes that fixed it.
const FIXED: &str = " → fixed by ";
/// What ends the line of one that failed to the last.
const AGAIN: &str = " → failed again ";
/// What ends the line of one behind which the same command failed of something else.
const OTHERWISE: &str = " → failed otherwise ";
/// What ends the line of one that was left.
const LEFT: &str = " → not run again";
/// What stands before the changes that another command's success followed.
const THEN: &str = " → then ";
/// What stands before the files in conflict that were edited since.
const RESOLVED: &str = " → edited since: ";

/// How little the line of a failure tells of the work: what an edit fixed least, then tests that
/// still fail and tools; last what was tried in passing.
pub(super) fn idleness(line: &str) -> u8 {
    if line.contains(FIXED) || line.contains(THEN) {
        return 0;
    }
    let is_check = line.split('`').nth(1).is_some_and(commands::is_check);
    match (is_check, line.contains(PASSED) || line.ends_with(LEFT)) {
        (true, _) => 1,
        (_, false) => 2,
        _ => 3,
    }
}

/// A failure as it is told.
#[derive(Clone, Debug, Default)]
pub(super) struct Failure {
    pub(super) line: String,
    /// What the line quotes of the model.
    pub(super) told: Option<Told>,
}

/// Every failure that says something, in order; those of a command until it passes as one.
pub(super) fn failures(request: &Request<'_, '_>, calls: &[Call], ledger: &Ledger) -> Vec<Failure> {
    let mut found = Vec::new();
    let goes_on = goes_on(request);
    // Until which call a command's failures are told.
    let mut until: HashMap<&str, usize> = HashMap::new();
    let runs: Vec<Option<Run<'_>>> =
        calls.iter().map(|call| call.command.as_deref().map(Run::of)).collect();
    let failed: Vec<usize> = (0..calls.len()).filter(|&at| why(&calls[at]).is_some()).collect();
    for &at in &failed[failed.len().saturating_sub(MOST)..] {
        let call = &calls[at];
        let Some(why) = why(call) else { continue };
        let behind = at + 1..calls.len().min(at + 1 + FAR);
        let (later, runs) = (&calls[behind.clone()], (&runs[at], &runs[behind]));
        let mut failure = Failure::default();
        let (what, end) = if let (Some(command), (Some(run), runs)) = (&call.command, runs) {
            let core = run.core;
            let is_looking = shell::ends_looking(command) && !commands::is_check(command);
            let identity = run.identity.as_str();
            if is_looking || until.get(identity).is_some_and(|&until| at < until) {
                continue;
            }
            let end = End::of(later, run, runs, why);
            until.insert(identity, at + 1 + end.until().unwrap_or(later.len()));
            if commands::is_check(core) {
                let subject = subject(core, why, call, &later[..end.until().unwrap_or(0)]);
                failure.told = diagnosis(request, call, end.until().map(|n| &later[n]), &subject);
            }
            (format!("`{}`", commands::named(command)), end.told(core, why, later, goes_on))
        } else if retried(later, call) {
            // A tool that refused and then did it is no news.
            continue;
        } else {
            let file = call.touches.first().map(|touch| ledger.paths.relative(&touch.path));
            let what = format!("{} {}", call.tool, file.unwrap_or_default());
            (what.trim_end().to_owned(), String::new())
        };
        let why = outcome::shorten(&on_one_line(units::without_marks(why)), MOST_OF_ERROR);
        let said = failure.told.as_ref().map_or(String::new(), |told| told.phrase(request));
        let place = call.place.0;
        failure.line = format!("- [{place}] {what}{}{why}{said}{end}", labels::FAILED);
        found.push(failure);
    }
    found
}

/// A failure of an earlier digest, with the run of the same command that has passed since.
pub(super) fn brought_up_to_date(line: &str, calls: &[Call]) -> String {
    let Some(command) =
        line.split('`').nth(1).filter(|_| !line.contains(PASSED) && !line.contains(OTHERWISE))
    else {
        return line.to_owned();
    };
    let identity = commands::identity(command);
    let is_same =
        |other: &str| commands::named(other) == command || commands::identity(other) == identity;
    let passes = |call: &&Call| call.command.as_deref().is_some_and(is_same) && has_passed(call);
    calls.iter().find(passes).map_or(line.to_owned(), |call| {
        let open = line.strip_suffix(LEFT).unwrap_or(line);
        format!("{open}{PASSED} [{}]", call.place.0)
    })
}

impl Told {
    fn phrase(&self, request: &Request<'_, '_>) -> String {
        let text = request.conversation.messages[self.message].text();
        let said: Vec<&str> = self.ranges.iter().map(|range| &text[range.clone()]).collect();
        format!("{SAID}[{}] {}", self.message, clip(&said.join(" "), MOST_SAID))
    }
}

/// What a failure is about: the words of what was run, of its error, of the files, and of what was
/// changed until it was over.
fn subject(core: &str, why: &str, call: &Call, until: &[Call]) -> HashSet<String> {
    let files = call.touches.iter().map(|touch| touch.path.as_ref());
    let touches = until.iter().flat_map(|call| &call.touches);
    let changes = touches.filter_map(|touch| touch.change.as_deref());
    [core, why].into_iter().chain(files).chain(changes).flat_map(telling_words).collect()
}

/// The words of a text that are long enough to tell what it is about, in small letters.
fn telling_words(text: &str) -> impl Iterator<Item = String> {
    const FILLING: &[&str] =
        &["that", "this", "with", "from", "have", "must", "does", "been", "into", "while", "when"];
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() >= 4)
        .map(str::to_lowercase)
        .filter(|word| !FILLING.contains(&word.as_str()))
}

/// Whether a sentence says that something fails, or shares a word with what failed.
fn is_about(sentence: &str, subject: &HashSet<String>) -> bool {
    const TROUBLE: &[&str] =
        &["fail", "error", "panic", "broke", "wrong", "missing", "失败", "错误"];
    telling_words(sentence)
        .any(|word| subject.contains(&word) || TROUBLE.iter().any(|trouble| word.contains(trouble)))
}

/// What the model said of a failure before it was over: the sentence that tells most, of equal ones
/// the last, for it knows more by then.
fn diagnosis(
    request: &Request<'_, '_>,
    failed: &Call,
    end: Option<&Call>,
    subject: &HashSet<String>,
) -> Option<Told> {
    let messages = &request.conversation.messages;
    let end = end.map_or(messages.len(), |call| call.place.0);
    // What is said to the user's next request is of something else.
    let next = messages[failed.place.0 + 1..end].iter().position(Message::is_request);
    let end = next.map_or(end, |n| failed.place.0 + 1 + n);
    let said = (failed.place.0 + 1..end.min(failed.place.0 + NEAR))
        .filter(|&at| request.summarised[at] && messages[at].role == Role::Assistant);
    let mut best: (f32, Option<Told>) = (0.0, None);
    for message in said {
        let text = messages[message].text();
        units::statements(&text, |sentence| {
            let range = sentence.range;
            let worth = prose::tone(&text[range.clone()]).worth_of_reason();
            let is_better = worth > 0.0 && worth >= best.0;
            if !sentence.is_code && is_better && is_about(&text[range.clone()], subject) {
                best = (worth, Some(Told { message, ranges: vec![range] }));
            }
        });
    }
    best.1
}

/// What a call ran.
struct Run<'c> {
    core: &'c str,
    identity: String,
}

impl<'c> Run<'c> {
    fn of(command: &'c str) -> Self {
        Self { core: shell::core(command), identity: commands::identity(command) }
    }
}

/// How a command's failure came to an end.
#[derive(Clone, Copy)]
enum End {
    /// It was left.
    Open,
    /// Something like it was run later.
    Varied,
    /// The last of the later runs failed too.
    Again(usize),
    /// The next run failed of something else, behind a change.
    Otherwise(usize),
    /// A later run of it passed.
    Passed(usize),
    /// A test passed after a change.
    Tested(usize),
    /// A merge in conflict was committed, continued or given up.
    Concluded(usize),
}

impl End {
    /// What followed when a command had failed.
    fn of(later: &[Call], run: &Run<'_>, runs: &[Option<Run<'_>>], why: &str) -> Self {
        let core = run.core;
        let is_same = |at: usize| runs[at].as_ref().is_some_and(|r| r.identity == run.identity);
        let next = (0..later.len()).find(|&at| is_same(at) && !later[at].outcome.never_ran());
        if let Some(next) = next
            && self::why(&later[next]).is_some_and(|other| are_unlike(why, other))
            && commands::is_check(core)
            && !changes(&later[..next], &|_| true).is_empty()
        {
            return Self::Otherwise(next);
        }
        if let Some(again) = (0..later.len()).find(|&at| is_same(at) && has_passed(&later[at])) {
            return Self::Passed(again);
        }
        let again = (0..later.len()).rfind(|&at| is_same(at) && later[at].outcome.failed);
        if let Some(again) = again {
            return Self::Again(again);
        }
        let is_like = |other: &Run<'_>| other.core == core;
        let left = if runs.iter().flatten().any(is_like) { Self::Varied } else { Self::Open };
        let passes = |call: &Call, is_wanted: &dyn Fn(&str) -> bool| {
            call.command.as_deref().is_some_and(|command| is_wanted(shell::core(command)))
                && has_passed(call)
        };
        if outcome::is_in_conflict(why) {
            let concluded = later.iter().position(|call| passes(call, &concludes));
            return concluded.map_or(Self::Open, Self::Concluded);
        }
        // Only a change of what the error names mends it.
        let mends = |call: &Call| {
            call.outcome.went_well()
                && call.touches.iter().any(|touch| is_edit(call, touch) && names(why, touch))
        };
        let Some(change) = later.iter().position(mends).filter(|_| commands::is_check(core)) else {
            return left;
        };
        let test = later[change..].iter().position(|call| passes(call, &commands::is_test));
        test.map_or(left, |n| Self::Tested(change + n))
    }

    fn until(self) -> Option<usize> {
        match self {
            Self::Open | Self::Varied | Self::Again(_) => None,
            Self::Passed(until)
            | Self::Otherwise(until)
            | Self::Tested(until)
            | Self::Concluded(until) => Some(until),
        }
    }

    /// What is told of it: the changes before it, and what passed.
    fn told(self, core: &str, why: &str, later: &[Call], goes_on: bool) -> String {
        if let Self::Concluded(end) = self {
            let command = later[end].command.as_deref().unwrap_or_default();
            let end_of_merge = command.split("&&").find(|part| concludes(part)).unwrap_or(command);
            return format!(
                "{THEN}`{}` [{}]",
                commands::named(end_of_merge.trim()),
                later[end].place.0
            );
        }
        let Some(until) = self.until() else {
            return match self {
                Self::Open if outcome::is_in_conflict(why) => {
                    let edited = edited(later, why);
                    format!("{RESOLVED}{}", if edited.is_empty() { "none" } else { &edited })
                }
                Self::Again(last) => {
                    let line = later[last].outcome.line.as_deref().filter(|line| *line != why);
                    let line = line.map(|line| {
                        format!(": {}", outcome::shorten(&on_one_line(line), MOST_OF_ERROR))
                    });
                    format!("{AGAIN}[{}]{}", later[last].place.0, line.unwrap_or_default())
                }
                Self::Varied => String::new(),
                _ if goes_on => String::new(),
                _ => LEFT.to_owned(),
            };
        };
        let mut told = String::new();
        // What else was edited meanwhile did not mend a command that only looks.
        let is_own = matches!(self, Self::Passed(_) | Self::Otherwise(_));
        let is_fix = |touch: &Touch| is_own || names(why, touch);
        let is_check = commands::is_check(core);
        let edits = if is_check { changes(&later[..until], &is_fix) } else { Vec::new() };
        if !edits.is_empty() {
            told.push_str(if matches!(self, Self::Passed(_)) { FIXED } else { THEN });
            told.push_str(&edits.join("; "));
        }
        if let Self::Tested(_) = self {
            let test = later[until].command.as_deref().map_or("", shell::core);
            let _ = write!(told, "; `{}`", commands::named(test));
        }
        let passed = if matches!(self, Self::Otherwise(_)) { OTHERWISE } else { PASSED };
        let _ = write!(told, "{} [{}]", passed.trim_end(), later[until].place.0);
        told
    }
}

/// Whether two failures are of different things: no test, place or error stands in both lines, whatever
/// is said of it there.
fn are_unlike(why: &str, other: &str) -> bool {
    let subjects = |line| -> HashSet<String> {
        let subjects = str::split(line, "; ").filter_map(|piece| piece.split([':', '(']).next());
        let subjects = subjects.map(|subject| subject.split(" - ").next().unwrap_or(subject));
        let letters = |subject: &str| subject.chars().filter(|c| !c.is_ascii_digit()).collect();
        subjects.map(str::trim_end).map(letters).collect()
    };
    subjects(why).is_disjoint(&subjects(other))
}

/// Whether a command ends a merge that stopped on conflicts.
fn concludes(command: &str) -> bool {
    ["git commit", " --continue", " --abort"].iter().any(|end| command.contains(end))
}

/// Whether calls behind the summarised ones stay visible.
fn goes_on(request: &Request<'_, '_>) -> bool {
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

fn retried(later: &[Call], failed: &Call) -> bool {
    later.iter().take(12).any(|call| {
        call.outcome.went_well()
            && call.deed == failed.deed
            && call.touches.first().map(|touch| &touch.path)
                == failed.touches.first().map(|touch| &touch.path)
    })
}

fn has_passed(call: &Call) -> bool {
    call.result.is_some() && call.outcome.went_well()
}

/// Whether an error names the file.
fn names(why: &str, touch: &Touch) -> bool {
    why.contains(touch.path.rsplit('/').next().unwrap_or(&touch.path))
}

/// Whether a call, of a tool or of a shell, changed a file to change the work.
fn is_edit(call: &Call, touch: &Touch) -> bool {
    let by_shell = || {
        let is_check = call.command.as_deref().is_some_and(commands::is_check);
        touch.deed.changes() && !touch.path.starts_with("/tmp/") && !is_check
    };
    if call.deed.changes() { touch.deed != Deed::Read } else { by_shell() }
}

/// The files that an error names and these calls changed.
fn edited(calls: &[Call], why: &str) -> String {
    let mut files: Vec<&str> = Vec::new();
    for call in calls.iter().filter(|call| call.outcome.went_well()) {
        let named = call.touches.iter().filter(|touch| is_edit(call, touch) && names(why, touch));
        files.extend(named.map(|touch| touch.path.rsplit('/').next().unwrap_or(&touch.path)));
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(*file));
    files.join(", ")
}

/// The changes of these calls, one a file: of many the first and the last ones.
fn changes(calls: &[Call], is_fix: &dyn Fn(&Touch) -> bool) -> Vec<String> {
    let mut files: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for call in calls.iter().filter(|call| call.outcome.went_well()) {
        for touch in call.touches.iter().filter(|touch| is_edit(call, touch) && is_fix(touch)) {
            let path = touch.path.as_ref();
            if files.contains(&path) {
                continue;
            }
            files.push(path);
            let name = path.rsplit('/').next().unwrap_or(path);
            let done = match touch.deed {
                Deed::Deleted => "deleting",
                Deed::Moved => "moving",
                _ => "editing",
            };
            found.push(match touch.change.as_deref().filter(|_| found.is_empty()) {
                Some(change) => format!("{done} {name}: {}", clip(change, MOST_OF_CHANGE)),
                None => format!("{done} {name}"),
            });
        }
    }
    if found.len() > CHANGES {
        found.drain(1..=found.len() - CHANGES);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_failure_is_about_it() {
        let why = "error: failed to load manifest for workspace member";
        let subject: HashSet<String> =
            ["cargo test -p oracle", why].into_iter().flat_map(telling_words).collect();
        for sentence in [
            "It stops because the workspace names a member that is gone.",
            "The oracle is built elsewhere, so this cannot work.",
            "This fails since the path has a blank.",
        ] {
            assert!(is_about(sentence, &subject), "{sentence}");
        }
        let other = "While that compiles, I write the text because it is short.";
        assert!(!is_about(other, &subject));
    }
}
