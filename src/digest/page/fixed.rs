//! What a digest always says: the user's messages that fit, failures, the plan, the current state.
//!
//! Responsible for these sections within their shares of the budget; what one section leaves goes to the rest.
//! Together they never take more than the budget: if they do not fit, lines go in the order of [`Fixed::shorten`].

mod asked;
mod failures;
mod parts;
pub(super) mod places;
mod plan;
mod shown;
mod state;

use asked::Quote;
use places::Seen;
pub(crate) use state::last_step;

use super::header::Header;
use super::room::Left;
use crate::conversation::{Message, Role};
use crate::digest::calls::tasks::{self, Plan};
use crate::digest::known::Known;
use crate::digest::ledger::answers::{self, Answer};
use crate::digest::ledger::besides;
use crate::digest::ledger::errors;
use crate::digest::text::labels;
use crate::digest::text::more::MORE;
use crate::digest::text::point::Point;
use crate::digest::text::told::Told;
use crate::digest::{Counter, Request, Setting};

/// Per cent of the budget for the user's answers.
const ANSWERS: usize = 8;
/// What a handful of answers takes, in tokens.
const SOME_ANSWERS: usize = 240;
/// Per cent of the budget for the model's last words where no files are worked on: they offer what the user
/// chooses from. Measured in service conversations: with fewer words, or with them in budgets below
/// [`ROOMY`](crate::digest), fewer of the needed names stand.
const OFFERING_WORDS: usize = 20;
/// The budget in tokens from which on the last words are told if the user has not answered them yet.
/// Measured as above: one name of five hundred is lost for them.
const SOME_ROOM: usize = 250;

/// Per cent of the budget for the state in an earlier digest, if nothing was done since.
const STILL: usize = 15;

/// The sections whose lines are not chosen.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// The user's messages quoted whole, each with its number, the newest first.
    asked: Vec<Quote>,
    /// Parts of the user's other messages, the newest first.
    parts: Vec<Quote>,
    /// The answers of the user, each with the message that it is told under.
    answers: Vec<(Point, String)>,
    pub(crate) failures: Vec<String>,
    pub(crate) plan: Vec<String>,
    pub(crate) state: Vec<String>,
    /// The words of the model that these sections quote, which are not told again.
    pub(crate) told: Vec<Told>,
    /// For each message, whether `asked` quotes it.
    pub(crate) is_quoted: Vec<bool>,
    /// The user's messages with their places.
    pub(crate) seen: Vec<Seen>,
    /// The header that there is room for.
    pub(crate) header: Header,
}

impl Fixed {
    pub(crate) fn of(known: &Known<'_>, counter: Counter<'_>) -> Self {
        let Known { request, earlier, .. } = *known;
        let is_quoted = vec![false; request.conversation.messages.len()];
        let seen = places::seen(known);
        let mut fixed = Self { is_quoted, seen, ..Self::default() };
        let header = fixed.header.text(known, counter);
        let tokens = request.budget.saturating_sub((counter.text)(&header));
        let mut left = Left { tokens, counter };
        let besides = besides::besides(known);
        let mut asked = fixed.all_asked(known, besides, counter);
        fixed.drop_repeated(request, &mut asked);
        fixed.quote(known, &asked, &mut left);
        if request.setting != Setting::Work {
            // Nothing else tells what the user chose of what a tool asked.
            fixed.answer(request, answers::in_no_message(known), &mut left);
            fixed.say_where_it_stands(known, &mut left);
            if request.setting.is_talk() {
                let pointers = shown::pointers(request, &fixed.seen, fixed.said(), &mut left);
                fixed.answers.extend(pointers);
            }
            return fixed;
        }
        let (state, told) = state::state(known, &mut left);
        fixed.state = state;
        fixed.told.extend(told);
        if fixed.state.is_empty() {
            let old = earlier.iter().flat_map(|earlier| earlier.state.iter().cloned());
            let mut room = left.room(request.share(STILL));
            fixed.state = old.filter(|line| room.fits(line)).collect();
        }
        if !tasks::is_shown(request) {
            let mut plan = Plan::default();
            for earlier in earlier {
                plan.add(&earlier.plan);
            }
            tasks::follow(request, known.calls, &mut plan);
            fixed.plan = plan::lines(request, &plan, &mut left);
        }
        fixed.answer(request, answers::answers(known), &mut left);
        let pointers = shown::pointers(request, &fixed.seen, fixed.said(), &mut left);
        fixed.answers.extend(pointers);
        for failure in failures::failures(known, &mut left) {
            fixed.failures.push(failure.line);
            fixed.told.extend(failure.told);
        }
        fixed
    }

    /// What was said, each line with the point that it is told under.
    pub(crate) fn said(&self) -> impl Iterator<Item = (Point, &str)> {
        // Several lines may stand at one point: the oldest comes first.
        let quotes = self.asked.iter().rev().chain(self.parts.iter().rev());
        let answers = self.answers.iter().map(|(place, line)| (*place, line.as_str()));
        quotes.map(|quote| (quote.place, quote.line.as_str())).chain(answers)
    }

    /// Returns all lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let rest = self.failures.iter().chain(&self.plan).chain(&self.state);
        self.said().map(|(_, line)| line).chain(rest.map(String::as_str))
    }

    /// Removes the line that is missed least and returns it; `None` if there is nothing left to shorten. An
    /// empty line stands for a shorter header. What is open goes late, the user's own words after it, and
    /// last those of them that bind.
    pub(crate) fn shorten(&mut self) -> Option<String> {
        fn first(lines: &mut Vec<String>) -> Option<String> {
            (!lines.is_empty()).then(|| lines.remove(0))
        }
        fn settled(lines: &mut Vec<String>, is_open: fn(&str) -> bool) -> Option<String> {
            Some(lines.remove(lines.iter().position(|line| !is_open(line))?))
        }
        fn loose(quotes: &mut Vec<Quote>) -> Option<String> {
            Some(quotes.remove(quotes.iter().rposition(|quote| !quote.binds)?).line)
        }
        fn oldest(quotes: &mut Vec<Quote>) -> Option<String> {
            quotes.pop().map(|quote| quote.line)
        }
        if self.failures.last().is_some_and(|line| line.starts_with(MORE)) {
            return self.failures.pop();
        }
        let line = settled(&mut self.failures, errors::is_open);
        let line = line.or_else(|| self.answers.pop().map(|(_, line)| line));
        let line = line.or_else(|| plan::shorten(&mut self.plan));
        let line = line.or_else(|| settled(&mut self.state, state::is_open));
        let line = line.or_else(|| first(&mut self.failures)).or_else(|| self.state.pop());
        let line = line.or_else(|| loose(&mut self.parts));
        if line.is_none() && self.header == Header::Whole {
            self.header = Header::Numbered;
            return Some(String::new());
        }
        let line = line.or_else(|| loose(&mut self.asked));
        let line = line.or_else(|| oldest(&mut self.parts)).or_else(|| oldest(&mut self.asked));
        if line.is_none() {
            self.header = self.header.shorter()?;
            return Some(String::new());
        }
        line
    }

    /// Fills the state where no files are worked on: the model's last words, if there is room for more than
    /// records, and the last failure, which is what comes next.
    fn say_where_it_stands(&mut self, known: &Known<'_>, left: &mut Left<'_>) {
        let Known { request, calls: all, earlier, .. } = *known;
        // In talk nobody waits for the other's words.
        let has_some = request.budget >= SOME_ROOM && waits_for_answer(request);
        let has_room = request.is_roomy() || has_some;
        let has_words = request.setting != Setting::Talk && has_room;
        let share = if has_words { request.share(OFFERING_WORDS) } else { 0 };
        // An offer made before something was done is no longer open.
        let done = all.iter().rfind(|call| !call.only_looks()).map_or(0, |call| call.place.0);
        let done = if request.setting.is_talk() { asked_before(request) } else { done };
        let words = state::last_said(request, done, share, left);
        let is_new = words.is_some();
        let (line, told) = words.unzip();
        self.told.extend(told);
        let step = state::last_failure(known, left.counter);
        let old = earlier.last().filter(|_| all.is_empty());
        let old = old.into_iter().flat_map(|earlier| earlier.state.iter());
        let old = old.filter(|line| !(is_new && line.contains(labels::LAST_WORDS)));
        let rest = step.into_iter().chain(old.cloned()).filter(|line| left.fits(line));
        self.state = line.into_iter().chain(rest).collect();
    }

    /// Tells the user's answers while they fit: first those whose line adds most to their words, of these
    /// the newest.
    fn answer(&mut self, request: &Request<'_, '_>, mut answers: Vec<Answer>, left: &mut Left<'_>) {
        answers.reverse();
        // A newest request of a few words says nothing without its question: it is told whatever the share.
        let newest = request.conversation.newest_request().filter(|newest| request.shown[*newest]);
        let asked = newest.and_then(|newest| answered_by(request, newest));
        let is_open = |answer: &Answer| asked == Some(answer.message);
        answers.sort_by_key(|answer| (!is_open(answer), answer.adds));
        let open = answers.first().filter(|answer| is_open(answer));
        let least = open.map_or(0, |answer| left.cost(&answer.short));
        let share = request.share_or(ANSWERS, SOME_ANSWERS).max(least);
        let mut room = left.room(share);
        // Each answer is told in its short form before any is told in full.
        answers.retain(|answer| room.fits(&answer.short));
        for answer in answers {
            let is_long = room.fits_instead(&answer.line, &answer.short);
            let line = if is_long { answer.line } else { answer.short };
            self.answers.push((Point::now(answer.message), line));
            self.told.push(Told { message: answer.message, ranges: answer.told });
        }
    }
}

/// Whether the conversation ends with words of the model that are summarised: the user's next words answer them.
fn waits_for_answer(request: &Request<'_, '_>) -> bool {
    let last = request.conversation.messages.iter().zip(request.summarised).next_back();
    last.is_some_and(|(message, goes)| *goes && message.is_reply())
}

/// The message after which the model's words stand that the newest request answers.
fn asked_before(request: &Request<'_, '_>) -> usize {
    let newest = request.conversation.newest_request().unwrap_or(0);
    let before = &request.conversation.messages[..newest];
    before.iter().rposition(Message::is_request).map_or(0, |before| before + 1)
}

/// The message of the model that a request answers; `None` if a request stands between them.
fn answered_by(request: &Request<'_, '_>, newest: usize) -> Option<usize> {
    let before = &request.conversation.messages[..newest];
    let said = before.iter().rposition(|it| it.role == Role::Assistant || it.is_request())?;
    (before[said].role == Role::Assistant).then_some(said)
}
