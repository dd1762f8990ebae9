//! Folders as commands are told with them.
//!
//! Responsible for how a folder is seen from the one that the session began in, and for standing in for one
//! that nobody knows: it equals no other.

use super::course::Course;
use crate::digest::files::paths::joined;

/// What stands before the number of the call since which nobody knows the folder.
const LOST: char = '?';

/// The folder that a command runs in which an earlier digest tells.
pub(crate) fn told_by(home: &str, command: &str) -> String {
    let within = gone(home, Course::of(command).runs_in.as_deref(), 0);
    seen_from(home, &within).to_owned()
}

/// A folder as it is told, if it is: none of the one that the session began in, or that nobody knows.
pub(crate) fn told(within: &str) -> Option<&str> {
    let is_known = !within.is_empty() && !is_lost(within) && !within.contains('\n');
    is_known.then_some(within)
}

/// A folder with the words that go there.
pub(crate) fn quoted(folder: &str) -> String {
    let quote = if folder.contains(char::is_whitespace) { "'" } else { "" };
    format!("{quote}{folder}{quote}")
}

/// Whether nobody knows a folder.
pub(super) fn is_lost(folder: &str) -> bool {
    folder.starts_with(LOST)
}

/// A folder as it is seen from where `from` is; another one each time where nobody knows.
pub(super) fn gone(from: &str, to: Option<&str>, now: usize) -> String {
    to.map_or_else(|| format!("{LOST}{now}"), |to| joined(from, to))
}

/// A folder below `home` as it is seen from there.
pub(super) fn seen_from<'f>(home: &str, folder: &'f str) -> &'f str {
    match folder.strip_prefix(home).filter(|_| !home.is_empty()) {
        Some("") => "",
        Some(inside) => inside.strip_prefix('/').unwrap_or(folder),
        None => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_from_that_of_the_work() {
        for (folder, wanted) in
            [("/w/app", ""), ("/w/app/web", "web"), ("/w/apple", "/w/apple"), ("web", "web")]
        {
            assert_eq!(seen_from("/w/app", folder), wanted, "{folder}");
        }
        assert_eq!(seen_from("", "/w"), "/w");
        assert_eq!(told_by("/w/app", "cd /w/app/web && npm test"), "web");
    }
}
