//! Parts of a message that an earlier digest quotes whole and that no longer fits.
//!
//! Responsible for the same choice as for a message at hand: the user's own words before what they pasted,
//! and what they demand before the rest.

use std::cmp::Reverse;

use crate::digest::calls::outcome::{self, Screen};
use crate::digest::text::asides::without_asides;
use crate::digest::text::{lists, prose, units};
use crate::line::{clip, on_one_line};

/// The text that stands for sentences left out between two others.
const BETWEEN: &str = " … ";
/// The text before a point of a list whose earlier points are left out.
const POINTS_BEFORE: &str = "… ";

/// The sentences of a message that matter most, in their order, on one line of at most `most` bytes.
pub(super) fn parts(text: &str, most: usize) -> String {
    let text = &*without_asides(text.into());
    let mut sentences = Vec::new();
    let (mut screen, mut is_opening) = (Screen::of(text), false);
    units::sentences(text, |sentence| {
        let line = &text[sentence.range.clone()];
        let on_screen = screen.shows(&sentence.range, sentence.starts_line);
        let is_own =
            !(sentence.is_code || on_screen || outcome::says_error(line) || prose::is_tag(line));
        let tone = prose::tone_of_user(line);
        let asks = is_opening || tone.wishes();
        let urges = [tone.is_demand, asks, prose::is_rule(line)];
        let urge =
            if is_own { urges.iter().rposition(|urges| *urges).map_or(0, |n| n + 1) } else { 0 };
        // The task may stand in tags after the sentence that introduces it.
        is_opening = prose::opens_part(line);
        sentences.push((sentence.range, is_own, urge, tone.is_filler));
    });
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(|&at| {
        let (_, is_own, urge, is_filler) = sentences[at];
        (Reverse(urge), !is_own, is_filler)
    });
    let mut told: Vec<usize> = Vec::new();
    let mut left = most;
    for at in order {
        let length = sentences[at].0.len() + BETWEEN.len();
        if told.is_empty() || length <= left {
            left = left.saturating_sub(length);
            told.push(at);
        }
    }
    told.sort_unstable();
    let mut line = String::new();
    let mut next = 0;
    for at in told {
        line.push_str(match (line.is_empty(), at == next) {
            // Without the mark, the point would look like the first of its list.
            (true, false) if lists::is_point(&text[sentences[at].0.clone()]) => POINTS_BEFORE,
            (true, _) => "",
            (_, true) => " ",
            _ => BETWEEN,
        });
        line.push_str(&on_one_line(units::without_marks(&text[sentences[at].0.clone()])));
        next = at + 1;
    }
    clip(&line, most).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_demanded_stays_before_what_was_pasted() {
        let screen = "--- FAIL: TestWick (0.2s)\n  wick_test.go:7: got 3, want 4\n".repeat(9);
        let text = format!("{screen}\nThis is what I see. Fix the wick, and never touch lamp.go.");
        assert_eq!(parts(&text, 60), "Fix the wick, and never touch lamp.go.");
        assert!(parts(&text, 180).ends_with("Fix the wick, and never touch lamp.go."));
        assert_eq!(parts("One. Two is long enough to be one.", 20), "One. Two is long eno…");
        assert_eq!(parts("", 20), "");
        let text = "See this issue:\n<issue>\nIt smokes\nAs said.\n</issue>\nNever burn oil. Please mend it.";
        assert_eq!(parts(text, 40), "It smokes … Never burn oil.");
        assert_eq!(parts("Lamps:\n- trim them\n- never burn oil", 24), "… never burn oil");
    }
}
