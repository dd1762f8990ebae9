//! Messages with parts as Bedrock and the AI SDK write them, which no dialect reads.
//!
//! They have the roles and the content lists of known dialects; read as one of those, their calls and
//! results would say nothing, and be removed for it.

use crate::json::{Json, Object};

/// Whether a message has such parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strange {
    /// It has none.
    No,
    /// Parts that are named by a member, and have no type.
    Untyped,
    /// A call or a result.
    Call,
}

/// Whose messages have such parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Bedrock Converse's: a member names the part.
    Converse,
    /// The AI SDK's: parts of the types `tool-call` and `tool-result`.
    AiSdk,
}

/// Finds out whose parts the messages in a list, or in a member of an object, have.
pub fn foreign(value: Json<'_>) -> Option<Foreign> {
    // A text may be anybody's, unless what stands beside it is not.
    let beside = ["modelId", "inferenceConfig", "toolConfig", "additionalModelRequestFields"];
    let is_converse = value.pick(beside).iter().any(Option::is_some);
    let lists = value.members().map(|(_, member)| member).chain([value]);
    let units = lists.flat_map(Json::objects).chain([value]);
    let mut parts = units
        .filter(|unit| unit.member("role").is_some())
        .flat_map(|unit| unit.member("content").into_iter().flat_map(Json::objects));
    parts.find_map(|part| match part.str_member("type").as_deref() {
        Some("tool-call" | "tool-result") => Some(Foreign::AiSdk),
        Some(_) => None,
        None => {
            let mut named = NAMING.iter().zip(part.pick(NAMING));
            let is_named =
                named.any(|(name, value)| (*name != "text" || is_converse) && value.is_some());
            is_named.then_some(Foreign::Converse)
        }
    })
}

/// Members that name a part without a type, of which the first two are calls and results.
const NAMING: [&str; 8] = [
    "toolUse", "toolResult", "text", "image", "document", "video", "reasoningContent", "cachePoint",
];

/// Looks for such parts in a message.
pub(super) fn strange(unit: &Object<'_>) -> Strange {
    let [role, content] = unit.pick(["role", "content"]);
    let content = content.filter(|content| content.is_array() && role.is_some());
    let parts = content.into_iter().flat_map(Json::objects);
    let all = parts.map(|part| match part.str_member("type").as_deref() {
        Some("tool-call" | "tool-result") => Strange::Call,
        Some(_) => Strange::No,
        None => match part.pick(NAMING).iter().position(Option::is_some) {
            Some(0 | 1) => Strange::Call,
            Some(_) => Strange::Untyped,
            None => Strange::No,
        },
    });
    all.fold(Strange::No, |a, b| if a == Strange::Call || b == Strange::No { a } else { b })
}
