//! Which commands switch the work to another state: another branch, the commits of others, a stash.
//!
//! Responsible for the commands of git and of `gh`. It relies on the caller for whether they went well.

use super::{Aside, Checkout, aside, checkout, folder_in, from_verb};
use crate::digest::calls::outcome;
use crate::digest::calls::shell::{commands, undirected, words};

/// The part of a command that switches the work to another state.
pub(crate) fn moves(command: &str) -> Option<&str> {
    let parts = commands(command);
    let is_here = |part: &&str| at_hand(&words(part)).is_some();
    let is_away = |part: &&str| is_here(part) && matches!(aside(part), Some(Aside::Away { .. }));
    let is_back = |part: &&str| is_here(part) && matches!(aside(part), Some(Aside::Back { .. }));
    let goes = |part: &&str| {
        let words = words(part);
        match at_hand(&words) {
            Some(["pull", ..]) => true,
            Some(["merge" | "rebase" | "cherry-pick" | "revert", rest @ ..]) => {
                !rest.contains(&"--abort")
            }
            Some(["reset", rest @ ..]) => rest.contains(&"--hard"),
            Some(["checkout" | "switch", ..]) => checkout(part) == Checkout::State,
            Some(_) => is_away(part) || is_back(part),
            None => matches!(words[..], ["gh", "pr", "checkout", ..]),
        }
    };
    let comes_back = parts.iter().any(is_away) && parts.iter().any(is_back);
    let mut moves = parts.iter().rev().copied().filter(goes);
    moves.find(|part| !comes_back || !is_away(part) && !is_back(part))
}

/// The part of a command that takes commits back and keeps what they changed: `git reset --soft HEAD~1`.
pub(crate) fn uncommits(command: &str) -> Option<&str> {
    let takes_back = |part: &&str| {
        let words = words(undirected(part));
        let Some(["reset", rest @ ..]) = at_hand(&words) else { return false };
        // A reset of files leaves the commits alone.
        let mut named = rest.iter().filter(|word| !word.starts_with('-'));
        let commit = named.next().filter(|_| named.next().is_none());
        let is_before = |word: &&str| word.contains(['~', '^']) || outcome::is_hash(word);
        commit.is_some_and(is_before) && !rest.contains(&"--") && !rest.contains(&"--hard")
    };
    commands(command).into_iter().rfind(takes_back)
}

/// Whether a command stashes the changes at hand or switches to another branch.
pub(crate) fn is_elsewhere(command: &str) -> bool {
    let is_moved = |part: &&str| match at_hand(&words(part)) {
        Some(["worktree", ..]) => true,
        Some(["checkout" | "switch", ..]) => checkout(part) == Checkout::State,
        Some(_) => matches!(aside(part), Some(Aside::Away { .. })),
        None => false,
    };
    commands(command).iter().any(is_moved)
}

/// The words of a git command from its verb on. `None` if it works in another folder, which is mostly another
/// checkout.
fn at_hand<'w, 'c>(words: &'w [&'c str]) -> Option<&'w [&'c str]> {
    from_verb(words).filter(|_| folder_in(words).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_takes_a_commit_back() {
        for (command, wanted) in [
            ("git reset HEAD~1", Some("git reset HEAD~1")),
            ("cd a && git reset --soft HEAD^ 2>&1", Some("git reset --soft HEAD^ 2>&1")),
            ("git reset --mixed 1a2b3c4", Some("git reset --mixed 1a2b3c4")),
            ("git reset", None),
            ("git reset HEAD", None),
            ("git reset HEAD~1 a.rs", None),
            ("git reset HEAD~1 -- a.rs", None),
            ("git reset a.rs", None),
            ("git reset --hard HEAD~1", None),
        ] {
            assert_eq!(uncommits(command), wanted, "{command}");
        }
    }

    #[test]
    fn knows_what_takes_the_work_elsewhere() {
        for (command, wanted) in [
            ("git checkout main", Some("git checkout main")),
            ("git fetch && git rebase origin/main", Some("git rebase origin/main")),
            ("git stash && git pull; git stash pop", Some("git pull")),
            ("git stash && make test; git stash pop", None),
            ("git checkout -b mine", None),
            ("git checkout -- a.rs", None),
            ("git reset HEAD a.rs", None),
            ("git stash list", None),
            ("git merge --abort", None),
            ("git -C vendor/lib checkout v2.0", None),
            ("git -C vendor/lib stash", None),
            ("git -c a.b=c checkout main", Some("git -c a.b=c checkout main")),
            ("git -C web status", None),
        ] {
            assert_eq!(moves(command), wanted, "{command}");
            if command.starts_with("git checkout") {
                assert_eq!(is_elsewhere(command), wanted.is_some(), "{command}");
            }
        }
    }
}
