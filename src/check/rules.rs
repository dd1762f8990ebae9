//! The table of rules: what providers refuse, in their own words, and how it is repaired.
//!
//! Everything about a rule except the code that finds and repairs breaches stands in its row; reports, help
//! and tests walk the table. The sentences are as the providers send them, typos included; blanks in braces
//! are filled with real positions (`n` the message, `m` the part) and ids.

pub(crate) mod table;

use super::{Report, Severity, View};
use crate::dialect::Provider;
pub use table::RULES;

/// One rule.
pub struct Rule {
    /// Its stable name.
    pub name: &'static str,
    /// What must hold.
    pub holds: &'static str,
    /// How `normalize` makes it hold.
    pub repair: &'static str,
    /// Whether the repair loses content.
    pub loses: bool,
    /// The providers that insist on it.
    pub rows: &'static [Row],
    pub(super) find: Find,
}

/// A rule of ours, for which no provider has a sentence.
#[derive(Debug)]
pub struct OwnRule {
    /// Its stable name.
    pub name: &'static str,
    /// What must hold.
    pub holds: &'static str,
    /// What makes it hold again.
    pub repair: &'static str,
}

/// One provider's view of a rule.
#[derive(Debug)]
pub struct Row {
    /// The provider.
    pub provider: Provider,
    /// How bad a breach is.
    pub severity: Severity,
    /// What the provider answers: one sentence, or one for each kind of breach.
    pub errors: &'static [&'static str],
}

type Find = for<'c, 'a> fn(&View<'c, 'a>, &mut Vec<Report<'a>>);

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Rule {
    /// Whether the rule is one of `rules`.
    pub(crate) fn is_in(&'static self, rules: &[&'static Self]) -> bool {
        rules.iter().any(|rule| std::ptr::eq(*rule, self))
    }

    /// This provider's row, if the rule concerns it.
    pub fn row(&self, provider: Provider) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.provider == provider)
    }
}
