//! How a call ended, in the words of a digest.
//!
//! Responsible for these words: once a digest is read back, they are all that is known of a command's outcome.

use std::fmt;

use super::unended::Unended;
use super::{Outcome, bare, is_hash, shorten};
use crate::digest::text::units;
use crate::line::on_one_line;

/// How many bytes of a result's line are told.
pub(super) const MOST_TOLD: usize = 110;

/// The words for a call that went well, and for one that failed.
pub(crate) const OK: &str = "ok";
pub(crate) const FAILED: &str = "failed";
/// The word for a call that its agent did not make because another one failed.
const CANCELLED: &str = "cancelled";

/// How a call ended, as it is told: `ok: 12 passed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended(Box<str>);

impl Ended {
    /// The words for an outcome.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        if outcome.never_ran() && !outcome.is_refused() {
            return Self::from(CANCELLED);
        }
        let line =
            outcome.line.as_deref().filter(|_| outcome.failed || outcome.is_unclear()).map(bare);
        let told = match line {
            Some(line) => phrase(&Outcome { line: Some(line.into()), ..outcome.clone() }),
            None => phrase(outcome),
        };
        Self(told.into())
    }

    /// The words for a call that waits for its result.
    pub(crate) fn pending() -> Self {
        Self::from(Unended::Pending.words())
    }

    /// The words once the work has gone on: a call that was still waiting was never answered.
    pub(crate) fn once_gone_on(self) -> Self {
        if self == Self::pending() { Self::from(Unended::Abandoned.words()) } else { self }
    }

    pub(crate) fn went_well(&self) -> bool {
        self.0.starts_with(OK)
    }

    pub(crate) fn failed(&self) -> bool {
        self.0.starts_with(FAILED)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.0.starts_with(Unended::RUNNING)
    }

    /// Whether it still runs as the process that `running` names, in the words of [`running_as`].
    pub(crate) fn is_process(&self, running: &str) -> bool {
        self.0.strip_prefix(running).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        &*self.0 == CANCELLED
    }

    /// Whether it tells nothing of the result's text.
    pub(crate) fn is_bare(&self) -> bool {
        &*self.0 == OK || &*self.0 == Unended::Cleared.words()
    }

    /// Whether it tells this text.
    pub(crate) fn tells(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// A line that ends with it, without it.
    pub(crate) fn before_in<'l>(&self, line: &'l str) -> Option<&'l str> {
        line.strip_suffix(&*self.0)
    }

    /// The hash and the subject of the commit that was made, as far as they are told.
    pub(crate) fn commit(&self) -> Option<(&str, &str)> {
        let (head, subject) = self.0.strip_prefix("ok: [")?.split_once(']')?;
        let number = head.rsplit(' ').next().unwrap_or_default();
        is_hash(number).then_some((number, subject.trim_start()))
    }
}

impl From<&str> for Ended {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The words for an outcome. A placeholder's can be read back, but for the number of a process.
pub(super) fn phrase(outcome: &Outcome) -> String {
    let word = match (&outcome.unended, outcome.failed, outcome.status) {
        (Some(Unended::Running(process)), ..) => running_as(process),
        (Some(unended), ..) => unended.words().to_owned(),
        (_, true, Some(status)) if status != 0 => format!("{FAILED} (exit {status})"),
        (_, true, _) => FAILED.to_owned(),
        _ => OK.to_owned(),
    };
    match &outcome.line {
        Some(line) if outcome.failed || outcome.is_total || outcome.is_unclear() => {
            let line = on_one_line(units::without_marks(&shorten(line, MOST_TOLD)));
            format!("{word}: {line}")
        }
        _ => word,
    }
}

/// The words for a running process; a process with a number is waited for by that number.
pub(crate) fn running_as(process: &str) -> String {
    let running = Unended::RUNNING;
    if process.is_empty() { running.to_owned() } else { format!("{running} as {process}") }
}
