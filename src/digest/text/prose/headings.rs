//! Headings over what is still to be done, and sentences that say how something is so far.
//!
//! Responsible for recognising such headings by their first words, and both by the cues of sentences.

use std::sync::LazyLock;

use super::{CUES, HEDGE, TO_DO, tone};
use crate::digest::text::cues::Cues;

/// Whether a line is the heading of a section in a summary: `## Next steps`, `7. Pending Tasks:`, `**Remaining:**`.
pub(crate) fn is_heading(line: &str) -> bool {
    let is_numbered = line.starts_with(|c: char| c.is_ascii_digit());
    line.starts_with('#')
        || (is_numbered || line.starts_with("**")) && line.trim_end().ends_with([':', '*'])
}

/// Whether a heading is over what is still to be done, or was being done.
pub(crate) fn is_open(heading: &str) -> bool {
    const UNDER_WAY: &[&str] = &[
        "in progress", "current work", "current error", "current issue", "current problem",
        "current state", "current status", "current task", "current focus", "current build error",
        "outstanding", "unresolved",
    ];
    const AHEAD: &[&str] = &["next", "open"];
    const THINGS: &[&str] = &[
        "action", "end", "issue", "item", "point", "problem", "question", "step", "task", "thing",
        "to", "up", "work",
    ];
    let heading = heading.to_lowercase();
    let mut words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_ahead = words.next().is_some_and(|first| AHEAD.contains(&first))
        && words.next().is_none_or(|of| THINGS.contains(&of.trim_end_matches('s')));
    let begins = |words: &&str| {
        let rest = heading.strip_prefix(*words);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    // A mark in brackets counts too: `Wick trimmer (next)`.
    let marked = || heading.trim_end().strip_suffix(')').and_then(|it| it.rsplit_once('('));
    CUES.find(&heading) & TO_DO != 0
        || is_ahead
        || UNDER_WAY.iter().any(begins)
        || marked().is_some_and(|(_, mark)| is_open(mark))
}

/// Whether a heading is over what the user wants of all work.
pub(crate) fn binds(heading: &str) -> bool {
    const WORDS: &[&str] = &[
        "preference", "constraint", "rule", "instruction", "requirement", "convention",
        "guideline", "regel", "vorgabe", "règle", "contrainte", "préférence", "regla",
        "restriccion", "preferencia", "约束", "规则", "偏好", "制約", "ルール", "правил",
    ];
    let heading = heading.to_lowercase();
    WORDS.iter().any(|word| heading.contains(word))
}

/// Words with which a sentence says that something is so for now.
const AS_YET: &[&str] = &[
    "still ", "not yet", "yet to ", "remains ", "is missing", "are missing", "没有完成", "仍",
    "尚未", "还没", "まだ", "아직", "noch nicht", "immer noch", "fehlt noch", "fehlen noch",
    "pas encore", "todavía", "aún no", "ainda", "ещё не", "всё ещё",
];

static LASTING: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[AS_YET]));

/// Whether a sentence says how something was for now, which later work may change. Questions, suppositions and
/// demands do not.
pub(crate) fn may_pass(sentence: &str) -> bool {
    let tone = tone(sentence);
    let is_said = !tone.is_demand && tone.found & HEDGE == 0;
    LASTING.find(sentence) != 0 && is_said && !sentence.trim_end().ends_with(['?', '？'])
}
