//! Commands that begin alike.
//!
//! Responsible for headings that tell such commands apart: each gets the words in which it differs from the others,
//! or those that an earlier digest gave it. Commands that made a commit are left out: the commit tells them apart.

use std::collections::{BTreeSet, HashMap};

use crate::digest::calls::Call;
use crate::digest::calls::commands::{compared, shortened};

/// How many characters of the differing part a heading shows.
const DIFFERS: usize = 20;
/// How many bytes of the word in which two commands start to differ may be equal, for it to be shown whole.
const IN_COMMON: usize = 10;

/// The words added to the headings of such commands, by the command's text as [`compared`] returns it.
#[derive(Debug, Default)]
pub(super) struct Alike(HashMap<String, String>);

impl Alike {
    /// Finds the commands whose headings are equal, among the calls and the headings of earlier digests.
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
            // The texts are sorted: what the first and the last share, all of them share.
            let (first, last) = (texts.first(), texts.last());
            let same = first.zip(last).map_or(0, |(first, last)| in_common(first, last));
            let is_alone = texts.len() == 1;
            for text in texts {
                let is_it = |told: &&str| text.contains(told.trim_end_matches('…'));
                let told = known().find(is_it).map(str::to_owned);
                let told = told.or_else(|| (!is_alone).then(|| differing(&text, same)));
                // It is empty for a command that the others begin with.
                if let Some(told) = told.filter(|told| !told.is_empty()) {
                    behind.insert(text, told);
                }
            }
        }
        Self(behind)
    }

    /// The heading of a command, with the words that tell it from others if it needs them.
    pub(super) fn shown(&self, command: &str) -> String {
        let heading = shortened(command);
        let behind = if self.0.is_empty() { None } else { self.0.get(&compared(command)) };
        behind.map(|behind| format!("{heading} {behind}")).unwrap_or(heading)
    }
}

/// Whether a call made a commit, by git's line `[branch number] subject`.
fn made_commit(call: &Call) -> bool {
    call.outcome.went_well() && call.outcome.line.as_deref().is_some_and(|it| it.starts_with('['))
}

/// How many bytes two texts share at their beginning.
fn in_common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    same.map(|(a, _)| a.len_utf8()).sum()
}

/// The part of a command that differs from others after the first `same` bytes, from the word in which it
/// starts to differ.
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
