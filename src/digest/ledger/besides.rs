//! Words of the user that stand in none of their messages: said in refusing a call, or while the model worked.
//!
//! Responsible for telling these words together with their occasion.

use std::borrow::Cow;

use super::Ledger;
use super::answers::{asks_the_user, questions_of};
use super::errors::has_passed;
use crate::conversation::{Message, Origin, Part};
use crate::digest::calls::outcome::{may_quote_user, said_by_user};
use crate::digest::calls::{self, Call, commands, shell};
use crate::digest::known::Known;
use crate::digest::text::labels;
use crate::digest::text::point::Point;
use crate::line::{clip, on_one_line};
use crate::message::observation;
use crate::redact::mask;

/// How much of such words is told where there is little room, in bytes.
const SHORT: usize = 600;

/// By how many bytes of their beginning words are recognised that an earlier digest already tells.
const KNOWN: usize = 200;

/// Words of the user, on one line, with their occasion.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    /// The message of the refused call, or the message after which the words were said.
    pub(crate) point: Point,
    /// The label before the text: [`labels::REFUSING`], [`labels::CLAIMED`] or [`labels::MEANWHILE`].
    pub(crate) label: &'static str,
    /// `tool what: "words"` for a refused call, or that it was refused without a word; else `: "words"`.
    pub(crate) text: String,
    /// When the refused call was made after all, or its file was changed in another way.
    pub(crate) done: Option<(&'static str, Point)>,
}

impl Beside {
    fn of(message: usize, label: &'static str, occasion: &str, words: &str) -> Option<Self> {
        let words = on_one_line(words.trim());
        let text = format!("{}: \"{words}\"", occasion.trim_end());
        (!words.is_empty()).then_some(Self::saying(message, label, text))
    }

    /// A call that was refused without a word: all that is known is that it did nothing.
    fn wordless(call: &Call, what: &str) -> Self {
        let left = match call.command {
            Some(_) => "run",
            None if call.deed.changes() => "applied",
            None => "done",
        };
        let text = format!("{} without a word: not {left}", what.trim_end());
        Self::saying(call.place.0, labels::REFUSING, text)
    }

    fn saying(message: usize, label: &'static str, text: String) -> Self {
        Self { point: Point::now(message), label, text, done: None }
    }

    /// The text that ends the line: what was done later, if anything was.
    pub(crate) fn end(&self) -> String {
        self.done.map_or_else(String::new, |(done, at)| format!("{done}{at}]"))
    }

    /// Reads the text after a label in the digest of compaction `generation`.
    pub(crate) fn parse(point: Point, label: &'static str, told: &str, generation: u32) -> Self {
        let ended = told.strip_suffix(']').and_then(|told| {
            let (done, (text, at)) = [DONE, CHANGED]
                .into_iter()
                .find_map(|done| Some((done, told.rsplit_once(done)?)))?;
            Some((text, Some((done, Point::parse(at, generation)?))))
        });
        let (text, done) = ended.unwrap_or((told, None));
        Self { point, label, text: text.to_owned(), done }
    }

    /// Returns a copy that says whether a command refused in an earlier digest has passed since.
    pub(crate) fn brought_up_to_date(&self, ledger: &Ledger) -> Self {
        let is_refusal = self.label == labels::REFUSING && self.done.is_none();
        // A backtick after the user's words begin may quote another command.
        let (what, rest) = self.text.split_once('`').unwrap_or_default();
        let command = rest.split('`').next().filter(|named| commands::is_whole(named));
        let command = command.filter(|_| is_refusal && !what.contains('"'));
        let done = command.and_then(|command| ledger.passed_as_told(command, "", self.point));
        Self { done: done.map(|at| (DONE, at)).or(self.done), ..self.clone() }
    }
}

/// Follows a refusal if the same call was made later and went well. That does not withdraw the refusal.
const DONE: &str = " → done later [";
/// Follows a refusal if its file was changed later in another way. That does not withdraw the refusal.
const CHANGED: &str = " → changed otherwise [";

/// When a refused call was made again and went well: the same command, or a change of the same file.
fn done_later(refused: &Call, later: &[Call], ledger: &Ledger) -> Option<(&'static str, Point)> {
    if let Some(command) = &refused.command {
        let place = Point::now(refused.place.0);
        return Some((DONE, ledger.passed_since(command, &refused.within, "", place)?));
    }
    let wanted = refused.touches.first().filter(|_| refused.deed.changes())?;
    let changes = later.iter().filter(|call| {
        call.command.is_none()
            && call.deed.changes()
            && call.touches.first().is_some_and(|touch| touch.path == wanted.path)
            && has_passed(call)
    });
    // A change that the call does not show cannot be compared.
    let is_known = !wanted.edits.is_empty() || wanted.to.is_some();
    let is_same = |call: &&Call| is_known && call.touches.first() == Some(wanted);
    let same = changes.clone().find(is_same).map(|call| (DONE, call));
    let end = same.or_else(|| changes.clone().next().map(|call| (CHANGED, call)));
    end.map(|(how, call)| (how, Point::now(call.place.0)))
}

/// Whether a call would have done something. That a call which only looks was refused without a word says little.
fn acts(call: &Call) -> bool {
    !call.only_looks() && !call.command.as_deref().is_some_and(shell::does_nothing)
}

/// Whether the agent itself may say in this result that the user refused the call. A page, a file or a program may
/// print the same words: there, only the flag tells.
fn may_be_of_agent(call: &Call, result: &Part<'_>) -> bool {
    let prints = |command| shell::shows_data(command) || shell::fetches(command);
    let prints = || !acts(call) || call.command.as_deref().is_some_and(prints);
    let denies_error = || result.json.member("is_error").is_some();
    result.is_error || asks_the_user(&call.tool) || !denies_error() && !prints()
}

/// Whether a result is what the user said in refusing a call.
#[must_use]
pub fn is_said_in_refusing(result: &Part<'_>) -> bool {
    (result.is_error || may_quote_user(&result.opening()))
        && said_by_user(&result.text(), result.is_error).is_some()
}

/// Whether a result is what the user said: to a tool that asks, or in refusing a call.
#[must_use]
pub fn is_said_by_user(tool: &str, result: &Part<'_>) -> bool {
    let speaks = observation::speaks(tool).is_some();
    asks_the_user(tool)
        || speaks && observation::words_of_user(&result.text()).is_some()
        || is_said_in_refusing(result)
}

/// The user's words about a call that was made, in its result.
fn said_of(call: &Call, result: &Part<'_>) -> Option<String> {
    if observation::speaks(&call.tool).is_some() {
        return observation::words_of_user(&result.text()).map(str::to_owned);
    }
    let may_quote = may_quote_user(&result.opening()) && may_be_of_agent(call, result);
    let text = may_quote.then(|| result.text())?;
    said_by_user(&text, false).map(Cow::into_owned)
}

/// Returns all such words in the summarised messages.
pub(crate) fn besides(known: &Known<'_>) -> Vec<Beside> {
    let Known { request, calls: all, ledger, .. } = *known;
    let refused = all.iter().enumerate().filter(|(_, call)| call.outcome.is_rejected());
    let tell = |(at, call): (usize, &Call)| {
        let result = call.result?;
        let text = calls::result_text(request.conversation, result);
        let words = said_by_user(&text, true).unwrap_or_default();
        let command =
            call.command.as_deref().map(|it| format!("`{}`", commands::named_in(it, &call.within)));
        let file = || call.touches.first().map(|touch| ledger.paths.told(&touch.path).into_owned());
        let asked = || questions_of(request, call).map(|asked| format!("\"{asked}\""));
        let what = command.or_else(file).or_else(asked).unwrap_or_default();
        let what = format!("{} {what}", call.tool);
        let is_sure = may_be_of_agent(call, request.conversation.part(result));
        let label = if is_sure { labels::REFUSING } else { labels::CLAIMED };
        let beside = Beside::of(call.place.0, label, &what, &words);
        let beside = beside.or_else(|| acts(call).then(|| Beside::wordless(call, &what)))?;
        Some(Beside { done: done_later(call, &all[at + 1..], ledger), ..beside })
    };
    let mut besides: Vec<Beside> = refused.filter_map(tell).collect();
    besides.extend(all.iter().filter(|call| !call.outcome.is_rejected()).filter_map(|call| {
        let words = said_of(call, request.conversation.part(call.result?))?;
        let words = if request.redact { mask(&words) } else { words };
        Beside::of(call.place.0, labels::MEANWHILE, "", &words)
    }));
    // Words said after messages that stay visible are in none of the messages; an earlier digest may tell them.
    let said = request.conversation.said_besides();
    if said.is_empty() {
        return besides;
    }
    let messages = request.conversation.messages.iter();
    let digests = messages.filter(|message| message.origin == Origin::Summary);
    let digests: Vec<String> = digests.map(Message::text).collect();
    let is_told = |words: &str| {
        let line = on_one_line(words.trim());
        let told = [clip(&line, KNOWN), clip(&mask(&line), KNOWN)];
        digests.iter().any(|text| told.iter().any(|told| text.contains(told.trim_end_matches('…'))))
    };
    let said = said.into_iter().filter(|(_, words)| !is_told(words));
    besides.extend(said.filter_map(|(at, words)| {
        let words = if request.redact { mask(&words).into() } else { words };
        Beside::of(at, labels::MEANWHILE, "", &words)
    }));
    besides
}

/// Such words cut to their beginning, for a digest with many of them.
pub(crate) fn shortened(told: &str) -> Cow<'_, str> {
    match told.split_once(": \"") {
        Some((what, words)) if words.len() > SHORT => {
            format!("{what}: \"{}\"", clip(words, SHORT)).into()
        }
        _ => told.into(),
    }
}
