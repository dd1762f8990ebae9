//! What the programs of Unix do to files.
//!
//! Responsible for the common programs, by their words. It relies on the caller for the folder in which they
//! run. A flag for a dry run means that they do nothing.

use super::behind_descriptor;
use super::named::{moved, push, push_all, push_copied, push_moved};
use crate::digest::calls::shell::{self, git};
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// Flags for a dry run.
const DRY: &[&str] = &["--dry-run", "--dryrun", "--just-print", "--pretend", "--simulate"];

/// Formatters of files: the flag that makes them write, if they need one, and the flags that make them only
/// look.
const LAYING_OUT: &[(&str, &str, &[&str])] = &[
    ("gofmt", "-w", &["-d", "-l"]),
    ("goimports", "-w", &["-d", "-l"]),
    ("rustfmt", "", &["--check", "--emit"]),
    ("clang-format", "-i", &["--dry-run", "-n"]),
    ("autopep8", "-i", &["--diff"]),
    ("isort", "", &["--check", "--check-only", "-c", "--diff"]),
    ("black", "", &["--check", "--diff"]),
    ("prettier", "--write", &["--check"]),
];

/// Whether a command is a dry run: `git rm -n`.
fn is_dry(words: &[&str]) -> bool {
    let has_short = |words: &[&str]| {
        words.iter().any(|word| {
            let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
            letters.is_some_and(|letters| letters.contains('n'))
        })
    };
    let is_git = |verb: &str| matches!(verb, "rm" | "mv");
    words.iter().any(|word| {
        DRY.contains(word) || word.starts_with("--dry-run=") && *word != "--dry-run=false"
    }) || matches!(git::from_verb(words), Some([verb, rest @ ..]) if is_git(verb) && has_short(rest))
}

/// Enters what a simple command does to files.
pub(super) fn simple_command(words: &[&str], found: &mut Vec<Touch>) {
    let words = shell::unwrapped(words);
    let words = shell::hosted(words).map_or(words, shell::unwrapped);
    if is_dry(words) {
        return;
    }
    let first = found.len();
    match (git::from_verb(words), words) {
        (Some([verb @ ("rm" | "mv"), rest @ ..]), _) => {
            run(verb, rest, found);
            let of_git = &words[..words.len() - rest.len() - 1];
            if let Some(at) = of_git.iter().position(|word| *word == "-C") {
                found[first..].iter_mut().for_each(|touch| touch.move_below(of_git[at + 1]));
            }
        }
        (None, [name, rest @ ..]) => run(paths::name(name), rest, found),
        _ => {}
    }
}

fn run(name: &str, rest: &[&str], found: &mut Vec<Touch>) {
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let own = rest.iter().copied().take_while(|word| !is_sent(word));
    let files: Vec<&str> = own.filter(|word| !word.starts_with('-')).collect();
    let named = || files.iter().copied();
    match (name, files.as_slice()) {
        // A file that git no longer follows is still there.
        ("rm", _) if has(&["--cached"]) => {}
        ("rm" | "rmdir" | "unlink", _) => push_all(found, named(), Deed::Deleted),
        ("tee", _) if has(&["-a", "--append"]) => push_all(found, named(), Deed::Edited),
        ("touch" | "mkdir" | "tee", _) => push_all(found, named(), Deed::Created),
        ("mv", [from @ .., to]) => push_moved(found, from, to),
        ("cp", [from @ .., to]) => push_copied(found, from, to),
        ("ln", [.., from, to]) => push(found, Some(&moved(from, to, false)), Deed::Created),
        ("curl", _) => push(found, behind(rest, 'o', "--output").filter(is_kept), Deed::Created),
        ("wget", _) => {
            push(found, behind(rest, 'O', "--output-document").filter(is_kept), Deed::Created);
        }
        ("sed" | "perl", _) if rest.iter().any(|word| edits_in_place(word)) => {
            push_all(found, edited(name, rest), Deed::Edited);
        }
        ("sed" | "perl", [_, .., last]) => push(found, Some(last), Deed::Read),
        ("cat" | "head" | "tail" | "nl" | "less" | "bat" | "wc", _) => {
            push_all(found, named(), Deed::Read);
        }
        _ => {
            let layout = LAYING_OUT.iter().find(|(program, ..)| *program == name);
            if let Some((_, flag, looking)) = layout
                && (flag.is_empty() || has(&[flag]))
                && !has(looking)
            {
                let files = named().filter(|file| paths::name(file).contains('.'));
                push_all(found, files, Deed::Edited);
            }
        }
    }
}

/// Whether a word is a redirection of output or input.
fn is_sent(word: &&str) -> bool {
    behind_descriptor(word).starts_with(['>', '<'])
}

/// Whether output to this path is kept in a file.
fn is_kept(file: &&str) -> bool {
    !file.starts_with("/dev/")
}

/// The word behind a flag, short or long: `-sSLo a.json`, `--output=a.json`.
fn behind<'w>(words: &[&'w str], short: char, long: &str) -> Option<&'w str> {
    let is_it = |word: &&str| {
        let is_short = word.starts_with('-') && !word.starts_with("--") && word.ends_with(short);
        *word == long || is_short
    };
    let joined = |word: &&'w str| word.strip_prefix(long)?.strip_prefix('=');
    words.iter().find_map(joined).or_else(|| {
        let at = words.iter().position(is_it)?;
        words.get(at + 1).copied()
    })
}

/// The files that `sed` or `perl` edits in place, which follow the script.
fn edited<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    let is_script = |word: &str| match word.strip_prefix('-') {
        Some(letters) if program == "perl" => letters.ends_with(['e', 'E']),
        Some(letters) => matches!(letters, "e" | "f" | "-expression" | "-file"),
        None => false,
    };
    let (mut files, mut has_script, mut is_next) = (Vec::new(), false, false);
    let words = words.iter().take_while(|word| !is_sent(word));
    // On some systems `-i` needs a word behind it and gets an empty one.
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

/// Whether an option of `sed` or `perl` edits files in place: `-i.bak`, `-Ei`.
fn edits_in_place(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-') else { return false };
    let letters = letters.split('.').next().unwrap_or(letters);
    // Only switches may precede the `i`: `-Ilib` and `-Mstrict` name something.
    let is_switch = |byte: u8| byte.is_ascii_digit() || b"Eanlprsuwz".contains(&byte);
    letters.starts_with("-in-place")
        || letters.split_once('i').is_some_and(|(before, _)| before.bytes().all(is_switch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(command: &str) -> Vec<(String, Deed)> {
        let mut found = Vec::new();
        simple_command(&command.split(' ').collect::<Vec<_>>(), &mut found);
        found.into_iter().map(|touch| (touch.path.into_string(), touch.deed)).collect()
    }

    #[test]
    fn knows_what_is_fetched_linked_and_laid_out() {
        for (command, path, deed) in [
            ("curl -sSL -o data.json https://x.example/y", "data.json", Deed::Created),
            ("curl -sSLo data.json https://x.example/y", "data.json", Deed::Created),
            ("curl https://x.example/y --output=data.json", "data.json", Deed::Created),
            ("wget -qO lib/a.js https://x.example/a.js", "lib/a.js", Deed::Created),
            ("ln -s a.py l.py", "l.py", Deed::Created),
            ("gofmt -w a.go", "a.go", Deed::Edited),
            ("rustfmt --edition 2024 src/a.rs", "src/a.rs", Deed::Edited),
            ("git -C sub rm old.txt", "sub/old.txt", Deed::Deleted),
            ("timeout 9 rm a.rs", "a.rs", Deed::Deleted),
            ("A=1 sudo -u root rm a.rs", "a.rs", Deed::Deleted),
            ("npx --yes prettier --write a.ts", "a.ts", Deed::Edited),
            ("uv run black a.py", "a.py", Deed::Edited),
        ] {
            assert_eq!(seen(command), [(path.to_owned(), deed)], "{command}");
        }
        for command in [
            "curl -o /dev/null https://x.example/y",
            "curl -s https://x.example/y.json",
            "wget -O - https://x.example/y",
            "gofmt -l a.go",
            "rustfmt --check src/a.rs",
            "git -C sub rm -n old.txt",
            "command -v rm",
        ] {
            assert_eq!(seen(command), [], "{command}");
        }
    }
}
