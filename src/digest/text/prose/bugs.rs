//! Sentences with which a model says what is wrong.
//!
//! Responsible for the words of such sentences, in several languages. Suppositions, questions and thinking aloud do
//! not count.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::{HEDGE, Tone, announces, tone};
use crate::begins::begins_with_any;
use crate::digest::text::cues::Cues;
use crate::line::leaves_open;

const BUGS: &[&str] = &[
    "found it", "found the bug", "found the issue", "found the problem", "found the cause",
    "found the root cause", "found the culprit", "root cause is", "root cause:", "root cause**",
    "root cause was", "the bug is", "the bug was", "the issue is", "the issue was",
    "the problem is", "the problem was", "the cause is", "real issue is", "real problem is",
    "real bug is", "real cause is", "actual issue is", "actual problem is", "actual bug is",
    "actual cause is", "see the issue", "see the problem", "see the bug", "there's the issue",
    "there's the problem", "there's the bug", "here's the issue", "here's the problem",
    "here's the bug", "here's the root cause", "that's a bug", "that's the bug", "this is a bug",
    "this is a real bug", "all bugs stem", "is the culprit", "is the blocker",
    "is the real blocker", "here's what happened", "das problem ist", "der fehler ist",
    "der fehler liegt", "die ursache ist", "le problème est", "le problème vient", "la cause est",
    "el problema es", "el problema está", "la causa es", "o problema é", "a causa é", "проблема в",
    "причина в", "ошибка в", "问题在", "问题是", "原因是", "根本原因", "問題は", "原因は",
    "문제는", "원인은",
];

/// Words that deny, doubt or suppose a bug, or say what to look for.
const OTHERWISE: &[&str] = &[
    " not ", " not:", "n't ", " no ", " nobody", "nothing", " never ", "unknown", " only one of ",
    "rule out", "ruled out", "i think", "i believe", "i assume", "assuming", "unless", "suppose",
    "would be", "you said", "you say", "says:", "said:", "says that", "said that", " to find ",
    " to see ", "i'll ", "i will ", "looking for", " nicht", " kein", "glaube", " pas ", "n'est",
    " no es", " não ", " не ", "думаю", "has been", "have been", "no longer", "existed",
    "last year", "whether", " what the ", "question", "where the bug", "where the issue",
    "where the problem",
];

/// Words that deny a bug anywhere in the sentence, in languages where the negation comes last.
const WIDE_OTHERWISE: &[&str] =
    &["不是", "没有", "不在", "不认为", "ではない", "ではありません", "아니", "않"];

/// Words that say how a bug may be mended.
const FIXES: &[&str] = &[
    "the fix is", "the fix would", "the fix should", "simplest fix", "cleanest fix", "proper fix",
    "right fix", "real fix", "best fix", "proposed fix", "suggested fix", "the solution is",
    "the solution would", "die lösung", "la solution", "la solución", "a solução", "решение",
    "修复方法", "解决方案", "解决办法", "解決策",
];

/// Beginnings of sentences that think aloud, or say what to look at.
const ALOUD: &[&str] = &[
    "wait,", "wait ", "wait.", "wait—", "hmm", "actually", "ok so", "okay so", "but wait",
    "let me", "now let", "let's", "so if", "if ", "when ", "once ", "done.", "done!", "goal",
    "plan", "to ", "warte",
];

/// Words that announce a check of a claim, wherever they stand.
const TO_BE_SEEN: &[&str] = &[
    "verify this", "verify that", "confirm this", "confirm that", "check this", "check that",
    "if this is", "if that is", "if that's", "whether this", "whether that",
];
/// Words that announce a check at the end of a sentence.
const TO_SEE: &[&str] = &["verify", "confirm", "double-check", "make sure", "确认", "验证"];

/// How many bytes after the cue a negation may stand.
const DENIED: usize = 6;

/// The greatest length in bytes of the words that a text is compared with at its beginning.
const LONGEST: usize = 10;

/// Words that say that a bug is gone.
const GONE: &[&str] = &[
    "is fixed", "was fixed", "been fixed", "is resolved", "was resolved", "been resolved",
    "is gone", "is solved", "been solved", "no longer exists",
];

static MENDING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FIXES]));
static FINDING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[BUGS]));

/// Whether any sentence of a text may say what is wrong. A cheap test: most texts have none.
pub(crate) fn may_find_bug(text: &str) -> bool {
    FINDING.find(&straight(text)) != 0
}

/// Whether a sentence says what is wrong.
pub(crate) fn finds_bug(sentence: &str) -> bool {
    if !may_find_bug(sentence) {
        return false;
    }
    let small = format!(" {}", straight(sentence).to_lowercase());
    let has = |words: &[&str]| words.iter().any(|words| small.contains(words));
    let Tone { found, is_offer, .. } = tone(sentence);
    // A negation after the cue may be the bug itself, so only what stands before it counts.
    let before = &small[..cue_end(&small)];
    let is_otherwise = OTHERWISE.iter().any(|words| before.contains(words));
    let is_otherwise = is_otherwise || has(WIDE_OTHERWISE);
    let is_quoted = sentence.starts_with(['>', '|']) || is_within_quotes(before);
    let is_supposed = found & HEDGE != 0 || has(&[" might ", " may "]);
    let asks = sentence.trim_end().ends_with(['?', '？']);
    let is_other = is_otherwise || is_quoted || is_supposed || is_offer || asks;
    !(is_other || has(GONE) || thinks_aloud(sentence))
}

/// Whether a sentence says that the sentence before it is still to be verified, and not that a fix is.
pub(crate) fn is_to_verify(sentence: &str) -> bool {
    let small = sentence.to_lowercase();
    let ends = small.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_claim = TO_BE_SEEN.iter().any(|words| small.contains(words))
        || TO_SEE.iter().any(|words| ends.ends_with(words));
    announces(sentence) && is_claim && !small.contains("fix") && !small.contains("test")
}

/// Whether a text begins by saying that a supposition was right.
pub(crate) fn confirms(text: &str) -> bool {
    const SO: &[&str] =
        &["confirm", "as suspected", "as expected", "indeed", "exactly", "确认", "证实"];
    let begins = &text[..text.floor_char_boundary(8 * LONGEST)].to_lowercase();
    SO.iter().any(|words| begins.contains(words))
}

/// The end of the first cue, with a few bytes more that may deny it: `the problem is not the clock`.
fn cue_end(small: &str) -> usize {
    let cue = BUGS.iter().filter_map(|cue| Some(small.find(cue)? + cue.len())).min();
    cue.map_or(small.len(), |end| small.ceil_char_boundary(end + DENIED))
}

/// Whether a text ends inside a quotation.
fn is_within_quotes(text: &str) -> bool {
    leaves_open(text, '"')
        || leaves_open(text, '`')
        || text.matches('“').count() > text.matches('”').count()
}

/// A sentence with straight apostrophes.
fn straight(sentence: &str) -> Cow<'_, str> {
    if sentence.contains('’') { sentence.replace('’', "'").into() } else { sentence.into() }
}

/// Whether any sentence of a text may say how a bug may be mended.
pub(crate) fn may_propose_fix(text: &str) -> bool {
    MENDING.find(text) != 0
}

/// Whether a sentence says how a bug may be mended.
pub(crate) fn proposes_fix(sentence: &str) -> bool {
    let asks = sentence.trim_end().ends_with(['?', '？']);
    let is_denied = sentence.contains(" is not") || sentence.contains("already");
    may_propose_fix(sentence) && !asks && !is_denied && !thinks_aloud(sentence)
}

/// Whether a text begins by taking back what was said before.
pub(crate) fn takes_back(text: &str) -> bool {
    const BACK: &[&str] = &[
        "no,", "no -", "no –", "no —", "i was wrong", "i misread", "i misunderstood", "my mistake",
        "that's not it", "that wasn't it", "that is not it", "not it", "that's wrong", "nein,",
        "ich lag falsch", "non,", "不对", "不是",
    ];
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = &bare[..bare.floor_char_boundary(2 * LONGEST)];
    begins_with_any(&straight(bare).to_lowercase(), BACK)
}

/// Whether a sentence only thinks aloud.
pub(crate) fn thinks_aloud(sentence: &str) -> bool {
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    begins_with_any(&bare[..bare.floor_char_boundary(LONGEST)].to_lowercase(), ALOUD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_says_that_something_is_wrong() {
        for bug in [
            "Found it! The lamp is lit before the lock is taken.",
            "The problem is that the lamp has two wicks.",
            "That’s a bug in my design.",
            "The problem is that the lamp does not burn.",
            "Das Problem ist die Uhr.",
            "原因是路径不对。",
        ] {
            assert!(finds_bug(bug), "{bug}");
        }
        for other in [
            "The problem might be the wick.",
            "The problem is that the wick might not burn.",
            "Wait, the problem is the wick.",
            "So the problem is the wick?",
            "If the issue is the wick, I trim it.",
            "The bug is fixed now.",
            "The wick, that's where the bug was.",
            "The root cause has been fixed.",
            "I haven't found the bug yet.",
            "The problem is not the wick.",
            "I don't think the problem is the wick.",
            "To find the root cause I light it.",
            "You said that the problem is the wick.",
            "The ticket says: \"The problem is the wick.\"",
            "> The problem is the wick.",
            "I print `the bug is in the wick` to the log.",
            "I suppose the issue is the wick.",
            "Nobody found the root cause: so far.",
            "The question of what the bug is remains open.",
            "問題は時計ではない。",
            "Ich glaube nicht, dass das Problem ist, was du sagst.",
        ] {
            assert!(!finds_bug(other), "{other}");
        }
    }
}
