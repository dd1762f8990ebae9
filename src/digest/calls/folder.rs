//! The folder that a command runs in.
//!
//! Responsible for how a folder is seen from the one that the session began in, for going from one to another,
//! and for standing in for those that nobody knows: two are equal only where they are one for sure.

use super::course::Course;
use crate::digest::files::paths::{self, joined};

/// What stands before the number of the call since which nobody knows the folder.
const LOST: char = '?';
/// What stands before what is not part of a path.
const APART: char = '\n';

/// A folder, as it is known by: its path, empty where it is the one that is looked from, or what tells it from
/// every other where nobody knows that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Folder(String);

// For what borrows one and is mostly empty.
impl Default for &Folder {
    fn default() -> Self {
        Folder::HERE
    }
}

impl Folder {
    /// The one that is looked from: mostly where the session began.
    pub(crate) const HERE: &Self = &Self(String::new());

    /// The one at a path.
    pub(super) fn at(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    /// One that nobody knows since a call.
    pub(super) fn lost(since: usize) -> Self {
        Self(format!("{LOST}{since}"))
    }

    /// This one or another, where nobody knows which.
    pub(super) fn either(&self, other: &Self) -> Self {
        if self == other { self.clone() } else { self.behind(&other.0) }
    }

    /// The one that an earlier digest tells with its command.
    pub(crate) fn of(home: &str, command: &str) -> Self {
        let runs_in = Course::of(command).runs_in;
        Self::at(home).gone(runs_in.as_deref(), 0).seen_from(home)
    }

    /// Where one who goes from here comes to; a place that nobody knows since the call `now` is none.
    pub(super) fn gone(&self, to: Option<&str>, now: usize) -> Self {
        to.map_or_else(|| Self::lost(now), |to| Self(joined(&self.0, to)))
    }

    /// The one that words lead to from here in the middle of a command.
    pub(super) fn behind(&self, words: &str) -> Self {
        Self(format!("{}{APART}{words}", self.0))
    }

    /// One below `home` as it is seen from there.
    pub(super) fn seen_from(&self, home: &str) -> Self {
        let Some(inside) = self.0.strip_prefix(home).filter(|_| !home.is_empty()) else {
            return self.clone();
        };
        let is_inside = inside.is_empty() || inside.starts_with('/');
        Self::at(if is_inside { inside.trim_start_matches('/') } else { &self.0 })
    }

    /// The path of one that was seen from `home`.
    pub(super) fn below(&self, home: &str) -> String {
        joined(home, &self.0)
    }

    /// Whether it is where it is looked from.
    pub(crate) fn is_here(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is one or below that.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        paths::within(&self.0, &other.0).is_some()
    }

    /// Its path; none of one that nobody knows.
    pub(super) fn path(&self) -> Option<&str> {
        let is_known = !self.0.starts_with(LOST) && !self.0.contains(APART);
        is_known.then_some(&self.0)
    }

    /// As it is told, if it is: not where it is looked from.
    pub(crate) fn told(&self) -> Option<&str> {
        self.path().filter(|path| !path.is_empty())
    }

    /// What happens here by a name that nothing has which happens elsewhere.
    pub(crate) fn apart(&self, name: String) -> String {
        if self.is_here() { name } else { format!("{name}{APART}{}", self.0) }
    }
}

/// A folder with the words that go there.
pub(crate) fn quoted(folder: &str) -> String {
    let quote = if folder.contains(char::is_whitespace) { "'" } else { "" };
    format!("{quote}{folder}{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_ne!(lost.either(&web), web);
        assert_eq!(web.either(&web).told(), Some("web"));
        for unknown in [lost.gone(Some("web"), 5), lost.either(&web)] {
            assert_eq!(unknown.told(), None, "{unknown:?}");
        }
        assert_eq!(web.gone(None, 5), Folder::lost(5));
    }
}
