//! Failures that the user pastes: of tests, builds and checks that ran elsewhere.
//!
//! Responsible for finding them in the messages of the user, and for telling whether what failed there has
//! passed here since. Only text that looks like the output of a program counts, no prose.

use super::changes::{self, changes};
use super::diagnosis::{MOST_SAID, diagnosis, telling_words};
use super::run::{Run, has_passed};
use super::same::Draft;
use super::targets::is_telling;
use super::{AGAIN, DIAGNOSIS, NEVER, PASSED, SHOWN, THEN, told_of};
use crate::conversation::Message;
use crate::digest::calls::Call;
use crate::digest::calls::steps::picks_some;
use crate::digest::calls::{aim, commands, outcome, shell};
use crate::digest::files::deed::Touch;
use crate::digest::known::Known;
use crate::digest::text::labels;

/// How much is told of the error, in bytes: the message is quoted as well.
const MOST: usize = 110;

/// A request of at most this many bytes only says to go on.
const SHORT: usize = 8;

/// The failures that the user's messages show, in order.
pub(super) fn pasted(known: &Known<'_>, runs: &[Option<Run<'_>>]) -> Vec<Draft> {
    let Known { request, calls, .. } = *known;
    let messages = &request.conversation.messages;
    // A message may stay visible while the end of its failure is summarised.
    let end = request.summarised.iter().rposition(|&summarised| summarised).unwrap_or(0);
    let is_told = |at: usize| request.summarised[at] || request.shown[at];
    let asked = messages.iter().enumerate().take(end + 1);
    let asked = asked.filter(|(at, message)| is_told(*at) && message.is_request());
    asked
        .filter_map(|(at, message)| {
            let why = shown(&message.text())?;
            let behind = calls.partition_point(|call| call.place.0 < at);
            // The next real request is about something else.
            let asks =
                |message: &Message<'_>| message.is_request() && message.text().trim().len() > SHORT;
            let next = messages[at + 1..].iter().position(asks);
            let next = next.map_or(messages.len(), |n| at + 1 + n);
            let until = calls.partition_point(|call| call.place.0 < next);
            let subject = telling_words(&why).collect();
            let told = diagnosis(request, at..next, None, &subject);
            let said = told
                .as_ref()
                .map_or(String::new(), |told| told.phrase(DIAGNOSIS, MOST_SAID, request));
            let ended = ended(&why, &calls[behind..], &runs[behind..]);
            let is_fix = |touch: &Touch| ended != NEVER || changes::names(&why, touch);
            let edits = changes(&calls[behind..until], &why, &is_fix);
            let then = if edits.is_empty() { "" } else { THEN };
            Some(Draft {
                place: at,
                what: format!("{SHOWN}{}", labels::FAILED),
                why: told_of(&why, MOST),
                end: format!("{said}{then}{edits}{ended}"),
                told: told.into_iter().collect(),
                ..Draft::default()
            })
        })
        .collect()
}

/// The first error in a text that shows the output of a program; `None` if it shows no failure.
fn shown(text: &str) -> Option<String> {
    let mut places = 0;
    let mut start = None;
    let (mut end, mut from) = (0, 0);
    for whole in text.split_inclusive('\n') {
        let line = whole.trim();
        end += whole.len();
        let is_place = outcome::names_place(line);
        places += usize::from(is_place);
        let fails = outcome::names_test(line)
            || outcome::names_error(line)
            || line.starts_with("FAIL\t")
            || line.starts_with("panic: ")
            || line.contains("' panicked at ")
            || line.contains(") panicked at ")
            || line.starts_with("Traceback (most recent");
        if fails || is_place {
            start = start.or(Some(from));
        }
        // The message of a test may stand above its name.
        if !whole.starts_with(char::is_whitespace) && !line.starts_with("=== ") {
            from = end;
        }
        if fails || places > 1 {
            return outcome::first_error(&text[start?..]);
        }
    }
    None
}

/// The text that tells whether what failed has passed in one of these calls, or failed again.
pub(super) fn ended(why: &str, calls: &[Call], runs: &[Option<Run<'_>>]) -> String {
    let words = why.split(|c: char| !c.is_alphanumeric() && c != '_');
    let tests: Vec<&str> = words.filter(|word| is_telling(word)).collect();
    let runs = calls.iter().zip(runs).filter_map(|(call, run)| Some((call, run.as_ref()?)));
    let checks = runs.filter(|(_, run)| run.checks().next().is_some());
    let names = |run: &Run<'_>, tests: &[&str]| {
        run.checks().any(|check| tests.iter().any(|test| check.text.contains(test)))
    };
    let mut by_name = checks.clone().filter(|(_, run)| names(run, &tests));
    if let Some((call, _)) = by_name.clone().find(|(call, _)| has_passed(call)) {
        return format!("{PASSED} [{}]", call.place.0);
    }
    if let Some((call, _)) = by_name.rfind(|(call, _)| call.outcome.failed) {
        return format!("{AGAIN}[{}]", call.place.0);
    }
    // A run of some tests by name, or of a folder, says nothing of other tests.
    let is_whole = |(call, run): &(&Call, &Run<'_>)| {
        let is_part = |word: &str| {
            word.contains('/') && !word.ends_with("...")
                || picks_some(word)
                || is_telling(shell::unquoted(word))
        };
        let runs_some = run.checks().any(|check| check.text.split_whitespace().any(is_part));
        has_passed(call) && aim::is_test(run.core) && !runs_some
    };
    match checks.clone().filter(is_whole).last() {
        Some((call, run)) => format!("{THEN}`{}` ok [{}]", commands::named(run.core), call.place.0),
        None => NEVER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_told_from_prose() {
        let log =
            "CI says:\n=== RUN TestOne\n--- FAIL: TestOne (0.0s)\n a_test.go:3: got 1, want 2";
        assert_eq!(
            shown(log).as_deref(),
            Some("--- FAIL: TestOne (0.0s); a_test.go:3: got 1, want 2")
        );
        let lint = "a.go:1:2: unused x\na.go:3:4: unused y";
        assert_eq!(shown(lint).as_deref(), Some("a.go:1:2: unused x"));
        for prose in ["The test fails.", "a.go:1:2: why is this so?", "FAIL is a word\nfailed: no"]
        {
            assert_eq!(shown(prose), None, "{prose}");
        }
    }
}
