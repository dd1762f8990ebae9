//! Sessions of pi, and of OpenClaw, which writes the same lines.
//!
//! Responsible for the content of an entry; [`path`] decides which entries are read. A compaction follows the
//! entries that it keeps, but is read before them. Answers that were aborted or failed are never sent again.

pub(crate) mod path;

use crate::dialect::contract::{Dialect, Facts, Provider, Scope, Sign, Site};
use crate::dialect::session::Naming;
use crate::dialect::shared;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};
use crate::source::Source;

use path::Path;

pub(crate) struct Pi;

impl Dialect for Pi {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "pi",
            about: "pi and OpenClaw sessions (~/.pi/agent/sessions/**/*.jsonl)",
            provider: Provider::Anthropic,
            is_log: true,
            written: Some("timestamp"),
            framing: super::anthropic::FRAMING,
            reads_across: true,
            summary_leads: true,
            shows_internal: true,
            ..Facts::USUAL
        }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [kind, message, cwd, timestamp, kept_id, kept_index, id, parent] = unit.pick([
            "type", "message", "cwd", "timestamp", "firstKeptEntryId", "firstKeptEntryIndex", "id",
            "parentId",
        ]);
        // The ids of other agents are longer.
        let is_its = |id: Json<'_>| {
            let id = id.text().unwrap_or_default();
            (1..=8).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let says = |message: Json<'_>| message.member("role").is_some_and(Json::is_string);
        let is_entry = parent.and(timestamp).and(id).is_some_and(is_its);
        match kind.and_then(Json::text).as_deref() {
            Some("session") if cwd.or(timestamp).is_some() => Sign::Certain,
            Some("compaction") if kept_id.or(kept_index).is_some() => Sign::Certain,
            // An entry of a tree, whatever its content.
            Some("message") if is_entry && message.is_some_and(says) => Sign::Typical,
            Some("message") => message.map_or(Sign::None, sign_of_message),
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        entry(unit)
    }

    fn is_frame(&self, unit: Json<'_>) -> bool {
        unit.member("type").is_some_and(|kind| kind.says("session"))
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let units: Vec<usize> = match scope {
            Scope::Live => Path::of(&source.units).read_order(),
            Scope::All => (0..source.units.len()).collect(),
        };
        let read = units
            .into_iter()
            .filter_map(|unit| Some(entry(source.units[unit].json)?.in_unit(unit)));
        read.filter(|message| scope == Scope::All || !was_abandoned(message)).collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, _site: &Site<'_, '_>) -> Vec<String> {
        write_messages(message)
            .iter()
            .map(|message| format!(r#"{{"type":"message","message":{message}}}"#))
            .collect()
    }

    fn session(&self, source: &Source<'_>) -> Option<String> {
        let header = source.units.first()?.json;
        Some(header.str_member("id")?.into_owned())
    }

    fn naming<'a>(&self, unit: &Object<'a>) -> Option<Naming<'a>> {
        self.is_frame(unit.json()).then(|| Naming::header(unit.member("id")))
    }

    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        // The client iterates over the content, and fails on a plain text.
        if !part.body.is_some_and(Json::is_array) {
            return quote(text);
        }
        shared::list(Some(self.write_part(&NewPart::Text(text.into()), Role::Tool)), part)
    }
}

/// How strongly a message speaks for this dialect: other agents wrap messages too, but not with these members
/// and roles.
fn sign_of_message(message: Json<'_>) -> Sign {
    let [role, api, reason, time] = message.pick(["role", "api", "stopReason", "timestamp"]);
    match role.and_then(Json::text).as_deref() {
        Some("toolResult" | "bashExecution") => Sign::Typical,
        Some("assistant") if api.or(reason).is_some() => Sign::Typical,
        Some("user") if time.is_some() => Sign::Possible,
        _ => Sign::None,
    }
}

/// Reads an entry; `None` if it holds nothing for the model.
fn entry(json: Json<'_>) -> Option<Message<'_>> {
    let [kind, message, summary, content] = json.pick(["type", "message", "summary", "content"]);
    match kind?.text()?.as_ref() {
        "message" => said(message.filter(|message| message.is_object())?),
        "compaction" => Some(injected(json, summary, Origin::Summary)),
        "branch_summary" => Some(injected(json, summary, Origin::Injected)),
        "custom_message" => Some(injected(json, content, Origin::Injected)),
        _ => None,
    }
}

/// A message that an entry puts into the conversation in the user's role.
fn injected<'a>(json: Json<'a>, body: Option<Json<'a>>, origin: Origin) -> Message<'a> {
    let mut message = Message::new(Role::User, json);
    message.content = body;
    message.parts = body.map_or_else(Vec::new, parts).into();
    message.origin = origin;
    message
}

fn said(json: Json<'_>) -> Option<Message<'_>> {
    let [role, content] = json.pick(["role", "content"]);
    let role = match role?.text()?.as_ref() {
        "toolResult" => return Some(result(json, content)),
        // A command that the user ran: the model is told the command and its output.
        "bashExecution" => {
            let told = json.pick(["command", "output"]).into_iter().flatten();
            let mut message = Message::new(Role::User, json);
            message.parts = told.map(|text| Part::whole(Kind::Text, text)).collect();
            if let [command, _, ..] = &mut message.parts[..] {
                command.is_run = true;
            }
            message.origin = match json.member("excludeFromContext") {
                Some(excluded) if excluded.is_true() => Origin::Internal,
                _ => Origin::Injected,
            };
            return Some(message);
        }
        role => Role::of_three(role),
    };
    let mut message = Message::new(role, json);
    message.content = content;
    message.parts = content.map_or_else(Vec::new, parts).into();
    Some(message)
}

fn result<'a>(json: Json<'a>, content: Option<Json<'a>>) -> Message<'a> {
    let [call_id, name, is_error] = json.pick(["toolCallId", "toolName", "isError"]);
    let mut message = Message::new(Role::Tool, json);
    message.parts.push(Part {
        call_id,
        name,
        is_error: is_error.is_some_and(Json::is_true),
        ..Part::new(Kind::ToolResult, json).saying(content)
    });
    message
}

fn parts(content: Json<'_>) -> Vec<Part<'_>> {
    if content.is_string() {
        return vec![Part::whole(Kind::Text, content)];
    }
    let parts = content.items().map(|item| {
        let [kind, text, thinking, id, name, arguments] =
            item.pick(["type", "text", "thinking", "id", "name", "arguments"]);
        let part = match kind.and_then(Json::text).as_deref() {
            Some("text") => Part::new(Kind::Text, item).saying(text),
            Some("thinking") => Part::new(Kind::Reasoning, item).saying(thinking),
            Some("toolCall") => {
                let call = Part::new(Kind::ToolCall, item).saying(arguments);
                Part { call_id: id, name, ..call }
            }
            Some("image") => Part::new(Kind::Image, item),
            _ => Part::new(Kind::Other, item).saying(text),
        };
        Part { list: Some(content), ..part }
    });
    parts.collect()
}

/// Whether an answer was aborted or failed; such answers are left out when the session goes on.
fn was_abandoned(message: &Message<'_>) -> bool {
    let reason = message.json.member("stopReason").filter(|_| message.role == Role::Assistant);
    reason.is_some_and(|reason| reason.says("aborted") || reason.says("error"))
}

/// The values of the member `message` of new entries.
pub(crate) fn write_messages(message: &NewMessage<'_>) -> Vec<String> {
    let role = message.role.among_three();
    let mut written = Vec::new();
    let mut texts = Vec::new();
    for part in &message.parts {
        match part {
            NewPart::Result { call_id, name, text, .. } => written.push(format!(
                r#"{{"role":"toolResult","toolCallId":{},"toolName":{},"content":[{{"type":"text","text":{}}}],"isError":false}}"#,
                quote(call_id),
                quote(name),
                quote(text)
            )),
            // A result is a message of its own.
            NewPart::Source(source) if Json::from_checked(source).member("role").is_some() => {
                written.push((*source).to_owned());
            }
            part => texts.push(Pi.write_part(part, message.role)),
        }
    }
    if !texts.is_empty() {
        written.push(format!(r#"{{"role":"{role}","content":[{}]}}"#, texts.join(",")));
    }
    written
}
