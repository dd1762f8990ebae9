//! The current state of the work: the model's last words, its last step, the last checks and commit.
//!
//! Responsible for choosing which of the last words that say something are told.

use std::ops::Range;

use super::Left;
use crate::conversation::{Message, Role};
use crate::digest::calls::outcome::{self, Ended, Unended};
use crate::digest::calls::shell::NOTHING_FOUND;
use crate::digest::calls::{self, Call};
use crate::digest::calls::{aim, commands, shell};
use crate::digest::files::deed::Deed;
use crate::digest::known::Known;
use crate::digest::ledger::{checks, commits, errors};
use crate::digest::text::asides::without_asides;
use crate::digest::text::labels::ARROW;
use crate::digest::text::told::Told;
use crate::digest::text::{labels, lists, prose, tidy, units, words};
use crate::digest::{Counter, Request, Setting};
use crate::line::clip;

/// Per cent of the budget for the model's last words.
pub(super) const STATE: usize = 6;
/// Per cent of the budget for a subagent's report.
const REPORT: usize = 4;
/// The least length in bytes of a message that is taken to say much.
const LEAST_WORDS: usize = 20;
/// The most words of a cry such as `You're welcome!`.
const CHEERS: usize = 3;
/// Per cent of the budget for the last checks.
const CHECKS: usize = 3;
/// What three checks take, in tokens.
const SOME_CHECKS: usize = 120;

/// Per cent of the budget for the last commit.
const COMMIT: usize = 2;
/// What a commit takes, in tokens.
const SOME_COMMIT: usize = 60;

/// How much is told of what a call is about, in bytes.
const MOST_OF_ERRAND: usize = 70;

/// Per cent of the budget for the last step of a service conversation with its error.
const FAILED: usize = 10;

/// Returns the lines of the state, and where the last words that they quote stand.
pub(super) fn state(known: &Known<'_>, left: &mut Left<'_>) -> (Vec<String>, Option<Told>) {
    let known = &known.behind_digest();
    let Known { request, calls, earlier, .. } = *known;
    let before = before(request);
    let since = earlier.last().map_or(0, |earlier| earlier.message);
    let said = last_said(request, since, request.share(STATE), left);
    let (line, told) = said.unzip();
    let mut lines = Vec::from_iter(line);
    lines.extend(last_report(known, request.share(REPORT), left));
    let step = last_step(known, before);
    if step.is_none() && lines.is_empty() {
        // Nothing is new: the state in an earlier digest still holds.
        return (lines, told);
    }
    let step = step.filter(|line| left.fits(line));
    lines.extend(step.clone());
    let folder = last_folder(known);
    lines.extend(folder.filter(|line| left.fits(line)));
    let old = |label: &str| {
        let mut lines = earlier.iter().flat_map(|earlier| &earlier.state).map(String::as_str);
        lines.rfind(|line| line.contains(label))
    };
    let (old_checks, old_commit) = (old(labels::CHECKS), old(labels::LAST_COMMIT));
    let share = request.share_or(CHECKS, SOME_CHECKS);
    // If the line of all checks does not fit, one of fewer may.
    let place = (before, &*known.ledger.home);
    let mut checks = (1..=checks::CHECKS)
        .rev()
        .filter_map(|most| checks::checks(calls, most, old_checks, place));
    let checks = checks.find(|line| left.room(share).fits(line));
    if let Some(step) =
        step.filter(|_| checks.as_deref().is_some_and(|line| tells_step(line, calls)))
    {
        lines.retain(|line| *line != step);
        left.tokens += left.cost(&step);
    }
    lines.extend(checks);
    let mut commit = |with_branch: bool, share: usize| {
        let line = commits::last_commit(known, old_commit, before, with_branch);
        line.filter(|line| left.room(share).fits(line))
    };
    // A small digest has no room for the branch: a name is lost for it.
    let line = commit(true, request.share(COMMIT));
    lines.extend(line.or_else(|| commit(false, request.share_or(COMMIT, SOME_COMMIT))));
    (lines, told)
}

/// The characters that end a sentence or announce something after it.
const ENDS: &[char] = &['.', '!', '?', ':', ';', ',', '…', '。', '！', '？', '：'];

/// The line of the model's last words that say something, in message `since` or later, as far as they fit
/// into `share` tokens.
pub(super) fn last_said(
    request: &Request<'_, '_>,
    since: usize,
    share: usize,
    left: &mut Left<'_>,
) -> Option<(String, Told)> {
    let messages = &request.conversation.messages;
    let length = |at: usize| messages[at].text().trim().len();
    let is_own = |at: &usize| request.summarised[*at] && messages[*at].role == Role::Assistant;
    let newest = (0..messages.len()).rev().find(|at| is_own(at) && length(*at) > 0)?;
    let is_since = |at: usize| !messages[at..newest].iter().any(Message::is_request);
    // A message of few words tells less than an earlier one of more, unless the user answered it.
    let speaks = |at: &usize| is_own(at) && length(*at) >= LEAST_WORDS;
    let last = (0..=newest).rev().find(speaks);
    // Where no work is done, one word says nothing.
    let few = usize::from(request.setting != Setting::Work);
    let is_answered = !last.is_some_and(is_since) && says_more_than(few, &messages[newest].text());
    let last = if is_answered { newest } else { last? };
    // Words that only announce the next call tell less than what was found last.
    let says = |at: &usize| speaks(at) && says_more_than(2, &messages[*at].text());
    let mut others = (0..last).rev().take_while(|&at| !messages[at].is_request());
    let at = Some(last).filter(says).or_else(|| others.find(says)).unwrap_or(last);
    if at < since {
        return None;
    }
    let text = messages[at].text();
    let text = without_asides(text.into());
    let ranges = last_words(&text, share.min(left.tokens), left.counter);
    let said = joined(&text, &ranges);
    let line = format!("- [{at}] {}{}: {said}", labels::LAST_WORDS, before(request));
    // The words were measured without the mark behind them.
    let mut lines = [line.clone(), line.trim_end_matches(GOES_ON).to_owned()].into_iter();
    let line = lines.find(|line| !said.is_empty() && left.fits(line))?;
    Some((line, Told { message: at, ranges }))
}

/// The line of what the last subagent reported, as far as it fits into `share` tokens; `None` if it failed, or if
/// anything was said or changed since: the report is of before that.
fn last_report(known: &Known<'_>, share: usize, left: &mut Left<'_>) -> Option<String> {
    let Known { request, calls, .. } = *known;
    let last = calls.iter().rposition(|call| call.deed == Deed::Delegated)?;
    let place = calls[last].result.filter(|_| calls[last].outcome.went_well())?;
    let changes = |call: &Call| call.touches.iter().any(|touch| touch.deed.changes());
    let behind = &request.conversation.messages[place.0 + 1..];
    if calls[last + 1..].iter().any(changes) || behind.iter().any(Message::is_reply) {
        return None;
    }
    let text = without_asides(calls::result_text(request.conversation, place));
    let said = joined(&text, &first_words(&text, share.min(left.tokens), left.counter));
    let line = format!("- [{}] {}{}: {said}", place.0, labels::LAST_REPORT, before(request));
    let is_prose = !text.trim_start().starts_with(['[', '{', '<']);
    (is_prose && !said.is_empty() && left.fits(&line)).then_some(line)
}

/// Follows points of a list that goes on.
const GOES_ON: &str = " …";

/// Joins sentences of a text on one line, and marks what is left out between them.
fn joined(text: &str, ranges: &[Range<usize>]) -> String {
    let mut said = String::new();
    let mut end = 0;
    for range in ranges {
        let is_next = text[end..range.start].trim().is_empty();
        let line = &text[range.clone()];
        // Points of a list end without a mark that would separate them on one line.
        let is_parted = said.ends_with(ENDS) || !lists::is_point(line) || lists::is_numbered(line);
        said.push_str(match (said.is_empty(), is_next) {
            (true, _) => "",
            (_, true) if is_parted => " ",
            (_, true) => "; ",
            (_, false) => " … ",
        });
        said.push_str(&tidy::without_paths(units::without_marks(line)));
        end = range.end;
    }
    let goes_on = text[end..].lines().find(|line| !line.trim().is_empty());
    if !said.is_empty() && goes_on.is_some_and(lists::is_point) {
        said.push_str(GOES_ON);
    }
    said
}

/// Whether a line tells of something that failed or still runs.
pub(super) fn is_open(line: &str) -> bool {
    let mut ends = line.split(ARROW).skip(1).map(Ended::from);
    ends.any(|end| end.failed() || end.is_running())
}

/// The words added to a label if calls or words of the model stay visible after the summarised messages:
/// what is told as the last is not. Else empty.
fn before(request: &Request<'_, '_>) -> &'static str {
    let messages = &request.conversation.messages;
    let says_more = |at: usize| request.shown[at] && messages[at].role == Role::Assistant;
    let mut behind = (0..messages.len()).rev().take_while(|&at| !request.summarised[at]);
    let is_last = !errors::goes_on(request) && !behind.any(says_more);
    if is_last { "" } else { labels::BEFORE }
}

/// The line of the last step if it failed; without its error if the record of the call tells that or the
/// line takes too much room.
pub(super) fn last_failure(known: &Known<'_>, counter: Counter<'_>) -> Option<String> {
    let request = known.request;
    let call = known.calls.last().filter(|call| call.outcome.failed)?;
    let line = last_step(known, before(request))?;
    if call.only_looks() && (counter.text)(&line) <= request.share(FAILED) {
        return Some(line);
    }
    Some(format!("{}{}", call.ending().before_in(&line)?, outcome::FAILED))
}

/// The last call that did something, or else the last call.
fn step(all: &[Call]) -> Option<&Call> {
    all.iter().rfind(|call| !is_idle(call)).or(all.last())
}

/// Whether a call did nothing that the work is known by: it planned, waited, or ran a command like `echo`
/// or `sleep`.
fn is_idle(call: &Call) -> bool {
    !call.outcome.failed
        && call.touches.is_empty()
        && (call.deed == Deed::Planned
            || call.started.is_some()
            || call.command.as_deref().is_some_and(shell::runs_nothing))
}

/// The tools with which a model ends its work, which nobody answers.
const ENDING: &[&str] =
    &["finish", "submit", "attempt_completion", "complete_task", "final_answer"];

/// The line that says what the last call did and how it ended.
pub(crate) fn last_step(known: &Known<'_>, before: &str) -> Option<String> {
    let call = step(known.calls)?;
    let file = call.touches.first().map(|touch| known.ledger.paths.told(&touch.path));
    let about = call.about.as_ref().map(|about| clip(about, MOST_OF_ERRAND));
    let (deed, tool) = (call.deed.word(), &call.tool);
    let what = match (&call.command, file, about, call.deed) {
        (Some(command), ..) => {
            let who = if call.is_users { "the user ran" } else { "ran" };
            format!("{who} `{}`", commands::named_in(command, &call.within))
        }
        (None, Some(file), Some(about), Deed::Searched) => format!("{deed} {file} for `{about}`"),
        (None, Some(file), ..) => format!("{deed} {file}"),
        (None, None, Some(about), Deed::Searched) => format!("searched for `{about}`"),
        (None, None, Some(about), Deed::Delegated) => format!("called {tool} `{about}`"),
        (None, None, ..) => format!("called {tool}"),
    };
    let step = format!("- [{}] {}{before}: {what}", call.place.0, labels::LAST_STEP);
    if call.outcome.unended == Some(Unended::Pending)
        && ENDING.iter().any(|name| tool.eq_ignore_ascii_case(name))
    {
        return Some(step);
    }
    let is_vain = call.finds_nothing && call.outcome.went_well();
    let ending = if is_vain { NOTHING_FOUND.into() } else { call.ending() };
    Some(format!("{step}{ARROW}{ending}"))
}

/// Whether a line of the last checks ends with the last step: nothing was done after that check.
fn tells_step(checks: &str, calls: &[Call]) -> bool {
    let ends = |call: &Call| checks.ends_with(&format!("{} [{}]", call.ending(), call.place.0));
    step(calls).is_some_and(|call| ends(call) && call.command.as_deref().is_some_and(aim::is_check))
}

/// The line that names the folder of the last shell, if that may be another one than that of the session.
fn last_folder(known: &Known<'_>) -> Option<String> {
    let Known { calls, ledger, earlier, .. } = *known;
    let Some(call) = calls.iter().rfind(|call| call.command.is_some()) else {
        let old = earlier.iter().flat_map(|earlier| &earlier.state);
        return old.cloned().rfind(|line| labels::last_folder(line).is_some());
    };
    let mut line =
        format!("- [{}] {}: {}", call.place.0, labels::LAST_FOLDER, call.stands.as_ref()?);
    if !ledger.home.is_empty() {
        line.push_str(labels::BEGUN);
        line.push_str(&ledger.home);
    }
    Some(line)
}

/// Whether a text has a sentence of more than `few` words that does more than announce or cheer.
fn says_more_than(few: usize, text: &str) -> bool {
    let mut found = false;
    units::sentences(text, |sentence| {
        let sentence = &text[sentence.range];
        let words = words::number_of(sentence);
        let cheers = words <= CHEERS && sentence.ends_with(['!', '！']);
        found |= words > few && !cheers && !prose::tone(sentence).is_filler;
    });
    found
}

/// The first sentences of a text that say something and fit into `left` tokens.
fn first_words(text: &str, mut left: usize, counter: Counter<'_>) -> Vec<Range<usize>> {
    let mut kept = Vec::new();
    units::sentences(text, |sentence| {
        let line = &text[sentence.range.clone()];
        if sentence.is_code || prose::is_heading(line) || prose::tone(line).is_filler {
            return;
        }
        let rest = left.checked_sub((counter.text)(line) + 1);
        if rest.is_some() {
            kept.push(sentence.range);
        }
        left = rest.unwrap_or(0);
    });
    kept
}

/// The sentences of a text that fit into `left` tokens, in their order. They are chosen in this order: what
/// is still to be done; the last, which says what comes next; the first, which says what the text is about;
/// then backwards from the end.
fn last_words(text: &str, mut left: usize, counter: Counter<'_>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    units::sentences(text, |sentence| all.push(sentence.range));
    let open = open_list(text, &all);
    let says = |range: &Range<usize>| !prose::tone(&text[range.clone()]).is_filler;
    // A point says little without the line above it.
    let is_whole = |range: &Range<usize>| {
        says(range) && !lists::is_point(text_from_line(text, range.start).trim_start())
    };
    let first = all.iter().position(is_whole).or_else(|| all.iter().position(says));
    let mut order: Vec<usize> = (0..all.len()).rev().collect();
    // An offer that asks nothing can wait: `Let me know if you need more.`
    let waits = |at: usize| {
        let sentence = &text[all[at].clone()];
        prose::tone(sentence).is_offer && !sentence.ends_with(['?', '？'])
    };
    let last = (0..all.len()).rfind(|&at| says(&all[at]) && !waits(at));
    order.sort_by_key(|&at| match at {
        _ if open.contains(&at) => at,
        _ if last == Some(at) => all.len(),
        _ if first == Some(at) => all.len() + 1,
        _ => all.len() + 2 + usize::from(waits(at)),
    });
    let mut kept: Vec<Range<usize>> = Vec::new();
    for at in order {
        match left.checked_sub((counter.text)(&text[all[at].clone()]) + 1) {
            Some(rest) if rest > 0 => left = rest,
            // The first and the last sentence each say something without the other.
            _ if [first, last].contains(&Some(at)) => continue,
            _ => break,
        }
        kept.push(all[at].clone());
    }
    kept.sort_by_key(|range| range.start);
    kept
}

/// The range of sentences that form the last list of what is still to be done, with the line above it;
/// empty if there is none.
fn open_list(text: &str, sentences: &[Range<usize>]) -> Range<usize> {
    let line = |at: usize| &text[sentences[at].clone()];
    let is_head = |at: &usize| {
        let bare = units::without_marks(line(*at)).trim_matches('*').trim_end_matches(':');
        let stands_over = line(*at).starts_with(['#', '*']) || line(*at).ends_with([':', '*']);
        stands_over
            && prose::is_open(bare)
            && sentences.len() > at + 1
            && lists::is_point(line(at + 1))
    };
    let Some(head) = (0..sentences.len()).rfind(is_head) else { return 0..0 };
    // A long point has several sentences, and the next heading begins something else.
    let ends = |at: &usize| {
        let starts_line = text[..sentences[*at].start].trim_end_matches(' ').ends_with('\n');
        starts_line
            && lists::indentation(text_from_line(text, sentences[*at].start)) == 0
            && !lists::is_point(line(*at))
    };
    head..(head + 1..sentences.len()).find(ends).unwrap_or(sentences.len())
}

/// The text from the beginning of the line that contains `at`.
fn text_from_line(text: &str, at: usize) -> &str {
    &text[lists::start_of_line(text, at)..]
}
