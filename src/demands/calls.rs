//! The names of calls and results in findings and repairs, and how a call and its result may be written as
//! one.

use crate::conversation::Part;

/// How findings and repairs name a call: by its id, else by its tool.
pub(crate) fn call_named(call: &Part<'_>) -> String {
    match call.id().filter(|id| !id.is_empty()) {
        Some(id) => format!("call \"{id}\""),
        None if call.tool().is_empty() => "call without id".to_owned(),
        None => format!("call of {}", call.tool()),
    }
}

/// How findings and repairs name a result: by the id of its call, else by its tool; given either of the two.
pub(crate) fn result_named(part: &Part<'_>) -> String {
    match part.id().filter(|id| !id.is_empty()) {
        Some(id) => format!("result for \"{id}\""),
        None if part.tool().is_empty() => "result without id".to_owned(),
        None => format!("result for {}", part.tool()),
    }
}

/// How findings and repairs name a call that the server runs.
pub(crate) fn call_of_server(call: &Part<'_>) -> String {
    format!("call \"{}\"", call.json.str_member("id").unwrap_or_default())
}

/// Whether a call is written as `{"type", "value"}`, with neither an id nor a name.
pub(crate) fn is_vague(call: &Part<'_>) -> bool {
    call.call_id.is_none() && call.name.is_none() && call.json.member("value").is_some()
}

/// Whether a call contains its own result, so that no edit can separate them.
pub(crate) fn is_inline(call: &Part<'_>, result: &Part<'_>) -> bool {
    call.json.holds(result.json)
}
