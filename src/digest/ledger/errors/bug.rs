//! What a text of the model says is wrong, and what would mend it.
//!
//! Responsible for choosing the sentences that are told: the last one that names a bug, with the next one
//! where it only announces the bug. It relies on [`prose`] to recognise them.

use crate::digest::text::told::Told;
use crate::digest::text::{prose, units};
use crate::line::on_one_line;

/// A sentence of at most this many words only says that something follows: `I see the problem.`
const FEW: usize = 8;

/// What is still to come after a sentence that names a bug.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    /// The sentence that says what the bug is.
    Words,
    /// The sentence that explains the code just shown, if one does.
    Explanation,
}

impl Rest {
    fn behind(line: &str) -> Self {
        if only_announces(line) { Self::Words } else { Self::Nothing }
    }
}

/// The last place where the text of a message says what is wrong, the words on one line, and whether they
/// are still to be verified; `None` if the text names no bug.
pub(super) fn bug(text: &str, message: usize) -> Option<(Told, String, bool)> {
    if !prose::may_find_bug(text) {
        return None;
    }
    let (mut ranges, mut rest, mut is_supposed) = (Vec::new(), Rest::Nothing, false);
    units::statements(text, prose::announces, |statement| {
        let line = &text[statement.range.clone()];
        if statement.is_code {
            rest = if rest == Rest::Words { Rest::Explanation } else { rest };
        } else if prose::finds_bug(line) {
            (rest, is_supposed) = (Rest::behind(line), false);
            ranges = vec![statement.range];
        } else if prose::is_to_verify(line) {
            (rest, is_supposed) = (Rest::Nothing, true);
        } else if rest == Rest::Words {
            rest = Rest::behind(line);
            ranges.push(statement.range);
        } else if std::mem::replace(&mut rest, Rest::Nothing) == Rest::Explanation && is_plain(line)
        {
            ranges.push(statement.range);
        }
    });
    if rest == Rest::Words {
        return None;
    }
    let said = ranges.iter().map(|range| units::without_marks(&text[range.clone()]));
    let said = on_one_line(&said.collect::<Vec<_>>().join(" "));
    // An announcement that was followed by code alone says nothing.
    (!is_short(&said)).then_some((Told { message, ranges }, said, is_supposed))
}

/// The last place where a text says what would mend the bug.
pub(super) fn proposed(text: &str, message: usize) -> Option<Told> {
    if !prose::may_propose_fix(text) {
        return None;
    }
    let mut last = None;
    units::statements(text, prose::announces, |statement| {
        let line = &text[statement.range.clone()];
        if !statement.is_code && prose::proposes_fix(line) && !only_announces(line) {
            last = Some(Told { message, ranges: vec![statement.range] });
        }
    });
    last
}

/// Whether a line continues what stands before it and begins nothing new.
fn is_plain(line: &str) -> bool {
    !prose::announces(line) && line.starts_with(|c: char| c.is_alphabetic() || c == '`')
}

/// Whether words only say that the bug is told next: a title, `I see the problem.`
fn only_announces(words: &str) -> bool {
    prose::ends_open(words.trim_end_matches('*'))
        || words.starts_with('#') && !words.contains('\n')
        || is_short(words)
}

fn is_short(words: &str) -> bool {
    // In scripts without spaces a word takes at least three bytes.
    words.split_whitespace().nth(FEW).is_none() && (words.is_ascii() || words.len() < FEW * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_told_by_what_names_it() {
        let said = |text: &str| bug(text, 0).filter(|it| !it.2).map(|(_, said, _)| said);
        for (text, wanted) in [
            (
                "I look at it.\n\nThe problem is that the lamp of the second floor has two wicks. I trim one.",
                "The problem is that the lamp of the second floor has two wicks. I trim one.",
            ),
            (
                "## Root cause:\n\nThe lamp of the second floor has two wicks and no glass.",
                "Root cause: The lamp of the second floor has two wicks and no glass.",
            ),
            (
                "The bug is in this line of the second lamp:\n```\ntwo wicks\n```\nOne of the wicks is cut when the lamp is lit.",
                "The bug is in this line of the second lamp: One of the wicks is cut when the lamp is lit.",
            ),
            (
                "The issue is that the lamp of the second floor has two wicks. Let me fix it and make sure the tests pass.",
                "The issue is that the lamp of the second floor has two wicks.",
            ),
            (
                "原因是灯的编号以日期开头，所以有两个编号。",
                "原因是灯的编号以日期开头，所以有两个编号。",
            ),
        ] {
            assert_eq!(said(text).as_deref(), Some(wanted));
        }
        for other in [
            "I see the problem.",
            "The lamp burns.",
            "```\n# the problem is the wick\n```",
            "The issue is that the lamp of the second floor has two wicks. Let me verify:",
            "I see the problem:\n```\ntwo wicks\n```\nNow let me look at the oil of all the other lamps.",
        ] {
            assert_eq!(said(other), None, "{other}");
        }
    }
}
