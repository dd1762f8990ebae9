//! Calls that the provider ran itself: searches, programs, tools of MCP servers.
//!
//! Responsible for finding these calls and their results. Nobody has to answer them, so they form no pair; they
//! stand in one message of the model or in one item.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::conversation::{Kind, Message, Part, Place};
use crate::json::Json;
use crate::pairing::server_results;

/// The places of these calls, each with the place of its result.
pub(super) fn calls(messages: &[Message<'_>]) -> Vec<(Place, Option<Place>)> {
    let parts = || messages.iter().enumerate().flat_map(|(at, message)| message.placed(at));
    let joined = server_results(parts()).into_iter();
    let call_of: HashMap<Place, Option<Place>> = joined.map(|it| (it.place, it.call)).collect();
    let mut calls: Vec<(Place, Option<Place>)> = Vec::new();
    for (place, part) in parts() {
        if is_call(part) {
            calls.push((place, None));
        } else if let Some(kind) = kind(part) {
            // A result without the id of its call stands behind it, in the same item or the next.
            let is_next = kind == RESULT || kind.ends_with("_call");
            let last = calls.last().map(|(call, _)| *call);
            let last = last.filter(|call| is_next && call.0 == place.0);
            let call = call_of.get(&place).copied().flatten().or(last);
            let at = call.and_then(|call| calls.binary_search_by_key(&call, |it| it.0).ok());
            if let Some(at) = at {
                calls[at].1.get_or_insert(place);
            }
        }
    }
    calls
}

/// Gemini's names for a program that it ran, and for what the program printed.
const CODE: &str = "executableCode";
const RESULT: &str = "codeExecutionResult";

/// Whether a part is a call of a tool that the provider runs.
pub(super) fn is_call(part: &Part<'_>) -> bool {
    let Some(body) = part.body.filter(|_| part.kind == Kind::Other) else { return false };
    let program = || part.json.member(CODE).and_then(|code| code.member("code"));
    let asked = part.json.pick(["input", "arguments", "action", "queries", "code"]);
    asked.into_iter().flatten().chain(program()).any(|asked| asked.is(body))
}

fn kind<'a>(part: &Part<'a>) -> Option<Cow<'a, str>> {
    let json = Some(part.json).filter(|_| part.kind == Kind::Other)?;
    let of_gemini = || [CODE, RESULT].into_iter().find(|key| json.member(key).is_some());
    json.str_member("type").or_else(|| of_gemini().map(Cow::Borrowed))
}

/// What a part is to a tool that the provider runs.
pub enum Hosted<'a> {
    /// A call of the tool with this name.
    Call(Cow<'a, str>),
    /// A result of the tool.
    Result,
}

/// What a part is to a tool that the provider runs; `None` if it is neither a call nor a result with text.
pub fn hosted<'a>(part: &Part<'a>) -> Option<Hosted<'a>> {
    if is_call(part) {
        return Some(Hosted::Call(tool(part)));
    }
    let says = part.body.is_some_and(|body| !body.is(part.json)) && !part.is_blank();
    let kind = kind(part).filter(|_| says)?;
    let is_result = kind == RESULT || kind.ends_with("_tool_result") || kind.ends_with("_call");
    is_result.then_some(Hosted::Result)
}

/// The name of the called tool: its own, or else that of the part's type.
pub(super) fn tool<'a>(part: &Part<'a>) -> Cow<'a, str> {
    let of_type = || {
        let kind = kind(part).unwrap_or_default();
        kind.strip_suffix("_call").map(|name| name.to_owned().into()).unwrap_or(kind)
    };
    part.json.str_member("name").unwrap_or_else(of_type)
}

/// A result, flagged as failed if its own members say so.
pub(super) fn judged<'a>(part: &Part<'a>) -> Part<'a> {
    let [error, is_error] = part.json.pick(["error", "is_error"]);
    let failed = error.is_some_and(|error| !error.is_null()) || is_error.is_some_and(Json::is_true);
    Part { is_error: failed, ..*part }
}
