//! The files that a command line touches, and what it does to them.
//!
//! Responsible for the common commands and for what is sent into a file; what it does not understand
//! touches nothing, nor does what ran only if something else failed.

use std::borrow::Cow;

use super::turns::Turns;
use super::{Joint, git, parts, program, scripts, ungrouped, unquoted, words};
use crate::digest::calls::{aim, globs};
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths::is_absolute;

/// The files that a command touches.
pub(crate) fn touches(command: &str) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    let command = ungrouped(command);
    let check = aim::check(command);
    let mut is_other = false;
    let mut run: Vec<&str> = Vec::new();
    let mut turns = Turns::default();
    let parts = parts(command);
    for (at, part) in parts.iter().enumerate() {
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
        if scripts::is_script(program(command, part).0) {
            // What a program reads that stands behind its command ends where the next part begins.
            let end = parts.get(at + 1).map_or(command.len(), |next| next.range.start);
            for (path, adds) in scripts::written(&command[start..end]) {
                push(&mut found, Some(path), if adds { Deed::Edited } else { Deed::Created });
            }
        }
        let words = words(&command[part.range.clone()]);
        let bare: Vec<&str> = words.iter().map(|word| unquoted(word)).collect();
        turns.follow(&bare);
        match turns.each(&bare) {
            Some(each) => each.iter().for_each(|words| {
                let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
                simple_command(&words, &mut found);
            }),
            None => simple_command(&bare, &mut found),
        }
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
    push_named(found, path.filter(|path| !globs::is_pattern(path)), deed);
}

/// The same of what may be a pattern of several files.
fn push_named(found: &mut Vec<Touch>, path: Option<&str>, deed: Deed) {
    let Some(path) = path.map(|path| path.trim_end_matches('/')) else { return };
    let is_file = path.contains(['/', '.'])
        && path.chars().any(char::is_alphabetic)
        && !path.starts_with(['-', '$', '&'])
        && !path.contains(['{', '}', '(', ')', '=', '`', '\\', '<', '>', '"', '\'', '^', '[']);
    if is_file {
        found.push(Touch::new(path, deed, Vec::new()));
    }
}

fn push_all(found: &mut Vec<Touch>, files: &[&str], deed: Deed) {
    for file in files {
        // What is only read, or made, is not known by a pattern.
        if matches!(deed, Deed::Edited | Deed::Moved | Deed::Deleted) {
            push_named(found, Some(file), deed);
        } else {
            push(found, Some(file), deed);
        }
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
                    let are_several = from.len() > 1 || globs::is_pattern(&touch.path);
                    touch.to = Some(moved(&touch.path, to, are_several));
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
            if rest.iter().any(|word| edits_in_place(word)) {
                push_all(found, &edited(name, rest), Deed::Edited);
            } else {
                push(found, files.last().copied().filter(|_| files.len() > 1), Deed::Read);
            }
        }
        "cat" | "head" | "tail" | "nl" | "less" | "bat" | "wc" => {
            push_all(found, &files, Deed::Read);
        }
        _ => {}
    }
}

/// The files that `sed` or `perl` edits where they are: behind what it does to them.
fn edited<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    let is_script = |word: &str| match word.strip_prefix('-') {
        Some(letters) if program == "perl" => letters.ends_with(['e', 'E']),
        Some(letters) => matches!(letters, "e" | "f" | "-expression" | "-file"),
        None => false,
    };
    let (mut files, mut has_script, mut is_next) = (Vec::new(), false, false);
    let words = words.iter().take_while(|word| !behind_descriptor(word).starts_with(['>', '<']));
    // Some want a word behind `-i`, and get an empty one.
    for word in words.filter(|word| !word.is_empty()) {
        if std::mem::replace(&mut is_next, is_script(word)) {
            has_script = true;
        } else if !word.starts_with('-') {
            files.push(*word);
        }
        has_script |= word.starts_with("--expression=");
    }
    if !has_script && !files.is_empty() {
        files.remove(0);
    }
    files
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
            Some(folder) if !is_absolute(path) => Cow::Owned(format!("{folder}/{path}")),
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
    fn a_pattern_and_a_loop_name_several() {
        let all = |names: &[&str], deed| -> Vec<(String, Deed)> {
            names.iter().map(|name| ((*name).to_owned(), deed)).collect()
        };
        assert_eq!(seen("sed -i s/a/b/ src/*.py b.py"), all(&["src/*.py", "b.py"], Deed::Edited));
        assert_eq!(seen("perl -pi -e 's/a/b/' src/*.py"), all(&["src/*.py"], Deed::Edited));
        assert_eq!(seen("sed -i -e s/a/b/ -e s/c/d/ src/x.rs"), all(&["src/x.rs"], Deed::Edited));
        assert_eq!(seen("rm build/*.o"), all(&["build/*.o"], Deed::Deleted));
        assert_eq!(seen("cat src/*.py"), []);
        let each = "for f in src/a.rs src/b.rs; do sed -i 's/a/b/' \"$f\"; done";
        assert_eq!(seen(each), all(&["src/a.rs", "src/b.rs"], Deed::Edited));
        let moved = touches("for f in a b; do\n  mv src/${f}.rs lib/\ndone\nrm $f.rs");
        let to: Vec<_> = moved.iter().filter_map(|touch| touch.to.as_deref()).collect();
        assert_eq!(to, ["lib/a.rs", "lib/b.rs"]);
        let moved = touches("mv theme/* components/");
        assert_eq!((&*moved[0].path, moved[0].to.as_deref()), ("theme/*", Some("components/*")));
        assert_eq!(seen("for f in $(ls); do rm \"$f\"; done"), []);
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
