//! How a call ended whose result is gone.
//!
//! Responsible for the line in our placeholders that tells the outcome, and for reading that line back. Without
//! the line the outcome is unknown: such a call neither failed nor went well, unless its flag says that it
//! failed. If another agent wrote the result to a file, the beginning that it kept is judged.

use super::ended::phrase;
use super::{FAILED, OK, Outcome, Unended, is_of_check};
use crate::conversation::Part;
use crate::marks;

/// The text before the outcome, on a line of its own.
const TOLD: &str = "Outcome: ";

/// Within how many first lines the outcome is told: behind them a placeholder may quote.
const HEAD: usize = 3;

/// The text by which a call is judged: all of it, or what a placeholder shows if it does not tell the outcome.
pub(super) fn told_part(text: &str) -> &str {
    if told(text).is_some() { text } else { marks::shown(text) }
}

fn told(text: &str) -> Option<&str> {
    text.lines().take(HEAD).find_map(|line| line.strip_prefix(TOLD))
}

/// The outcome of a call by the placeholder of its result.
pub(super) fn judge(part: &Part<'_>, text: &str) -> Outcome {
    let mut outcome = match told(text) {
        Some(told) => read(told),
        None if marks::is_reading(text) => Outcome::default(),
        None => Outcome::without_end(Unended::Cleared),
    };
    if part.is_error && (outcome.is_cleared() || outcome.unended.is_none()) {
        (outcome.failed, outcome.unended) = (true, None);
    }
    outcome
}

/// The line of a placeholder that tells the outcome; `None` if the outcome is unknown or the line could not be
/// read back.
pub(crate) fn line(outcome: &Outcome) -> Option<String> {
    let told = phrase(outcome);
    (phrase(&read(&told)) == told && !outcome.is_cleared()).then(|| format!("{TOLD}{told}"))
}

/// Reads what [`phrase`] wrote.
fn read(told: &str) -> Outcome {
    let (word, line) =
        told.split_once(": ").map_or((told, None), |(word, line)| (word, Some(line)));
    let status = word.strip_prefix("failed (exit ").and_then(|rest| rest.strip_suffix(')'));
    let failed = word == FAILED || status.is_some();
    let known = [
        Unended::Rejected,
        Unended::Denied,
        Unended::Interrupted,
        Unended::Unclear,
        Unended::Background,
    ];
    let mut known = known.into_iter();
    let unended = known.find(|unended| unended.words() == word);
    let unended = unended.or_else(|| (!failed && word != OK).then_some(Unended::Cleared));
    Outcome {
        failed,
        unended,
        status: status.and_then(|status| status.parse().ok()),
        line: line.map(Into::into),
        is_total: word == OK && line.is_some(),
        ran_check: failed && line.is_some_and(is_of_check),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_reads_back_as_it_was_written() {
        for told in [
            "ok", "ok: 12 passed", "failed", "failed: error: test failed",
            "failed (exit 101): a: b", "rejected by the user", "not permitted", "interrupted",
            "started in the background", "unclear", "unclear: no route to the lamp",
        ] {
            let outcome = read(told);
            assert_eq!(line(&outcome), Some(format!("{TOLD}{told}")));
            assert_eq!(outcome.went_well(), told.starts_with("ok"), "{told}");
        }
        for told in ["still running", "result cleared", "fine, and that is all"] {
            assert!(read(told).is_cleared() && line(&read(told)).is_none(), "{told}");
        }
    }
}
