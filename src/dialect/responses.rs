//! OpenAI Responses: requests, answers, bare arrays of items, and the run states of the Agents SDK.
//!
//! `responses_items` reads an item; this module finds the items. A request may hold one text in place of a
//! list. A run state holds the request and, each in a wrapper, the items generated since; without those, the
//! model's answers.

use std::borrow::Cow;

use crate::dialect::contract::{Dialect, Facts, Provider, Sign, Site};
use crate::dialect::responses_items as items;
use crate::dialect::shared::{members_but, prompt_beside, text_and_attachments};
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};

pub(super) struct Responses;

/// Paths of lists of items that follow the first list.
const ANSWERS: &[&str] = &["output", "response.output"];

impl Dialect for Responses {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "responses",
            about: "OpenAI Responses: items, requests, answers, run states of the Agents SDK",
            provider: Provider::Responses,
            is_wire: true,
            framing: items::FRAMING,
            holders: &[
                "input", "output", "response.input", "response.output", "request.input",
                "body.input",
            ],
            ..Facts::USUAL
        }
    }

    fn result_member(&self, text: &str) -> (&'static str, String) {
        ("output", quote(text))
    }

    fn call_id_member(&self, _part: &Part<'_>) -> Option<&'static str> {
        Some("call_id")
    }

    fn unknown_type<'a>(&self, part: &Part<'a>) -> Option<Cow<'a, str>> {
        items::unknown_item(part)
    }

    fn whole_sign(&self, value: &Object<'_>) -> Sign {
        let [camel, snake, version] =
            value.pick(["originalInput", "original_input", "$schemaVersion"]);
        if camel.or(snake).and(version).is_some() {
            return Sign::Certain;
        }
        // A line of a batch holds the request in its body; requests for embeddings have an input too.
        let is_ours = |url: &str| url.ends_with("/responses");
        let body = value
            .member("body")
            .filter(|_| value.json().str_member("url").is_none_or(|url| is_ours(&url)));
        let request = Some(value.json()).into_iter().chain(body);
        let is_request = request.into_iter().any(|request| {
            let [input, model, instructions, output] =
                request.pick(["input", "model", "instructions", "output"]);
            input.is_some_and(Json::is_string)
                && model.or(instructions).is_some()
                && output.is_none_or(Json::is_array)
        });
        if is_request { Sign::Typical } else { Sign::None }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [kind, role, content, id, call_id, snake, camel] =
            unit.pick(["type", "role", "content", "id", "call_id", "raw_item", "rawItem"]);
        if snake.or(camel).is_some_and(Json::is_object) {
            return Sign::Typical;
        }
        match kind.and_then(Json::text).as_deref() {
            Some("message") if content.is_some_and(is_content) => Sign::Typical,
            Some("mcp_list_tools" | "mcp_approval_request" | "item_reference") => Sign::Typical,
            // Logs of other agents have a type of this name too.
            Some("tool_call") => Sign::None,
            Some(kind) if kind.ends_with("_call") || kind.ends_with("_call_output") => {
                if id.or(call_id).is_some() { Sign::Typical } else { Sign::None }
            }
            Some("compaction" | "program" | "program_output" | "tool_search_output") => {
                Sign::Possible
            }
            None if role.is_some_and(Json::is_string) && content.is_some() => Sign::Possible,
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let [snake, camel, kind] = unit.pick(["raw_item", "rawItem", "type"]);
        // An approval request repeats the call before it.
        if kind.is_some_and(|kind| kind.says("tool_approval_item")) {
            return None;
        }
        items::item(snake.or(camel).unwrap_or(unit))
    }

    fn preamble<'a>(&self, root: &Object<'a>) -> Vec<Message<'a>> {
        let instructions = prompt_beside(root, &["instructions"]);
        let input = first(root, &["input", "originalInput", "original_input"])
            .or_else(|| root.at("body.input"));
        let read = |text| Message::of_one(Role::User, Part::whole(Kind::Text, text));
        let request = input.filter(|input| input.is_string()).map(read);
        instructions.into_iter().chain(request).collect()
    }

    fn more_lists<'a>(&self, root: &Object<'a>) -> Vec<Json<'a>> {
        let Some(input) = first(root, &["originalInput", "original_input"]) else {
            let answers = ANSWERS.iter().filter_map(|path| root.at(path));
            return answers.filter(|list| list.is_array()).collect();
        };
        let generated = first(root, &["generatedItems", "generated_items"]);
        let input = Some(input).filter(|input| input.is_array());
        if let Some(items) = generated {
            return input.into_iter().chain([items]).collect();
        }
        let answers = first(root, &["modelResponses", "model_responses"]);
        let answers = answers.into_iter().flat_map(Json::items);
        input.into_iter().chain(answers.filter_map(|answer| answer.member("output"))).collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let written = items::write_items(message);
        let wrapper = site.neighbour().and_then(|unit| {
            ["raw_item", "rawItem"].into_iter().find(|name| unit.member(name).is_some())
        });
        match wrapper {
            Some(name) => written.iter().map(|item| format!(r#"{{"{name}":{item}}}"#)).collect(),
            None => written,
        }
    }

    fn write_part(&self, part: &NewPart<'_>, role: Role) -> String {
        items::write_part(part, role)
    }

    fn says_unanswered(&self, call: &Part<'_>) -> Option<&'static str> {
        items::says_unanswered(call)
    }

    /// The output of a shell is a list whose last item tells how the command ended.
    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        let is_shell = part.json.member("type").is_some_and(|kind| kind.says("shell_call_output"));
        let items = part.body.filter(|body| is_shell && body.is_array());
        match items.and_then(|items| items.items().last()) {
            Some(last) => {
                let ending = members_but(last, &["stdout", "stderr"]);
                format!(r#"[{{{ending}"stdout":{},"stderr":""}}]"#, quote(text))
            }
            None => text_and_attachments(part, text, || {
                items::write_part(&NewPart::Text(text.into()), Role::Tool)
            }),
        }
    }
}

/// Whether a content is of this dialect: the types of its parts name the side that wrote them.
fn is_content(content: Json<'_>) -> bool {
    let is_part = |part: Json<'_>| {
        part.str_member("type").is_some_and(|kind| {
            kind.starts_with("input_") || kind.starts_with("output_") || kind == "refusal"
        })
    };
    content.is_string() || (content.is_array() && content.items().all(is_part))
}

fn first<'a>(root: &Object<'a>, names: &[&str]) -> Option<Json<'a>> {
    names.iter().find_map(|name| root.member(name))
}
