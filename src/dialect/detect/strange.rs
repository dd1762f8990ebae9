//! Messages with the roles and content lists of known dialects, but with parts of another.
//!
//! If such messages were read as one of the known dialects, their calls and results would be lost: parts
//! without a type belong to the dialects that have such parts, and the AI SDK's calls to none.

use crate::json::{Json, Object};

/// Whether a message has parts of another dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strange {
    /// It has no such parts.
    No,
    /// It has parts that are named by a member and have no type.
    Untyped,
    /// It has a call or a result of the AI SDK.
    Call,
}

/// Whether the messages in a list, or in a member of an object, have calls or results of the AI SDK: parts of
/// the types `tool-call` and `tool-result`.
pub fn has_parts_of_ai_sdk(value: Json<'_>) -> bool {
    let lists = value.members().map(|(_, member)| member).chain([value]);
    let units = lists.flat_map(Json::objects).chain([value]);
    units.map(Object::of).any(|unit| strange(&unit) == Strange::Call)
}

/// Members that name a part that has no type.
const NAMING: [&str; 9] = [
    "toolUse", "toolResult", "text", "image", "document", "video", "reasoningContent",
    "cachePoint", "guardContent",
];

/// Looks for parts of another dialect in a message.
pub(super) fn strange(unit: &Object<'_>) -> Strange {
    let [role, content] = unit.pick(["role", "content"]);
    let content = content.filter(|content| content.is_array() && role.is_some());
    let parts = content.into_iter().flat_map(Json::objects);
    let all = parts.map(|part| match part.str_member("type").as_deref() {
        Some("tool-call" | "tool-result") => Strange::Call,
        None if part.pick(NAMING).iter().any(Option::is_some) => Strange::Untyped,
        _ => Strange::No,
    });
    all.fold(Strange::No, |a, b| if a == Strange::Call || b == Strange::No { a } else { b })
}
