//! What a call does, and to which files.
//!
//! Responsible for the kinds of deeds and the word for each.

use super::change::Change;
use super::edit::Edit;
use super::paths::{joined, slashed};

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    Created,
    Edited,
    Moved,
    Deleted,
    /// It is as it was committed last.
    Restored,
    /// It is as it was some other time, and nobody knows when.
    Reverted,
    Read,
    Searched,
    Ran,
    Fetched,
    Delegated,
    Planned,
    #[default]
    Other,
}

impl Deed {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::Moved => "moved",
            Self::Deleted => "deleted",
            Self::Restored | Self::Reverted => "restored",
            Self::Read => "read",
            Self::Searched => "searched",
            Self::Ran => "ran",
            Self::Fetched => "fetched",
            Self::Delegated => "delegated",
            Self::Planned => "planned",
            Self::Other => "called",
        }
    }

    /// Whether the file is another one afterwards.
    pub(crate) fn changes(self) -> bool {
        matches!(self, Self::Created | Self::Edited | Self::Moved | Self::Deleted)
            || self.puts_back()
    }

    /// Whether git makes it what it was.
    pub(crate) fn puts_back(self) -> bool {
        matches!(self, Self::Restored | Self::Reverted)
    }
}

/// A file that a call touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) path: Box<str>,
    pub(crate) deed: Deed,
    /// All that was edited, one after the other.
    pub(crate) edits: Vec<Edit>,
    /// Where it was moved.
    pub(crate) to: Option<Box<str>>,
    /// Whether it was done before the check that a shell ran behind it, however that ended.
    pub(crate) is_before_check: bool,
    /// Of what git puts back: whether it committed or staged before that in the same line, and whether
    /// all that was changed.
    pub(crate) kept: Option<bool>,
}

impl Touch {
    pub(crate) fn new(path: &str, deed: Deed, edits: Vec<Edit>) -> Self {
        Self {
            path: slashed(path).into(),
            deed,
            edits,
            to: None,
            is_before_check: false,
            kept: None,
        }
    }

    /// Tells its paths, which were seen from this folder, as they are seen from where that is named.
    pub(crate) fn move_below(&mut self, folder: &str) {
        self.path = joined(folder, &self.path).into();
        if let Some(to) = &mut self.to {
            *to = joined(folder, to).into();
        }
    }

    /// What an edit did: the first that is no import, if there is one.
    pub(crate) fn change(&self) -> Option<&Change> {
        let mut changes = self.edits.iter().filter_map(|edit| edit.change.as_ref());
        let first = changes.clone().next();
        changes.find(|change| !change.is_import()).or(first)
    }
}
