//! What a result says that its command did to files.
//!
//! Responsible for what git cleared away and for files that were laid out anew: the command names a folder, or what
//! may need no change. It relies on the words of these programs.

use super::named::push;
use super::programs::is_dry;
use super::{Joint, each_run, parts, place, unquoted, windows, words};
use crate::begins::begins_with_any;
use crate::digest::calls::shell::git;
use crate::digest::calls::shell::split::within_groups;
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// Programs that lay files out anew and say which.
const TELLING_LAYOUT: &[&str] = &["black", "ruff", "prettier"];

/// The files that a command touched whose shell stood in a folder `around`, as it `printed` that.
pub(crate) fn told(command: &str, around: Option<&str>, printed: &str) -> Vec<Touch> {
    let mut found = Vec::new();
    if !command.contains("clean") && !TELLING_LAYOUT.iter().any(|name| command.contains(name)) {
        return found;
    }
    each_run(command, &parts(command), |_, part, walk| {
        let text = within_groups(part.text);
        let words: Vec<&str> = words(text).into_iter().map(unquoted).collect();
        let first = found.len();
        if is_dry(&words) {
        } else if let Some(["clean", ..]) = git::from_verb(&words) {
            for file in printed.lines().filter_map(|line| line.strip_prefix("Removing ")) {
                push(&mut found, Some(file.trim()), Deed::Deleted);
            }
        } else if let Some(at) = words.iter().position(|word| TELLING_LAYOUT.contains(word)) {
            laid_out(words[at], &words[at + 1..], printed, &mut found);
        }
        place(&mut found[first..], around, walk.at());
    });
    found
}

/// Whether a command of Windows says that it did not do all: what it did nobody knows.
pub(crate) fn stops_on_windows(command: &str, printed: &str) -> bool {
    const SAYS: &[&str] = &[
        "The system cannot find the ", "Access is denied.", "Could Not Find ",
        "The process cannot access the file", "A duplicate file name exists",
    ];
    let (inner, is_windows) = windows::unwrapped(command);
    let parts = parts(inner);
    let names: Vec<&str> = parts.iter().map(|part| part.program().0).collect();
    (is_windows || names.iter().any(|name| windows::is_program(name)))
        && printed.lines().map(str::trim).any(|line| {
            begins_with_any(line, SAYS)
                || names
                    .iter()
                    .any(|name| line.strip_prefix(*name).is_some_and(|it| it.starts_with(" : ")))
        })
}

/// How much of a command ran before the part of it that failed, by the program that its error names: all that
/// had to go well before.
pub(crate) fn ran_before<'c>(command: &'c str, printed: &str) -> Option<&'c str> {
    let parts = parts(command);
    let names: Vec<&str> = parts.iter().map(|part| part.program().0).collect();
    let says = |name: &str| {
        let is_its = |line: &str| line.strip_prefix(name).is_some_and(|it| it.starts_with(": "));
        !name.is_empty() && printed.lines().any(is_its)
    };
    let at = names.iter().position(|name| says(name))?;
    let is_only = names.iter().filter(|name| **name == names[at]).count() == 1;
    let is_sure = at > 0 && is_only && parts[..at].iter().all(|part| part.joint == Joint::And);
    is_sure.then(|| &command[..parts[at - 1].range.end])
}

/// Enters the files that a program laid out anew.
fn laid_out(program: &str, words: &[&str], printed: &str, found: &mut Vec<Touch>) {
    let named = || {
        let named =
            words.iter().copied().filter(|word| !word.starts_with('-') && *word != "format");
        named.filter(|word| paths::name(word).trim_start_matches('.').contains('.'))
    };
    let mut edited = |file: &str| push(found, Some(file), Deed::Edited);
    match program {
        "black" => {
            printed
                .lines()
                .filter_map(|line| line.strip_prefix("reformatted "))
                .for_each(&mut edited);
        }
        // It says how many.
        "ruff" if words.first() == Some(&"format") => {
            let changes = printed.contains("reformatted") && !printed.contains("Would reformat");
            let is_one = named().count() == 1 || !printed.contains("left unchanged");
            named().filter(|_| changes && is_one).for_each(&mut edited);
        }
        "prettier" if words.iter().any(|word| matches!(*word, "--write" | "-w")) => {
            for line in printed.lines().filter(|line| !line.ends_with("(unchanged)")) {
                let file = line.rsplit_once(' ').filter(|(_, took)| {
                    let number = took.strip_suffix("ms").or_else(|| took.strip_suffix('s'));
                    number.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
                });
                // What else was run prints such lines as well.
                if let Some((file, _)) = file.filter(|(file, _)| !file.contains(' ')) {
                    edited(file);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_says_what_it_did_not_do() {
        for (command, printed) in [
            (r"Remove-Item a\obj", "Gone: a\\obj\nRemove-Item : Cannot remove it"),
            (r"del a\b.bat", r"Could Not Find C:\a\b.bat"),
            (r"cmd /c copy a.txt b\", "The system cannot find the file specified."),
        ] {
            assert!(stops_on_windows(command, printed), "{command}");
        }
        assert!(!stops_on_windows("cmd /c copy a.txt b.txt", "        1 file(s) copied."));
        assert!(!stops_on_windows("cat a.txt", "Access is denied."));
    }

    #[test]
    fn what_stood_before_the_part_that_failed_ran() {
        for (command, printed, wanted) in [
            ("rm b.py && cp c.py d.py", "cp: cannot stat 'c.py'", Some("rm b.py")),
            ("cp a.py b.py && cp c.py d.py", "cp: cannot stat 'c.py'", None),
            ("rm b.py; cp c.py d.py", "cp: cannot stat 'c.py'", None),
            ("rm b.py && cp c.py d.py", "rm: cannot remove 'b.py'", None),
        ] {
            assert_eq!(ran_before(command, printed), wanted, "{command}");
        }
    }

    #[test]
    fn a_result_says_what_was_cleared_away_and_laid_out() {
        for (command, printed, wanted) in [
            ("cd /w && git clean -fd", "Removing new.py\nRemoving out/", "deleted /w/new.py"),
            ("git clean -nfd", "Would remove new.py", ""),
            ("black a.py", "reformatted a.py\n\nAll done!", "edited a.py"),
            ("black a.py", "All done!\n1 file left unchanged.", ""),
            ("python -m black .", "reformatted /w/a.py", "edited /w/a.py"),
            ("npx prettier --write src/a.ts", "src/a.ts 20ms", "edited src/a.ts"),
            ("prettier -w src", "src/a.ts 20ms (unchanged)\nsrc/b.ts 7ms", "edited src/b.ts"),
            ("prettier --check src", "src/a.ts 20ms", ""),
            ("ruff format a.py", "1 file reformatted", "edited a.py"),
            ("ruff check a.py", "All checks passed!", ""),
            ("ruff format a.py", "1 file left unchanged", ""),
        ] {
            let told: Vec<String> = told(command, None, printed)
                .iter()
                .map(|touch| format!("{} {}", touch.deed.word(), touch.path))
                .collect();
            assert_eq!(told.join("; "), wanted, "{command}");
        }
    }
}
