//! What a shell command does to files.
//!
//! Responsible for the effects that can be read off a command line: files removed, moved, copied,
//! made, written to and changed in place, and those read. It knows the common commands; what it does
//! not understand touches nothing. Where a command ends, and a word, has a file of its own.

mod split;

use std::borrow::Cow;

use super::deed::{Deed, Touch};
use super::paths;

pub(super) use self::split::{Joint, Part, parts, redirection, words};

/// The files that a command touches.
pub(super) fn touches(command: &str) -> Vec<Touch> {
    let mut found = Vec::new();
    for part in parts(command) {
        let words = words(&command[part.range]);
        let bare: Vec<&str> = words.iter().map(|word| unquoted(word)).collect();
        simple_command(&bare, &mut found);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let target = match behind_descriptor(word) {
                ">" | ">>" => rest.next().copied(),
                other => other.strip_prefix(">>").or_else(|| other.strip_prefix('>')),
            };
            let target = target.map(unquoted).filter(|target| !target.starts_with("/dev/"));
            push(&mut found, target, Deed::Created);
        }
    }
    found
}

/// A word without the number of what it sends elsewhere, as in `2>&1`.
fn behind_descriptor(word: &str) -> &str {
    word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&')
}

/// The folder that a command runs in, where `around` is that in which its shell stands. Of one that
/// begins with `cd` it is known where that is the only change of it, by a plain name.
pub(super) fn folder<'c>(command: &'c str, around: Option<&'c str>) -> Option<Cow<'c, str>> {
    let around = around.filter(|folder| folder.starts_with('/'));
    let goes = |part: &Part| matches!(program(command, part).0, "cd" | "pushd" | "popd");
    let moves = parts(command).iter().filter(|part| goes(part)).count();
    let Some(rest) = command.trim_start().strip_prefix("cd ") else {
        return around.filter(|_| moves == 0).map(Cow::Borrowed);
    };
    let end = rest.find(['\n', ';', '&', '|']).unwrap_or(rest.len());
    let folder = unquoted(rest[..end].trim());
    let is_plain = !folder.contains(|c: char| c.is_whitespace() || "$<>~`*".contains(c));
    if !is_plain || folder.starts_with('-') || moves > 1 {
        return None;
    }
    match around {
        _ if folder.starts_with('/') => Some(folder.into()),
        Some(around) => Some(paths::below(around, folder)),
        None => None,
    }
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

/// What git is asked that only shows.
const GIT_SHOWS: &[&str] =
    &["status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "grep", "remote"];

/// Whether all that a command does is to show or look for what is there.
pub fn does_nothing(command: &str) -> bool {
    let writes = command.replace("2>&1", "").replace("2>/dev/null", "").contains('>')
        || ["sed -i", " -delete", " -exec"].iter().any(|flag| command.contains(flag));
    let looks = |part: &Part| match program(command, part) {
        ("git", first) => GIT_SHOWS.contains(&first),
        ("cd" | "", _) => true,
        (name, _) => only_looks(name),
    };
    !writes && parts(command).iter().all(looks)
}

/// Whether the last thing that a command does is to look.
pub(super) fn ends_looking(command: &str) -> bool {
    parts(command).last().is_some_and(|part| LOOKING.contains(&program(command, part).0))
}

/// Whether the last thing that a command does is to count.
pub(super) fn counts(command: &str) -> bool {
    parts(command).last().is_some_and(|part| program(command, part).0 == "wc")
}

/// The program that a part runs, and its first argument.
pub(super) fn program<'a>(command: &'a str, part: &Part) -> (&'a str, &'a str) {
    let words = words(&command[part.range.clone()]).into_iter().map(unquoted);
    let mut words = words.filter(|word| *word != "sudo");
    let name = words.next().unwrap_or_default();
    (name.rsplit('/').next().unwrap_or(name), words.next().unwrap_or_default())
}

/// Whether what a command prints is data, which may read like a failure of its own: a file, a log, the
/// lines that a search found.
pub(super) fn shows_data(command: &str) -> bool {
    let mut is_fed = false;
    parts(command).iter().any(|part| {
        let is_first = !is_fed;
        is_fed = part.joint == Joint::Pipe;
        is_first
            && match program(command, part) {
                ("docker" | "podman" | "kubectl", verb) => verb == "logs",
                ("git", verb) => verb == "grep",
                (name, _) => SHOWING.contains(&name),
            }
    })
}

/// What only prepares for the command behind it.
const PREPARING: &[&str] = &["cd", "pushd", "set", "export", "source", ".", "echo", "printf"];

/// Whether a program only prepares for what runs behind it.
pub(super) fn prepares(program: &str) -> bool {
    PREPARING.contains(&program)
}

/// The simple commands of a command line.
pub(super) fn commands(command: &str) -> Vec<&str> {
    parts(command).into_iter().map(|part| &command[part.range]).collect()
}

pub(super) fn unquoted(word: &str) -> &str {
    word.trim_matches(['"', '\''])
}

fn push(found: &mut Vec<Touch>, path: Option<&str>, deed: Deed) {
    let Some(path) = path.map(|path| path.trim_end_matches('/')) else { return };
    let is_file = path.contains(['/', '.'])
        && path.chars().any(char::is_alphabetic)
        && !path.starts_with(['-', '$', '&'])
        && !path.contains(['*', '{', '}', '(', ')', '=', '`', '\\', '<', '>', '"', '\'', '^', '[']);
    if is_file {
        found.push(Touch::new(path, deed, Vec::new()));
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
        .take_while(|word| !behind_descriptor(word).starts_with(['>', '<']))
        .filter(|word| !word.starts_with('-'))
        .collect();
    match name {
        // What git no longer follows is still there.
        "rm" if rest.contains(&"--cached") => {}
        "rm" | "rmdir" | "unlink" => push_all(found, &files, Deed::Deleted),
        "touch" | "mkdir" | "tee" => push_all(found, &files, Deed::Created),
        "mv" | "cp" => {
            if let [from @ .., to] = files.as_slice() {
                let deed = if name == "mv" { Deed::Moved } else { Deed::Read };
                let first = found.len();
                push_all(found, from, deed);
                for touch in found[first..].iter_mut().filter(|_| name == "mv") {
                    touch.to = Some(moved(&touch.path, to, from.len() > 1));
                }
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

/// Where a file is that was moved `to` a file, or to a folder, which has no ending as the file has.
fn moved(file: &str, to: &str, is_folder: bool) -> Box<str> {
    let name = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let own = &file[name(file)..];
    let bare = to.trim_end_matches('/');
    let has_ending = |name: &str| name.trim_start_matches('.').contains('.');
    let is_folder = is_folder
        || to.ends_with(['/', '.'])
        || has_ending(own) && !has_ending(&bare[name(bare)..]);
    if is_folder { format!("{bare}/{own}").into() } else { bare.into() }
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
        let to = |command: &str| touches(command).into_iter().find_map(|touch| touch.to);
        assert_eq!(to("mv src/a.rs src/b.rs").as_deref(), Some("src/b.rs"));
        assert_eq!(to("git mv src/a.rs ./lib").as_deref(), Some("./lib/a.rs"));
        assert_eq!(to("git mv src/a.rs a.rs 2>&1").as_deref(), Some("a.rs"));
        let read = ("a.rs".to_owned(), Deed::Read);
        assert_eq!(seen("cp a.rs b.rs 2>&1"), [read, ("b.rs".to_owned(), Deed::Created)]);
        assert_eq!(seen("git rm -r --cached a.rs"), []);
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
    fn what_is_quoted_parts_nothing() {
        let command = "cd a && grep -n \"a\\|b\" f | head";
        assert!(ends_looking(command) && shows_data(command));
        assert!(ends_looking("cd a && grep -n 'a|b' f"));
        assert_eq!(
            seen("grep -n ' > a.txt' b.rs; sed -i \"s/a b/c|d/\" 'src/x.rs'; make 2> log.txt"),
            [("src/x.rs".to_owned(), Deed::Edited), ("log.txt".to_owned(), Deed::Created)]
        );
    }

    #[test]
    fn a_command_runs_where_its_shell_stands_or_goes() {
        let folder = |command| folder(command, Some("/w/app")).map(Cow::into_owned);
        assert_eq!(folder("rm a.rs").as_deref(), Some("/w/app"));
        assert_eq!(folder("cd sub && rm a.rs").as_deref(), Some("/w/app/sub"));
        assert_eq!(folder("cd ../lib && rm a.rs").as_deref(), Some("/w/lib"));
        assert_eq!(folder("cd /b && rm a.rs").as_deref(), Some("/b"));
        assert_eq!(folder("cd .. && rm a.rs").as_deref(), Some("/w"));
        for unknown in [
            "cd $HOME && rm a.rs",
            "ls && cd web && rm a.rs",
            "mkdir -p sub && cd sub && touch a.rs",
            "pushd api; rm a.rs; popd",
            "cd - && rm a.rs",
            "cd sub\ncd\nrm a.rs",
            "cd",
        ] {
            assert_eq!(folder(unknown), None, "{unknown}");
        }
        assert_eq!(super::folder("cd sub && rm a.rs", None), None);
    }

    #[test]
    fn takes_no_data_for_files() {
        assert_eq!(seen("grep -rn 'a.b' src | wc -l"), []);
        assert_eq!(seen("python3 - <<'E'\nopen('x.txt') > y.txt\nE"), []);
    }
}
