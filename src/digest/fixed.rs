//! What a digest always says: messages of the user that fit, failures, the plan, the last state.
//!
//! Responsible for these sections within their shares of the budget; what a section leaves goes to
//! the rest.

use std::collections::HashSet;
use std::ops::Range;

use super::calls::Call;
use super::errors::{self, Failure};
use super::fold::Earlier;
use super::ledger::Ledger;
use super::point::Point;
use super::told::Told;
use super::{Request, Setting, answers, checks, commands, labels, prose, share, tasks, units};
use crate::conversation::Role;
use crate::line::clip;

/// Per cent of the budget for failures and what fixed them.
const FAILURES: usize = 10;
/// What two failures with their fixes take, in tokens.
const SOME_FAILURES: usize = 260;
/// Per cent for what the user answered and refused, and what some of it takes, in tokens.
const ANSWERS: usize = 8;
const SOME_ANSWERS: usize = 240;
/// Per cent for saying where the user's messages stood that stay visible, and how much of one is
/// told, in bytes. Readers miss them: without, they guess what was said to what.
const SHOWN: usize = 3;
const GLIMPSE: usize = 24;
/// How many bytes such a message has at least that is worth a line.
const TELLING: usize = 8;
/// Per cent for the plan.
const PLAN: usize = 5;
/// Per cent for where the work stands.
const STATE: usize = 6;
/// Per cent for the last checks, and what three of them take, in tokens.
const CHECKS: usize = 3;
const SOME_CHECKS: usize = 120;

/// The sections that are not chosen.
#[derive(Debug, Default)]
pub(super) struct Fixed {
    /// The user's messages word for word, each with its number.
    pub(super) asked: Vec<(Point, String)>,
    pub(super) failures: Vec<String>,
    pub(super) plan: Vec<String>,
    pub(super) state: Vec<String>,
    /// What these quote of the model, which is not told again.
    pub(super) told: Vec<Told>,
    /// For each message, whether it stands in `asked`.
    pub(super) is_quoted: Vec<bool>,
}

impl Fixed {
    pub(super) fn of(
        request: &Request<'_, '_>,
        setting: Setting,
        all: &[Call],
        ledger: &Ledger,
        earlier: &[Earlier],
    ) -> Self {
        let mut fixed =
            Self { is_quoted: vec![false; request.conversation.messages.len()], ..Self::default() };
        fixed.quote(request, setting, earlier);
        if setting == Setting::Work {
            fixed.answer(request, all, ledger, request.share_or(ANSWERS, SOME_ANSWERS));
            fixed.point_to_shown(request, request.share(SHOWN));
            let old = earlier.iter().flat_map(|earlier| earlier.tasks.iter().cloned());
            let tasks = if tasks::is_shown(request) {
                Vec::new()
            } else {
                tasks::tasks(request, all, old.collect())
            };
            fixed.plan = plan_lines(request, &tasks, request.share(PLAN));
            for failure in failures(request, all, ledger, earlier) {
                fixed.failures.push(failure.line);
                fixed.told.extend(failure.told);
            }
            let (state, told) = state(request, all, ledger, earlier, request.share(STATE));
            fixed.state = state;
            fixed.told.extend(told);
            if fixed.state.is_empty() {
                let old = earlier.iter().flat_map(|earlier| earlier.state.iter().cloned());
                let mut fits = room(request, request.share(STATE));
                fixed.state = old.filter(|line| fits(line)).collect();
            }
        }
        fixed
    }

    /// All lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let asked = self.asked.iter().map(|(_, line)| line);
        asked.chain(&self.failures).chain(&self.plan).chain(&self.state).map(String::as_str)
    }

    /// Tells what the user answered and refused while it fits: those to whose words it adds
    /// most, of these the newest.
    fn answer(&mut self, request: &Request<'_, '_>, all: &[Call], ledger: &Ledger, share: usize) {
        let mut fits = room(request, share);
        let mut answers = answers::answers(request, all, ledger);
        answers.reverse();
        answers.sort_by_key(|answer| answer.adds);
        for answer in answers {
            if fits(&answer.line) {
                self.asked.push((Point::now(answer.message), answer.line));
                self.told.push(Told { message: answer.message, ranges: answer.told });
            }
        }
    }

    /// Says where the messages stood that stay visible behind the digest, the newest while it fits:
    /// what the model said is understood by what it was said to.
    fn point_to_shown(&mut self, request: &Request<'_, '_>, share: usize) {
        let messages = &request.conversation.messages;
        let last_summarised = request.summarised.iter().rposition(|&summarised| summarised);
        // An answer was told with its question, in the message before it.
        let next = |(point, _): &(Point, String)| Point { message: point.message + 1, ..*point };
        let answered: HashSet<Point> = self.asked.iter().map(next).collect();
        let mut fits = room(request, share);
        for at in (0..last_summarised.unwrap_or(0)).rev() {
            if !(request.shown[at] && messages[at].is_request())
                || answered.contains(&Point::now(at))
            {
                continue;
            }
            let text = messages[at].text();
            let text = text.trim();
            // `yes` alone says as little there as here.
            if text.len() < TELLING {
                continue;
            }
            let glimpse = clip(text.lines().next().unwrap_or(""), GLIMPSE);
            let line = format!("[{at}{}{glimpse}", labels::KEPT);
            if fits(&line) {
                self.asked.push((Point::now(at), line));
            }
        }
    }

    /// Quotes what the user said where it fits, the beginning of it where an earlier digest has it
    /// and it fits no more.
    fn quote(&mut self, request: &Request<'_, '_>, setting: Setting, earlier: &[Earlier]) {
        let messages = &request.conversation.messages;
        let asked = (0..messages.len()).filter(|&at| {
            let is_parted = request.partly_shown.is_some_and(|(partly, _)| partly == at);
            (request.summarised[at] || request.shown[at]) && !is_parted && messages[at].is_request()
        });
        let old = earlier.iter().flat_map(|earlier| &earlier.asked);
        let old = old.map(|(point, text)| Asked {
            point: *point,
            tokens: (request.count)(text),
            text: Some(text),
            is_shown: false,
        });
        let mut all: Vec<Asked<'_>> = old.collect();
        let olds = all.len();
        for at in asked {
            let is_shown = request.shown[at];
            if is_shown && olds > 0 {
                // A message that stayed visible beside an earlier digest may stand in both.
                let text = messages[at].text();
                for old in &mut all[..olds] {
                    old.is_shown |= old.text.is_some_and(|old| old.trim() == text.trim());
                }
            }
            let tokens = (request.said)(at);
            all.push(Asked { point: Point::now(at), text: None, tokens, is_shown });
        }
        // What stays visible has had its share before the digest had its budget.
        let open: Vec<usize> =
            all.iter().filter(|asked| !asked.is_shown).map(|asked| asked.tokens).collect();
        let has_shown = open.len() < all.len() && setting != Setting::Work;
        let share = if has_shown { 0 } else { request.budget };
        let kept = share::users_to_keep(&open, share, setting);
        let open = all.into_iter().filter(|asked| !asked.is_shown);
        for (Asked { point, text, .. }, keep) in open.zip(kept) {
            if keep {
                let text = text.cloned().unwrap_or_else(|| messages[point.message].text());
                let text = text.trim();
                if point.past == 0 {
                    self.is_quoted[point.message] = true;
                }
                let mark = if text.contains('\n') { "\"\"\"" } else { "\"" };
                self.asked.push((point, format!("[{point}{}{mark}{text}{mark}", labels::USER)));
            } else if let Some(text) = text.filter(|_| point.past > 0) {
                let line = text.split_whitespace().take(30).collect::<Vec<_>>().join(" ");
                self.asked.push((point, format!("[{point}]{} {line}", labels::PARTS)));
            }
        }
    }
}

/// A message of the user's, perhaps one of an earlier digest.
struct Asked<'e> {
    point: Point,
    /// What it says, where an earlier digest has it.
    text: Option<&'e String>,
    tokens: usize,
    /// Whether it stays visible.
    is_shown: bool,
}

/// Tells of one line after the other whether it fits into what is left of `tokens`.
fn room(request: &Request<'_, '_>, tokens: usize) -> impl FnMut(&str) -> bool {
    let mut left = tokens;
    move |line| {
        let cost = (request.count)(line) + 1;
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    }
}

/// The tasks that fit: open ones first, then the newest; written in their order.
fn plan_lines(request: &Request<'_, '_>, tasks: &[tasks::Task], share: usize) -> Vec<String> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&at| {
        (!tasks[at].is_open(), if tasks[at].is_open() { at } else { tasks.len() - at })
    });
    let mut fits = room(request, share);
    order.retain(|&at| fits(&tasks[at].line()));
    order.sort_unstable();
    order.into_iter().map(|at| tasks[at].line()).collect()
}

fn failures(
    request: &Request<'_, '_>,
    all: &[Call],
    ledger: &Ledger,
    earlier: &[Earlier],
) -> Vec<Failure> {
    let runs = errors::runs(all);
    let old = earlier.iter().flat_map(|earlier| &earlier.failures);
    let old = old
        .filter(|line| !line.starts_with(errors::MORE))
        .map(|line| Failure { line: errors::brought_up_to_date(line, all, &runs), told: None });
    let mut found: Vec<Failure> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for failure in old.chain(errors::failures(request, all, &runs, ledger)) {
        if known.insert(failure.line.clone()) {
            found.push(failure);
        }
    }
    // Of equally telling ones the newest; written in their order.
    let mut order: Vec<usize> = (0..found.len()).rev().collect();
    order.sort_by_key(|&at| errors::idleness(&found[at].line));
    // What was fixed stands nowhere else.
    let is_fixed = |at: &usize| errors::idleness(&found[*at].line) == 0;
    let least = if order.iter().any(is_fixed) { SOME_FAILURES } else { 0 };
    // Each is told shortly before any is told at length.
    let mut room = request.share_or(FAILURES, least);
    let mut takes = |cost: usize| {
        let fits = cost <= room;
        room -= if fits { cost } else { 0 };
        fits
    };
    let cost = |line: &str| (request.count)(line) + 1;
    let short = |at: usize, most| errors::shortened(&found[at].line, most);
    let (mut told, left): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|&at| takes(cost(&short(at, 0))));
    let mut lines: Vec<Failure> = found
        .iter()
        .map(|failure| Failure { line: errors::shortened(&failure.line, 0), told: None })
        .collect();
    let mut lengthen = |at: usize, longer: Failure| {
        if takes(cost(&longer.line).saturating_sub(cost(&lines[at].line))) {
            lines[at] = longer;
        }
    };
    for &at in &told {
        lengthen(at, Failure { line: short(at, errors::SOME), told: None });
    }
    for &at in &told {
        lengthen(at, found[at].clone());
    }
    told.sort_unstable();
    let mut lines: Vec<Failure> = told.into_iter().map(|at| lines[at].clone()).collect();
    if !left.is_empty() && !lines.is_empty() && request.is_roomy() {
        let line = errors::more(left.iter().map(|&at| found[at].line.as_str()));
        lines.push(Failure { line, told: None });
    }
    lines
}

/// The last words of the model, and the last step; the message of the words and where they stand.
fn state(
    request: &Request<'_, '_>,
    all: &[Call],
    ledger: &Ledger,
    earlier: &[Earlier],
    share: usize,
) -> (Vec<String>, Option<Told>) {
    let messages = &request.conversation.messages;
    let (mut lines, mut told) = (Vec::new(), None);
    let speaks = |at: &usize| {
        request.summarised[*at]
            && messages[*at].role == Role::Assistant
            && messages[*at].text().trim().len() >= 20
    };
    let before = if errors::goes_on(request) { labels::BEFORE } else { "" };
    // What announces the next call alone tells less than the last that was found.
    let last = (0..messages.len()).rev().find(speaks);
    let says = |at: &usize| speaks(at) && says_something(&messages[*at].text());
    let since = last.map(|last| (0..last).rev().take_while(|&at| !messages[at].is_request()));
    let telling = last.filter(says).or_else(|| since?.find(says)).or(last);
    if let Some(at) = telling {
        let text = messages[at].text();
        let ranges = last_words(&text, share, request.count);
        let mut said = String::new();
        let mut end = 0;
        for range in &ranges {
            let is_next = text[end..range.start].trim().is_empty();
            said.push_str(if said.is_empty() { "" } else { " " });
            said.push_str(if is_next || said.is_empty() { "" } else { "… " });
            said.push_str(units::without_marks(&text[range.clone()]));
            end = range.end;
        }
        if !said.is_empty() {
            lines.push(format!("- [{at}] {}{before}: {said}", labels::LAST_WORDS));
            told = Some(Told { message: at, ranges });
        }
    }
    let Some(call) = all.last() else { return (lines, told) };
    let what = match (&call.command, call.touches.first()) {
        (Some(command), _) => format!("ran `{}`", commands::named(command)),
        (None, Some(touch)) => {
            format!("{} {}", call.deed.word(), ledger.paths.relative(&touch.path))
        }
        (None, None) => format!("called {}", call.tool),
    };
    let ending = call.ending();
    lines.push(format!("- [{}] {}{before}: {what} → {ending}", call.place.0, labels::LAST_STEP));
    let mut fits = room(request, request.share_or(CHECKS, SOME_CHECKS));
    let mut old = earlier.iter().flat_map(|earlier| &earlier.state).map(String::as_str);
    let old = old.rfind(|line| line.contains(labels::CHECKS));
    lines.extend(checks::checks(all, old, before).filter(|line| fits(line)));
    (lines, told)
}

/// Whether a text does more than to announce something.
fn says_something(text: &str) -> bool {
    let mut found = false;
    units::sentences(text, |sentence| {
        let words = &text[sentence.range];
        found |= words.split_whitespace().nth(2).is_some() && !prose::tone(words).is_filler;
    });
    found
}

/// The sentences of a text that fit into `left` tokens: the first, which says what it is about, then
/// the last ones, which say what comes next; in their order.
fn last_words(text: &str, mut left: usize, count: &dyn Fn(&str) -> usize) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    units::sentences(text, |sentence| all.push(sentence.range));
    let mut order: Vec<usize> = (1..all.len()).rev().collect();
    order.insert(0, 0);
    let mut kept: Vec<Range<usize>> = order
        .into_iter()
        .filter_map(|at| all.get(at).cloned())
        .take_while(|range| {
            left = left.saturating_sub(count(&text[range.clone()]) + 1);
            left > 0
        })
        .collect();
    kept.sort_by_key(|range| range.start);
    kept
}
