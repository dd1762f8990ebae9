//! What a call does, and to which files.
//!
//! Responsible for the kinds of deeds and the word for each.

use super::change::Change;
use super::edit::Edit;
use super::paths::{joined, slashed};

/// What a call did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    Created,
    Edited,
    Moved,
    Deleted,
    /// Put back by git as it was last committed.
    Restored,
    /// Put back by git to some other, unknown state.
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
    /// The word for the deed, as a digest writes it.
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

    /// Whether the deed changes the file.
    pub(crate) fn changes(self) -> bool {
        matches!(self, Self::Created | Self::Edited | Self::Moved | Self::Deleted)
            || self.puts_back()
    }

    /// Whether git puts the file back to an earlier state.
    pub(crate) fn puts_back(self) -> bool {
        matches!(self, Self::Restored | Self::Reverted)
    }
}

/// A file that a call touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) path: Box<str>,
    pub(crate) deed: Deed,
    /// The edits, in order.
    pub(crate) edits: Vec<Edit>,
    /// The path that it was moved to.
    pub(crate) to: Option<Box<str>>,
    /// Whether the touch came before the check that the same shell line runs, and so happened however the check
    /// ended.
    pub(crate) is_before_check: bool,
    /// For a file that git puts back: `None` unless the same line committed or staged before; then, whether it
    /// took everything that was changed.
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

    /// Rewrites its paths, which are relative to `folder`, relative to where that folder is named from.
    pub(crate) fn move_below(&mut self, folder: &str) {
        self.path = joined(folder, &self.path).into();
        if let Some(to) = &mut self.to {
            *to = joined(folder, to).into();
        }
    }

    /// The first change that is no import, or else the first change.
    pub(crate) fn change(&self) -> Option<&Change> {
        let mut changes = self.edits.iter().filter_map(|edit| edit.change.as_ref());
        let first = changes.clone().next();
        changes.find(|change| !change.is_import()).or(first)
    }
}
