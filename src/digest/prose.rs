//! What a sentence is worth by what it does: deciding, finding, concluding, demanding; or filling.
//!
//! Responsible for the cues, in several languages, that mark such sentences. It relies on words
//! alone; the names in a sentence are weighed elsewhere.

use memchr::memmem;

/// Words that mark a decision, a reason or a finding.
const REASONS: &[&str] = &[
    "because",
    "instead of",
    "so that",
    "turns out",
    "root cause",
    "the issue",
    "the problem",
    "the bug",
    "found that",
    "found the",
    "decided",
    "decision",
    "chose",
    "rather than",
    "confirmed",
    "the reason",
    "due to",
    "therefore",
    "actually",
    "which means",
    "this means",
    "caused by",
    "needs to",
    "should be",
    "must be",
    "already",
    "the fix",
    "fixed by",
    "reverted",
    "no longer",
    "the cause",
    "trade-off",
    "recommend",
    "因为",
    "所以",
    "决定",
    "发现",
    "问题是",
    "原因",
    "改为",
    "修复",
    "なぜなら",
    "ため",
    "原因は",
    "決定",
    "修正",
    "weil",
    "deshalb",
    "stattdessen",
    "entschieden",
    "parce que",
    "au lieu de",
    "décidé",
    "porque",
    "en lugar",
    "decidido",
    "em vez",
    "потому что",
    "вместо",
    "решили",
];

/// Words that mark how something came out.
const RESULTS: &[&str] = &[
    "pass",
    "fail",
    "fixed",
    "complete",
    "created",
    "committed",
    "pushed",
    "merged",
    "verified",
    "works",
    "done",
    "implemented",
    "updated",
    "added",
    "removed",
    "renamed",
    "error",
    "all tests",
    "successfully",
    "broken",
    "完成",
    "成功",
    "失败",
    "通过",
    "完了",
    "fertig",
    "terminé",
    "listo",
    "готово",
];

/// Words that mark what is still to be done.
const OPEN: &[&str] = &[
    "next step",
    "remaining",
    "still need",
    "not yet",
    "todo",
    "to do",
    "pending",
    "left to",
    "follow-up",
    "would you like",
    "do you want",
    "should i",
    "want me to",
    "blocked",
    "下一步",
    "待办",
    "接下来",
    "次に",
    "残り",
    "offen",
    "reste à",
    "pendiente",
];

/// Words of a demand that stays in force.
const DEMANDS: &[&str] = &[
    "must",
    "never",
    "always",
    "don't",
    "do not",
    "only",
    "instead",
    "prefer",
    "should",
    "make sure",
    "no need",
    "不要",
    "必须",
    "总是",
    "只",
    "しないで",
    "必ず",
    "nicht",
    "immer",
    "ne pas",
    "toujours",
    "nunca",
    "siempre",
    "нельзя",
];

/// First words of sentences that only announce the next call.
const FILLER: &[&str] = &[
    "let me",
    "now let",
    "let's",
    "i'll",
    "i will",
    "now i",
    "now, let",
    "first, let",
    "good",
    "great",
    "perfect",
    "ok,",
    "okay",
    "sure",
    "excellent",
    "now the",
    "next, let",
    "i need to",
    "i'm going to",
    "looking at",
    "let us",
    "alright",
    "you're right",
    "i understand",
    "thanks",
    "thank you",
    "certainly",
    "of course",
    "now add",
    "now update",
    "now fix",
    "i see",
    "here's",
    "here is",
    "让我",
    "我来",
    "好的",
    "まず",
];

/// What is found in a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cues {
    pub(super) reason: bool,
    pub(super) result: bool,
    pub(super) open: bool,
    pub(super) demand: bool,
    pub(super) filler: bool,
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Finds the cues of a sentence.
pub(super) fn cues(sentence: &str) -> Cues {
    let low = sentence.to_lowercase();
    let bare = low.trim_start_matches(|c: char| !c.is_alphanumeric());
    Cues {
        reason: has(&low, REASONS),
        result: has(&low, RESULTS),
        open: has(&low, OPEN),
        demand: has(&low, DEMANDS),
        filler: FILLER.iter().any(|first| bare.starts_with(first)) || low.trim_end().ends_with(':'),
    }
}

impl Cues {
    /// The worth of a sentence of the model: what closes a turn tells what came of it, and its
    /// first sentence most.
    pub(super) fn worth_said(self, closes_turn: bool, is_lead: bool) -> f32 {
        let mut worth = 1.0;
        worth += if self.reason { 4.0 } else { 0.0 };
        worth += if self.result { 3.0 } else { 0.0 };
        worth += if self.open { 2.0 } else { 0.0 };
        worth += if closes_turn { 2.0 } else { 0.0 };
        worth += if closes_turn && is_lead { 6.0 } else { 0.0 };
        if self.filler { worth * 0.2 } else { worth }
    }

    /// The worth of a sentence of the user.
    pub(super) fn worth_asked(self) -> f32 {
        if self.demand { 7.0 } else { 3.0 }
    }
}
