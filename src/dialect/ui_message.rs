//! Messages of Vercel's AI SDK as a web page keeps them: `parts`, or in older versions `content` and
//! `toolInvocations`.
//!
//! A call and its result are one part, whose state tells whether the call was answered. The steps between
//! parts are for the screen.

use std::borrow::Cow;

use crate::dialect::contract::{Answer, Dialect, Facts, Member, Provider, Sign, Site};
use crate::dialect::shared::{unknown_kind, unsaid};
use crate::few::Few;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};

pub(super) struct UiMessage;

impl Dialect for UiMessage {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "ui-message",
            about: "Vercel AI SDK UI messages",
            provider: Provider::OpenAi,
            framing: super::openai::FRAMING,
            holders: &["messages"],
            takes_lists: true,
            ..Facts::USUAL
        }
    }

    fn tool_name_member<'a>(&self, part: &Part<'a>) -> (Json<'a>, &'static str) {
        (part.json.member("toolInvocation").unwrap_or(part.json), "toolName")
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        unknown_kind(part).filter(|kind| {
            // Data and sources are for the page to show.
            let is_shown = kind.starts_with("data-") || kind.starts_with("source");
            !is_shown && !matches!(kind.as_ref(), "step-start" | "tool-invocation")
        })
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [role, parts, invocations] = unit.pick(["role", "parts", "toolInvocations"]);
        if !role.is_some_and(Json::is_string) {
            return Sign::None;
        }
        if invocations.is_some_and(Json::is_array) {
            return Sign::Certain;
        }
        let kinds = parts.filter(|parts| parts.is_array()).into_iter().flat_map(Json::items);
        let signs = kinds.map(|part| match part.str_member("type").as_deref() {
            Some("step-start" | "tool-invocation" | "dynamic-tool") => Sign::Certain,
            Some(kind) if kind.starts_with("tool-") => Sign::Certain,
            Some("text" | "reasoning" | "file" | "source-url") => Sign::Typical,
            _ => Sign::None,
        });
        signs.max().unwrap_or(Sign::None)
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let [role, list, content, invocations] =
            unit.pick(["role", "parts", "content", "toolInvocations"]);
        let mut message = Message::new(Role::of_three(&role?.text()?), unit);
        let is_said = |list: &Json<'a>| !list.is_null() && !is_empty(*list);
        let Some(said) = list.filter(is_said) else {
            // Older versions hold the text here, and so do messages with an empty list of parts.
            let text = content.filter(|text| text.is_filled_string());
            message.parts.extend(text.map(|text| Part::whole(Kind::Text, text)));
            for item in invocations.into_iter().flat_map(Json::objects) {
                tool(item, item, invocations, &mut message.parts);
            }
            message.content = list.filter(|list| message.parts.is_empty() && is_empty(*list));
            return Some(message);
        };
        message.content = Some(said);
        message.parts.extend(said.is_string().then(|| Part::whole(Kind::Text, said)));
        for item in said.items() {
            read(item, said, &mut message.parts);
        }
        message.parts.extend(Part::of_strange_content(said));
        Some(message)
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let before = site.before.and_then(|unit| unit.str_member("id")).unwrap_or_default();
        let id = quote(&site.fresh_id(|nth| format!("{before}{}", "+".repeat(nth + 1))));
        let role = message.role.among_three();
        if site.neighbour().is_some_and(|unit| unit.member("parts").is_none()) {
            let texts: Vec<&str> = message.parts.iter().map(text_of).collect();
            let content = quote(&texts.join("\n\n"));
            return vec![format!(r#"{{"id":{id},"role":"{role}","content":{content}}}"#)];
        }
        let parts: Vec<String> =
            message.parts.iter().map(|part| self.write_part(part, message.role)).collect();
        vec![format!(r#"{{"id":{id},"role":"{role}","parts":[{}]}}"#, parts.join(","))]
    }

    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        // JSON that was cut as JSON stays an object or a list.
        let value = Json::parse(text).filter(|json| {
            let is_of_its_kind = |body: Json<'_>| {
                (body.is_object() && json.is_object()) || (body.is_array() && json.is_array())
            };
            part.is_value() && part.body.is_some_and(is_of_its_kind)
        });
        value.map_or_else(|| quote(text), |json| json.source().to_owned())
    }

    fn answered<'a>(&self, call: &Part<'a>, answer: &Answer<'_>) -> Option<Vec<Member<'a>>> {
        let text = Some(quote(answer.text));
        let [inner, name, kind] = call.json.pick(["toolInvocation", "toolName", "type"]);
        let old = inner.or((name.is_some() && kind.is_none()).then_some(call.json));
        Some(match old {
            Some(old) => vec![(old, "state", Some(quote("result"))), (old, "result", text)],
            None => vec![
                (call.json, "state", Some(quote("output-error"))),
                (call.json, "output", None),
                (call.json, "errorText", text),
            ],
        })
    }
}

fn is_empty(list: Json<'_>) -> bool {
    list.is_array() && list.items().next().is_none()
}

fn text_of<'p>(part: &'p NewPart<'_>) -> &'p str {
    match part {
        NewPart::Text(text) | NewPart::Result { text, .. } => text,
        NewPart::Source(source) => source,
    }
}

/// Adds the part that an item of `parts` is.
fn read<'a>(item: Json<'a>, list: Json<'a>, parts: &mut Few<Part<'a>>) {
    let [kind, text, reasoning, mime, invocation] =
        item.pick(["type", "text", "reasoning", "mediaType", "toolInvocation"]);
    let kind = kind.and_then(Json::text).unwrap_or_default();
    let part = match kind.as_ref() {
        "text" => Part::new(Kind::Text, item).saying(text),
        "reasoning" => Part::new(Kind::Reasoning, item).saying(text.or(reasoning)),
        "file" => {
            let mime = mime.or_else(|| item.member("mimeType")).and_then(Json::text);
            let is_image = mime.is_some_and(|mime| mime.starts_with("image/"));
            Part::new(if is_image { Kind::Image } else { Kind::File }, item)
        }
        "tool-invocation" if invocation.is_none_or(Json::is_object) => {
            return tool(item, invocation.unwrap_or(item), Some(list), parts);
        }
        "tool-invocation" => unsaid(item),
        kind if kind.starts_with("tool-") || kind == "dynamic-tool" => {
            return tool(item, item, Some(list), parts);
        }
        _ if item.is_string() => Part::whole(Kind::Text, item),
        _ => unsaid(item),
    };
    parts.push(Part { list: Some(list), ..part });
}

/// Adds the call that `item` is, and its result if it has one; `told` holds their members.
fn tool<'a>(item: Json<'a>, told: Json<'a>, list: Option<Json<'a>>, parts: &mut Few<Part<'a>>) {
    let [kind, call_id, name, input, args, output, result, error, state, approval] = told.pick([
        "type", "toolCallId", "toolName", "input", "args", "output", "result", "errorText",
        "state", "approval",
    ]);
    let name = name.or(kind);
    let call = Part::new(Kind::ToolCall, item).saying(input.or(args));
    parts.push(Part { list, call_id, name, ..call });
    // If the user denies a call, the reason is its result; without a reason, the SDK says that it was denied.
    let is_denied = state.is_some_and(|state| state.says("output-denied"));
    let reason = approval.filter(|_| is_denied).and_then(|approval| approval.member("reason"));
    let reason = reason.filter(|reason| reason.is_string());
    let said = output.or(result).or(error).or(reason);
    if said.is_none() && !is_denied {
        return;
    }
    let is_error = said.is_some() && output.or(result).is_none();
    let answer = Part::new(Kind::ToolResult, item).saying(said);
    parts.push(Part { call_id, name, is_error, ..answer });
}
