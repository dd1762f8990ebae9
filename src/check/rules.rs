//! The table of rules: what providers refuse, in their own words, and how it is repaired.
//!
//! Everything about a rule but the code that finds and mends it stands in its row; reports, help
//! and tests walk the table. The sentences are as the providers send them, typos included; blanks
//! in braces are filled with real positions (`n` the message, `m` the part) and ids.

pub(crate) mod table;

use super::{Report, Severity, View};
use crate::dialect::Provider;
use table::{
    CACHE_CONTROL, CALL_ID_FORM, CONTENT_TYPE, DISPLACED_RESULT, DUPLICATE_CALL_ID,
    DUPLICATE_RESULT, EMPTY_ARRAY, EMPTY_CONVERSATION, EMPTY_ERROR_RESULT, EMPTY_MESSAGE,
    EMPTY_TEXT, FIRST_ROLE, IN_FLIGHT, INPUT_TYPE, INTERNAL_ROW, LAST_ROLE, LONE_SURROGATE,
    MEDIA_COUNT, MISPLACED_PART, MISSING_CALL_ID, ORPHAN_RESULT, RESULT_AFTER_TEXT, ROLE_ORDER,
    STRAY_VALUE, SYSTEM_PLACE, THINKING_BOUND, THINKING_MISSING, THINKING_ORDER, TOOL_NAME_FORM,
    TOOLS_MISSING, TRAILING_SPACE, UNANSWERED_CALL, UNKNOWN_ROLE, UNKNOWN_TYPE,
};

/// One rule.
pub struct Rule {
    /// Its stable name.
    pub name: &'static str,
    /// What must hold.
    pub holds: &'static str,
    /// How `normalize` makes it hold.
    pub repair: &'static str,
    /// Whether the repair loses something that was said.
    pub loses: bool,
    /// Who insists on it.
    pub rows: &'static [Row],
    pub(super) find: Find,
}

/// One provider's view of a rule.
#[derive(Debug)]
pub struct Row {
    /// Who.
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
    /// Whether it is one of these.
    pub(crate) fn is_in(&'static self, rules: &[&'static Self]) -> bool {
        rules.iter().any(|rule| std::ptr::eq(*rule, self))
    }

    /// What this provider thinks of it, if anything.
    pub fn row(&self, provider: Provider) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.provider == provider)
    }
}

/// Every rule.
pub static RULES: &[&Rule] = &[
    &UNANSWERED_CALL,
    &IN_FLIGHT,
    &ORPHAN_RESULT,
    &DISPLACED_RESULT,
    &DUPLICATE_RESULT,
    &DUPLICATE_CALL_ID,
    &RESULT_AFTER_TEXT,
    &CALL_ID_FORM,
    &MISSING_CALL_ID,
    &MISPLACED_PART,
    &FIRST_ROLE,
    &ROLE_ORDER,
    &LAST_ROLE,
    &TRAILING_SPACE,
    &SYSTEM_PLACE,
    &EMPTY_TEXT,
    &EMPTY_MESSAGE,
    &CONTENT_TYPE,
    &EMPTY_ARRAY,
    &EMPTY_CONVERSATION,
    &THINKING_ORDER,
    &THINKING_MISSING,
    &THINKING_BOUND,
    &EMPTY_ERROR_RESULT,
    &INPUT_TYPE,
    &TOOL_NAME_FORM,
    &TOOLS_MISSING,
    &MEDIA_COUNT,
    &CACHE_CONTROL,
    &LONE_SURROGATE,
    &INTERNAL_ROW,
    &UNKNOWN_ROLE,
    &UNKNOWN_TYPE,
    &STRAY_VALUE,
];
