//! Results of tools that Anthropic runs, and their calls.
//!
//! Responsible for calls that stand in one message and whose result stands in the next, because the server
//! paused. Our side neither answers nor sends these, so they are in no pair.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::conversation::{Kind, Part, Place};
use crate::json::Json;

/// A result of a tool that Anthropic runs.
pub(crate) struct ServerResult<'a> {
    /// Where it stands.
    pub(crate) place: Place,
    /// The id of its call.
    pub(crate) id: Cow<'a, str>,
    /// The newest call before it with that id.
    pub(crate) call: Option<Place>,
}

/// The id that joins a call and its result. A call without one is a call all the same.
fn said(id: Option<Json<'_>>) -> Cow<'_, str> {
    id.and_then(Json::text).unwrap_or_default()
}

/// Whether a part is a call of a tool that Anthropic runs.
pub(crate) fn is_server_call(part: &Part<'_>) -> bool {
    let kind = part.json.member("type").filter(|_| part.kind == Kind::Other);
    kind.is_some_and(|kind| kind.says("server_tool_use"))
}

/// The calls among `parts` that the server did not answer within the turn that made them, in order; `turn_of`
/// gives the turn of a message.
pub(crate) fn paused_calls<'c, 'a: 'c>(
    parts: impl Iterator<Item = (Place, &'c Part<'a>)>,
    turn_of: impl Fn(usize) -> Option<usize>,
) -> Vec<Place> {
    // The calls that are open, by their id and turn.
    let mut open: HashMap<(Cow<'a, str>, Option<usize>), Vec<Place>> = HashMap::new();
    for (place, part) in parts.filter(|(_, part)| part.kind == Kind::Other) {
        let [kind, id, call] = part.json.pick(["type", "id", "tool_use_id"]);
        let Some(kind) = kind.and_then(Json::text) else { continue };
        if matches!(kind.as_ref(), "server_tool_use" | "mcp_tool_use") {
            open.entry((said(id), turn_of(place.0))).or_default().push(place);
        } else if kind.ends_with("_tool_result") {
            open.remove(&(said(call), turn_of(place.0)));
        }
    }
    let mut open: Vec<Place> = open.into_values().flatten().collect();
    open.sort_unstable();
    open
}

/// The results of such tools among `parts`, in order.
pub(crate) fn server_results<'c, 'a: 'c>(
    parts: impl Iterator<Item = (Place, &'c Part<'a>)>,
) -> Vec<ServerResult<'a>> {
    let mut calls = HashMap::new();
    let mut results = Vec::new();
    for (place, part) in parts.filter(|(_, part)| part.kind == Kind::Other) {
        let [kind, id, call] = part.json.pick(["type", "id", "tool_use_id"]);
        let Some(kind) = kind.and_then(Json::text) else { continue };
        // A tool of an MCP server has calls and results of its own.
        let is_mcps = kind.starts_with("mcp_");
        if matches!(kind.as_ref(), "server_tool_use" | "mcp_tool_use") {
            calls.insert((is_mcps, said(id)), place);
        } else if kind.ends_with("_tool_result") {
            let id = said(call);
            let call = calls.get(&(is_mcps, id.clone())).copied();
            results.push(ServerResult { place, id, call });
        }
    }
    results
}
