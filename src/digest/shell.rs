//! What a shell command does to files.
//!
//! Responsible for the effects that can be read off a command line: files removed, moved, copied,
//! made, written to and changed in place, and those read. It knows the common commands and no
//! quoting beyond what keeps a word whole; what it does not understand touches nothing.

use super::calls::{Deed, Touch};
use super::commands;

/// The files that a command touches.
pub(super) fn touches(command: &str) -> Vec<Touch> {
    let mut found = Vec::new();
    let command = without_data(command);
    for simple in command.split(['\n', ';', '|', '&']) {
        let words: Vec<&str> = simple.split_whitespace().map(unquoted).collect();
        simple_command(&words, &mut found);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let target = match word.trim_start_matches(|c: char| c.is_ascii_digit()) {
                ">" | ">>" => rest.next().copied(),
                other => other.strip_prefix(">>").or_else(|| other.strip_prefix('>')),
            };
            push(&mut found, target.filter(|target| !target.starts_with("/dev/")), Deed::Created);
        }
    }
    found
}

/// The folder that a command changes to before it does anything.
pub(super) fn folder(command: &str) -> Option<&str> {
    let rest = command.trim_start().strip_prefix("cd ")?;
    let end = rest.find(['\n', ';', '&'])?;
    Some(unquoted(rest[..end].trim()))
}

/// Programs that print what they read.
const SHOWING: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "bat",
    "nl",
    "sed",
    "awk",
    "jq",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "echo",
    "printf",
    "journalctl",
    "dmesg",
];

/// Programs that look for something: that they fail only says that there is nothing.
const LOOKING: &[&str] = &[
    "grep", "rg", "ls", "find", "which", "test", "cat", "head", "tail", "diff", "command", "pgrep",
    "stat", "wc",
];

/// Whether a program shows or looks for what is there, and does nothing.
pub(super) fn only_looks(program: &str) -> bool {
    SHOWING.contains(&program) || LOOKING.contains(&program)
}

/// Whether the last thing that a command does is to look.
pub(super) fn ends_looking(command: &str) -> bool {
    let last = command.rsplit(['|', ';', '&', '\n']).next().unwrap_or(command);
    LOOKING.contains(&last.split_whitespace().next().unwrap_or_default())
}

/// Whether what a command prints is data, which may read like a failure of its own: a file, a log, the
/// lines that a search found.
pub(super) fn shows_data(command: &str) -> bool {
    let pipelines = command.split(['\n', ';', '&']).filter(|part| !part.trim().is_empty());
    let mut programs = pipelines.map(|pipeline| {
        let mut words = pipeline.split_whitespace().map(unquoted).filter(|word| *word != "sudo");
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    });
    programs.any(|(name, verb)| match name.rsplit('/').next().unwrap_or(name) {
        "docker" | "podman" | "kubectl" => verb == "logs",
        "git" => verb == "grep",
        name => SHOWING.contains(&name),
    })
}

/// Whether a command runs checks, and its exit status may be that of another one: behind a pipe, or
/// of the last in a list.
pub(super) fn masks_status(command: &str) -> bool {
    without_data(command).contains(['|', ';', '\n']) && commands::is_check(command)
}

/// A here-document is data.
fn without_data(command: &str) -> &str {
    command.split("<<").next().unwrap_or(command)
}

/// What only prepares for the command behind it.
const PREPARING: &[&str] = &["cd ", "set ", "export ", "source ", ". ", "echo ", "printf "];

/// What a command runs: its first check or else its first part, without what prepares for it and
/// without what its output goes through.
pub(super) fn core(command: &str) -> &str {
    let prepares = |part: &&str| part.is_empty() || part.starts_with('#') || is_preparing(part);
    let parts = without_data(command).split([';', '\n']).map(bare).filter(|part| !prepares(part));
    let mut first = None;
    for part in parts {
        if commands::tests_or_builds(part) {
            return part;
        }
        first = first.or(Some(part));
    }
    first.unwrap_or_else(|| command.trim())
}

fn is_preparing(part: &str) -> bool {
    PREPARING.iter().any(|word| part.starts_with(word))
}

/// A part of a command without what prepares for it, up to a pipe or to where its output goes.
fn bare(part: &str) -> &str {
    let mut part = part.trim();
    while is_preparing(part)
        && let Some((_, rest)) = part.split_once("&&")
    {
        part = rest.trim_start();
    }
    let redirects = |at: usize| [" ", " 2", " &"].iter().find_map(|m| part[..at].strip_suffix(m));
    let end = memchr::memchr2_iter(b'|', b'>', part.as_bytes())
        .find_map(|at| if part.as_bytes()[at] == b'|' { Some(&part[..at]) } else { redirects(at) });
    end.unwrap_or(part).trim()
}

fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

fn push(found: &mut Vec<Touch>, path: Option<&str>, deed: Deed) {
    let Some(path) = path else { return };
    let is_file = path.contains(['/', '.'])
        && path.chars().any(char::is_alphabetic)
        && !path.starts_with(['-', '$', '&'])
        && !path.contains(['*', '{', '}', '(', ')', '=', '`', '\\', '<', '>', '"', '\'', '^', '[']);
    if is_file {
        found.push(Touch { path: path.into(), deed, change: None });
    }
}

fn push_all(found: &mut Vec<Touch>, files: &[&str], deed: Deed) {
    for file in files {
        push(found, Some(file), deed);
    }
}

fn simple_command(words: &[&str], found: &mut Vec<Touch>) {
    let words = match words {
        ["sudo" | "command" | "time", rest @ ..] => rest,
        other => other,
    };
    let (name, rest) = match words {
        ["git", verb @ ("rm" | "mv"), rest @ ..] => (*verb, rest),
        [name, rest @ ..] => (*name, rest),
        [] => return,
    };
    let files: Vec<&str> = rest
        .iter()
        .copied()
        .take_while(|word| !word.starts_with('>'))
        .filter(|word| !word.starts_with('-'))
        .collect();
    match name {
        "rm" | "rmdir" | "unlink" => push_all(found, &files, Deed::Deleted),
        "touch" | "mkdir" | "tee" => push_all(found, &files, Deed::Created),
        "mv" | "cp" => {
            if let [from @ .., to] = files.as_slice() {
                let deed = if name == "mv" { Deed::Moved } else { Deed::Read };
                push_all(found, from, deed);
                push(found, Some(to), Deed::Created);
            }
        }
        "sed" | "perl" => {
            let in_place =
                rest.iter().any(|word| word.starts_with("-i") || word.starts_with("-pi"));
            let deed = if in_place { Deed::Edited } else { Deed::Read };
            push(found, files.last().copied().filter(|_| files.len() > 1), deed);
        }
        "cat" | "head" | "tail" | "nl" | "less" | "bat" | "wc" => {
            push_all(found, &files, Deed::Read);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(command: &str) -> Vec<(String, Deed)> {
        touches(command).into_iter().map(|touch| (touch.path.into_string(), touch.deed)).collect()
    }

    #[test]
    fn reads_the_effects_of_commands() {
        assert_eq!(seen("rm -rf old/a.rs"), [("old/a.rs".to_owned(), Deed::Deleted)]);
        assert_eq!(
            seen("cd x && git mv a.rs b.rs"),
            [("a.rs".to_owned(), Deed::Moved), ("b.rs".to_owned(), Deed::Created)]
        );
        assert_eq!(seen("echo hi > out.txt 2>/dev/null"), [("out.txt".to_owned(), Deed::Created)]);
        assert_eq!(seen("sed -i 's/a/b/' src/x.rs"), [("src/x.rs".to_owned(), Deed::Edited)]);
        assert_eq!(seen("sed -n '1,9p' src/x.rs"), [("src/x.rs".to_owned(), Deed::Read)]);
    }

    #[test]
    fn knows_which_commands_show_data() {
        for command in ["cat build.log", "cd x && grep -n fatal: src", "docker logs web | tail"] {
            assert!(shows_data(command), "{command}");
        }
        for command in ["make 2>&1 | tail -5", "git status", "cd x && npm run build"] {
            assert!(!shows_data(command), "{command}");
        }
    }

    #[test]
    fn knows_what_a_command_runs() {
        for command in [
            "make test",
            "make test 2>&1 | tail -5",
            "cd a && make test ; echo $?",
            "set -e; cd a; make test > log 2>&1",
            "echo == tests && make test | tail",
            "# look first\nls -la\nmake test | tail",
        ] {
            assert_eq!(core(command), "make test", "{command}");
        }
        assert_eq!(core("set -e; ls"), "ls");
        for command in ["make test 2>&1 | tail -5", "cargo test | tail -5; echo done"] {
            assert!(masks_status(command), "{command}");
        }
        for command in [
            "make test",
            "git log tests | head",
            "cat test.log | tail",
            "make | tee log",
            "cat > f <<E\ncargo test | tail\nE",
            "git commit -m test; ls",
            "npm ci | tail",
            "pip install pytest | tail",
        ] {
            assert!(!masks_status(command), "{command}");
        }
    }

    #[test]
    fn takes_no_data_for_files() {
        assert_eq!(seen("grep -rn 'a.b' src | wc -l"), []);
        assert_eq!(seen("python3 - <<'E'\nopen('x.txt') > y.txt\nE"), []);
    }
}
