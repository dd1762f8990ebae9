//! What a call ran, and whether that passed.
//!
//! Responsible for knowing the same command again.

use std::cell::OnceCell;

use super::act::{self, Act};
use crate::digest::calls::Call;
use crate::digest::calls::{aim, commands};

/// What a call ran.
pub(crate) struct Run<'c> {
    pub(super) core: &'c str,
    pub(super) identity: String,
    /// The checks in it, each as one.
    pub(super) checks: Vec<String>,
    /// The folder that it ran in, below that of the work.
    pub(super) within: &'c str,
    whole: &'c str,
    acts: OnceCell<Vec<Act<'c>>>,
}

impl<'c> Run<'c> {
    pub(super) fn of(command: &'c str, within: &'c str) -> Self {
        let placed = |command| commands::placed(command, within);
        Self {
            core: aim::core(command),
            identity: placed(commands::identity(command)),
            checks: commands::checks(command).into_iter().map(placed).collect(),
            within,
            whole: command,
            acts: OnceCell::new(),
        }
    }

    /// Whether this was run where the other passed: as it is or among others.
    pub(super) fn is_run_by(&self, other: &Run<'_>) -> bool {
        let is_part = || self.checks.iter().all(|check| other.checks.contains(check));
        self.identity == other.identity || !self.checks.is_empty() && is_part()
    }

    /// Whether it ran on other code than that at hand.
    pub(super) fn is_elsewhere(&self) -> bool {
        commands::is_elsewhere(self.whole)
    }

    /// What it does, once somebody asks.
    pub(super) fn acts(&self) -> &[Act<'c>] {
        self.acts.get_or_init(|| act::acts(self.whole))
    }
}

pub(crate) fn has_passed(call: &Call) -> bool {
    call.result.is_some() && call.outcome.went_well()
}
