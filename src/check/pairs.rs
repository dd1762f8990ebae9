//! Rules of calls and results: each call has one result, right behind it.
//!
//! Relies on [`Pairs`](crate::pairing::Pairs) for what answers what, and on the view for turns.

use std::collections::{HashMap, HashSet};

use super::{Report, Standing, View};
use crate::conversation::{Kind, Place, Role};
use crate::demands::calls::{call_named, call_of_server, result_named};
use crate::dialect::Provider;
use crate::json::Json;
use crate::pairing::{Approval, ServerResult, approvals, paused_calls, server_results};

/// The assistant's calls without a result, each with whether the conversation still waits for it.
fn open_calls(view: &View<'_, '_>) -> Vec<(Place, bool)> {
    let calls = view.pairs.unanswered();
    let calls = calls.filter(|call| view.messages()[call.0].role == Role::Assistant);
    let calls = calls.filter(|call| !view.is_answered_in_common(*call));
    calls.map(|call| (call, view.is_in_flight(call))).collect()
}

/// How many ids of a batch a sentence names, as it is repeated for each call of the batch.
const NAMED_IDS: usize = 20;

pub(super) fn unanswered_calls<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let open: Vec<Place> =
        open_calls(view).into_iter().filter(|(_, waits)| !waits).map(|(call, _)| call).collect();
    for batch in open.chunk_by(|a, b| a.0 == b.0) {
        let ids = batch.iter().filter_map(|&call| view.part(call).id());
        let mut ids: Vec<_> = ids.take(NAMED_IDS + 1).collect();
        if ids.len() > NAMED_IDS {
            ids[NAMED_IDS] = "…".into();
        }
        let ids = ids.join(", ");
        for &call in batch {
            found.push(
                Report::part(call, format!("{} has no result", call_named(view.part(call))))
                    .blank("ids", &ids)
                    .blank("next", &(view.position(call.0) + 1)),
            );
        }
    }
    unanswered_by_servers(view, found);
}

/// Finds calls of a paused server that the next user turn answers with anything but results.
fn unanswered_by_servers<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.provider != Provider::Anthropic || !view.wire.is_sent_as_it_is() {
        return;
    }
    let calls = paused_calls(view.parts(), |message| view.turn_of(message)).into_iter();
    let is_passed = |call: &Place| {
        let next = view.turn_of(call.0).and_then(|turn| view.turns.get(turn + 1));
        let mut members = next.into_iter().flat_map(|turn| &turn.members);
        members.any(|&at| view.messages()[at].parts.iter().any(|it| it.kind != Kind::ToolResult))
    };
    for call in calls.filter(is_passed) {
        let [id, name, kind] = view.part(call).json.pick(["id", "name", "type"]);
        let say = |value: Option<Json<'a>>| value.and_then(Json::text).unwrap_or_default();
        let text = format!("{} has no result", call_of_server(view.part(call)));
        let report = Report::part(call, text);
        let report = report.sentence(1).blank("id", &say(id)).blank("name", &say(name));
        found.push(report.unsaid_if(kind.is_some_and(|kind| kind.says("mcp_tool_use"))));
    }
}

pub(super) fn calls_in_flight<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (call, _) in open_calls(view).into_iter().filter(|(_, waits)| *waits) {
        found.push(Report::part(call, format!("{} is in flight", call_named(view.part(call)))));
    }
}

pub(super) fn orphan_results<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.continues {
        return;
    }
    for &result in &view.pairs.orphans {
        let text = format!("{} has no call", result_named(view.part(result)));
        found.push(Report::part(result, text).note_if(view.wire.answer));
    }
    orphans_of_servers(view, found);
    unasked_approvals(view, found);
}

fn orphans_of_servers<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.provider != Provider::Anthropic || view.wire.foreign {
        return;
    }
    let results = server_results(view.parts()).into_iter();
    for ServerResult { place, id, .. } in results.filter(|result| result.call.is_none()) {
        let kind = view.part(place).json.str_member("type").unwrap_or_default();
        let report = Report::part(place, format!("{kind} has no call")).sentence(1);
        let report = report.blank("type", &kind).blank("id", &id).note_if(view.wire.answer);
        // The provider's sentence speaks of `server_tool_use` only.
        found.push(report.unsaid_if(kind == "mcp_tool_result"));
    }
}

/// Finds the user's answers to MCP servers that did not ask. What the provider says of them is not known.
fn unasked_approvals<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.provider != Provider::Responses || !view.wire.is_sent_as_it_is() {
        return;
    }
    let all = approvals(view.messages().iter().enumerate()).into_iter();
    for Approval { message, id, .. } in all.filter(|approval| approval.request.is_none()) {
        let text = format!("approval of \"{id}\" has no request");
        let report = Report::message(message, text).unsaid_if(true).note_if(view.wire.answer);
        found.push(report.at(view.messages()[message].json.member("approval_request_id")));
    }
}

pub(super) fn duplicate_results<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for &(result, call) in &view.pairs.duplicates {
        let text = format!("{} has a result already", call_named(view.part(call)));
        found.push(Report::part(result, text));
    }
}

pub(super) fn displaced_results<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    for (call, result, standing) in view.standings() {
        if standing == Standing::Displaced {
            let how = if result < call { "stands before" } else { "does not stand right behind" };
            let text = format!("{} {how} its call", result_named(view.part(result)));
            let ids = view.part(call).id().unwrap_or_default();
            let before = view.role_before(result.0);
            let may_follow = matches!(before, Role::Assistant | Role::Tool);
            found.push(
                Report::part(result, text)
                    .sentence(usize::from(may_follow))
                    .blank("role", &"tool")
                    .blank("before", &before.name())
                    .blank("ids", &ids)
                    .blank("n", &view.position(call.0))
                    .blank("next", &(view.position(call.0) + 1)),
            );
        }
    }
}

pub(super) fn results_after_text<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    if view.wire.parts_results {
        let messages = view.messages().iter().enumerate();
        for (at, message) in messages.filter(|(_, message)| message.role == Role::User) {
            let results = message.parts_of(Kind::ToolResult).count();
            let first = message.parts_of(Kind::ToolResult).next();
            let marks = message.parts.iter().filter(|part| part.is_cache_point()).count();
            if let Some((index, _)) = first.filter(|_| results + marks < message.parts.len()) {
                let text = "results stand beside other parts";
                found.push(Report::part((at, index), text).blank("k", &results));
            }
        }
    }
    let mut counts = HashMap::new();
    for (_, result, standing) in view.standings() {
        if standing == Standing::AfterText {
            let count = || view.messages()[result.0].parts_of(Kind::ToolResult).count();
            let results = *counts.entry(result.0).or_insert_with(count);
            let text = format!("{} stands behind other parts", result_named(view.part(result)));
            found.push(Report::part(result, text).blank("k", &results));
        }
    }
}

pub(super) fn duplicate_call_ids<'a>(view: &View<'_, 'a>, found: &mut Vec<Report<'a>>) {
    let in_request = view.provider == Provider::Anthropic;
    let mut seen = HashSet::new();
    let mut turn = None;
    for (place, part) in view.parts().filter(|(_, part)| part.kind == Kind::ToolCall) {
        if !in_request && view.turn_of(place.0) != turn {
            turn = view.turn_of(place.0);
            seen.clear();
        }
        let Some(id) = part.id().filter(|id| !id.is_empty()) else { continue };
        if !seen.insert(id.clone()) {
            let text = format!("call id \"{id}\" is used twice");
            found.push(Report::part(place, text));
        }
    }
}
