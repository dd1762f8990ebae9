//! An edit: what it changed, and which lines it took out and put in.
//!
//! Responsible for the keys of the lines that an edit touched. How the change is told is decided in
//! [`change`](super::change).

use super::change::{Change, changed, key, only};
use super::holds::name_of;
use super::spot;
use crate::hash::hash;
use crate::line::on_one_line;

/// An edit: its essence, and every line that it took out and put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) change: Option<Change>,
    pub(crate) gone: Vec<u64>,
    pub(crate) put: Vec<u64>,
    /// The text that it replaced within a line.
    pub(crate) within: Option<Box<str>>,
    /// Hashes of the whole old and new text, unchanged lines included: they tell the place of an edit that only
    /// takes out or only puts in.
    pub(crate) texts: (u64, u64),
    /// Whether the file afterwards holds nothing but what the edit puts in.
    pub(crate) is_whole: bool,
}

impl Edit {
    /// The edit that turns `old` into `new`.
    pub(crate) fn of(old: &str, new: &str) -> Self {
        let texts = (hash(old.as_bytes()), hash(new.as_bytes()));
        // A conflict is compared as the branch at hand had the lines.
        let before = ours(old).filter(|_| ours(new).is_none()).map(|ours| lines(&ours));
        let (whole_old, whole_new) = (old, new);
        let (old, new) = (lines(old), lines(new));
        let change = between(before.as_ref().unwrap_or(&old), &new, changed);
        let (gone, put) = between(&old, &new, |were, are| (only(were, are), only(are, were)));
        let within = match (old.as_slice(), gone.as_slice()) {
            ([_], [line]) if line.len() > 2 => Some((*line).into()),
            _ => None,
        };
        // A defined name has a key of its own as well.
        let keys = |lines: &[&str]| {
            let names = lines.iter().copied().filter_map(name_of);
            lines.iter().copied().chain(names).map(key).collect()
        };
        let (gone, put) = (keys(&gone), keys(&put));
        let edit = Self { change, gone, put, within, texts, ..Self::default() };
        edit.placed(whole_old, whole_new)
    }

    /// The edit with its place, found in both texts with the unchanged lines around the change.
    pub(super) fn placed(mut self, old: &str, new: &str) -> Self {
        if let Some(change) = &mut self.change {
            change.within = spot::within(old, new, change);
        }
        self
    }

    /// The edit applied wherever its text stands, so without a place.
    pub(crate) fn everywhere(mut self) -> Self {
        if let Some(change) = &mut self.change {
            change.within = None;
        }
        self
    }

    /// The edit that writes a file anew.
    pub(crate) fn whole(text: &str) -> Self {
        let lines = lines(text);
        let put = lines.iter().map(|line| key(line)).collect();
        Self { change: Change::holding(&lines), put, ..Self::taking_all() }
    }

    /// The edit that empties the file.
    pub(crate) fn taking_all() -> Self {
        Self { is_whole: true, ..Self::default() }
    }
}

/// Calls `say` with the lines that are left without the common beginning and end of both texts.
fn between<'l, T>(
    old: &'l [String],
    new: &'l [String],
    say: impl FnOnce(&'l [String], &'l [String]) -> T,
) -> T {
    let before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let ends = old[before..].iter().rev().zip(new[before..].iter().rev());
    let behind = ends.take_while(|(a, b)| a == b).count();
    say(&old[before..old.len() - behind], &new[before..new.len() - behind])
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(on_one_line).filter(|line| !line.is_empty()).collect()
}

/// A text with merge conflicts, as the branch at hand had it; `None` if the marks are not whole conflicts. The
/// other side's lines never stood in the branch, so leaving them out removes nothing.
fn ours(text: &str) -> Option<String> {
    #[derive(PartialEq)]
    enum Side {
        Both,
        Ours,
        Theirs,
    }
    let (mut side, mut has_any) = (Side::Both, false);
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let mark = line.split(' ').next().unwrap_or_default();
        side = match (mark, side) {
            ("<<<<<<<", Side::Both) => Side::Ours,
            ("|||||||" | "=======", Side::Ours) | ("=======", Side::Theirs) => Side::Theirs,
            (">>>>>>>", Side::Theirs) => {
                has_any = true;
                Side::Both
            }
            (_, side) => {
                if side != Side::Theirs {
                    kept.push_str(line);
                    kept.push('\n');
                }
                side
            }
        };
    }
    (has_any && side == Side::Both).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_other_side_of_a_conflict_brought_was_not_removed() {
        let conflict =
            "let a = 1;\n<<<<<<< HEAD\nlet b = 2;\n=======\nlet b = 3;\nlet c = 4;\n>>>>>>> main\n";
        let change = |new| Edit::of(conflict, new).change.map(|change| change.to_string());
        assert_eq!(change("let a = 1;\nlet b = 2;\n"), None);
        let told = "`let b = 2;` → `let b = 3;`";
        assert_eq!(change("let a = 1;\nlet b = 3;\n").as_deref(), Some(told));
        let underlined = format!("{conflict}Results\n=======\n10 a minute\n");
        let resolved = "let a = 1;\nlet b = 2;\nResults\n=======\n25 a minute\n";
        let change = Edit::of(&underlined, resolved).change.map(|change| change.to_string());
        assert_eq!(change.as_deref(), Some("`10 a minute` → `25 a minute`"));
        let gone = Edit::of(conflict, "let a = 1;\nlet b = 2;\n").gone;
        assert!(gone.contains(&key("let c = 4;")));
    }
}
