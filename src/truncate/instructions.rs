//! Instructions that stand where the provider refuses them.
//!
//! Responsible for reading them as the user's words, which they become in the result: as instructions they
//! would stay and be counted apart, and a second run would go by other rules.

use crate::check::refused_instructions;
use crate::conversation::{Conversation, Role};

/// The conversation with such instructions as the user's; `None` where there are none.
pub fn as_taken<'a>(conversation: &Conversation<'a>) -> Option<Conversation<'a>> {
    let dialect = conversation.dialect;
    if !dialect.is_wire() {
        return None;
    }
    let refused = refused_instructions(conversation, dialect.provider(), false).into_iter();
    // What leads all messages is the system prompt, or becomes it.
    let mut refused = refused.filter(|(_, before)| before.is_some()).peekable();
    refused.peek()?;
    let Conversation { ref source, ref messages, tools, scope, .. } = *conversation;
    let mut messages = messages.clone();
    refused.for_each(|(at, _)| messages[at].role = Role::User);
    Some(Conversation { dialect, source: source.clone(), messages, tools, scope })
}
