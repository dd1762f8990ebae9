//! Sessions of Gemini CLI: one object, or in newer versions a header and one line per message.
//!
//! A result stands inside its call. Thoughts, notes for the screen and slash commands are recorded but not
//! sent again. A line with a known id replaces the message; `$rewindTo` takes back a message and everything
//! after it.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::dialect::contract::{Answer, Dialect, Facts, Member, Provider, Scope, Sign, Site};
use crate::dialect::gemini;
use crate::dialect::session::Naming;
use crate::few::Few;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Origin, Part, Role};
use crate::source::Source;

/// The types of lines that are only shown to the user.
const SHOWN: &[&str] = &["info", "error", "warning"];

pub(super) struct GeminiCli;

impl Dialect for GeminiCli {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "gemini-cli",
            about: "Gemini CLI sessions (~/.gemini/tmp/*/chats/session-*)",
            provider: Provider::Gemini,
            is_log: true,
            written: Some("timestamp"),
            framing: gemini::FRAMING,
            holders: &["messages"],
            reads_across: true,
            shows_internal: true,
            ..Facts::USUAL
        }
    }

    fn attached<'a>(&self, part: &Part<'a>) -> Option<Json<'a>> {
        gemini::attached(part)
    }

    fn root_sign(&self, root: &Object<'_>) -> Sign {
        let [session, project] = root.pick(["sessionId", "projectHash"]);
        if session.and(project).is_some() { Sign::Certain } else { Sign::None }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [kind, id, timestamp, content, parts, session, project, messages] = unit.pick([
            "type", "id", "timestamp", "content", "parts", "sessionId", "projectHash", "messages",
        ]);
        match kind.and_then(Json::text).as_deref() {
            None if session.and(project).is_some() && messages.is_none() => Sign::Certain,
            Some("gemini") if content.or(parts).is_some() => Sign::Certain,
            Some("user") if id.and(timestamp).and(content).is_some() => Sign::Possible,
            Some("model") if id.and(timestamp).and(parts).is_some() => Sign::Possible,
            _ => Sign::None,
        }
    }

    fn role_named<'a>(&self, _message: Json<'a>, unit: Json<'a>) -> Option<Cow<'a, str>> {
        unit.str_member("type")
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let [kind, content, parts, calls] = unit.pick(["type", "content", "parts", "toolCalls"]);
        let kind = kind?.text()?;
        let role = match kind.as_ref() {
            "user" => Role::User,
            "gemini" | "model" => Role::Assistant,
            _ => Role::Other,
        };
        let mut message = Message::new(role, unit);
        message.content = content.or(parts);
        message.parts = message.content.map_or_else(Vec::new, said).into();
        let is_command = |part: &Part<'_>| part.text().trim_start().starts_with(['/', '?']);
        if SHOWN.contains(&kind.as_ref())
            || role == Role::User && message.parts.first().is_some_and(is_command)
        {
            message.origin = Origin::Internal;
        }
        for call in calls.into_iter().flat_map(Json::objects) {
            tool(call, calls, &mut message.parts);
        }
        Some(message)
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let mut messages: Vec<Message<'a>> = Vec::new();
        // The place of each id, separately for messages and for notes.
        let mut places: HashMap<(Cow<'a, str>, bool), usize> = HashMap::new();
        // The id of each message.
        let mut keys: Vec<Option<(Cow<'a, str>, bool)>> = Vec::new();
        for (at, unit) in source.units.iter().enumerate() {
            let [id, rewind] = unit.json.pick(["id", "$rewindTo"]);
            if let Some(to) = rewind.and_then(Json::text).filter(|_| scope == Scope::Live) {
                let place = |is_note| places.get(&(to.clone(), is_note)).copied();
                let kept = place(false).into_iter().chain(place(true)).min();
                let kept = kept.unwrap_or(messages.len());
                messages.truncate(kept);
                for key in keys.drain(kept..).flatten() {
                    places.remove(&key);
                }
            }
            let Some(message) = self.message(unit.json) else { continue };
            let mut message = message.in_unit(at);
            let id = id.and_then(Json::text).filter(|id| !id.is_empty() && scope == Scope::Live);
            let key = id.map(|id| (id, message.role == Role::Other));
            let known = key.as_ref().and_then(|key| places.get(key)).copied();
            if let Some(known) = known {
                message.units = messages[known].units.iter().copied().chain([at]).collect();
                messages[known] = message;
            } else {
                places.extend(key.clone().map(|key| (key, messages.len())));
                keys.push(key);
                messages.push(message);
            }
        }
        messages
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let kind = if message.role == Role::Assistant { "gemini" } else { "user" };
        let timestamp = site.neighbour().and_then(|unit| unit.member("timestamp"));
        let content = match message.parts.as_slice() {
            [NewPart::Text(text)] => quote(text),
            parts => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.write_part(part, message.role)).collect();
                format!("[{}]", parts.join(","))
            }
        };
        let before = site.before.and_then(|unit| unit.str_member("id")).unwrap_or_default();
        let id = quote(&site.fresh_id(|nth| format!("{before}{}", "+".repeat(nth + 1))));
        let timestamp = timestamp.map_or("\"\"", Json::source);
        vec![format!(
            r#"{{"id":{id},"timestamp":{timestamp},"type":"{kind}","content":{content}}}"#
        )]
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        part.written(|text| format!(r#"{{"text":{}}}"#, quote(text)))
    }

    fn session(&self, source: &Source<'_>) -> Option<String> {
        let header = source.value().or(source.units.first().map(|unit| unit.json))?;
        Some(header.str_member("sessionId")?.into_owned())
    }

    fn naming<'a>(&self, unit: &Object<'a>) -> Option<Naming<'a>> {
        let [kind, session, project] = unit.pick(["type", "sessionId", "projectHash"]);
        let is_header = kind.is_none() && project.is_some();
        session.filter(|_| is_header).map(|session| Naming::header(Some(session)))
    }

    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        gemini::write_result(part, text)
    }

    fn answered<'a>(&self, call: &Part<'a>, answer: &Answer<'_>) -> Option<Vec<Member<'a>>> {
        let Answer { call_id, name, text } = *answer;
        let id = match call_id {
            "" => String::new(),
            id => format!(r#""id":{},"#, quote(id)),
        };
        let (name, text) = (quote(name), quote(text));
        let response = format!(r#"{{{id}"name":{name},"response":{{"error":{text}}}}}"#);
        let result = format!(r#"[{{"functionResponse":{response}}}]"#);
        let status = (call.json, "status", Some(quote("error")));
        Some(vec![status, (call.json, "result", Some(result))])
    }
}

fn said(content: Json<'_>) -> Vec<Part<'_>> {
    if content.is_array() {
        return gemini::parts_of(content);
    }
    content.is_filled_string().then(|| Part::whole(Kind::Text, content)).into_iter().collect()
}

/// Adds a call, and the result in it.
fn tool<'a>(call: Json<'a>, list: Option<Json<'a>>, parts: &mut Few<Part<'a>>) {
    let [call_id, name, arguments, status, result] =
        call.pick(["id", "name", "args", "status", "result"]);
    let part = Part::new(Kind::ToolCall, call).saying(arguments);
    parts.push(Part { list, call_id, name, ..part });
    let Some(result) = result.filter(|result| !result.is_null()) else { return };
    let response = result.items().find_map(|item| item.member("functionResponse"));
    // A result without a response is read whole, as it has no member that a repair could change.
    let response = response.filter(|response| response.member("response").is_some());
    let read = match response {
        Some(response) => gemini::function_response(response),
        None => Part::whole(Kind::ToolResult, result),
    };
    let failed = status.is_some_and(|status| status.says("error") || status.says("cancelled"));
    parts.push(Part { call_id, name, is_error: failed || read.is_error, ..read });
    let media = result.items().filter(|item| item.member("inlineData").is_some());
    parts.extend(media.map(|item| Part::new(Kind::Image, item)));
}
