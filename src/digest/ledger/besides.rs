//! What the user said that stands in no message of theirs: in refusing a call, or while the model worked.
//!
//! Responsible for telling these words with their occasion.

use std::borrow::Cow;

use super::Ledger;
use crate::conversation::Part;
use crate::digest::Request;
use crate::digest::calls::commands;
use crate::digest::calls::{self, Call};
use crate::digest::text::labels;
use crate::digest::text::point::Point;
use crate::line::{clip, on_one_line};

/// How much is told of such words where there is little room, in bytes.
const SHORT: usize = 600;

/// What stands before the words of a user who refused a call.
const SAID: &str = "the user said:";

/// Words of the user's, on one line.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    /// The message of the call, or the one behind which they were said.
    pub(crate) point: Point,
    /// What stands before the text: [`labels::REFUSING`] or [`labels::MEANWHILE`].
    pub(crate) label: &'static str,
    /// `tool what: "words"`, the first two of a refused call.
    pub(crate) text: String,
}

impl Beside {
    fn of(message: usize, label: &'static str, occasion: &str, words: &str) -> Option<Self> {
        let words = on_one_line(words.trim());
        let text = format!("{}: \"{words}\"", occasion.trim_end());
        (!words.is_empty()).then(|| Self { point: Point::now(message), label, text })
    }
}

/// Whether a result is what the user said in refusing a call.
#[must_use]
pub fn is_said_in_refusing(result: &Part<'_>) -> bool {
    result.is_error && result.text().contains(SAID)
}

/// All of them that are summarised.
pub(crate) fn besides(request: &Request<'_, '_>, all: &[Call], ledger: &Ledger) -> Vec<Beside> {
    let refused = all.iter().filter(|call| call.outcome.is_rejected());
    let tell = |call: &Call| {
        let text = calls::result_text(request.conversation, call.result?);
        let (_, words) = text.split_once(SAID)?;
        let command =
            call.command.as_deref().map(|command| format!("`{}`", commands::named(command)));
        let file = || call.touches.first().map(|touch| ledger.paths.told(&touch.path).into_owned());
        let what = format!("{} {}", call.tool, command.or_else(file).unwrap_or_default());
        Beside::of(call.place.0, labels::REFUSING, &what, words)
    };
    let mut besides: Vec<Beside> = refused.filter_map(tell).collect();
    let said = request.conversation.said_besides().into_iter();
    let said = said.filter(|(at, _)| request.summarised[*at]);
    besides.extend(said.filter_map(|(at, words)| Beside::of(at, labels::MEANWHILE, "", &words)));
    besides
}

/// Such words with no more than their beginning, where they are many.
pub(crate) fn shortened(told: &str) -> Cow<'_, str> {
    match told.split_once(": \"") {
        Some((what, words)) if words.len() > SHORT => {
            format!("{what}: \"{}\"", clip(words, SHORT)).into()
        }
        _ => told.into(),
    }
}
