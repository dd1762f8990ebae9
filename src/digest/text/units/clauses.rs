//! Clauses: the parts of a sentence of talk that each say something.
//!
//! Responsible for cutting a sentence where it goes on to something else, so that the half which tells
//! more can be chosen alone. What takes something back or sets a condition stays with what it is said of.

use std::ops::Range;
use std::sync::LazyLock;

use crate::digest::text::cues::Cues;

/// What begins a clause behind a comma.
const FURTHER: &[&str] =
    &["and", "so", "which", "who", "where", "und", "et", "y ", "e ", "который", "и"];

/// With which a sentence takes back, or lets depend on something, what the rest of it says.
const BINDING: &[&str] = &[
    "but", "if", "unless", "until", "except", "though", "although", "aber", "wenn", "falls",
    "außer", "obwohl", "mais", "si", "sauf", "pero", "salvo", "aunque", "mas", "но", "если",
];

/// A clause of fewer words says nothing alone.
const LEAST: usize = 4;

static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FURTHER, BINDING]));
const FURTHER_BIT: u16 = 1;
const BINDING_BIT: u16 = 2;

/// The clauses of a sentence that stands at `sentence` in a text, first to last; it is one where nothing parts it.
pub(crate) fn clauses(text: &str, sentence: Range<usize>, mut then: impl FnMut(Range<usize>)) {
    let said = &text[sentence.clone()];
    let is_bound = words(said).any(|(_, word)| CUES.whole_at(word.as_bytes()) & BINDING_BIT != 0);
    let mut start = 0;
    if !is_bound {
        let is_whole = |part: &str| part.split_whitespace().nth(LEAST - 1).is_some();
        for (at, word) in words(said).skip(1) {
            let before = said[start..at].trim_end();
            let is_parted = before.ends_with([';', '–', '—'])
                || before.ends_with(',') && CUES.whole_at(word.as_bytes()) & FURTHER_BIT != 0;
            if is_parted && is_whole(before) && is_whole(&said[at..]) {
                then(sentence.start + start..sentence.start + start + before.len());
                start = at;
            }
        }
    }
    then(sentence.start + start..sentence.end);
}

/// The words of a sentence with the marks at them, each with where it stands and all that follows it.
fn words(said: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts = said.char_indices().zip(said.chars().skip(1));
    let starts = starts.filter(|((_, c), next)| c.is_whitespace() && !next.is_whitespace());
    let starts = std::iter::once(0).chain(starts.map(|((at, c), _)| at + c.len_utf8()));
    starts.map(|at| (at, &said[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(said: &str) -> Vec<&str> {
        let mut found = Vec::new();
        clauses(said, 0..said.len(), |clause| found.push(&said[clause]));
        found
    }

    #[test]
    fn a_sentence_goes_on_behind_a_comma_or_a_mark() {
        assert_eq!(
            cut("We steamed it for an hour, and it bent like soft liquorice."),
            ["We steamed it for an hour,", "and it bent like soft liquorice."]
        );
        assert_eq!(
            cut("He has a bread truck now; the rolls come at four – warm ones, I mean."),
            ["He has a bread truck now;", "the rolls come at four –", "warm ones, I mean."]
        );
        assert_eq!(cut("I took bread, milk and eggs."), ["I took bread, milk and eggs."]);
        assert_eq!(cut("We went home, and slept."), ["We went home, and slept."]);
    }

    #[test]
    fn what_is_taken_back_or_depends_stays_whole() {
        for said in [
            "I would love to come in May, and my sister too, but the car is sold.",
            "If the rain stops by noon, we will walk, and the dog comes with us.",
            "Wir fahren im Mai ans Meer, und die Kinder kommen mit, wenn sie wollen.",
        ] {
            assert_eq!(cut(said), [said]);
        }
    }
}
