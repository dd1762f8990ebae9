//! What git stashes, brings back or drops, and which commits it reverts.
//!
//! Responsible for reading that from a command; the ledger knows what became of the files.

use super::{from_verb, words};
use crate::digest::calls::shell::{undirected, unquoted};

/// What a command of git does with the work as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aside<'c> {
    /// It stashes everything that was changed or only some of it, with or without untracked files.
    Away {
        is_all: bool,
        is_untracked: bool,
    },
    /// It brings back the stash with the number `at`, where 0 is the newest, and keeps or drops it.
    Back {
        at: usize,
        keeps: bool,
    },
    /// It drops the stash with the number `at`, or all stashes (`Cleared`).
    Dropped {
        at: usize,
    },
    Cleared,
    /// It reverts a commit; `None` if the words do not name a single one.
    Reverted {
        commit: Option<&'c str>,
    },
}

/// What a git command does of this kind; `None` if nothing.
pub(crate) fn aside(part: &str) -> Option<Aside<'_>> {
    let all = words(undirected(part));
    let rest = match from_verb(&all)? {
        ["stash", rest @ ..] => rest,
        ["revert", rest @ ..] => return reverted(rest),
        _ => return None,
    };
    // Without a number it is the newest stash.
    let at = || {
        let number = |word: &&str| {
            let word = unquoted(word).strip_prefix("stash@{").unwrap_or(word);
            word.trim_matches(['\'', '"', '}']).parse().ok()
        };
        rest[1..].iter().find_map(number).unwrap_or(0)
    };
    match rest {
        ["list" | "show" | "create" | "store" | "-h" | "--help", ..] => None,
        ["apply", ..] => Some(Aside::Back { at: at(), keeps: true }),
        ["pop" | "branch", ..] => Some(Aside::Back { at: at(), keeps: false }),
        ["drop", ..] => Some(Aside::Dropped { at: at() }),
        ["clear", ..] => Some(Aside::Cleared),
        ["save", options @ ..] => Some(away(options, true)),
        ["push", options @ ..] | options => Some(away(options, false)),
    }
}

/// What `git stash` with these options puts away; the words behind `save` are a message.
fn away<'c>(options: &[&str], is_save: bool) -> Aside<'c> {
    let has = |flags: &[&str]| options.iter().any(|word| flags.contains(word));
    // If files are named, the others stay.
    let has_text = |flag: &str| flag == "--message" || flag.ends_with('m') && flag.starts_with('-');
    let is_all = (is_save || named(options, has_text).next().is_none())
        && !has(&["-p", "--patch", "-S", "--staged", "--pathspec-from-file"]);
    let is_untracked = has(&["-u", "--include-untracked", "-a", "--all", "-um", "-am"]);
    Aside::Away { is_all, is_untracked }
}

/// The commit that `git revert` names; `None` if the command reverts nothing.
fn reverted<'c>(rest: &[&'c str]) -> Option<Aside<'c>> {
    if rest.iter().any(|word| matches!(*word, "--abort" | "--quit" | "--skip" | "-h" | "--help")) {
        return None;
    }
    let mut named = named(rest, |flag| matches!(flag, "-m" | "--mainline" | "-X"));
    let commit = named.next().filter(|_| named.next().is_none());
    Some(Aside::Reverted { commit: commit.filter(|commit| !commit.contains("..")) })
}

/// The words that are neither flags nor the value of a flag for which `has_value` holds.
fn named<'c>(words: &[&'c str], has_value: impl Fn(&str) -> bool) -> impl Iterator<Item = &'c str> {
    let before = std::iter::once(&"").chain(words);
    let named = before
        .zip(words)
        .filter(move |(before, word)| !word.starts_with('-') && !has_value(before));
    named.map(|(_, word)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_is_put_aside_and_comes_back() {
        let all = Aside::Away { is_all: true, is_untracked: false };
        let some = Aside::Away { is_all: false, is_untracked: false };
        for (command, wanted) in [
            ("git stash", Some(all)),
            ("git stash -q 2>&1", Some(all)),
            ("git stash push -m wip", Some(all)),
            ("git stash save wip for now", Some(all)),
            ("git stash -um wip", Some(Aside::Away { is_all: true, is_untracked: true })),
            ("git stash push src/b.rs", Some(some)),
            ("git stash -p", Some(some)),
            ("git stash pop", Some(Aside::Back { at: 0, keeps: false })),
            ("git stash apply stash@{1}", Some(Aside::Back { at: 1, keeps: true })),
            ("git stash drop 'stash@{2}'", Some(Aside::Dropped { at: 2 })),
            ("git stash clear", Some(Aside::Cleared)),
            ("git stash list", None),
            ("git stash show -p", None),
            ("git revert --no-edit HEAD", Some(Aside::Reverted { commit: Some("HEAD") })),
            ("git revert -m 1 1a2b3c4", Some(Aside::Reverted { commit: Some("1a2b3c4") })),
            ("git revert a..b", Some(Aside::Reverted { commit: None })),
            ("git revert --continue", Some(Aside::Reverted { commit: None })),
            ("git revert --abort", None),
            ("git status", None),
        ] {
            assert_eq!(aside(command), wanted, "{command}");
        }
    }
}
