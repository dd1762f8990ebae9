//! A plan that the user was asked to approve.
//!
//! Responsible for recognising its text among the arguments of a call, and whether the user approved it.

use super::{Call, result_text};
use crate::conversation::Conversation;

/// The least bytes of a single line that is a plan and not the name of one.
const LONG: usize = 200;

/// Whether an argument with this name and text is a plan.
pub(crate) fn is_proposed(key: &str, text: &str) -> bool {
    key == "plan" && (text.len() > LONG || text.contains('\n'))
}

impl Call {
    /// Whether the result says that the user approved the proposed plan.
    pub(crate) fn is_approved(&self, conversation: &Conversation<'_>) -> bool {
        let says_so = |result| {
            let text = result_text(conversation, result);
            let first = text.trim_start().lines().next().unwrap_or_default().to_ascii_lowercase();
            first.contains("approved") && !first.contains("not approved")
        };
        self.outcome.went_well() && self.result.is_some_and(says_so)
    }
}
