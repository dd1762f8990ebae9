//! Who may speak after whom, and where instructions may stand.

use crate::conversation::{Conversation, Kind, Message, Part, Role};
use crate::demands::content::is_blank_item;
use crate::dialect::Provider;
use crate::json::Json;

/// The text with which the assistant ends so far, if it ends with white space.
pub(crate) fn trailing_space(role: Role, last: &Part<'_>) -> Option<String> {
    let is_open = role == Role::Assistant && last.kind == Kind::Text;
    let text = last.body.filter(|body| is_open && body.is_string()).and_then(Json::text)?;
    // A blank text in a list breaks another rule.
    let is_its = !is_blank_item(last);
    (text.ends_with(char::is_whitespace) && is_its).then(|| text.into_owned())
}

/// The instructions that stand where the provider refuses them, each with the role of the message before it.
pub(crate) fn refused_instructions(
    conversation: &Conversation<'_>,
    provider: Provider,
    foreign: bool,
) -> Vec<(usize, Option<Role>)> {
    let mut before: Option<Role> = None;
    let mut refused = Vec::new();
    for (at, message) in conversation.messages.iter().enumerate() {
        if !message.is_sent() {
            continue;
        }
        if is_refused_behind(before, message, message.role, provider, foreign) {
            refused.push((at, before));
        } else {
            before = Some(message.role);
        }
    }
    refused
}

/// Whether a message with this new role is an instruction that must not follow a message of the role
/// `before`.
pub(crate) fn is_refused_behind(
    before: Option<Role>,
    message: &Message<'_>,
    role: Role,
    provider: Provider,
    foreign: bool,
) -> bool {
    role.is_instruction()
        && !message.units.is_empty()
        && message.json.member("role").is_some()
        && !may_instruct(provider, foreign, role, before)
}

/// Whether an instruction of this role may follow a message of the role `before`.
fn may_instruct(provider: Provider, foreign: bool, role: Role, before: Option<Role>) -> bool {
    let leads = before.is_none_or(Role::is_instruction);
    match provider {
        Provider::Anthropic => foreign && leads,
        Provider::Gemini | Provider::Bedrock => foreign,
        Provider::Mistral if foreign => leads,
        Provider::Mistral => role == Role::System && (leads || before == Some(Role::User)),
        _ => true,
    }
}
