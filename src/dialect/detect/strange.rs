//! Messages with the roles and the content lists of known dialects, and other parts in them.
//!
//! Read as one of those, their calls and results would say nothing, and be removed for it: parts without a
//! type are for the dialects that have such, and those of the AI SDK for none.

use crate::json::{Json, Object};

/// Whether a message has such parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strange {
    /// It has none.
    No,
    /// Parts that are named by a member, and have no type.
    Untyped,
    /// A call or a result of the AI SDK's.
    Call,
}

/// Whether the messages in a list, or in a member of an object, have parts of the AI SDK's: of the types
/// `tool-call` and `tool-result`.
pub fn has_parts_of_ai_sdk(value: Json<'_>) -> bool {
    let lists = value.members().map(|(_, member)| member).chain([value]);
    let units = lists.flat_map(Json::objects).chain([value]);
    units.map(Object::of).any(|unit| strange(&unit) == Strange::Call)
}

/// Members that name a part without a type.
const NAMING: [&str; 9] = [
    "toolUse", "toolResult", "text", "image", "document", "video", "reasoningContent",
    "cachePoint", "guardContent",
];

/// Looks for such parts in a message.
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
