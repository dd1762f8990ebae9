//! What each word of a check does: it selects, says how to print, or is a part of what runs.
//!
//! Responsible for dividing the words. A word that may be the value of an unknown flag, and every flag that is not
//! known, is a part of what runs: two checks that differ in it are two checks.

use super::program::Program;
use super::selection::{Selection, Takes};
use crate::begins::begins_with_any;
use crate::digest::calls::folder::Folder;
use crate::digest::calls::shell;
use crate::digest::files::paths;

/// The words of a check without those that change its output, and what it selects.
pub(super) fn selected<'c>(
    program: &Program<'c>,
    (within, home): (&Folder, &str),
) -> (Vec<&'c str>, Selection) {
    let behind = program.words.get(program.at..).unwrap_or_default();
    let (takes, first) = Takes::of(behind);
    let mut selection = Selection { takes, ..Selection::default() };
    let seen = |word: &str| within.sees(shell::unquoted(word), home);
    let mut run: Vec<&str> = Vec::new();
    let mut before = "";
    let names_excluded = |flag: &str| begins_with_any(flag, EXCLUDING) && !flag.contains('=');
    let mut words = program.words.iter().copied().enumerate().peekable();
    while let Some((at, word)) = words.next() {
        let flag = std::mem::replace(&mut before, word);
        if at <= program.at || names_excluded(flag) {
            run.push(word);
        } else if !word.starts_with('-') && picks_some(word) {
            selection.files.push(seen(word));
        } else if !word.starts_with('-') {
            let is_free = at >= program.at + first && !takes_value(flag, &run);
            match takes {
                Takes::Packages if is_free && takes.is_selected_by(word) => {
                    selection.others.push(word.to_owned());
                }
                _ if is_free && takes.is_selected_by(word) => selection.others.push(seen(word)),
                _ => run.push(word),
            }
        } else if picks_some(word) && word.contains('=') {
            selection.flags.push(shell::unquoted(word).to_owned());
        } else if picks_some(word) {
            // Such a flag means something else without its value.
            match words.next_if(|(_, value)| !value.starts_with('-')) {
                Some((_, value)) => {
                    selection.flags.push(format!("{word} {}", shell::unquoted(value)));
                    before = "";
                }
                None => run.push(word),
            }
        } else if !says_how(word, &run) {
            run.push(word);
        }
    }
    run.pop_if(|last| *last == "--");
    (run, selection)
}

/// Whether a word behind a check selects: a selecting flag, or the name of one file or test. Any other word may
/// be a further task.
fn picks_some(word: &str) -> bool {
    const PICKING: &[&str] = &["-run", "-k", "-t", "-g", "--grep", "--filter", "--test", "--tests"];
    if word.starts_with('-') {
        return PICKING.contains(&word.split('=').next().unwrap_or(word));
    }
    let word = shell::unquoted(word);
    let is_file = || {
        let extension = paths::name(word).rsplit_once('.').map_or("", |(_, extension)| extension);
        extension.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    word.contains("::") || !word.contains('=') && is_file()
}

/// Flags behind which a check names what it leaves out.
const EXCLUDING: &[&str] =
    &["--deselect", "--ignore", "--exclude", "--skip", "-skip", "--testPathIgnore"];

/// Whether a word makes a check leave something out, take something else, or run nothing.
pub(super) fn selects_less(word: &str) -> bool {
    const OTHERWISE: &[&str] = &[
        "-m", "-p", "--package", "--features", "--lib", "--bin", "--bins", "--doc", "--example",
        "--ignored", "--exact", "-short", "--lf", "--last-failed", "--collect-only", "--co",
        "--no-run", "--list", "-list", "--rootdir", "--confcutdir", "--setup-plan", "--setup-only",
        "--fixtures", "--dry-run", "-c", "-n", "-tags", "--help", "-h",
    ];
    let flag = word.split('=').next().unwrap_or(word);
    begins_with_any(word, EXCLUDING) || OTHERWISE.contains(&flag)
}

/// Whether the word behind this one may be its value.
fn takes_value(word: &str, before: &[&str]) -> bool {
    const ALONE: &[&str] = &[
        "--", "-race", "-short", "-cover", "-failfast", "--workspace", "--all", "--lib", "--bins",
        "--doc", "--all-features", "--no-default-features", "--all-targets", "--release",
        "--locked", "--offline", "--frozen", "--no-fail-fast", "--no-cov", "--coverage",
        "--runInBand",
    ];
    let is_alone = word.contains('=') || ALONE.contains(&word) || says_how(word, before);
    word.starts_with('-') && !is_alone
}

/// Flags whose value says how a check prints, or how soon it stops.
const HOW: &[&str] =
    &["--color=", "--colour=", "--reporter=", "--tb=", "--maxfail=", "--durations="];

/// Whether a flag says how much a check prints, or how soon it stops. Single letters only count for known
/// programs: for others `-v` may ask for the version.
fn says_how(word: &str, before: &[&str]) -> bool {
    const FLAGS: &[&str] = &[
        "--quiet", "--silent", "--verbose", "--nocapture", "--no-header", "--bail", "--fail-fast",
        "--failfast", "--exitfirst",
    ];
    const SHORT: &[&str] = &["pytest", "unittest", "cargo", "go"];
    let letters = word.strip_prefix('-').unwrap_or_default();
    let is_short = !letters.is_empty() && letters.bytes().all(|letter| b"qsvx".contains(&letter));
    is_short && before.iter().any(|word| SHORT.contains(&paths::name(word)))
        || FLAGS.contains(&word)
        || begins_with_any(word, HOW)
}
