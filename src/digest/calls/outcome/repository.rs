//! What git says of a repository: how much is changed in it.
//!
//! Responsible for telling in a few words what `git status` prints in many lines. It relies on the usual
//! forms; of one that is not known nothing is told.

use crate::digest::calls::shell;

/// What a command came to that asks git for its state, and prints nothing else.
pub(super) fn state(text: &str, command: &str) -> Option<String> {
    let mut is_asked = false;
    for part in shell::parts(command) {
        match shell::program(command, &part) {
            ("git", "status") if !is_asked => is_asked = true,
            ("git", "add") | ("cd", _) => {}
            _ => return None,
        }
    }
    changes(text).filter(|_| is_asked)
}

/// What `git status` counts: `2 changed, 1 untracked`.
fn changes(text: &str) -> Option<String> {
    let (mut staged, mut changed, mut untracked, mut is_clean) = (0, 0, 0, false);
    let mut section = "";
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("nothing to commit") {
            is_clean = true;
        } else if let Some(heading) = bare.strip_suffix(':').filter(|_| !line.starts_with('\t')) {
            section = heading;
        } else if line.starts_with('\t') {
            match section {
                "Changes to be committed" => staged += 1,
                "Changes not staged for commit" => changed += 1,
                "Untracked files" => untracked += 1,
                // Conflicts are told elsewhere.
                _ => return None,
            }
        } else if let Some(mark) = short_mark(line) {
            *(if mark == "??" { &mut untracked } else { &mut changed }) += 1;
        }
    }
    let counts = [(staged, "staged"), (changed, "changed"), (untracked, "untracked")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    match counts.as_slice() {
        [] => is_clean.then(|| "clean".to_owned()),
        _ => Some(counts.join(", ")),
    }
}

/// The letters before a path in the short form: ` M`, `A `, `??`; of the first line the blank may be gone.
fn short_mark(line: &str) -> Option<&str> {
    let (mark, path) = line.trim_start().split_once(' ')?;
    let is_mark = mark == "??"
        || (1..=2).contains(&mark.len()) && mark.bytes().all(|byte| b"MADRCT".contains(&byte));
    (is_mark && !path.is_empty()).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_told_in_counts() {
        let long = "On branch main\nYour branch is up to date with 'origin/main'.\n\nChanges not staged for commit:\n  \
                    (use \"git add <file>...\" to update)\n\tmodified:   src/lamp.rs\n\nUntracked files:\n\tnotes/\n\n\
                    no changes added to commit (use \"git add\" and/or \"git commit -a\")\n";
        let told = |text, command| state(text, command);
        assert_eq!(told(long, "git status").as_deref(), Some("1 changed, 1 untracked"));
        let clean = "On branch main\nnothing to commit, working tree clean\n";
        assert_eq!(told(clean, "cd lamp && git status").as_deref(), Some("clean"));
        let short = "## main...origin/main\n M src/lamp.rs\nA  src/wick.rs\n?? notes/\n";
        let command = "git add -A && git status --short --branch";
        assert_eq!(told(short, command).as_deref(), Some("2 changed, 1 untracked"));
        assert_eq!(told("M a.rs\n M b.rs\n", "git status -s").as_deref(), Some("2 changed"));
        assert_eq!(told("", "git status --short"), None);
        // What else was printed is not known from it, nor is what was cut.
        assert_eq!(told(long, "git status && git diff"), None);
        assert_eq!(told(long, "git status | head -5"), None);
        let conflict = "On branch main\nUnmerged paths:\n\tboth modified:   src/lamp.rs\n";
        assert_eq!(told(conflict, "git status"), None);
    }
}
