//! The sort of each candidate.
//!
//! Responsible for telling apart what the shares of a page are for. It relies on the survey for where a
//! unit stood, and on the ledger for what was done.

use super::{Item, Page};
use crate::digest::calls::outcome::Outcome;
use crate::digest::files::deed::Deed;
use crate::digest::reading::survey::{Source, Unit, Unread};

/// The candidates of a page, known by their numbers.
pub(super) struct Sorts<'p> {
    page: &'p Page<'p, 'p>,
    items: &'p [Item],
}

impl<'p> Sorts<'p> {
    pub(super) fn of(page: &'p Page<'_, '_>, items: &'p [Item]) -> Self {
        Self { page, items }
    }

    fn unit(&self, at: usize) -> Option<&Unit> {
        Some(&self.page.survey.units[self.items[at].unit()? as usize])
    }

    fn source(&self, at: usize) -> Option<Source> {
        self.unit(at).map(|unit| self.page.survey.leaf_of(unit).source)
    }

    pub(super) fn unread(&self, at: usize) -> Unread {
        self.unit(at).map_or(Unread::No, |unit| unit.unread)
    }

    /// Whether the candidate is a line that nobody has read, and no field of a record.
    pub(super) fn is_unread_line(&self, at: usize) -> bool {
        self.unit(at).is_some_and(|unit| unit.unread == Unread::Line && !unit.is_field)
    }

    /// Whether the candidate is a rule of the user, which stays in force.
    pub(super) fn is_rule(&self, at: usize) -> bool {
        self.unit(at).is_some_and(|unit| unit.is_rule)
    }

    pub(super) fn is_command(&self, at: usize) -> bool {
        matches!(self.items[at], Item::Command(_))
    }

    pub(super) fn is_act(&self, at: usize) -> bool {
        matches!(self.items[at], Item::Act(_))
    }

    /// How the candidate ended, if it is a call that changes a record; else `None`.
    fn outcome(&self, at: usize) -> Option<&Outcome> {
        match self.items[at] {
            Item::Act(call) => Some(&self.page.calls[call as usize].outcome),
            _ => None,
        }
    }

    /// Whether the candidate is a call that changed a record.
    pub(super) fn is_done(&self, at: usize) -> bool {
        self.outcome(at).is_some_and(Outcome::went_well)
    }

    /// Whether the candidate is a call that failed to change a record, and the same was not done later.
    pub(super) fn is_refused(&self, at: usize) -> bool {
        self.outcome(at).is_some_and(|outcome| outcome.failed) && !self.is_settled(at)
    }

    /// Whether the candidate is a call that failed to change a record to which the same was done later.
    pub(super) fn is_settled(&self, at: usize) -> bool {
        let Item::Act(call) = self.items[at] else { return false };
        let Page { about, made_good, .. } = self.page;
        let begins_like = |later: u32| about[call as usize].begins_like(&about[later as usize]);
        made_good[call as usize].is_some_and(begins_like)
    }

    /// Whether the candidate is part of the request or the answer of a call.
    pub(super) fn is_of_call(&self, at: usize) -> bool {
        matches!(self.source(at), Some(Source::Call(_)))
    }

    pub(super) fn is_asked(&self, at: usize) -> bool {
        self.source(at) == Some(Source::Asked)
    }

    /// Whether the candidate is something that somebody said. The report of a subagent counts: it tells
    /// what was found and done.
    pub(super) fn is_prose(&self, at: usize) -> bool {
        match self.source(at) {
            Some(Source::Said | Source::Asked | Source::Summary | Source::Earlier(_)) => true,
            Some(Source::Call(Some(call))) => {
                self.page.calls[call as usize].deed == Deed::Delegated
            }
            _ => false,
        }
    }

    pub(super) fn is_changed_file(&self, at: usize) -> bool {
        match self.items[at] {
            Item::File(file) => self.page.ledger.files[file as usize].is_changed(),
            _ => false,
        }
    }

    /// Whether the candidate is the change of its file that says most.
    pub(super) fn is_foremost_change(&self, at: usize) -> bool {
        let file = |at: usize| match self.items[at] {
            Item::Change(file, _) => Some(file),
            _ => None,
        };
        file(at).is_some() && (at == 0 || file(at) != file(at - 1))
    }

    /// Whether the candidate is a changed file, a change of it, or lines that an edit wrote.
    pub(super) fn is_change(&self, at: usize) -> bool {
        matches!(self.items[at], Item::Change(..) | Item::Rename(_))
            || self.is_changed_file(at)
            || self.unit(at).is_some_and(|unit| unit.is_put)
    }
}
