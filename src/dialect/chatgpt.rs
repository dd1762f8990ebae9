//! The export of ChatGPT: conversations as trees of messages, one branch of which is live.
//!
//! Responsible for the content of a node; [`tree`] finds the branch and mends it. There are no call ids: a
//! message of the model to any recipient but `all` is a call, and the next message of the tool its result.

pub(crate) mod tree;

use std::borrow::Cow;

use crate::dialect::contract::{Dialect, Facts, Provider, Scope, Sign, Site};
use crate::dialect::shared;
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};
use crate::source::{List, Source, Unit};
use tree::Tree;

pub(super) struct ChatGpt;

impl Dialect for ChatGpt {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "chatgpt",
            about: "ChatGPT export (conversations.json)",
            provider: Provider::OpenAi,
            written: Some("message.create_time"),
            framing: super::openai::FRAMING,
            reads_across: true,
            ..Facts::USUAL
        }
    }

    fn whole_sign(&self, value: &Object<'_>) -> Sign {
        if tree::mapping(value).is_some() { Sign::Certain } else { Sign::None }
    }

    fn role_named<'a>(&self, message: Json<'a>, _unit: Json<'a>) -> Option<Cow<'a, str>> {
        message.at("author.role")?.text()
    }

    /// Recognises bare nodes, in the order in which they are read.
    fn sign(&self, unit: &Object<'_>) -> Sign {
        let [message, parent, children] = unit.pick(["message", "parent", "children"]);
        let author = message.and_then(|message| message.member("author"));
        if author.and(parent).and(children).is_some() { Sign::Certain } else { Sign::None }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        node(unit)
    }

    fn messages<'a>(&self, source: &mut Source<'a>, scope: Scope) -> Vec<Message<'a>> {
        let mapping =
            source.root.as_ref().and_then(tree::mapping).filter(|_| source.lists.is_empty());
        if let Some(mapping) = mapping {
            source.lists.push(List::Members(mapping));
            source.units.extend(mapping.members().map(|(_, json)| Unit { json, list: 0 }));
        }
        let all = (0..source.units.len()).collect();
        let order =
            if scope == Scope::Live && mapping.is_some() { Tree::of(source).branch() } else { all };
        let read =
            order.into_iter().filter_map(|unit| Some(node(source.units[unit].json)?.in_unit(unit)));
        read.collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, site: &Site<'_, '_>) -> Vec<String> {
        let place = site.neighbour().map_or("", Json::source);
        let is_member = matches!(site.list, List::Members(_));
        let nodes = tree::new_nodes(message, place).into_iter().map(|(id, message)| {
            let node = tree::write_node(&id, &message, "null", "");
            if is_member { format!("{}:{node}", quote(&id)) } else { node }
        });
        nodes.collect()
    }

    fn result_member(&self, text: &str) -> (&'static str, String) {
        let content = format!(r#"{{"content_type":"text","parts":[{}]}}"#, quote(text));
        ("content", content)
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        part.written(quote)
    }

    fn session(&self, source: &Source<'_>) -> Option<String> {
        let [conversation, id] = source.root.as_ref()?.pick(["conversation_id", "id"]);
        Some(conversation.or(id)?.text()?.into_owned())
    }

    fn write_result(&self, part: &Part<'_>, text: &str) -> String {
        let is_list = part.body.is_some_and(Json::is_array);
        if is_list { shared::list(Some(quote(text)), part) } else { quote(text) }
    }
}

/// Reads a node; `None` for a root, which has no message.
fn node(unit: Json<'_>) -> Option<Message<'_>> {
    let json = unit.member("message").filter(|message| message.is_object())?;
    let [author, content, recipient] = json.pick(["author", "content", "recipient"]);
    let role = Role::named(&author?.member("role")?.text()?);
    let mut message = Message::new(role, json);
    let Some(content) = content else { return Some(message) };
    let [parts, text, result, said] = content.pick(["parts", "text", "result", "content"]);
    // Some exports have a text or a list in place of the object.
    let whole = Some(content).filter(|content| !content.is_object() && !content.is_null());
    let body = whole.or(parts).or(text).or(result).or(said);
    let tool = recipient.filter(|to| to.is_string() && !to.says("all"));
    match role {
        Role::Tool => {
            // The tool's own name may be shorter than the recipient's, so only the order joins the two.
            message.parts.push(Part::new(Kind::ToolResult, json).saying(body));
        }
        Role::Assistant if tool.is_some() => {
            let body = parts.and_then(|parts| parts.items().next()).or(text).or(body);
            let part = Part::new(Kind::ToolCall, json).saying(body);
            message.parts.push(Part { name: tool, ..part });
        }
        _ => {
            message.content = whole.or(parts);
            message.parts = said_in(content, body).into();
        }
    }
    Some(message)
}

/// The parts of a content: its parts, its text, or the member that its type uses instead.
fn said_in<'a>(content: Json<'a>, body: Option<Json<'a>>) -> Vec<Part<'a>> {
    let kind = content.str_member("content_type").unwrap_or_default();
    let kind = match kind.as_ref() {
        "thoughts" | "reasoning_recap" => Kind::Reasoning,
        _ => Kind::Text,
    };
    match body {
        Some(list) if list.is_array() => {
            let parts = list.items().map(|item| Part { list: Some(list), ..part(kind, item) });
            parts.collect()
        }
        Some(text) if text.is_string() => vec![Part::whole(kind, text)],
        _ => {
            let [thoughts, profile, instructions] =
                content.pick(["thoughts", "user_profile", "user_instructions"]);
            let thoughts = thoughts.into_iter().flat_map(Json::items);
            let thoughts = thoughts.map(|thought| {
                Part::new(Kind::Reasoning, thought).saying(thought.member("content"))
            });
            let told = [profile, instructions].into_iter().flatten();
            let told = told.map(|text| Part::whole(kind, text));
            thoughts.chain(told).chain(body.and_then(Part::of_strange_content)).collect()
        }
    }
}

fn part(kind: Kind, item: Json<'_>) -> Part<'_> {
    if item.is_string() {
        return Part::whole(kind, item);
    }
    let [of, text] = item.pick(["content_type", "text"]);
    match of.and_then(Json::text).as_deref() {
        Some("image_asset_pointer") => Part::new(Kind::Image, item),
        Some(of) if of.ends_with("asset_pointer") => Part::new(Kind::File, item),
        _ if text.is_some() => Part::new(kind, item).saying(text),
        _ => Part::new(Kind::Other, item),
    }
}
