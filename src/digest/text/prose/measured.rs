//! Sentences that tell what was measured.
//!
//! Responsible for telling figures from numbers that name something, such as versions, clauses and dates: a figure
//! has a per cent sign, or a decimal mark and a unit.

use crate::digest::text::common;

/// How many figures a finding has at least: old and new value, or a value and how sure it is.
const FEWEST: usize = 2;

/// Whether a sentence contains several figures, or a number and what it was before.
pub(super) fn tells_figures(sentence: &str) -> bool {
    has_figures(sentence) || tells_before(sentence)
}

/// Whether a number is told with what it was before: `2 packs (down from 29)`, `from 14 to 3 calls`.
fn tells_before(sentence: &str) -> bool {
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    sentence.match_indices("from ").any(|(at, word)| {
        let (before, old) = (&sentence[..at], &sentence[at + word.len()..]);
        let behind = &old[number(old)..];
        let is_whole = behind.len() < old.len() && !behind.starts_with(['-', '/', ':', '_']);
        let is_whole = is_whole && !behind.starts_with(char::is_alphanumeric);
        let moved = ["down ", "up "].iter().any(|way| before.ends_with(way));
        let new = behind.trim_start().strip_prefix("to ");
        is_whole && (moved || new.is_some_and(|new| number(new) > 0))
    })
}

fn has_figures(sentence: &str) -> bool {
    let mut rest = sentence;
    let mut figures = 0;
    while let Some(at) = rest.bytes().position(|byte| byte.is_ascii_digit()) {
        let is_own = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || "._/".contains(c));
        let end = rest[at..].find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
        let (number, behind) = rest[at..].split_at(end.unwrap_or(rest.len() - at));
        figures += usize::from(is_own && is_figure(number, behind));
        rest = behind;
        if figures >= FEWEST {
            return true;
        }
    }
    false
}

fn is_figure(number: &str, behind: &str) -> bool {
    let unit = behind.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let number = number.trim_end_matches(['.', ',']);
    let is_decimal = number.matches(['.', ',']).count() == 1;
    let word = unit.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_unit = !(word.is_empty() || common::is_common(word.as_bytes()));
    unit.starts_with('%') || is_decimal && is_unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_a_sign_or_a_unit() {
        for sentence in [
            "control 30.14 % (n 33,888), now 30.87 %: +0.73 points",
            "The export takes 2.6 s instead of 41,3 s.",
            "Coverage went from 61% to 87%.",
            "Clean: 0 loose lamps, 2 boxes (down from 29).",
            "It makes 3 calls instead of many: from 14 to 3.",
        ] {
            assert!(tells_figures(sentence), "{sentence}");
        }
        for sentence in [
            "Versions 7.14.0 and 7.15.1 of lib.rs:12",
            "Versions 3.5 and 4.2 for all",
            "Clauses 9.2, 9.5 and 14.4.",
            "From 2026-01-22 to 2026-01-26 at 10:02 there were 44,102 of 41,930.",
            "It is 87% done.",
            "Copied from 3d models, and from 2026-01 to now",
        ] {
            assert!(!tells_figures(sentence), "{sentence}");
        }
    }
}
