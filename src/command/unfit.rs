//! Why one conversation can't be done, if only this conversation is at fault.
//!
//! Responsible for the refusals after which a data set continues: another conversation may fit the budget, or
//! be repairable. Any other error would occur again.

use std::fmt;

use super::{Trouble, Visit};
use crate::input::InputError;

/// The error for one conversation, while others may be possible.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// The reason, with a hint.
    pub(super) why: anyhow::Error,
    /// The least budget that is enough, if the budget is the only reason.
    pub(super) least: Option<Least>,
}

impl Unfit {
    /// The error for a budget that is too small: it needs `least` tokens; `besides` names another flag that
    /// has to be as large.
    pub(super) fn over_budget(
        visit: &Visit<'_, '_>,
        reason: String,
        least: usize,
        besides: &'static str,
    ) -> Self {
        let whose = if visit.is_one_of_many {
            format!(" of line {}", visit.where_within())
        } else {
            String::new()
        };
        let least = Least { tokens: least, besides };
        let hint = format!("the least feasible budget{whose} is {least}");
        Self { why: Trouble::new(reason, hint).into(), least: Some(least) }
    }

    /// The error as `Self`, if the conversation is one of several and that is the kind of the error.
    pub(super) fn among_others<'e>(
        visit: &Visit<'_, '_>,
        error: &'e anyhow::Error,
    ) -> Option<&'e Self> {
        error.downcast_ref().filter(|_| visit.is_one_of_many)
    }
}

/// A budget that can be met, ordered by size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Least {
    tokens: usize,
    /// The other flag that has to be as large.
    besides: &'static str,
}

impl fmt::Display for Least {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--budget {}{}", self.tokens, self.besides)
    }
}

impl From<InputError> for Unfit {
    fn from(why: InputError) -> Self {
        Self { why: why.into(), least: None }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl std::error::Error for Unfit {}
