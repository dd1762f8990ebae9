//! What git says that it did.
//!
//! Responsible for the line by which a git command reports it. It relies on git's usual output; of any other
//! nothing is told.

use super::failing::stops;
use crate::begins::begins_with_any;
use crate::digest::calls::shell;
use crate::line::on_one_line;

/// Verbs of git that report what they did. A verb that only shows may print the same words.
const DOING: &[&str] = &[
    "am", "apply", "branch", "checkout", "cherry-pick", "commit", "fetch", "merge", "pull", "push",
    "rebase", "reset", "revert", "stash", "switch",
];

/// The line by which git reports what it did, if that is the last thing the command does.
pub(super) fn told(text: &str, command: &str) -> Option<String> {
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
}
