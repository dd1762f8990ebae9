//! What git puts back, and when it takes the work to another state.
//!
//! Responsible for telling a checkout of files from one of a branch, and a state that is known, that of the
//! last commit, from any other.

use super::{redirection, unquoted, words};
use crate::digest::text::names;

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
    /// Files and folders; of none all that git follows.
    pub(crate) paths: Vec<&'c str>,
    /// Whether to the state of the last commit or of the index; else nobody knows to which.
    pub(crate) is_last: bool,
}

/// What a command of git with `checkout` or `switch` takes; a name alone is a file where it looks like one.
pub(crate) fn checkout(part: &str) -> Checkout<'_> {
    let all = words(&part[..redirection(part).unwrap_or(part.len())]);
    let rest: Vec<&str> = all.iter().skip(2).map(|word| unquoted(word)).collect();
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    if has(&["--theirs", "--ours", "--merge", "-m"]) {
        return Checkout::Nothing;
    }
    let named = |words: &[&'_ str]| -> Vec<usize> {
        let is_named = |word: &str| word == "-" || !word.starts_with('-');
        (0..words.len()).filter(|&at| is_named(words[at])).collect()
    };
    if let Some(at) = rest.iter().position(|word| *word == "--") {
        let from = named(&rest[..at]).first().map(|&at| rest[at]);
        return Checkout::Files { from, paths: rest[at + 1..].to_vec() };
    }
    let is_new = has(&["-b", "-B", "-c", "-C", "--orphan"]);
    let named: Vec<&str> = named(&rest).into_iter().map(|at| rest[at]).collect();
    match named.as_slice() {
        [] => Checkout::Nothing,
        // A new branch has the same code unless it is told where to begin.
        [_] if is_new => Checkout::Nothing,
        _ if is_new || all.get(1) == Some(&"switch") => Checkout::State,
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
    let all = words(&part[..redirection(part).unwrap_or(part.len())]);
    let all: Vec<&str> = all.into_iter().map(unquoted).collect();
    let ["git", verb, rest @ ..] = all.as_slice() else { return None };
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let named = |rest: &[&'_ str]| rest.iter().position(|word| !word.starts_with('-'));
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
        "reset" if has(&["--hard"]) => (Vec::new(), is_last(named(rest).map(|at| rest[at]))),
        "stash" if has(&["drop", "clear"]) => (Vec::new(), false),
        _ => return None,
    };
    // What is put back piece by piece, and what a shell or a pattern names, nobody knows.
    let is_known = |path: &&str| !path.contains(['*', '?', '[', '$', '`', '(']);
    let is_last = is_last && !has(&["-p", "--patch"]) && paths.iter().all(is_known);
    let paths = paths.into_iter().map(|path| if is_known(&path) { path } else { "." }).collect();
    Some(Back { paths, is_last })
}

/// Whether a command of git commits or puts into the index, and whether all that was changed.
pub(crate) fn keeps(parts: &[&str]) -> Option<bool> {
    let mut kept = None;
    let mut adds_all = false;
    for part in parts {
        let words = words(part);
        let has = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
        match words.as_slice() {
            ["git", "add", ..] => {
                adds_all = has(&["-A", "--all", "."]);
                kept = kept.or(Some(false));
            }
            ["git", "commit", ..] => {
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
            let back = Back { paths: paths.to_vec(), is_last };
            assert_eq!(puts_back(command), Some(back), "{command}");
        }
        for command in [
            "git checkout -b fix/a.rs",
            "git restore --staged a.rs",
            "git reset a.rs",
            "git stash",
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
        assert_eq!(keeps(&["make"]), None);
    }
}
