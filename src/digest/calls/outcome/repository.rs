//! What git says of a repository: how much is changed in it, and what was done with it.
//!
//! Responsible for summing up `git status` in a few words, and for the line by which other git commands report
//! what they did. It relies on git's usual output; of any other nothing is told.

use std::collections::HashSet;

use super::failing::stops;
use super::lines::is_hash;
use crate::begins::begins_with_any;
use crate::digest::calls::shell::{self, git};
use crate::line::{clip, on_one_line};

/// What a git command came to.
pub(super) fn told(text: &str, command: &str) -> Option<String> {
    state(text, command).or_else(|| done(text, command)).or_else(|| newest(text, command))
}

/// Verbs of git that report what they did. A verb that only shows may print the same words.
const DOING: &[&str] = &[
    "am", "apply", "branch", "checkout", "cherry-pick", "commit", "fetch", "merge", "pull", "push",
    "rebase", "reset", "revert", "stash", "switch",
];

/// The line by which git reports what it did, if that is the last thing the command does.
fn done(text: &str, command: &str) -> Option<String> {
    const WORDS: &[&str] = &[
        "Already ", "Current branch ", "Deleted branch ", "Dropped refs/", "Everything up-to-date",
        "HEAD is now at ", "Saved working directory ", "Successfully ", "Switched to ",
        "nothing to commit", "nothing added to commit",
    ];
    let verb = only_verb(command).filter(|verb| DOING.contains(verb) && !stops(text))?;
    let mut lines = text.lines().map(str::trim).rev();
    let sent = |line: &&str| verb == "push" && is_sent(line);
    let told = lines.find(|line| sent(line) || begins_with_any(line, WORDS))?;
    Some(on_one_line(told.trim_start_matches(['*', '-', ' '])))
}

/// How many bytes are told of the newest commit, which its hash identifies.
const NEWEST: usize = 56;

/// The newest commit, if a command lists commits of a branch, one a line.
fn newest(text: &str, command: &str) -> Option<String> {
    const CHOOSING: &[&str] = &[
        " --all", " --reverse", " --graph", " --grep", " --skip", " --author", " --since",
        " --until", " -S", " -G", " -- ",
    ];
    let lists = only_verb(command) == Some("log") && command.contains("--oneline");
    let line = text.lines().next().filter(|_| lists)?;
    let (hash, _) = line.split_once(' ')?;
    (is_hash(hash) && !CHOOSING.iter().any(|it| command.contains(it)))
        .then(|| clip(&on_one_line(line), NEWEST).into())
}

/// The only verb of git in a command. With several verbs, the output does not tell what came of all of them.
fn only_verb(command: &str) -> Option<&str> {
    let parts = shell::parts(command);
    let verbs: Option<Vec<&str>> = parts.iter().map(verb_or_aside).collect();
    let mut verbs = verbs?.into_iter().filter(|verb| !verb.is_empty());
    verbs.next().filter(|_| verbs.next().is_none())
}

/// The verb of a part that runs git; empty for one that only changes the folder or stages, `None` for any other
/// part.
fn verb_or_aside<'c>(part: &shell::Part<'c>) -> Option<&'c str> {
    match part.program() {
        ("cd", _) | ("git", "add") => Some(""),
        ("git", verb) => Some(verb),
        _ => None,
    }
}

/// Whether git does something in a command, and not only shows something.
pub(super) fn does(command: &str) -> bool {
    let does =
        |part: &shell::Part<'_>| matches!(part.program(), ("git", verb) if DOING.contains(&verb));
    command.contains("git ") && shell::parts(command).iter().any(does)
}

/// Whether a line tells what was pushed and where: `1a2b3c4..2b3c4d5  fix -> fix`, `* [new branch]  fix ->
/// fix`.
fn is_sent(line: &str) -> bool {
    let is_new = line.contains("..") || line.starts_with(['*', '+']);
    line.contains(" -> ") && is_new || line.starts_with("- [deleted]")
}

/// The state of the repository, if a command only asks `git status` for all of it.
fn state(text: &str, command: &str) -> Option<String> {
    const PLAIN: &[&str] = &["-s", "--short", "-b", "--branch", "-sb", "--porcelain", "--long"];
    only_verb(command).filter(|verb| *verb == "status")?;
    let mut parts = shell::commands(command).into_iter();
    let part = parts.find(|part| git::verb(part) == Some("status"))?;
    let words = shell::words(shell::undirected(part));
    let [_, options @ ..] = git::from_verb(&words)? else { return None };
    changes(text).filter(|_| options.iter().all(|option| PLAIN.contains(option)))
}

/// How many paths are named at most; more are only counted.
const FEW: usize = 3;

/// The counts of `git status`, with the paths if they are few: `1 changed (lamp.rs), 1 untracked (notes/)`.
fn changes(text: &str) -> Option<String> {
    const HINTS: &[&str] =
        &["On branch ", "Your branch is ", "(use ", "no changes added to commit", "## "];
    let (mut staged, mut changed, mut untracked) = (Vec::new(), Vec::new(), Vec::new());
    let (mut section, mut is_clean) = ("", false);
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || begins_with_any(bare, HINTS) {
            continue;
        }
        match (line.strip_prefix('\t'), short_mark(line)) {
            (Some(_), _) => match section {
                "Changes to be committed:" => staged.push(last_name(bare)),
                "Changes not staged for commit:" => changed.push(last_name(bare)),
                "Untracked files:" => untracked.push(last_name(bare)),
                // Conflicts are told by `failing::conflicts`.
                _ => return None,
            },
            (_, Some("??")) => untracked.push(last_name(bare)),
            (_, Some(_)) => changed.push(last_name(bare)),
            _ if bare.starts_with("nothing ") => is_clean = bare.ends_with("clean"),
            _ if bare.ends_with(':') => section = bare,
            // The output is cut, or something else is going on.
            _ => return None,
        }
    }
    let kinds = [(staged, "staged"), (changed, "changed"), (untracked, "untracked")];
    let all = || kinds.iter().flat_map(|(names, _)| names).copied();
    // If two paths end with the same name, or one has no plain name, they are only counted.
    let distinct: Option<HashSet<&str>> = all().collect();
    let are_named = all().count() <= FEW && distinct.is_some_and(|it| it.len() == all().count());
    let told = kinds.iter().filter(|(names, _)| !names.is_empty()).map(|(names, what)| {
        let plain: Vec<&str> = names.iter().copied().flatten().collect();
        let told = if are_named { format!(" ({})", plain.join(", ")) } else { String::new() };
        format!("{} {what}{told}", names.len())
    });
    let told: Vec<String> = told.collect();
    match told.as_slice() {
        [] => is_clean.then(|| "clean".to_owned()),
        _ => Some(told.join(", ")),
    }
}

/// The last part of the path in a line of `git status`; `None` if the path is not plain or the file was
/// deleted.
fn last_name(line: &str) -> Option<&str> {
    let path = match (short_mark(line), line.split_once(':')) {
        (Some(mark), _) if !mark.contains('D') => line[mark.len()..].trim_start(),
        (None, Some((what, path))) if what != "deleted" => path.trim_start(),
        (None, None) => line,
        _ => return None,
    };
    let path = path.rsplit_once(" -> ").map_or(path, |(_, new)| new);
    path.split_inclusive('/').next_back().filter(|_| !path.contains(['"', ' ', '(']))
}

/// The letters before a path in the short form: ` M`, `A `, `??`. The first line may have lost its leading
/// blank.
fn short_mark(line: &str) -> Option<&str> {
    let (mark, path) = line.trim_start().split_once(' ')?;
    let is_mark = mark == "??"
        || mark != "AA"
            && mark != "DD"
            && (1..=2).contains(&mark.len())
            && line.len() - path.len() <= 3
            && mark.bytes().all(|byte| b"MADRCTm".contains(&byte));
    (is_mark && !path.is_empty()).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_did_is_told_in_its_words() {
        let old = "To host:a/b.git\n   1a2b3c4..2b3c4d5  fix -> fix\n";
        let new = "remote: \nTo host:a/b.git\n * [new branch]      fix -> fix\nbranch 'fix' set up to track 'origin/fix'.\n";
        let refused = "To host:a/b.git\n ! [rejected]        fix -> fix (fetch first)\n";
        for (text, command, wanted) in [
            (old, "git push", Some("1a2b3c4..2b3c4d5 fix -> fix")),
            (new, "git push -u origin fix", Some("[new branch] fix -> fix")),
            ("Everything up-to-date\n", "cd lamp && git push", Some("Everything up-to-date")),
            (refused, "git push", None),
            (old, "git push && make", None),
            (
                "Switched to branch 'main'\n 2 files changed\n",
                "git checkout main && git pull",
                None,
            ),
            (
                "   1a2b3c4..2b3c4d5  dev -> dev\n ! [rejected]  main -> main (fetch first)\n",
                "git push --all",
                None,
            ),
            (old, "git fetch", None),
            (" - [deleted]         fix\n", "git push origin :fix", Some("[deleted] fix")),
            ("a1b2c3d Lamp\n    Successfully parse the oil file\n", "git log -4", None),
            ("a1b2c3d Lamp\n0a1b2c3 Oil\n", "git log --oneline -2", Some("a1b2c3d Lamp")),
            ("a1b2c3d Lamp\n0a1b2c3 Oil\n", "git log --oneline --all", None),
            (
                "On branch main\nnothing to commit, working tree clean\n",
                "git commit -m a",
                Some("nothing to commit, working tree clean"),
            ),
            (
                "Updating 1a2b3c4..2b3c4d5\nSuccessfully rebased and updated refs/heads/fix.\n",
                "git pull --rebase",
                Some("Successfully rebased and updated refs/heads/fix."),
            ),
        ] {
            assert_eq!(told(text, command).as_deref(), wanted, "{command}");
        }
    }

    #[test]
    fn a_state_is_told_in_counts() {
        let long = "On branch main\nYour branch is up to date with 'origin/main'.\n\nChanges not staged for commit:\n  \
                    (use \"git add <file>...\" to update)\n\tmodified:   src/lamp.rs\n\nUntracked files:\n\tnotes/\n\n\
                    no changes added to commit (use \"git add\" and/or \"git commit -a\")\n";
        let told = |text, command| state(text, command);
        assert_eq!(
            told(long, "git status").as_deref(),
            Some("1 changed (lamp.rs), 1 untracked (notes/)")
        );
        let clean = "On branch main\nnothing to commit, working tree clean\n";
        assert_eq!(told(clean, "cd lamp && git status").as_deref(), Some("clean"));
        let short = "## main...origin/main\n M src/lamp.rs\nA  src/wick.rs\n?? notes/\n";
        let command = "git add -A && git status --short --branch";
        let named = Some("2 changed (lamp.rs, wick.rs), 1 untracked (notes/)");
        assert_eq!(told(short, command).as_deref(), named);
        let many = "M a.rs\n M b.rs\n M c.rs\nR  d.rs -> src/e.rs\n";
        assert_eq!(told(many, "git status -s").as_deref(), Some("4 changed"));
        let renamed = "R  d.rs -> src/e.rs\n";
        assert_eq!(told(renamed, "git status -s").as_deref(), Some("1 changed (e.rs)"));
        assert_eq!(told("", "git status --short"), None);
        for (odd, counted) in [
            ("\tmodified:   vendor/lamp (new commits)\n", "1 changed"),
            ("\tdeleted:    lamp.rs\n", "1 changed"),
            ("\tmodified:   docs/oil lamp.md\n", "1 changed"),
            ("\tmodified:   a/mod.rs\n\tmodified:   b/mod.rs\n", "2 changed"),
            ("\trenamed:    a.rs -> src/b.rs\n", "1 changed (b.rs)"),
        ] {
            let text = format!("On branch main\nChanges not staged for commit:\n{odd}");
            assert_eq!(state(&text, "git status").as_deref(), Some(counted), "{odd}");
        }
        assert_eq!(told(" D lamp.rs\n", "git status -s").as_deref(), Some("1 changed"));
        // The state does not tell what another command printed, nor what was cut.
        assert_eq!(told(long, "git status && git diff"), None);
        assert_eq!(told(long, "git status | head -5"), None);
        for odd in [
            "UU a.rs\n M b.rs\n",
            "AA a.rs\n",
            " M a.rs\n... (120 more lines)\n",
            "On branch main\ninteractive rebase in progress; onto 1a2b3c4\nnothing to commit, working tree clean\n",
            "On branch main\nChanges not staged for commit:\n    modified: a.rs\n    A thing\n",
        ] {
            assert_eq!(told(odd, "git status"), None, "{odd}");
        }
        assert_eq!(told(clean, "git status src/"), None);
        assert_eq!(told(clean, "git -C lamp status 2>&1").as_deref(), Some("clean"));
        let conflict = "On branch main\nUnmerged paths:\n\tboth modified:   src/lamp.rs\n";
        assert_eq!(told(conflict, "git status"), None);
    }
}
