//! Commands that begin alike.
//!
//! Responsible for headings that tell them apart: what is told of each otherwise, and where it differs
//! from the others. What made a commit is told apart by that.

use std::collections::{BTreeSet, HashMap};

use crate::digest::calls::Call;
use crate::digest::calls::commands::{compared, shortened};

/// How many characters are told of a command where it differs from others, and how many bytes of these it
/// may have in common with them.
const DIFFERS: usize = 20;
const IN_COMMON: usize = 10;

/// What stands behind the headings of such commands, by what is compared of them.
#[derive(Debug, Default)]
pub(super) struct Alike(HashMap<String, String>);

impl Alike {
    /// Of the calls at hand, and of headings that earlier digests tell.
    pub(super) fn of<'t>(
        calls: &[Call],
        earlier: &(impl Iterator<Item = &'t str> + Clone),
    ) -> Self {
        let mut by_heading: HashMap<String, BTreeSet<String>> = HashMap::new();
        let calls = calls.iter().filter(|call| !made_commit(call));
        for command in calls.filter_map(|call| call.command.as_deref()) {
            let (text, heading) = (compared(command), shortened(command));
            if text != heading {
                by_heading.entry(heading).or_default().insert(text);
            }
        }
        let mut behind = HashMap::new();
        for (heading, texts) in by_heading {
            let told = |told: &'t str| told.strip_prefix(&*heading)?.strip_prefix(' ');
            let known = || earlier.clone().filter_map(told);
            // In their order what all begin with is what the first and the last do.
            let (first, last) = (texts.first(), texts.last());
            let same = first.zip(last).map_or(0, |(first, last)| in_common(first, last));
            let is_alone = texts.len() == 1;
            for text in texts {
                let is_it = |told: &&str| text.contains(told.trim_end_matches('…'));
                let told = known().find(is_it).map(str::to_owned);
                let told = told.or_else(|| (!is_alone).then(|| differing(&text, same)));
                // One of them may be what the others begin with.
                if let Some(told) = told.filter(|told| !told.is_empty()) {
                    behind.insert(text, told);
                }
            }
        }
        Self(behind)
    }

    /// How the heading of a command tells it.
    pub(super) fn shown(&self, command: &str) -> String {
        let heading = shortened(command);
        let behind = if self.0.is_empty() { None } else { self.0.get(&compared(command)) };
        behind.map(|behind| format!("{heading} {behind}")).unwrap_or(heading)
    }
}

/// Whether git says what a call committed.
fn made_commit(call: &Call) -> bool {
    call.outcome.went_well() && call.outcome.line.as_deref().is_some_and(|it| it.starts_with('['))
}

/// How many bytes two texts begin with that are the same.
fn in_common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    same.map(|(a, _)| a.len_utf8()).sum()
}

/// What is told of a command that differs from others behind `same` bytes: the word that does, and more.
fn differing(command: &str, same: usize) -> String {
    let word = command[..same].rfind([' ', '/']).map_or(0, |at| at + 1);
    let from = if same - word <= IN_COMMON { word } else { same };
    let mut rest = command[from..].trim_start().chars();
    let mut told: String = rest.by_ref().take(DIFFERS).collect();
    told.truncate(told.trim_end().len());
    if rest.next().is_some() {
        told.push('…');
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_from_the_beginning_of_its_word() {
        for (one, other, wanted) in [
            ("cat /a/lamp_one.txt", "cat /a/lamp_two.txt", "lamp_one.txt"),
            ("run --all --fast", "run --all", "--all --fast"),
            ("a é1", "a é2", "é1"),
            ("run aaaaaaaaaaaaaaa | grep b", "run aaaaaaaaaaaaaaa", "| grep b"),
            ("run aaaaaaaaaaaaaaa", "run aaaaaaaaaaaaaaa | grep b", ""),
            (
                "x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
                "x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
                "b",
            ),
            (
                "python run.py alpha with every option that there is",
                "python run.py beta",
                "alpha with every opt…",
            ),
        ] {
            assert_eq!(differing(one, in_common(one, other)), wanted);
        }
    }
}
