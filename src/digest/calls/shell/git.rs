//! What git puts back, and when it switches to another state.
//!
//! Responsible for telling a checkout of files from one of a branch, and the known state of the last commit
//! from any other.

mod aside;
mod elsewhere;
mod subject;

use super::programs::unwrapped;
use super::{undirected, unquoted, words};
use crate::begins::begins_with_any;
use crate::digest::text::names;
pub(crate) use aside::{Aside, aside};
pub(crate) use elsewhere::{is_elsewhere, moves, uncommits};
pub(crate) use subject::subject;

/// What a checkout switches to or restores.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checkout<'c> {
    /// Another branch or commit.
    State,
    /// Files, as they are in the index or at some commit.
    Files { from: Option<&'c str>, paths: Vec<&'c str> },
    /// Nothing that changes code: a new branch, one side of a merge.
    Nothing,
}

/// What git puts back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Back<'c> {
    /// The folder in which git is told to work.
    pub(crate) folder: Option<&'c str>,
    /// Files and folders; if empty, everything that git follows.
    pub(crate) paths: Vec<&'c str>,
    /// Whether git puts them back to the state of the last commit or of the index; any other state is unknown.
    pub(crate) is_last: bool,
}

/// The words of a git command from its verb on, without the options before it.
pub(crate) fn from_verb<'w, 'c>(words: &'w [&'c str]) -> Option<&'w [&'c str]> {
    let mut rest = words.strip_prefix(&["git"])?;
    while let [option, behind @ ..] = rest
        && option.starts_with('-')
    {
        rest = if matches!(*option, "-C" | "-c") { behind.get(1..)? } else { behind };
    }
    Some(rest)
}

/// The verb of a git command.
pub(crate) fn verb(part: &str) -> Option<&str> {
    from_verb(unwrapped(&words(part)))?.first().copied()
}

/// Whether a part of a command makes a commit.
pub(crate) fn commits(part: &str) -> bool {
    verb(part) == Some("commit")
}

/// The folder in which a git command is told to work.
pub(crate) fn folder(part: &str) -> Option<&str> {
    folder_in(&words(part))
}

/// The folder in which git is told to work, by the words of its command.
fn folder_in<'c>(words: &[&'c str]) -> Option<&'c str> {
    let own = &words[..words.len() - from_verb(words)?.len()];
    let named = own.iter().position(|word| *word == "-C").and_then(|at| own.get(at + 1));
    let given = || own.iter().find(|word| begins_with_any(word, &["--git-dir", "--work-tree"]));
    named.or_else(given).copied().map(unquoted)
}

/// Whether status 1 of `git diff` says that something differs: only with a flag that asks for it, or for files
/// outside a repository.
pub(crate) fn compares(part: &str) -> bool {
    const ASKED: &[&str] = &["--no-index", "--exit-code", "--quiet"];
    verb(part) == Some("diff") && words(part).iter().any(|word| ASKED.contains(word))
}

/// What `git checkout` or `git switch` takes. A name alone counts as a file if it looks like one.
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

/// Whether a word that may name a branch looks like a file.
fn is_path(word: &str) -> bool {
    word == "." || word.ends_with('/') || word.starts_with("./") || names::is_file(word)
}

/// What a git command puts back; `None` if nothing.
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
    // Which files are put back piece by piece, by a pattern or by a variable is unknown.
    let is_known = |path: &&str| !path.contains(['*', '?', '[', '$', '`', '(']);
    let is_last = is_last && !has(&["-p", "--patch"]) && paths.iter().all(is_known);
    let paths = paths.into_iter().map(|path| if is_known(&path) { path } else { "." }).collect();
    Some(Back { folder: folder(part), paths, is_last })
}

/// Whether nothing is left to put back after these commands, because everything was stashed.
pub(crate) fn finds_nothing(before: &[&str]) -> bool {
    let last = before.iter().rev().find_map(|part| aside(part));
    matches!(last, Some(Aside::Away { is_all: true, .. }))
}

/// Whether these parts commit or stage: `None` if not, else whether they took everything that was changed.
pub(crate) fn keeps(parts: &[&str]) -> Option<bool> {
    let mut kept = None;
    let mut adds_all = false;
    for part in parts {
        let words = words(part);
        let has = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
        match from_verb(&words) {
            // A dry run does nothing.
            _ if has(&["--dry-run"]) => {}
            Some(["add", ..]) if has(&["-n"]) => {}
            Some(["add", ..]) => {
                adds_all |= has(&["-A", "--all", "."]);
                kept = kept.or(Some(false));
            }
            Some(["commit", ..]) => {
                let takes_all = words.iter().any(|word| {
                    // What follows one of these letters in its word is a value.
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
            ("git restore .", &["."], true),
            ("git restore -s main a.rs", &["a.rs"], false),
            ("git restore --source=HEAD a.rs", &["a.rs"], true),
            ("git checkout -p a.rs", &["a.rs"], false),
            ("git reset --hard", &[], true),
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
        assert_eq!(keeps(&["git add -A"]), Some(false));
        let added = ["git add -A", "git add src/b.rs", "git commit -m 'Mend b'"];
        assert_eq!(keeps(&added), Some(true));
        assert_eq!(keeps(&["git -C /home/me/app -c user.name=me commit -am x"]), Some(true));
        for part in ["make", "git add -n a.rs", "git commit --dry-run -am x"] {
            assert_eq!(keeps(&[part]), None, "{part}");
        }
    }
}
