//! The folder that a command runs in.
//!
//! Responsible for how a folder is seen from the one in which the session began, for going from one folder to
//! another, and for stand-ins for unknown folders: two of these are equal only if they are certainly the same.

use super::course::Course;
use crate::digest::files::paths::{is_absolute, joined, within};

/// The prefix of an unknown folder, before the number of the call since which it is unknown.
const LOST: char = '?';
/// Separates a path from words that are no part of it.
const APART: char = '\n';

/// A folder, identified by its path as seen from the base folder (empty for the base folder itself), or by a
/// unique text if its path is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Folder(String);

// Lets structs that borrow a folder derive `Default`.
impl Default for &Folder {
    fn default() -> Self {
        Folder::HERE
    }
}

impl Folder {
    /// The base folder, mostly the one in which the session began.
    pub(crate) const HERE: &Self = &Self(String::new());

    /// The folder at a path.
    pub(super) fn at(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    /// A folder that is unknown since the call with this number.
    pub(super) fn lost(since: usize) -> Self {
        Self(format!("{LOST}{since}"))
    }

    /// The folder of a command that an earlier digest tells.
    pub(crate) fn of(home: &str, command: &str) -> Self {
        let runs_in = Course::of(command).runs_in;
        Self::at(home).gone(runs_in.as_deref(), 0).seen_from(home)
    }

    /// The folder to which `to` leads from here; without `to`, a folder that is unknown since the call `now`.
    pub(super) fn gone(&self, to: Option<&str>, now: usize) -> Self {
        to.map_or_else(|| Self::lost(now), |to| Self(joined(&self.0, to)))
    }

    /// The folder to which these words lead from here in the middle of a command.
    pub(super) fn behind(&self, words: &str) -> Self {
        Self(format!("{}{APART}{words}", self.0))
    }

    /// The folder as seen from `home` if it lies below that, else unchanged.
    pub(super) fn seen_from(&self, home: &str) -> Self {
        let Some(inside) = self.0.strip_prefix(home).filter(|_| !home.is_empty()) else {
            return self.clone();
        };
        let is_inside = inside.is_empty() || inside.starts_with('/');
        Self::at(if is_inside { inside.trim_start_matches('/') } else { &self.0 })
    }

    /// The path of a folder that is seen from `home`.
    pub(super) fn below(&self, home: &str) -> String {
        joined(home, &self.0)
    }

    /// A path as it is seen from the folder, in a session that began in `home`. If that is unknown, no folder is
    /// guessed: in a repository of many projects each may have a file of the same name.
    pub(super) fn sees(&self, path: &str, home: &str) -> String {
        let path = path.trim_end_matches('/');
        let path = path.strip_prefix("$PWD/").unwrap_or(path);
        let path = path.strip_prefix("./").unwrap_or(path);
        let whole = self.path().map(|_| self.below(home));
        let whole = whole.filter(|whole| whole.len() > 1 && is_absolute(whole));
        let inside = whole.as_deref().filter(|_| is_absolute(path));
        let inside = inside.and_then(|whole| within(path, whole)?.strip_prefix('/'));
        inside.unwrap_or(path).to_owned()
    }

    /// Whether it may be in one repository with another folder: one holds the other, or one is unknown.
    pub(crate) fn may_hold(&self, other: &Self) -> bool {
        let holds = |one: &str, other: &str| one.is_empty() || within(other, one).is_some();
        let (Some(one), Some(other)) = (self.path(), other.path()) else { return true };
        is_absolute(one) == is_absolute(other) && (holds(one, other) || holds(other, one))
    }

    /// Whether it is the base folder.
    pub(crate) fn is_here(&self) -> bool {
        self.0.is_empty()
    }

    /// Its path; `None` if it is unknown.
    pub(super) fn path(&self) -> Option<&str> {
        let is_known = !self.0.starts_with(LOST) && !self.0.contains(APART);
        is_known.then_some(&self.0)
    }

    /// Its path as a digest tells it; `None` for the base folder and for unknown folders.
    pub(crate) fn told(&self) -> Option<&str> {
        self.path().filter(|path| !path.is_empty())
    }

    /// A name for something in this folder that differs from the same name in any other folder.
    pub(crate) fn apart(&self, name: String) -> String {
        if self.is_here() { name } else { format!("{name}{APART}{}", self.0) }
    }
}

/// A folder's path, quoted for `cd` if it has blanks.
pub(crate) fn quoted(folder: &str) -> String {
    let quote = if folder.contains(char::is_whitespace) { "'" } else { "" };
    format!("{quote}{folder}{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_where_a_command_runs() {
        for (path, wanted) in
            [("/w/app/a/b.py", "a/b.py"), ("./a/", "a"), ("$PWD/a", "a"), ("/w/b.py", "/w/b.py")]
        {
            assert_eq!(Folder::HERE.sees(path, "/w/app"), wanted);
        }
        assert_eq!(Folder::at("web").sees("/w/app/web/a.js", "/w/app"), "a.js");
        assert_eq!(Folder::HERE.sees("/w/a.py", ""), "/w/a.py");
    }

    #[test]
    fn a_folder_is_told_from_that_of_the_work() {
        for (folder, wanted) in
            [("/w/app", ""), ("/w/app/web", "web"), ("/w/apple", "/w/apple"), ("web", "web")]
        {
            assert_eq!(Folder::at(folder).seen_from("/w/app"), Folder::at(wanted), "{folder}");
        }
        assert_eq!(Folder::at("/w").seen_from(""), Folder::at("/w"));
        assert_eq!(Folder::of("/w/app", "cd /w/app/web && npm test"), Folder::at("web"));
    }

    #[test]
    fn a_folder_that_nobody_knows_equals_no_other_and_is_not_told() {
        let (lost, web) = (Folder::lost(3), Folder::at("web"));
        assert_ne!(lost, Folder::lost(4));
        assert_eq!(lost.gone(Some("web"), 5).told(), None);
        assert_eq!(web.gone(None, 5), Folder::lost(5));
    }
}
