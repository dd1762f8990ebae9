//! Why a conversation can't be brought under its budget.
//!
//! Responsible for the one refusal that another budget would lift: in a data set the other conversations go
//! on without it, and in the end the budget that is enough for all is told.

use std::fmt;

use super::{Trouble, Visit};

/// A budget that can't be met.
#[derive(Debug)]
pub(crate) struct OverBudget {
    /// Why, and what could be done.
    pub(super) trouble: Trouble,
    /// In tokens.
    least: usize,
}

impl OverBudget {
    /// The reason, for a conversation that needs `least` tokens; `besides` is what else has to be as large.
    pub(super) fn of(visit: &Visit<'_, '_>, reason: String, least: usize, besides: &str) -> Self {
        let whose = if visit.is_one_of_many {
            format!(" of line {}", visit.first_line())
        } else {
            String::new()
        };
        let hint = format!("the least feasible budget{whose} is --budget {least}{besides}");
        Self { trouble: Trouble::new(reason, hint), least }
    }

    /// The least budget that can be met, where that is why.
    pub(super) fn least(why: &anyhow::Error) -> Option<usize> {
        why.downcast_ref().map(|over: &Self| over.least)
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trouble.fmt(f)
    }
}

impl std::error::Error for OverBudget {}
