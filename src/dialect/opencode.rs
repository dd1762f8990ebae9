//! Sessions of opencode, as `opencode export` writes them.
//!
//! A call and its result are one part. The parts and the members beside them hold much that is never sent:
//! steps, snapshots, whole files in `info.summary`. After a compaction the session begins with the message
//! that asked for it.

use std::borrow::Cow;
use std::iter::repeat_n;

use crate::dialect::contract::{Answer, Dialect, Facts, Member, Provider, Scope, Sign, Site};
use crate::dialect::session::Naming;
use crate::dialect::shared::{unknown_kind, unsaid};
use crate::few::Few;
use crate::json::{Json, Object, quote};
use crate::marks::CLEARED_BY_AGENT;
use crate::message::{Kind, Message, NewMessage, Origin, Part, Role};
use crate::source::Source;

pub(super) struct OpenCode;

impl Dialect for OpenCode {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "opencode",
            about: "opencode sessions (opencode export)",
            provider: Provider::Anthropic,
            is_log: true,
            written: Some("info.time.created"),
            framing: super::anthropic::FRAMING,
            holders: &["messages"],
            reads_across: true,
            summary_leads: true,
            ..Facts::USUAL
        }
    }

    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        (part.json, "tool")
    }

    fn attached<'a>(&self, part: &Part<'a>) -> Option<Json<'a>> {
        let is_result = part.kind == Kind::ToolResult && !is_cleared(part.json);
        part.json.member("attachments").filter(|list| list.is_array() && is_result)
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        unknown_kind(part).filter(|kind| !SILENT.contains(&kind.as_ref()))
    }

    fn role_named<'a>(&self, message: Json<'a>, _unit: Json<'a>) -> Option<Cow<'a, str>> {
        message.at("info.role")?.text()
    }

    fn session(&self, source: &Source<'_>) -> Option<String> {
        Some(source.value()?.at("info.id")?.text()?.into_owned())
    }

    fn naming<'a>(&self, unit: &Object<'a>) -> Option<Naming<'a>> {
        unit.at("info.sessionID").map(|session| Naming::header(Some(session)))
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        match unit.pick(["info", "parts"]) {
            [Some(info), Some(parts)] if parts.is_array() && info.member("role").is_some() => {
                Sign::Certain
            }
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let [info, list] = unit.pick(["info", "parts"]);
        let [role, summary] = info?.pick(["role", "summary"]);
        let mut message = Message::new(Role::of_three(&role?.text()?), unit);
        message.content = list;
        if summary.is_some_and(Json::is_true) {
            message.origin = Origin::Summary;
        }
        for item in list.into_iter().flat_map(Json::items) {
            read(item, list, &mut message.parts);
        }
        Some(message)
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let compaction = last_compaction(source).filter(|_| scope == Scope::Live);
        let start = compaction.map_or(0, |(asked, _)| asked);
        let mut messages = Vec::new();
        for (at, unit) in source.units.iter().enumerate().skip(start) {
            let Some(message) = self.message(unit.json) else { continue };
            let mut message = message.in_unit(at);
            match compaction {
                Some((asked, _)) if at == asked => {}
                // The request for a summary and its answer become one summary: neither means anything alone.
                Some((asked, summary)) if at == summary => {
                    message.role = Role::User;
                    message.origin = Origin::Summary;
                    message.units.insert(0, asked);
                    messages.insert(0, message);
                }
                _ => messages.push(message),
            }
        }
        messages
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let [id, session, time] = info(site.before);
        let [next, next_session, next_time] = info(site.after);
        // Messages are sorted by their ids.
        let (before, after) = (id.and_then(Json::text), next.and_then(Json::text));
        let make = |nth: usize| match (&before, &after) {
            (Some(before), _) => format!("{before}{}", "0".repeat(nth + 1)),
            (None, Some(after)) => {
                let most = after.chars().count().saturating_sub(1);
                after.chars().take(most).chain(repeat_n('-', nth)).collect()
            }
            (None, None) => format!("msg_{}", "0".repeat(nth + 1)),
        };
        let taken = || site.source.units.iter().filter_map(|unit| info(Some(unit.json))[0]?.text());
        let id = site.ids.fresh(taken, make);
        let session = session.or(next_session).map_or("\"\"", Json::source);
        let time = time.or(next_time).and_then(|time| time.member("created"));
        let time = time.map_or("0", Json::source);
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let parts = message.parts.iter().enumerate().map(|(at, part)| {
            part.written(|text| {
                format!(
                    r#"{{"id":{},"sessionID":{session},"messageID":{},"type":"text","text":{}}}"#,
                    quote(&format!("prt_{id}{at}")),
                    quote(&id),
                    quote(text)
                )
            })
        });
        let parts: Vec<String> = parts.collect();
        vec![format!(
            r#"{{"info":{{"id":{},"sessionID":{session},"role":"{role}","time":{{"created":{time}}}}},"parts":[{}]}}"#,
            quote(&id),
            parts.join(",")
        )]
    }

    fn write_result(&self, _part: &Part<'_>, text: &str) -> String {
        quote(text)
    }

    fn answered<'a>(&self, call: &Part<'a>, answer: &Answer<'_>) -> Option<Vec<Member<'a>>> {
        let text = quote(answer.text);
        let state = call.json.member("state").filter(|state| state.is_object());
        let Some(state) = state else {
            let state = format!(r#"{{"status":"error","error":{text}}}"#);
            return Some(vec![(call.json, "state", Some(state))]);
        };
        Some(vec![(state, "status", Some(quote("error"))), (state, "error", Some(text))])
    }
}

/// The members that new messages copy from their neighbours: id, session, time.
fn info(unit: Option<Json<'_>>) -> [Option<Json<'_>>; 3] {
    let info = unit.and_then(|unit| unit.member("info"));
    info.map_or([None; 3], |info| info.pick(["id", "sessionID", "time"]))
}

/// Types of parts that hold no text for the model, or do not always.
const SILENT: [&str; 10] = [
    "text", "file", "step-start", "step-finish", "snapshot", "patch", "agent", "retry", "subtask",
    "compaction",
];

/// Adds the part that an item of `parts` is.
fn read<'a>(item: Json<'a>, list: Option<Json<'a>>, parts: &mut Few<Part<'a>>) {
    let [kind, text, state, mime, ignored, synthetic] =
        item.pick(["type", "text", "state", "mime", "ignored", "synthetic"]);
    let part = match kind.and_then(Json::text).as_deref() {
        Some("text") if !ignored.is_some_and(Json::is_true) => {
            let is_injected = synthetic.is_some_and(Json::is_true);
            Part { is_injected, ..Part::new(Kind::Text, item).saying(text) }
        }
        Some("reasoning") => Part::new(Kind::Reasoning, item).saying(text),
        Some("tool") => return tool(item, state, list, parts),
        Some("file") => match mime.and_then(Json::text).as_deref() {
            Some(mime) if mime.starts_with("image/") => Part::new(Kind::Image, item),
            // The texts of these files stand in parts of their own.
            Some("text/plain" | "application/x-directory") => unsaid(item),
            _ => Part::new(Kind::File, item),
        },
        _ => unsaid(item),
    };
    parts.push(Part { list, ..part });
}

/// Adds a call, and its result if it has one.
fn tool<'a>(
    item: Json<'a>,
    state: Option<Json<'a>>,
    list: Option<Json<'a>>,
    parts: &mut Few<Part<'a>>,
) {
    let [call_id, name] = item.pick(["callID", "tool"]);
    let [input, output, error] =
        state.map_or([None; 3], |state| state.pick(["input", "output", "error"]));
    let call = Part::new(Kind::ToolCall, item).saying(input);
    parts.push(Part { list, call_id, name, ..call });
    // A state that is not an object is itself the output of the tool.
    let whole = state.filter(|state| !state.is_object() && !state.is_null());
    let (Some(state), Some(said)) = (state, output.or(error).or(whole)) else { return };
    let said = if is_cleared(state) { Json::from_checked(CLEARED_BY_AGENT) } else { said };
    parts.push(Part {
        call_id,
        name,
        is_error: output.or(whole).is_none(),
        ..Part::new(Kind::ToolResult, state).saying(Some(said))
    });
}

/// Whether the agent has cleared the result.
fn is_cleared(state: Json<'_>) -> bool {
    state.at("time.compacted").is_some()
}

/// The units of the last successful compaction, request and answer; nothing before them is sent.
pub(crate) fn last_compaction(source: &Source<'_>) -> Option<(usize, usize)> {
    let mut answers: Vec<(Json<'_>, usize)> = Vec::new();
    for (at, unit) in source.units.iter().enumerate().rev() {
        let [info, parts] = unit.json.pick(["info", "parts"]);
        let Some(info) = info else { continue };
        let [id, role, summary, finish, parent] =
            info.pick(["id", "role", "summary", "finish", "parentID"]);
        if role.is_some_and(|role| role.says("user")) {
            let asks =
                |part: Json<'_>| part.member("type").is_some_and(|kind| kind.says("compaction"));
            let answer = answers.iter().find(|(parent, _)| Some(parent) == id.as_ref());
            if let Some((_, answer)) = answer.filter(|_| parts.is_some_and(|p| p.items().any(asks)))
            {
                return Some((at, *answer));
            }
        } else if summary.is_some_and(Json::is_true) && finish.is_some() {
            answers.extend(parent.map(|parent| (parent, at)));
        }
    }
    None
}
