//! ShareGPT and fine-tuning data in its form: turns of `from` and `value`.
//!
//! Every turn is one text. Calls and results are turns of their own without ids; the text of a call holds its
//! name and arguments.

use crate::dialect::contract::{Dialect, Facts, Provider, Sign, Site};
use crate::json::{Json, Object, quote};
use crate::message::{Kind, Message, NewMessage, NewPart, Part, Role};

pub(super) struct ShareGpt;

impl Dialect for ShareGpt {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "sharegpt",
            about: "ShareGPT: conversations of from and value, one object or many",
            provider: Provider::OpenAi,
            framing: super::openai::FRAMING,
            holders: &["conversations", "conversation"],
            ..Facts::USUAL
        }
    }

    fn sign(&self, unit: &Object<'_>) -> Sign {
        match unit.pick(["from", "value"]) {
            [Some(from), Some(value)] if from.is_string() && value.is_string() => Sign::Certain,
            _ => Sign::None,
        }
    }

    fn message<'a>(&self, unit: Json<'a>) -> Option<Message<'a>> {
        let [from, value] = unit.pick(["from", "value"]);
        let (role, kind) = match from?.text()?.as_ref() {
            "human" | "user" => (Role::User, Kind::Text),
            "gpt" | "assistant" | "chatgpt" | "bot" | "model" => (Role::Assistant, Kind::Text),
            "system" => (Role::System, Kind::Text),
            "function_call" | "tool_call" => (Role::Assistant, Kind::ToolCall),
            "observation" | "tool" | "function_response" | "tool_response" => {
                (Role::Tool, Kind::ToolResult)
            }
            _ => (Role::Other, Kind::Text),
        };
        let mut message = Message::new(role, unit);
        let is_text = kind == Kind::Text;
        let part = |value| Part::new(kind, if is_text { value } else { unit }).saying(Some(value));
        message.parts.extend(value.map(part));
        Some(message)
    }

    fn preamble<'a>(&self, root: &Object<'a>) -> Vec<Message<'a>> {
        let [system, prompt] = root.pick(["system", "system_prompt"]);
        let system = system.or(prompt).filter(|text| text.is_filled_string());
        let read = |text| Message::of_one(Role::System, Part::whole(Kind::Text, text));
        system.map(read).into_iter().collect()
    }

    fn write_message(&self, message: &NewMessage<'_>, _site: &Site<'_, '_>) -> Vec<String> {
        let role = match message.role {
            Role::System | Role::Developer => "system",
            Role::Assistant => "gpt",
            _ => "human",
        };
        let turn =
            |from: &str, value: &str| format!(r#"{{"from":"{from}","value":{}}}"#, quote(value));
        let parts = message.parts.iter().map(|part| match part {
            NewPart::Text(text) => turn(role, text),
            NewPart::Result { text, .. } => turn("observation", text),
            NewPart::Source(source) => (*source).to_owned(),
        });
        parts.collect()
    }

    fn write_part(&self, part: &NewPart<'_>, _role: Role) -> String {
        part.written(quote)
    }
}
