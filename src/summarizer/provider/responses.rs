//! The Responses shape of `openai`.
//!
//! Relies only on the wire shape. `store` is off, so that the provider does not keep the conversation.

use serde_json::{Value, json};

use super::openai::{self, OpenAi};
use super::{Ask, Facts, Provider, Reply, Stop, join, number, text};

pub(super) struct Responses;

impl Provider for Responses {
    fn facts(&self) -> &'static Facts {
        &Facts { name: "responses", ..openai::FACTS }
    }

    fn url(&self, base: &str, _model: &str) -> String {
        format!("{base}/responses")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        OpenAi.headers(key)
    }

    fn body(&self, ask: &Ask) -> Value {
        let mut body = json!({
            "model": ask.model,
            "input": ask.prompt,
            "max_output_tokens": ask.tokens,
            "store": false,
        });
        if !ask.refused.temperature {
            body["temperature"] = json!(0);
        }
        body
    }

    fn read(&self, answer: &Value) -> Option<Reply> {
        let items = answer.get("output")?.as_array()?;
        let parts: Vec<&Value> = items
            .iter()
            .filter(|item| item["type"] == "message")
            .filter_map(|item| item["content"].as_array())
            .flatten()
            .collect();
        let calls = |item: &Value| text(item, "/type").ends_with("_call");
        let stop = match text(answer, "/incomplete_details/reason") {
            _ if items.iter().any(calls) => Stop::Tool,
            "content_filter" => Stop::Refusal,
            _ if parts.iter().any(|part| part["type"] == "refusal") => Stop::Refusal,
            "" if text(answer, "/status") != "incomplete" => Stop::Done,
            _ => Stop::Length,
        };
        let parts: Vec<Value> = parts.into_iter().cloned().collect();
        let text_of = join(&parts, |part| part["type"] == "output_text");
        Some(Reply { text: text_of, stop, input: number(answer, "/usage/input_tokens") })
    }
}
