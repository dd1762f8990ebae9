//! The files that a command line touches, and what it does to them.
//!
//! Responsible for going through a command part by part, for the folder of each part, and for redirections into
//! files. A part that is not understood touches nothing, nor does one that only runs if another one failed. The
//! submodules know what programs of Unix and of Windows do to files, and what a result says of that.

mod named;
mod programs;
mod ran;
mod windows;

use super::split::{groups, within_groups};
use super::turns::Turns;
use super::walk::Walk;
use super::{Joint, Part, git, parts, python, scripts, ungrouped, unquoted, words};
use crate::digest::calls::aim;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::patch;
use crate::digest::files::paths::{is_absolute, joined};
use named::{push, push_copied, push_moved};
pub(crate) use ran::{ran_before, stops_on_windows};

/// The files that a command touches. `around` is the folder of its shell, if known.
pub(crate) fn touches(command: &str, around: Option<&str>) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    let (command, is_windows) = windows::unwrapped(ungrouped(command));
    let check = aim::check(command);
    let mut run: Vec<&str> = Vec::new();
    let mut turns = Turns::default();
    let parts = parts(command);
    each_run(command, &parts, |at, part, walk| {
        let (first, text) = (found.len(), part.text);
        if let Some(back) = git::puts_back(text)
            && !git::finds_nothing(&run)
        {
            put_back(back, git::keeps(&run), &mut found);
        }
        run.push(text);
        if python(part.program().0).is_some() {
            // A program that stands in the command, such as a here-document, ends where the next part begins.
            let end = parts.get(at + 1).map_or(command.len(), |next| next.range.start);
            program_does(&command[part.range.start..end], &mut found);
        }
        let words = words(within_groups(text));
        let bare: Vec<&str> = words.iter().map(|word| unquoted(word)).collect();
        turns.follow(&bare);
        if is_windows || bare.first().is_some_and(|name| windows::is_program(name)) {
            windows::simple_command(&words, &command[..part.range.start], &mut found);
        } else if let Some(each) = turns.each(&bare) {
            for words in each {
                let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
                programs::simple_command(&words, &mut found);
            }
        } else {
            programs::simple_command(&bare, &mut found);
        }
        place(&mut found[first..], around, walk.at());
        let behind = found.len();
        sends(text, is_windows, &mut found);
        let (_, ended) = groups(text);
        let is_around = ended.iter().filter(|at| text[**at..].contains('>')).count();
        place(&mut found[behind..], around, walk.behind(is_around));
        let is_before = check.as_ref().is_some_and(|check| part.range.start < check.start);
        found[first..].iter_mut().for_each(|touch| touch.is_before_check = is_before);
    });
    found
}

/// Rewrites the paths of a patch, which are relative to the folder in which the command applies it. Code that
/// applies a patch but is no shell's changes no folder.
pub(crate) fn place_patch(touches: &mut [Touch], command: &str, around: Option<&str>) {
    let command = ungrouped(command);
    let mut at = Some(String::new());
    each_run(command, &parts(command), |_, part, walk| {
        if part.program().0.starts_with(patch::PROGRAM) {
            at = walk.at().map(str::to_owned);
        }
    });
    place(touches, around, at.as_deref());
}

/// Calls `run` for each part that ran, with its number and the current folder. A part behind `||` only ran if
/// the one before failed, which is rare.
fn each_run<'c>(command: &str, parts: &[Part<'c>], mut run: impl FnMut(usize, &Part<'c>, &Walk)) {
    let mut walk = Walk::default();
    let mut is_other = false;
    for (at, part) in parts.iter().enumerate() {
        walk.enter(part);
        if !std::mem::replace(&mut is_other, part.joint == Joint::Or) {
            run(at, part, &walk);
        }
        walk.leave(command, part);
    }
}

/// Rewrites the paths that a part touched: they are relative to its folder `at`, and that is relative to
/// `around`.
fn place(touches: &mut [Touch], around: Option<&str>, at: Option<&str>) {
    let Some(at) = at else { return };
    let folder = joined(around.filter(|folder| is_absolute(folder)).unwrap_or_default(), at);
    // The value of a variable is unknown, and so is what lies above an unknown folder.
    let is_known = !folder.starts_with(['~', '$', '`', '?']) && !folder.starts_with("..");
    if is_known && !folder.is_empty() {
        for touch in touches {
            touch.move_below(&folder);
        }
    }
}

/// Enters what a program that stands in the command does to files.
fn program_does(program: &str, found: &mut Vec<Touch>) {
    let (written, all) = scripts::read(program);
    for done in all {
        match done {
            // The order of writing and removing is unknown.
            scripts::Done::Removed(path) if written.iter().any(|(known, _)| *known == path) => {}
            scripts::Done::Removed(path) => push(found, Some(path), Deed::Deleted),
            scripts::Done::Moved(path, to) => push_moved(found, &[path], to),
            scripts::Done::Copied(path, to) => push_copied(found, &[path], to),
        }
    }
    for (path, adds) in written {
        push(found, Some(path), if adds { Deed::Edited } else { Deed::Created });
    }
}

/// A word without the descriptor before its redirection, as in `2>&1`.
fn behind_descriptor(word: &str) -> &str {
    word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&')
}

/// Enters the files to which the output of a part is redirected.
fn sends(part: &str, is_windows: bool, found: &mut Vec<Touch>) {
    let words = words(part);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(target) = behind_descriptor(word).strip_prefix('>') else { continue };
        // Appending to a file edits it.
        let (target, deed) = match target.strip_prefix('>') {
            Some(target) => (target, Deed::Edited),
            None => (target, Deed::Created),
        };
        let target = if target.is_empty() { rest.next().copied() } else { Some(target) };
        let target = target.map(|target| unquoted(target.trim_end_matches(')')));
        let target = target.filter(|target| !target.starts_with("/dev/"));
        match target {
            Some(target) if is_windows => push(found, Some(&windows::slashed(target)), deed),
            target => push(found, target, deed),
        }
    }
}

/// Enters the files that git puts back; without a path, everything that git follows. `kept` says whether the
/// line committed or staged before.
fn put_back(back: git::Back<'_>, kept: Option<bool>, found: &mut Vec<Touch>) {
    let git::Back { folder, paths, is_last, .. } = back;
    let deed = if is_last { Deed::Restored } else { Deed::Reverted };
    let all = if folder.is_some() { "./" } else { "/" };
    let paths = if paths.is_empty() { vec![all] } else { paths };
    for path in paths {
        let path = match path {
            "." | "./" => "./",
            "/" => "/",
            path => path.trim_end_matches('/'),
        };
        let mut touch = Touch { kept, ..Touch::new(path, deed, Vec::new()) };
        if let Some(folder) = folder {
            touch.move_below(folder);
        }
        found.push(touch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(command: &str) -> Vec<Touch> {
        super::touches(command, None)
    }

    fn seen(command: &str) -> Vec<(String, Deed)> {
        touches(command).into_iter().map(|touch| (touch.path.into_string(), touch.deed)).collect()
    }

    #[test]
    fn reads_the_effects_of_commands() {
        assert_eq!(seen("rm -rf old/a.rs"), [("old/a.rs".to_owned(), Deed::Deleted)]);
        assert_eq!(
            seen("cd x && git mv a.rs b.rs"),
            [("x/a.rs".to_owned(), Deed::Moved), ("x/b.rs".to_owned(), Deed::Created)]
        );
        let to = |command: &str| touches(command).into_iter().find_map(|touch| touch.to);
        assert_eq!(to("mv src/a.rs src/b.rs").as_deref(), Some("src/b.rs"));
        assert_eq!(to("git mv src/a.rs ./lib").as_deref(), Some("./lib/a.rs"));
        assert_eq!(to("git mv src/a.rs a.rs 2>&1").as_deref(), Some("a.rs"));
        assert_eq!(to("for it in *.txt; do mv \"$it\" \"${it%.txt}.md\"; done"), None);
        assert_eq!(to("mv src/a.rs \"$OLD\"").as_deref(), Some("$OLD/a.rs"));
        let read = ("a.rs".to_owned(), Deed::Read);
        assert_eq!(seen("cp a.rs b.rs 2>&1"), [read, ("b.rs".to_owned(), Deed::Created)]);
        assert_eq!(seen("(cd x && rm a.rs)"), [("x/a.rs".to_owned(), Deed::Deleted)]);
        assert_eq!(seen("git rm -r --cached a.rs"), []);
        assert_eq!(seen("echo hi > out.txt 2>/dev/null"), [("out.txt".to_owned(), Deed::Created)]);
        assert_eq!(seen("sed -i 's/a/b/' src/x.rs"), [("src/x.rs".to_owned(), Deed::Edited)]);
        assert_eq!(seen("sed -n '1,9p' src/x.rs"), [("src/x.rs".to_owned(), Deed::Read)]);
        for command in [
            "sed --in-place s/a/b/ src/x.rs", "sed -Ei.bak s/a/b/ src/x.rs",
            "perl -pi -e 's/a/b/' src/x.rs", "perl -0777pi -e 's/a/b/' src/x.rs",
            "perl -wpi.bak -e 's/a/b/' src/x.rs", "echo 'a = 1' >> src/x.rs",
            "echo 'a = 1' >>src/x.rs", "make | tee -a src/x.rs",
        ] {
            assert_eq!(seen(command), [("src/x.rs".to_owned(), Deed::Edited)], "{command}");
        }
        for command in [
            "perl -Ilib t/run.pl src/x.rs", "perl -Mstrict -ne print src/x.rs",
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
    fn a_file_is_seen_from_where_its_part_stands() {
        for (command, around, wanted) in [
            ("cd api && cat > main.go <<'E'\npackage main\nE", None, "api/main.go"),
            ("(cd web && echo hi > main.go)", None, "web/main.go"),
            ("(cd web && npm i) && touch main.go", None, "main.go"),
            ("(cd web && npm run x) > main.go", None, "main.go"),
            ("(cd web && npm run x > main.go) && ls", None, "web/main.go"),
            ("pushd docs && sed -i s/a/b/ main.go && popd", None, "docs/main.go"),
            ("pushd docs; make; popd; touch main.go", Some("/w"), "/w/main.go"),
            ("mkdir sub && cd sub && touch main.go", Some("/w"), "/w/sub/main.go"),
            ("cd a && cd .. && touch main.go", Some("/w"), "/w/main.go"),
            ("cd a && touch ../b/main.go", None, "b/main.go"),
            ("cd a && touch /tmp/main.go", None, "/tmp/main.go"),
            ("cd a || exit 1; touch main.go", None, "a/main.go"),
            ("cd .. && touch main.go", None, "main.go"),
            ("cd $A && touch main.go", Some("/w"), "main.go"),
            ("cd - && touch main.go", Some("/w"), "main.go"),
            ("if cd a; then ls; fi; touch main.go", Some("/w"), "main.go"),
        ] {
            let all = super::touches(command, around);
            assert_eq!(&*all.last().unwrap().path, wanted, "{command}");
        }
        assert_eq!(seen("cp -r templates/. site/"), []);
    }

    #[test]
    fn the_files_of_a_patch_are_seen_from_where_it_is_applied() {
        for (command, around, wanted) in [
            ("apply_patch <<'E'\n\nE", Some("/w"), "/w/main.go"),
            ("mkdir web && cd web && apply_patch <<'E'\n\nE", Some("/w"), "/w/web/main.go"),
            ("cd web && apply_patch \"\"; cd ..", None, "web/main.go"),
            ("cd $A && apply_patch \"\"", Some("/w"), "main.go"),
            ("await tools.apply_patch(``)", Some("/w"), "/w/main.go"),
        ] {
            let mut touches = [Touch::new("main.go", Deed::Edited, Vec::new())];
            place_patch(&mut touches, command, around);
            assert_eq!(&*touches[0].path, wanted, "{command}");
        }
    }

    #[test]
    fn what_only_says_what_it_would_do_touches_nothing() {
        for command in [
            "git rm -n keep.py", "git rm --dry-run keep.py", "git mv -n a.py b.py",
            "git mv -nv a.py b.py", "rm --dry-run a.py", "black --check a.py",
            "Remove-Item src\\a.cs -WhatIf",
        ] {
            assert_eq!(seen(command), [], "{command}");
        }
        assert_eq!(seen("git rm -rf a.py"), [("a.py".to_owned(), Deed::Deleted)]);
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
        // A condition decides which.
        for which in
            ["[ $f != a.rs ] && rm $f", "test -d $f || rm $f", "if [ -e $f ]; then rm $f; fi"]
        {
            assert_eq!(seen(&format!("for f in a.rs b.rs; do {which}; done")), [], "{which}");
        }
    }

    #[test]
    fn knows_what_git_puts_back() {
        for (command, path, deed) in [
            ("git checkout -- src/", "src", Deed::Restored),
            ("git restore .", "./", Deed::Restored),
            ("git reset --hard HEAD", "/", Deed::Restored),
            ("git checkout HEAD~1 -- a.rs", "a.rs", Deed::Reverted),
            ("git -C /home/a/ checkout -- src/b.rs", "/home/a/src/b.rs", Deed::Restored),
            ("git -C /home/a reset --hard", "/home/a", Deed::Restored),
        ] {
            assert_eq!(seen(command), [(path.to_owned(), deed)], "{command}");
        }
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
