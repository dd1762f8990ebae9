//! Headings over what is still to be done.
//!
//! Responsible for knowing them by their first words, and by the cues of sentences that say so.

use super::{CUES, TO_DO};

/// Whether a heading stands over what is still to be done, or was being done.
pub(crate) fn is_open(heading: &str) -> bool {
    const UNDER_WAY: &[&str] = &[
        "in progress", "current work", "current error", "current issue", "current problem",
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
    // `Wick trimmer (next)`
    let marked = || heading.trim_end().strip_suffix(')').and_then(|it| it.rsplit_once('('));
    CUES.find(&heading) & TO_DO != 0
        || is_ahead
        || UNDER_WAY.iter().any(begins)
        || marked().is_some_and(|(_, mark)| is_open(mark))
}
