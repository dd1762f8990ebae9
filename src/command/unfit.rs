//! Why a conversation can't be done, where that is its own fault.
//!
//! Responsible for the refusals behind which a data set goes on: another conversation may fit the budget, or be
//! one that can be mended. Whatever else goes wrong would go wrong again.

use std::fmt;

use super::{Trouble, Visit};
use crate::input::InputError;

/// A conversation that can't be done, where others may be.
#[derive(Debug)]
pub(crate) struct Unfit {
    /// Why, and what could be done.
    pub(super) why: anyhow::Error,
    /// The least budget that it fits, where that is all.
    pub(super) least: Option<Least>,
}

impl Unfit {
    /// For the budget, for it needs `least` tokens; `besides` is what else has to be as large.
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

    /// The error of one of several, where that is why.
    pub(super) fn among_others<'e>(
        visit: &Visit<'_, '_>,
        error: &'e anyhow::Error,
    ) -> Option<&'e Self> {
        error.downcast_ref().filter(|_| visit.is_one_of_many)
    }
}

/// A budget that can be met; larger ones are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Least {
    tokens: usize,
    /// What else has to be as large.
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
