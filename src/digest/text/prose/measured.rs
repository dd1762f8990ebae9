//! Sentences that tell what was measured.
//!
//! Responsible for telling figures from numbers that name something, such as versions, clauses and dates: a figure
//! has a per cent sign, or a decimal mark and a unit.

use crate::digest::text::common;

/// How many figures a finding has at least: old and new value, or a value and how sure it is.
const FEWEST: usize = 2;

/// Whether a sentence contains several figures.
pub(super) fn tells_figures(sentence: &str) -> bool {
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
        ] {
            assert!(tells_figures(sentence), "{sentence}");
        }
        for sentence in [
            "Versions 7.14.0 and 7.15.1 of lib.rs:12",
            "Versions 3.5 and 4.2 for all",
            "Clauses 9.2, 9.5 and 14.4.",
            "From 2026-01-22 to 2026-01-26 at 10:02 there were 44,102 of 41,930.",
            "It is 87% done.",
        ] {
            assert!(!tells_figures(sentence), "{sentence}");
        }
    }
}
