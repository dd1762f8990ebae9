//! Sentences by which a model says what is wrong.
//!
//! Responsible for the words of them, in several languages. What is only supposed, asked or thought aloud is none.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::{HEDGE, Tone, tone};
use crate::begins::begins_with_any;
use crate::digest::text::cues::Cues;

const BUGS: &[&str] = &[
    "found it", "found the bug", "found the issue", "found the problem", "found the cause",
    "found the root cause", "found the culprit", "root cause", "the bug is", "the bug was",
    "the issue is", "the issue was", "the problem is", "the problem was", "the cause is",
    "real issue is", "real problem is", "real bug is", "real cause is", "actual issue is",
    "actual problem is", "actual bug is", "actual cause is", "see the issue", "see the problem",
    "see the bug", "there's the issue", "there's the problem", "there's the bug",
    "here's the issue", "here's the problem", "here's the bug", "that's a bug", "that's the bug",
    "this is a bug", "the culprit", "das problem ist", "der fehler ist", "der fehler liegt",
    "die ursache ist", "liegt daran", "le problème est", "le problème vient", "la cause est",
    "el problema es", "el problema está", "la causa es", "o problema é", "a causa é", "проблема в",
    "причина в", "ошибка в", "问题在", "问题是", "原因是", "根本原因", "問題は", "原因は",
    "문제는", "원인은",
];

/// With which somebody says how it may be mended.
const FIXES: &[&str] = &[
    "the fix is", "the fix would", "the fix should", "simplest fix", "cleanest fix", "proper fix",
    "right fix", "real fix", "best fix", "proposed fix", "suggested fix", "the solution is",
    "the solution would", "die lösung", "la solution", "la solución", "a solução", "решение",
    "修复方法", "解决方案", "解决办法", "解決策",
];

/// With which somebody thinks aloud, or says what is to be looked at.
const ALOUD: &[&str] = &[
    "wait,", "wait ", "wait.", "wait—", "hmm", "actually", "ok so", "okay so", "but wait",
    "let me", "now let", "let's", "so if", "if ", "done.", "done!", "warte",
];

/// None of these is longer, in bytes.
const LONGEST: usize = 10;

/// What is wrong no more.
const MENDED: &[&str] =
    &["is fixed", "was fixed", "is resolved", "was resolved", "is gone", "is solved"];

static MENDING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FIXES]));
static FINDING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[BUGS]));

/// Whether any sentence of a text may say what is wrong: most say nothing of the kind.
pub(crate) fn may_find_bug(text: &str) -> bool {
    FINDING.find(&straight(text)) != 0
}

/// Whether a sentence says what is wrong.
pub(crate) fn finds_bug(sentence: &str) -> bool {
    if !may_find_bug(sentence) {
        return false;
    }
    let small = straight(sentence).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|words| small.contains(words));
    let Tone { found, is_offer, .. } = tone(sentence);
    let is_supposed = found & HEDGE != 0 || has(&[" might ", " may "]);
    let asks = sentence.trim_end().ends_with(['?', '？']);
    !(is_supposed || is_offer || asks || has(MENDED) || thinks_aloud(sentence))
}

/// A sentence with straight apostrophes.
fn straight(sentence: &str) -> Cow<'_, str> {
    if sentence.contains('’') { sentence.replace('’', "'").into() } else { sentence.into() }
}

/// Whether any sentence of a text may say how something may be mended.
pub(crate) fn may_propose_fix(text: &str) -> bool {
    MENDING.find(text) != 0
}

/// Whether a sentence says so.
pub(crate) fn proposes_fix(sentence: &str) -> bool {
    let asks = sentence.trim_end().ends_with(['?', '？']);
    may_propose_fix(sentence) && !asks && !thinks_aloud(sentence)
}

/// Whether somebody only thinks aloud in a sentence.
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
            "Das Problem ist die Uhr.",
            "原因是路径不对。",
        ] {
            assert!(finds_bug(bug), "{bug}");
        }
        for other in [
            "The problem might be the wick.",
            "The problem is that the wick might not burn.",
            "Wait, the problem is the wick.",
            "Is the problem the wick?",
            "If the issue is the wick, I trim it.",
            "The wick is trimmed.",
            "The bug is fixed now.",
        ] {
            assert!(!finds_bug(other), "{other}");
        }
    }
}
