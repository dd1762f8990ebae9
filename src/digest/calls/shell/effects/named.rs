//! The files that the words of a command name.
//!
//! Responsible for telling a file from any other word, and for the destination of a file that is moved or
//! copied. It relies on a file's name having an extension or a folder.

use crate::digest::calls::{globs, shell};
use crate::digest::files::deed::{Deed, Touch};
use crate::digest::files::paths;

/// Enters a file, if a word names one.
pub(super) fn push(found: &mut Vec<Touch>, path: Option<&str>, deed: Deed) {
    push_named(found, path.filter(|path| !globs::is_pattern(path)), deed);
}

/// Enters a file or a pattern of several files, if a word names one.
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

pub(super) fn push_all<'w>(
    found: &mut Vec<Touch>,
    files: impl IntoIterator<Item = &'w str>,
    deed: Deed,
) {
    for file in files {
        // For files that are only read or created, a pattern tells nothing.
        if matches!(deed, Deed::Edited | Deed::Moved | Deed::Deleted) {
            push_named(found, Some(file), deed);
        } else {
            push(found, Some(file), deed);
        }
    }
}

/// Enters files that are moved to a path or into a folder.
pub(super) fn push_moved(found: &mut Vec<Touch>, from: &[&str], to: &str) {
    let first = found.len();
    push_all(found, from.iter().copied(), Deed::Moved);
    for touch in &mut found[first..] {
        let are_several = from.len() > 1 || globs::is_pattern(&touch.path);
        touch.to = (!is_unknown(to)).then(|| moved(&touch.path, to, are_several));
    }
    let is_back = matches!(from, [copy] if is_copy(copy, to));
    push(found, Some(to), if is_back { Deed::Reverted } else { Deed::Created });
}

/// Enters files that are copied to a path or into a folder.
pub(super) fn push_copied(found: &mut Vec<Touch>, from: &[&str], to: &str) {
    // `.` and `..` name no file in the folder.
    let named = || from.iter().copied().filter(|file| !matches!(paths::name(file), "." | ".."));
    match from {
        [copy] if is_copy(copy, to) => return push(found, Some(to), Deed::Reverted),
        [file] if is_copy(to, file) => return push(found, Some(file), Deed::Read),
        _ => {}
    }
    push_all(found, named(), Deed::Read);
    for file in named().filter(|_| !is_unknown(to)) {
        push(found, Some(&moved(file, to, from.len() > 1)), Deed::Created);
    }
}

/// Whether nobody knows the name at the end of a path, for the shell makes it from a variable:
/// `${it%.txt}.md`. A variable alone stands for some file or folder.
fn is_unknown(path: &str) -> bool {
    let name = paths::name(path);
    let alone = name.strip_prefix('$').map(|it| it.trim_matches(['{', '}']));
    name.contains(['$', '`']) && !alone.is_some_and(shell::is_name)
}

/// Whether a file is, by its name, a backup of another one: `a.py.bak`.
fn is_copy(copy: &str, file: &str) -> bool {
    const ENDS: &[&str] = &[".bak", ".backup", ".orig", ".old", ".save", "~"];
    let end = paths::name(copy).strip_prefix(paths::name(file));
    end.is_some_and(|end| ENDS.contains(&end))
}

/// The new path of a file that was moved `to` a path. That is a folder if it has no extension but the file has
/// one.
pub(super) fn moved(file: &str, to: &str, is_folder: bool) -> Box<str> {
    let own = paths::name(file);
    let bare = to.trim_end_matches('/');
    let has_ending = |name: &str| name.trim_start_matches('.').contains('.');
    let is_folder =
        is_folder || to.ends_with(['/', '.']) || has_ending(own) && !has_ending(paths::name(bare));
    if is_folder { format!("{bare}/{own}").into() } else { bare.into() }
}
