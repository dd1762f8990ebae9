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

static FIRST: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[FURTHER]));
static BINDS: LazyLock<Cues> = LazyLock::new(|| Cues::new(&[BINDING]));

/// The clauses of a sentence that stands at `sentence` in a text, first to last; it is one where nothing parts it.
pub(crate) fn clauses(text: &str, sentence: Range<usize>, mut then: impl FnMut(Range<usize>)) {
    let said = &text[sentence.clone()];
    let is_whole = |part: &str| part.split_whitespace().nth(LEAST - 1).is_some();
    let (mut start, mut is_free) = (0, None);
    for at in starts(said) {
        let before = said[start..at].trim_end();
        if is_whole(before)
            && is_whole(&said[at..])
            && *is_free.get_or_insert_with(|| !is_bound(said))
        {
            then(sentence.start + start..sentence.start + start + before.len());
            start = at;
        }
    }
    then(sentence.start + start..sentence.end);
}

/// Where a sentence may go on to something else: behind a semicolon, a dash, or a comma with a word that does so.
fn starts(said: &str) -> impl Iterator<Item = usize> {
    let marks = memchr::memchr3_iter(b',', b';', 0xE2, said.as_bytes());
    marks.filter_map(|at| {
        let behind = &said[at..];
        let mark = behind.chars().next()?;
        let rest = behind[mark.len_utf8()..].trim_start();
        let goes_on = match mark {
            ',' => FIRST.whole_at(rest.as_bytes()) != 0,
            ';' => true,
            // A range has no blank before its dash.
            '–' | '—' => said[..at].ends_with(' '),
            _ => false,
        };
        goes_on.then(|| said.len() - rest.len())
    })
}

/// Whether what a sentence says is taken back in it, or depends on something.
fn is_bound(said: &str) -> bool {
    said.split_whitespace().any(|word| BINDS.whole_at(word.as_bytes()) != 0)
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
