//! How alike two lines are.
//!
//! Responsible for telling whether one line may have become the other, and by which single name they differ.

use std::collections::HashSet;

/// How alike two lines are: how many quarters of all their words stand in both, from 0 to 4.
pub(super) fn likeness(a: &str, b: &str) -> usize {
    let words = |line| -> HashSet<&str> {
        let words = str::split(line, |c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).collect()
    };
    let (a, b) = (words(a), words(b));
    a.intersection(&b).count() * 4 / a.union(&b).count().max(1)
}

/// The single name by which two lines differ, before and after; or the lines themselves if they are names.
pub(super) fn renamed(a: &str, b: &str) -> Option<(Box<str>, Box<str>)> {
    let is_name = |text: &str| text.len() > 2 && text.contains(|c: char| c.is_alphabetic());
    let is_word = |text: &str| is_name(text) && !text.contains(|c: char| !is_of_name(c));
    let is_bare = |text: &str| !text.contains(|c: char| !(is_of_name(c) || ".:/-$@".contains(c)));
    let found = differing(a, b).filter(|(a, b)| is_word(a) && is_word(b));
    let whole =
        || (is_bare(a) && is_bare(b) && is_name(a) && is_name(b) && a != b).then_some((a, b));
    found.or_else(whole).map(|(a, b)| (a.into(), b.into()))
}

/// The single word that differs between two lines, at any number of places. `None` if the old word is left
/// anywhere.
fn differing<'l>(a: &'l str, b: &'l str) -> Option<(&'l str, &'l str)> {
    let words = |line| str::split_inclusive(line, |c| !is_of_name(c));
    let word = |text: &'_ str| text.trim_end_matches(|c| !is_of_name(c)).len();
    let (mut ones, mut others) = (words(a), words(b));
    let mut found: Option<(&'l str, &'l str)> = None;
    loop {
        let (one, other) = match (ones.next(), others.next()) {
            (Some(one), Some(other)) => (one, other),
            (None, None) => break,
            _ => return None,
        };
        let ((one, mark), (other, its)) = (one.split_at(word(one)), other.split_at(word(other)));
        if mark != its || one != other && found.is_some_and(|found| found != (one, other)) {
            return None;
        }
        if one != other {
            found = Some((one, other));
        }
    }
    found.filter(|(one, _)| !words(b).any(|left| left.trim_end_matches(|c| !is_of_name(c)) == *one))
}

pub(super) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
