//! The files that a command line touches, and what it does to them.
//!
//! Responsible for the common commands and for what is sent into a file; what it does not understand
//! touches nothing, nor does what ran only if something else failed.

use std::borrow::Cow;

use super::{Joint, git, parts, ungrouped, unquoted, words};
use crate::digest::calls::aim;
use crate::digest::files::deed::{Deed, Touch};

/// The files that a command touches.
pub(crate) fn touches(command: &str) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    let command = ungrouped(command);
    let check = aim::check(command);
    let mut is_other = false;
    let mut run: Vec<&str> = Vec::new();
    for part in parts(command) {
        // What stands behind `||` ran only where the part before it failed: mostly it did not.
        if std::mem::replace(&mut is_other, part.joint == Joint::Or) {
            continue;
        }
        let (first, start) = (found.len(), part.range.start);
        if let Some(back) = git::puts_back(&command[part.range.clone()])
            && !git::finds_nothing(&run)
        {
            put_back(back, git::keeps(&run), &mut found);
        }
        run.push(&command[part.range.clone()]);
        let words = words(&command[part.range]);
        let bare: Vec<&str> = words.iter().map(|word| unquoted(word)).collect();
        simple_command(&bare, &mut found);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let Some(target) = behind_descriptor(word).strip_prefix('>') else { continue };
            // What is put behind the rest of a file edits it.
            let (target, deed) = match target.strip_prefix('>') {
                Some(target) => (target, Deed::Edited),
                None => (target, Deed::Created),
            };
            let target = if target.is_empty() { rest.next().copied() } else { Some(target) };
            let target = target.map(unquoted).filter(|target| !target.starts_with("/dev/"));
            push(&mut found, target, deed);
        }
        let is_before = check.as_ref().is_some_and(|check| start < check.start);
        found[first..].iter_mut().for_each(|touch| touch.is_before_check = is_before);
    }
    found
}

/// A word without the number of what it sends elsewhere, as in `2>&1`.
fn behind_descriptor(word: &str) -> &str {
    word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&')
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
        "tee" if rest.iter().any(|word| matches!(*word, "-a" | "--append")) => {
            push_all(found, &files, Deed::Edited);
        }
        "touch" | "mkdir" | "tee" => push_all(found, &files, Deed::Created),
        "mv" => {
            if let [from @ .., to] = files.as_slice() {
                let first = found.len();
                push_all(found, from, Deed::Moved);
                for touch in &mut found[first..] {
                    touch.to = Some(moved(&touch.path, to, from.len() > 1));
                }
                push(found, Some(to), Deed::Created);
            }
        }
        "cp" => {
            if let [from @ .., to] = files.as_slice() {
                push_all(found, from, Deed::Read);
                for file in from {
                    push(found, Some(&moved(file, to, from.len() > 1)), Deed::Created);
                }
            }
        }
        "sed" | "perl" => {
            let in_place = rest.iter().any(|word| edits_in_place(word));
            let deed = if in_place { Deed::Edited } else { Deed::Read };
            push(found, files.last().copied().filter(|_| files.len() > 1), deed);
        }
        "cat" | "head" | "tail" | "nl" | "less" | "bat" | "wc" => {
            push_all(found, &files, Deed::Read);
        }
        _ => {}
    }
}

/// Whether an option of `sed` or `perl` says that a file is changed where it is: `-i.bak`, `-Ei`.
fn edits_in_place(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-') else { return false };
    let letters = letters.split('.').next().unwrap_or(letters);
    // Before it stand switches alone: `-Ilib` and `-Mstrict` name something.
    let is_switch = |byte: u8| byte.is_ascii_digit() || b"Eanlprsuwz".contains(&byte);
    letters.starts_with("-in-place")
        || letters.split_once('i').is_some_and(|(before, _)| before.bytes().all(is_switch))
}

/// The files that git puts back, where it `kept` some before; without a path all that it follows.
fn put_back(back: git::Back<'_>, kept: Option<bool>, found: &mut Vec<Touch>) {
    let git::Back { folder, paths, is_last, .. } = back;
    let deed = if is_last { Deed::Restored } else { Deed::Reverted };
    let paths = if paths.is_empty() { vec!["/"] } else { paths };
    for path in paths {
        let path = match path {
            "." | "./" => "./",
            "/" => "/",
            path => path.trim_end_matches('/'),
        };
        let path = match folder.map(|folder| folder.trim_end_matches('/')) {
            Some(folder) if matches!(path, "./" | "/") => Cow::Borrowed(folder),
            Some(folder) if !path.starts_with('/') => Cow::Owned(format!("{folder}/{path}")),
            _ => Cow::Borrowed(path),
        };
        found.push(Touch { kept, ..Touch::new(&path, deed, Vec::new()) });
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
        assert_eq!(seen("(cd x && rm a.rs)"), [("a.rs".to_owned(), Deed::Deleted)]);
        assert_eq!(seen("git rm -r --cached a.rs"), []);
        assert_eq!(seen("echo hi > out.txt 2>/dev/null"), [("out.txt".to_owned(), Deed::Created)]);
        assert_eq!(seen("sed -i 's/a/b/' src/x.rs"), [("src/x.rs".to_owned(), Deed::Edited)]);
        assert_eq!(seen("sed -n '1,9p' src/x.rs"), [("src/x.rs".to_owned(), Deed::Read)]);
        for command in [
            "sed --in-place s/a/b/ src/x.rs",
            "sed -Ei.bak s/a/b/ src/x.rs",
            "perl -pi -e 's/a/b/' src/x.rs",
            "perl -0777pi -e 's/a/b/' src/x.rs",
            "perl -wpi.bak -e 's/a/b/' src/x.rs",
            "echo 'a = 1' >> src/x.rs",
            "echo 'a = 1' >>src/x.rs",
            "make | tee -a src/x.rs",
        ] {
            assert_eq!(seen(command), [("src/x.rs".to_owned(), Deed::Edited)], "{command}");
        }
        for command in [
            "perl -Ilib t/run.pl src/x.rs",
            "perl -Mstrict -ne print src/x.rs",
            "perl -eprint a src/x.rs",
        ] {
            assert_eq!(seen(command), [("src/x.rs".to_owned(), Deed::Read)], "{command}");
        }
        let made = |command: &str| seen(command).pop();
        let file = Some(("backup/old/a.rs".to_owned(), Deed::Created));
        for command in
            ["cp src/a.rs backup/old/", "cp src/a.rs backup/old", "cp b.rs src/a.rs backup/old"]
        {
            assert_eq!(made(command), file, "{command}");
        }
        assert_eq!(seen("test -f a.rs || touch a.rs"), []);
        assert_eq!(seen("make || true; touch a.rs"), [("a.rs".to_owned(), Deed::Created)]);
    }

    #[test]
    fn knows_what_git_puts_back() {
        for (command, path, deed) in [
            ("git checkout -- a.rs", "a.rs", Deed::Restored),
            ("git checkout -- src/", "src", Deed::Restored),
            ("git restore .", "./", Deed::Restored),
            ("git reset --hard HEAD", "/", Deed::Restored),
            ("git checkout HEAD~1 -- a.rs", "a.rs", Deed::Reverted),
            ("git -C /home/a/ checkout -- src/b.rs", "/home/a/src/b.rs", Deed::Restored),
            ("git -C /home/a reset --hard", "/home/a", Deed::Restored),
        ] {
            assert_eq!(seen(command), [(path.to_owned(), deed)], "{command}");
        }
        assert_eq!(seen("git checkout -b fix/a.rs"), []);
    }

    #[test]
    fn what_stands_before_a_check_was_done_before_it() {
        let before = |command: &str| -> Vec<bool> {
            touches(command).iter().map(|touch| touch.is_before_check).collect()
        };
        assert_eq!(before("cat > a.rs <<'E'\nfn a() {}\nE\ncargo test; touch b.rs"), [true, false]);
        assert_eq!(before("rm a.rs && ls"), [false]);
        assert_eq!(before("npm i && cp src/a.js src/b.js && npm test"), [true; 2]);
        assert_eq!(before("npm test && rm src/a.js"), [false]);
    }

    #[test]
    fn takes_no_data_for_files() {
        assert_eq!(seen("grep -rn 'a.b' src | wc -l"), []);
        assert_eq!(seen("python3 - <<'E'\nopen('x.txt') > y.txt\nE"), []);
        assert_eq!(
            seen("grep -n ' > a.txt' b.rs; sed -i \"s/a b/c|d/\" 'src/x.rs'; make 2> log.txt"),
            [("src/x.rs".to_owned(), Deed::Edited), ("log.txt".to_owned(), Deed::Created)]
        );
    }
}
