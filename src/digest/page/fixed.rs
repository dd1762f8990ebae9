//! What a digest always says: messages of the user that fit, failures, the plan, the last state.
//!
//! Responsible for these sections within their shares of the budget; what a section leaves goes to
//! the rest. All of them together never take more than the budget: what is told last of them is the
//! first to go.

mod failures;
mod parts;
pub(super) mod places;
mod plan;
mod shown;
mod state;

use std::borrow::Cow;
use std::collections::HashSet;

use places::Seen;
use state::STATE;
pub(crate) use state::last_step;

use super::header;
use crate::conversation::Role;
use crate::digest::calls::Call;
use crate::digest::calls::tasks::{self, Plan};
use crate::digest::ledger::Ledger;
use crate::digest::ledger::answers;
use crate::digest::ledger::besides::{self, Beside};
use crate::digest::ledger::errors;
use crate::digest::ledger::fold::{Earlier, Placed};
use crate::digest::text::attached;
use crate::digest::text::labels;
use crate::digest::text::more::MORE;
use crate::digest::text::point::Point;
use crate::digest::text::told::Told;
use crate::digest::{Request, Setting, share};
use crate::hash::hash;
use crate::line::clip;
use crate::verbatim;

/// Per cent of the budget for the user's messages: the half of it that they may take, with what points to
/// them, and the beginnings of others.
const ASKED: usize = 65;
/// How much is told of a message that an earlier digest quotes and that fits no more, in bytes: where
/// there is room, and where there is little.
const PART: usize = 180;
const SHORT_PART: usize = 60;
/// From how many bytes on words of the user's that were said twice are quoted once.
const TOLD_TWICE: usize = 40;
/// Per cent that words may take that stand in no message. A choice, not measured: what else a page tells has
/// most of it, however long somebody's reason is.
const BESIDE: usize = 25;
/// Per cent for what the user answered, and what some of it takes, in tokens.
const ANSWERS: usize = 8;
const SOME_ANSWERS: usize = 240;
/// Per cent for the last words of a service conversation, which offer what the user chooses from. Measured:
/// with less of them, or in fewer tokens than [`ROOMY`](crate::digest), fewer of the needed names stand.
const SERVICE_WORDS: usize = 20;

/// The sections that are not chosen.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// The user's messages word for word, each with its number, the newest first.
    asked: Vec<(Point, String)>,
    /// The beginnings of others, and what the user answered.
    parts: Vec<(Point, String)>,
    answers: Vec<(Point, String)>,
    pub(crate) failures: Vec<String>,
    pub(crate) plan: Vec<String>,
    pub(crate) state: Vec<String>,
    /// What these quote of the model, which is not told again.
    pub(crate) told: Vec<Told>,
    /// For each message, whether it stands in `asked`.
    pub(crate) is_quoted: Vec<bool>,
    /// The user's messages with their places.
    pub(crate) seen: Vec<Seen>,
    /// Whether there is room for more than the first line of the header.
    pub(crate) has_header: bool,
}

impl Fixed {
    pub(crate) fn of(
        request: &Request<'_, '_>,
        all: &[Call],
        ledger: &Ledger,
        earlier: &[Earlier],
    ) -> Self {
        let is_quoted = vec![false; request.conversation.messages.len()];
        let seen = places::seen(request, earlier);
        let mut fixed = Self { is_quoted, has_header: true, seen, ..Self::default() };
        let header = header::header(request, ledger, earlier);
        let mut left = request.budget.saturating_sub((request.count)(&header));
        let besides = besides::besides(request, all, ledger);
        let mut asked = fixed.all_asked(request, ledger, earlier, besides);
        fixed.drop_repeated(request, &mut asked);
        fixed.quote(request, asked, &mut left);
        if request.setting != Setting::Work {
            fixed.say_where_it_stands(request, all, ledger, earlier, &mut left);
            if request.setting.is_talk() {
                fixed.answers = shown::pointers(request, &fixed.seen, fixed.said(), &mut left);
            }
            return fixed;
        }
        let (state, told) = state::state(request, all, ledger, earlier, &mut left);
        fixed.state = state;
        fixed.told.extend(told);
        if fixed.state.is_empty() {
            let old = earlier.iter().flat_map(|earlier| earlier.state.iter().cloned());
            let mut fits = room(request, request.share(STATE), &mut left);
            fixed.state = old.filter(|line| fits(line)).collect();
        }
        if !tasks::is_shown(request) {
            let mut plan = Plan::default();
            for earlier in earlier {
                plan.add(&earlier.plan);
            }
            tasks::follow(request, all, &mut plan);
            fixed.plan = plan::lines(request, &plan, &mut left);
        }
        fixed.answer(request, all, &mut left);
        let pointers = shown::pointers(request, &fixed.seen, fixed.said(), &mut left);
        fixed.answers.extend(pointers);
        for failure in failures::failures(request, all, ledger, earlier, &mut left) {
            fixed.failures.push(failure.line);
            fixed.told.extend(failure.told);
        }
        fixed
    }

    /// What was said, with the message that it is told under.
    pub(crate) fn said(&self) -> impl Iterator<Item = &(Point, String)> {
        // Of several in one place the first was said first.
        self.asked.iter().rev().chain(self.parts.iter().rev()).chain(&self.answers)
    }

    /// All lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let said = self.said().map(|(_, line)| line);
        said.chain(&self.failures).chain(&self.plan).chain(&self.state).map(String::as_str)
    }

    /// Takes out the line that is missed least, and gives it; what is open goes late, the user's own words
    /// last.
    pub(crate) fn shorten(&mut self) -> Option<String> {
        fn first(lines: &mut Vec<String>) -> Option<String> {
            (!lines.is_empty()).then(|| lines.remove(0))
        }
        fn settled(lines: &mut Vec<String>, is_open: fn(&str) -> bool) -> Option<String> {
            Some(lines.remove(lines.iter().position(|line| !is_open(line))?))
        }
        fn last(lines: &mut Vec<(Point, String)>) -> Option<String> {
            lines.pop().map(|(_, line)| line)
        }
        if self.failures.last().is_some_and(|line| line.starts_with(MORE)) {
            return self.failures.pop();
        }
        let line = settled(&mut self.failures, errors::is_open);
        let line = line.or_else(|| last(&mut self.answers));
        let line = line.or_else(|| plan::shorten(&mut self.plan));
        let line = line.or_else(|| settled(&mut self.state, state::is_open));
        let line = line.or_else(|| first(&mut self.failures)).or_else(|| self.state.pop());
        let line = line.or_else(|| last(&mut self.parts));
        if line.is_none() && std::mem::take(&mut self.has_header) {
            return Some(String::new());
        }
        line.or_else(|| last(&mut self.asked))
    }

    /// Where there is no work on files: the last words, where there is room for more than records, and what
    /// failed last, which is what comes next.
    fn say_where_it_stands(
        &mut self,
        request: &Request<'_, '_>,
        all: &[Call],
        ledger: &Ledger,
        earlier: &[Earlier],
        left: &mut usize,
    ) {
        let has_words = request.setting == Setting::Service && request.is_roomy();
        let share = if has_words { request.share(SERVICE_WORDS) } else { 0 };
        // What was offered before something was done is no more to be chosen from.
        let done = all.iter().rfind(|call| !call.only_looks()).map_or(0, |call| call.place.0);
        let words = state::last_said(request, done, share, left);
        let is_new = words.is_some();
        let (line, told) = words.unzip();
        self.told.extend(told);
        let step = state::last_failure(request, all, ledger);
        let old = earlier.last().filter(|_| all.is_empty());
        let old = old.into_iter().flat_map(|earlier| earlier.state.iter());
        let old = old.filter(|line| !(is_new && line.contains(labels::LAST_WORDS)));
        let mut fits = room(request, *left, left);
        let rest = step.into_iter().chain(old.cloned()).filter(|line| fits(line));
        self.state = line.into_iter().chain(rest).collect();
    }

    /// Tells what the user answered while it fits: those to whose words it adds most, of these the
    /// newest.
    fn answer(&mut self, request: &Request<'_, '_>, all: &[Call], left: &mut usize) {
        let cost = |line: &str| (request.count)(line) + 1;
        let mut answers = answers::answers(request, all);
        answers.reverse();
        // A newest request of a few words says nothing without its question, whatever the share.
        let newest = request.conversation.newest_request().filter(|newest| request.shown[*newest]);
        let asked = newest.and_then(|newest| answered_by(request, newest));
        let is_open = |answer: &answers::Answer| asked == Some(answer.message);
        answers.sort_by_key(|answer| (!is_open(answer), answer.adds));
        let open = answers.first().filter(|answer| is_open(answer));
        let least = open.map_or(0, |answer| cost(&answer.short));
        let mut takes = taking(request.share_or(ANSWERS, SOME_ANSWERS).max(least), left);
        // Each is told shortly before any is told at length.
        answers.retain(|answer| takes(cost(&answer.short)));
        for answer in answers {
            let more = cost(&answer.line).saturating_sub(cost(&answer.short));
            let line = if takes(more) { answer.line } else { answer.short };
            self.answers.push((Point::now(answer.message), line));
            self.told.push(Told { message: answer.message, ranges: answer.told });
        }
    }

    /// All that the user said, in order: in messages of earlier digests, in those at hand, and beside them.
    fn all_asked(
        &self,
        request: &Request<'_, '_>,
        ledger: &Ledger,
        earlier: &[Earlier],
        besides: Vec<Beside>,
    ) -> Vec<Asked> {
        let messages = &request.conversation.messages;
        let old = earlier.iter().flat_map(|earlier| &earlier.asked);
        let mut all: Vec<Asked> = old
            .map(|Placed { point, place, text }| Asked {
                place: *place,
                tokens: (request.count)(text),
                text: Some(text.clone()),
                ..Asked::at(*point)
            })
            .collect();
        let olds = all.len();
        let last_old = earlier.last().map_or(0, |earlier| earlier.message);
        let is_parted = |at| request.partly_shown.is_some_and(|(partly, _)| partly == at);
        for seen in self.seen.iter().filter(|seen| !is_parted(seen.message)) {
            let is_shown = request.shown[seen.message];
            if is_shown && seen.message < last_old {
                // A message that stayed visible beside an earlier digest may stand in both.
                let text = attached::said(&messages[seen.message]);
                for old in &mut all[..olds] {
                    old.is_shown |= old.text.as_ref().is_some_and(|old| old.trim() == text.trim());
                }
            }
            let (place, message) = (seen.place, seen.message);
            let tokens = (request.said)(message);
            all.push(Asked { place, message, tokens, is_shown, ..Asked::at(seen.point) });
        }
        let old = earlier.iter().flat_map(|earlier| &earlier.besides);
        let old = old.map(|beside| beside.brought_up_to_date(ledger));
        all.extend(old.chain(besides).map(|beside| Asked {
            label: beside.label,
            end: beside.end(),
            tokens: (request.count)(&besides::shortened(&beside.text)),
            text: Some(beside.text),
            ..Asked::at(beside.point)
        }));
        all.sort_by_key(|asked| asked.place.order());
        all
    }

    /// Lets go of what the user said again, word for word, and keeps the newest: short words are said to
    /// something else each time.
    fn drop_repeated(&mut self, request: &Request<'_, '_>, all: &mut Vec<Asked>) {
        let messages = &request.conversation.messages;
        let mut known = HashSet::new();
        all.reverse();
        all.retain(|asked| {
            let text = asked.text.as_deref().map(Cow::Borrowed);
            let text = text.unwrap_or_else(|| attached::said(&messages[asked.message]).into());
            let text = text.trim();
            let is_new = text.len() < TOLD_TWICE || known.insert(hash(text.as_bytes()));
            if !is_new && asked.text.is_none() {
                self.is_quoted[asked.message] = true;
            }
            is_new
        });
        all.reverse();
    }

    /// Quotes what the user said where it fits, beside their messages too; the beginning of it where it
    /// stands in no message here and fits no more.
    fn quote(&mut self, request: &Request<'_, '_>, all: Vec<Asked>, left: &mut usize) {
        let messages = &request.conversation.messages;
        // What stays visible has had its share before the digest had its budget.
        let open: Vec<usize> =
            all.iter().filter(|asked| !asked.is_shown).map(|asked| asked.tokens).collect();
        let has_shown = open.len() < all.len() && request.setting == Setting::Service;
        let share = if has_shown { 0 } else { request.budget };
        let kept = share::users_to_keep(&open, share, request.setting);
        let mut takes = taking(request.share(ASKED), left);
        let cost = |line: &str| (request.count)(line) + 1;
        let (mut parts, mut longer) = (Vec::new(), Vec::new());
        let open = all.into_iter().filter(|asked| !asked.is_shown);
        let open: Vec<_> = open.zip(kept).collect();
        // Where there is no room for all, the newest are told.
        for (Asked { point, place, label, message, text, end, .. }, keep) in open.into_iter().rev()
        {
            let is_message = text.is_none();
            if is_message && !keep {
                continue;
            }
            let text = text.unwrap_or_else(|| attached::said(&messages[message]));
            let (text, is_beside) = (text.trim(), label != verbatim::USER);
            let told =
                if is_beside { besides::shortened(text) } else { verbatim::fenced(text).into() };
            let line = format!("[{point}{label}{told}{end}");
            if keep && takes(cost(&line)) {
                if is_message {
                    self.is_quoted[message] = true;
                }
                if is_beside && told != text {
                    longer.push((self.asked.len(), format!("[{point}{label}{text}{end}")));
                }
                self.asked.push((place, line));
            } else if !is_message {
                let part = |most| {
                    if is_beside {
                        return format!("[{point}{label}{}{end}", clip(text, most));
                    }
                    format!("[{point}{PART_OF}{}", parts::parts(text, most))
                };
                parts.push((place, part(SHORT_PART), part(PART)));
            }
        }
        // Each is told shortly before any is told at length.
        parts.retain(|(_, short, _)| takes(cost(short)));
        for (place, short, long) in parts {
            let is_long = takes(cost(&long).saturating_sub(cost(&short)));
            self.parts.push((place, if is_long { long } else { short }));
        }
        for (at, whole) in longer {
            let (_, line) = &mut self.asked[at];
            let more = cost(&whole).saturating_sub(cost(line));
            if cost(&whole) <= request.share(BESIDE) && takes(more) {
                *line = whole;
            }
        }
    }
}

/// The words of the model to which a request was said.
fn answered_by(request: &Request<'_, '_>, newest: usize) -> Option<usize> {
    let before = &request.conversation.messages[..newest];
    let said = before.iter().rposition(|it| it.role == Role::Assistant || it.is_request())?;
    (before[said].role == Role::Assistant).then_some(said)
}

/// What stands between the number of a message and its parts.
const PART_OF: &str = "] User, in parts: ";

/// A message of the user's, perhaps one of an earlier digest, or words that stand in none.
#[derive(Default)]
struct Asked {
    point: Point,
    /// Behind what it stands.
    place: Point,
    /// What stands between its number and what it says.
    label: &'static str,
    /// What it says, where it stands in no message here; else in which.
    text: Option<String>,
    /// What is told behind it.
    end: String,
    message: usize,
    tokens: usize,
    /// Whether it stays visible.
    is_shown: bool,
}

impl Asked {
    /// One that said nothing yet.
    fn at(point: Point) -> Self {
        Self { point, place: point, label: verbatim::USER, ..Self::default() }
    }
}

/// Tells of one line after the other whether it fits into what is left of `share` and of all.
fn room(request: &Request<'_, '_>, share: usize, left: &mut usize) -> impl FnMut(&str) -> bool {
    let mut takes = taking(share, left);
    move |line| takes((request.count)(line) + 1)
}

/// The same, of what lines cost.
fn taking(share: usize, left: &mut usize) -> impl FnMut(usize) -> bool {
    let mut share = share.min(*left);
    move |cost| {
        let fits = cost <= share;
        let taken = if fits { cost } else { 0 };
        share -= taken;
        *left -= taken;
        fits
    }
}
