//! What git puts back, and when it takes the work to another state.
//!
//! Responsible for telling a checkout of files from one of a branch, and a state that is known, that of the
//! last commit, from any other.

mod aside;
mod elsewhere;
mod subject;

use super::{undirected, unquoted, words};
use crate::begins::begins_with_any;
use crate::digest::text::names;
pub(crate) use aside::{Aside, aside};
pub(crate) use elsewhere::{is_elsewhere, moves};
pub(crate) use subject::subject;

/// What a checkout takes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checkout<'c> {
    /// Another branch or commit.
    State,
    /// Files, as they are in the index or at some commit.
    Files { from: Option<&'c str>, paths: Vec<&'c str> },
    /// Nothing that is another one: a new branch, one side of a merge.
    Nothing,
}

/// What is put back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Back<'c> {
    /// The folder that git is told to work in, if it is.
    pub(crate) folder: Option<&'c str>,
    /// Files and folders; of none all that git follows.
    pub(crate) paths: Vec<&'c str>,
    /// Whether to the state of the last commit or of the index; else nobody knows to which.
    pub(crate) is_last: bool,
}

/// The words of a command of git from its verb on, without what says how and where it is to work.
pub(crate) fn from_verb<'w, 'c>(words: &'w [&'c str]) -> Option<&'w [&'c str]> {
    let mut rest = words.strip_prefix(&["git"])?;
    while let [option, behind @ ..] = rest
        && option.starts_with('-')
    {
        rest = if matches!(*option, "-C" | "-c") { behind.get(1..)? } else { behind };
    }
    Some(rest)
}

/// The verb of a command of git.
pub(crate) fn verb(part: &str) -> Option<&str> {
    from_verb(&words(part))?.first().copied()
}

/// Whether a part of a command makes a commit.
pub(crate) fn commits(part: &str) -> bool {
    verb(part) == Some("commit")
}

/// The folder that a command of git is told to work in, if it is.
pub(crate) fn folder(part: &str) -> Option<&str> {
    folder_in(&words(part))
}

/// The same, by its words.
fn folder_in<'c>(words: &[&'c str]) -> Option<&'c str> {
    let own = &words[..words.len() - from_verb(words)?.len()];
    let named = own.iter().position(|word| *word == "-C").and_then(|at| own.get(at + 1));
    let given = || own.iter().find(|word| begins_with_any(word, &["--git-dir", "--work-tree"]));
    named.or_else(given).copied().map(unquoted)
}

/// Whether the last commit is another one behind it, of which git may say nothing: of another branch, or one that
/// git made itself.
pub(crate) fn leaves(part: &str) -> bool {
    match verb(part) {
        Some("checkout" | "switch") => checkout(part) == Checkout::State,
        Some("am" | "cherry-pick" | "merge" | "pull" | "rebase" | "reset" | "revert") => true,
        _ => false,
    }
}

/// Whether status 1 of `git diff` says that something differs: it is asked for, or of two files beside a repository.
pub(crate) fn compares(part: &str) -> bool {
    const ASKED: &[&str] = &["--no-index", "--exit-code", "--quiet"];
    verb(part) == Some("diff") && words(part).iter().any(|word| ASKED.contains(word))
}

/// What a command of git with `checkout` or `switch` takes; a name alone is a file where it looks like one.
pub(crate) fn checkout(part: &str) -> Checkout<'_> {
    let all = words(undirected(part));
    let Some([verb, rest @ ..]) = from_verb(&all) else { return Checkout::Nothing };
    let rest: Vec<&str> = rest.iter().map(|word| unquoted(word)).collect();
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    if has(&["--theirs", "--ours", "--merge", "-m"]) {
        return Checkout::Nothing;
    }
    let is_named = |word: &&str| *word == "-" || !word.starts_with('-');
    if let Some(at) = rest.iter().position(|word| *word == "--") {
        let from = rest[..at].iter().copied().find(is_named);
        return Checkout::Files { from, paths: rest[at + 1..].to_vec() };
    }
    let is_new = has(&["-b", "-B", "-c", "-C", "--orphan"]);
    let named: Vec<&str> = rest.iter().copied().filter(is_named).collect();
    match named.as_slice() {
        [] => Checkout::Nothing,
        // A new branch has the same code unless it is told where to begin.
        [_] if is_new => Checkout::Nothing,
        _ if is_new || *verb == "switch" => Checkout::State,
        [word] if !is_path(word) => Checkout::State,
        [word, paths @ ..] if !is_path(word) => {
            Checkout::Files { from: Some(word), paths: paths.to_vec() }
        }
        _ => Checkout::Files { from: None, paths: named },
    }
}

/// Whether a word that may name a branch names files, as far as it shows.
fn is_path(word: &str) -> bool {
    word == "." || word.ends_with('/') || word.starts_with("./") || names::is_file(word)
}

/// What a command of git puts back, if it does.
pub(crate) fn puts_back(part: &str) -> Option<Back<'_>> {
    let all = words(undirected(part));
    let all: Vec<&str> = all.into_iter().map(unquoted).collect();
    let [verb, rest @ ..] = from_verb(&all)? else { return None };
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let is_last = |from: Option<&str>| from.is_none_or(|from| from == "HEAD");
    let (paths, is_last) = match *verb {
        "checkout" => match checkout(part) {
            Checkout::Files { from, paths } => (paths, is_last(from)),
            _ => return None,
        },
        "restore" => {
            let is_staged = has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]);
            if is_staged || has(&["--theirs", "--ours", "--merge", "-m"]) {
                return None;
            }
            let behind = |flag: &str| {
                rest.iter().position(|word| *word == flag).and_then(|at| rest.get(at + 1)).copied()
            };
            let named = rest.iter().find_map(|word| word.strip_prefix("--source="));
            let from = named.or(behind("--source")).or(behind("-s"));
            let is_file = |word: &&str| !word.starts_with('-') && Some(*word) != from;
            (rest.iter().copied().filter(is_file).collect(), is_last(from))
        }
        "reset" if has(&["--hard"]) => {
            (Vec::new(), is_last(rest.iter().copied().find(|word| !word.starts_with('-'))))
        }
        _ => return None,
    };
    // What is put back piece by piece, and what a shell or a pattern names, nobody knows.
    let is_known = |path: &&str| !path.contains(['*', '?', '[', '$', '`', '(']);
    let is_last = is_last && !has(&["-p", "--patch"]) && paths.iter().all(is_known);
    let paths = paths.into_iter().map(|path| if is_known(&path) { path } else { "." }).collect();
    Some(Back { folder: folder(part), paths, is_last })
}

/// Whether there is nothing left to put back behind these commands: all is put away.
pub(crate) fn finds_nothing(before: &[&str]) -> bool {
    let last = before.iter().rev().find_map(|part| aside(part));
    matches!(last, Some(Aside::Away { is_all: true, .. }))
}

/// Whether a command of git commits or puts into the index, and whether all that was changed.
pub(crate) fn keeps(parts: &[&str]) -> Option<bool> {
    let mut kept = None;
    let mut adds_all = false;
    for part in parts {
        let words = words(part);
        let has = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
        match from_verb(&words) {
            // What is only said to be done is not.
            _ if has(&["--dry-run"]) => {}
            Some(["add", ..]) if has(&["-n"]) => {}
            Some(["add", ..]) => {
                adds_all |= has(&["-A", "--all", "."]);
                kept = kept.or(Some(false));
            }
            Some(["commit", ..]) => {
                let takes_all = words.iter().any(|word| {
                    // Behind these letters stands their value.
                    let is_flag = |c: &char| !"mFCcSt".contains(*c);
                    let is_short = word.starts_with('-') && !word.starts_with("--");
                    *word == "--all"
                        || is_short && word.chars().take_while(is_flag).any(|c| c == 'a')
                });
                kept = Some(kept == Some(true) || adds_all || takes_all);
            }
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_files_from_branches() {
        let files = |from, paths: &[&'static str]| Checkout::Files { from, paths: paths.to_vec() };
        for (command, wanted) in [
            ("git checkout main", Checkout::State),
            ("git checkout -b mine origin/main", Checkout::State),
            ("git checkout -b mine", Checkout::Nothing),
            ("git checkout --theirs a.rs", Checkout::Nothing),
            ("git checkout -", Checkout::State),
            ("git checkout v1.2 2>&1", Checkout::State),
            ("git checkout -- src", files(None, &["src"])),
            ("git checkout HEAD~1 -- a.rs src/", files(Some("HEAD~1"), &["a.rs", "src/"])),
            ("git checkout HEAD~1 src", files(Some("HEAD~1"), &["src"])),
            ("git checkout src/a.rs", files(None, &["src/a.rs"])),
            ("git checkout .", files(None, &["."])),
            ("git switch main", Checkout::State),
        ] {
            assert_eq!(checkout(command), wanted, "{command}");
        }
    }

    #[test]
    fn knows_what_is_put_back_and_to_which_state() {
        for (command, paths, is_last) in [
            ("git checkout -- a.rs", &["a.rs"][..], true),
            ("git checkout HEAD -- a.rs", &["a.rs"], true),
            ("git checkout HEAD~1 -- a.rs", &["a.rs"], false),
            ("git restore .", &["."], true),
            ("git restore -s main a.rs", &["a.rs"], false),
            ("git restore --source=HEAD a.rs", &["a.rs"], true),
            ("git checkout -- '*.rs'", &["."], false),
            ("git checkout -p a.rs", &["a.rs"], false),
            ("git reset --hard", &[], true),
            ("git reset --hard HEAD~1", &[], false),
        ] {
            let back = Back { folder: None, paths: paths.to_vec(), is_last };
            assert_eq!(puts_back(command), Some(back), "{command}");
        }
        let folder = Some("/home/me/app");
        let elsewhere = Back { folder, paths: vec!["."], is_last: true };
        assert_eq!(puts_back("git -C /home/me/app checkout -- ."), Some(elsewhere));
        for command in [
            "git checkout -b fix/a.rs", "git restore --staged a.rs", "git reset a.rs", "git stash",
            "git checkout --theirs a.rs",
        ] {
            assert_eq!(puts_back(command), None, "{command}");
        }
    }

    #[test]
    fn knows_whether_all_is_kept() {
        assert_eq!(keeps(&["git add -A", "git commit -m 'Mend a'"]), Some(true));
        assert_eq!(keeps(&["git commit -am 'Mend a'"]), Some(true));
        assert_eq!(keeps(&["git add src/a.rs", "git commit -m 'Mend a'"]), Some(false));
        assert_eq!(keeps(&["git add -A"]), Some(false));
        let added = ["git add -A", "git add src/b.rs", "git commit -m 'Mend b'"];
        assert_eq!(keeps(&added), Some(true));
        assert_eq!(keeps(&["git -C /home/me/app -c user.name=me commit -am x"]), Some(true));
        for part in ["make", "git add -n a.rs", "git commit --dry-run -am x"] {
            assert_eq!(keeps(&[part]), None, "{part}");
        }
    }
}
