//! What the model said of a failure.
//!
//! Responsible for finding the sentence that says why something failed, and for making sure that it is
//! about that failure.

use std::collections::HashSet;
use std::ops::Range;

use crate::conversation::{Message, Role};
use crate::digest::Request;
use crate::digest::calls::{Call, aim};
use crate::digest::files::deed::Touch;
use crate::digest::files::paths;
use crate::digest::text::told::Told;
use crate::digest::text::{prose, units};
use crate::line::{clip, on_one_line};

/// How many messages after a failure the model's words are searched for a reason: more if it is known when the
/// failure was over.
const NEAR: usize = 12;
const TO_END: usize = 40;
/// How many messages after a failure the model's words count without a reason.
const SOON: usize = 3;

/// How much is told of a diagnosis, in bytes.
pub(super) const MOST_SAID: usize = 180;

impl Told {
    /// The quoted words after a label and the number of their message, in at most `most` bytes.
    pub(super) fn phrase(&self, label: &str, most: usize, request: &Request<'_, '_>) -> String {
        let text = request.conversation.messages[self.message].text();
        let said: Vec<&str> = self.ranges.iter().map(|range| &text[range.clone()]).collect();
        // A title stands on its own line: the quote may span several.
        let said = on_one_line(&said.join(" "));
        format!("{label}[{}] {}", self.message, clip(&said, most))
    }
}

/// The words that a failure is about: those of the command, the error and the files, and of what was
/// changed until the failure was over.
pub(super) fn subject(core: &str, why: &str, call: &Call, until: &[Call]) -> HashSet<String> {
    let files = call.touches.iter().map(|touch| touch.path.as_ref());
    let touches = until.iter().flat_map(|call| &call.touches);
    let changes: Vec<String> = touches.filter_map(Touch::change).map(ToString::to_string).collect();
    let changes = changes.iter().map(String::as_str);
    // The name of a check and the folders of a file are common to many failures.
    let pieces = core.split_whitespace().filter(|word| !aim::tests_or_builds(word));
    let pieces =
        pieces.chain(why.split_whitespace()).map(paths::name).chain(files.map(paths::name));
    pieces.chain(changes).flat_map(telling_words).collect()
}

/// The words of a text that are long enough to tell what it is about, in lower case.
pub(super) fn telling_words(text: &str) -> impl Iterator<Item = String> {
    const FILLING: &[&str] =
        &["that", "this", "with", "from", "have", "must", "does", "been", "into", "while", "when"];
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() >= 4)
        .map(str::to_lowercase)
        .filter(|word| !FILLING.contains(&word.as_str()))
}

/// Whether a sentence shares a word with the failure, or says that something failed where the failure `is_alone`.
fn is_about(sentence: &str, subject: &HashSet<String>, is_alone: bool) -> bool {
    const TROUBLE: &[&str] =
        &["fail", "error", "panic", "broke", "wrong", "missing", "失败", "错误"];
    let is_trouble = |word: &String| TROUBLE.iter().any(|trouble| word.contains(trouble));
    // A sentence about work in progress may be about something else.
    let goes_on = sentence.contains("in progress");
    telling_words(sentence)
        .any(|word| is_alone && is_trouble(&word) || !goes_on && subject.contains(&word))
}

/// What the model said of a failure between two messages: the sentence worth most, of equal ones the last,
/// which knows more. If no sentence gives a reason, the first that names what failed is told. After an
/// `other` failure, a sentence that only says that something failed may be about that one.
pub(super) fn diagnosis(
    request: &Request<'_, '_>,
    between: Range<usize>,
    other: Option<usize>,
    subject: &HashSet<String>,
) -> Option<Told> {
    let messages = &request.conversation.messages;
    let failed = between.start;
    // The calls of one message are made at once: nothing is said between them.
    let end = between.end.min(messages.len()).max(failed + 1);
    // The reply to the user's next request is about something else.
    let next = messages[failed + 1..end].iter().position(Message::is_request);
    let near = if between.end == usize::MAX { NEAR } else { TO_END };
    let end = next.map_or(end, |n| failed + 1 + n).min(failed + near);
    let said = (failed + 1..end)
        .filter(|&at| request.summarised[at] && messages[at].role == Role::Assistant);
    let (mut best, mut first): (f32, Option<Told>) = (0.0, None);
    let mut told = None;
    for message in said {
        let text = messages[message].text();
        units::statements(&text, prose::announces, |sentence| {
            let range = sentence.range;
            let line = &text[range.clone()];
            let worth = prose::tone(line).worth_of_reason();
            // What the model announces says less than what it finds wrong.
            let worth = if prose::announces(line) { worth / 2.0 } else { worth };
            let is_alone = other.is_none_or(|other| message <= other);
            let is_better = worth > 0.0 && worth >= best;
            if sentence.is_code || !is_better && (first.is_some() || told.is_some()) {
                return;
            }
            let this = || Some(Told { message, ranges: vec![range.clone()] });
            if is_better && is_about(line, subject, is_alone) {
                (best, told) = (worth, this());
            } else if first.is_none() && message <= failed + SOON && names_it(line, subject) {
                first = this();
            }
        });
    }
    told.or(first)
}

/// Whether a sentence that gives no reason still says something about what failed.
fn names_it(sentence: &str, subject: &HashSet<String>) -> bool {
    const WORDS: usize = 6;
    sentence.split_whitespace().nth(WORDS - 1).is_some()
        && !prose::tone(sentence).is_filler
        && telling_words(sentence).any(|word| subject.contains(&word))
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
            "A merge is in progress, so it fails.",
        ] {
            assert!(is_about(sentence, &subject, true), "{sentence}");
        }
        for other in [
            "While that compiles, I write the text because it is short.",
            "The manifest is in progress, because it was asked for.",
        ] {
            assert!(!is_about(other, &subject, true), "{other}");
        }
    }
}
