//! Anthropic Messages.
//!
//! Relies only on the wire shape. The base URL ends before `/v1`, as in Anthropic's own clients; a base with
//! `/v1` is accepted too.

use serde_json::{Value, json};

use super::{Ask, Facts, Provider, Reply, Stop, join, number, text};

pub(super) struct Anthropic;

impl Provider for Anthropic {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "anthropic",
            base_url: "https://api.anthropic.com",
            model: "claude-haiku-4-5",
            key_variables: &["ANTHROPIC_API_KEY"],
        }
    }

    fn url(&self, base: &str, _model: &str) -> String {
        format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base))
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let version = ("anthropic-version", "2023-06-01".to_owned());
        key.map(|key| ("x-api-key", key.to_owned())).into_iter().chain([version]).collect()
    }

    fn body(&self, ask: &Ask) -> Value {
        let mut body = json!({
            "model": ask.model,
            "max_tokens": ask.tokens,
            "messages": [{ "role": "user", "content": ask.prompt }],
        });
        if !ask.refused.temperature {
            body["temperature"] = json!(0);
        }
        body
    }

    fn read(&self, answer: &Value) -> Option<Reply> {
        let parts = answer.get("content")?.as_array()?;
        let stop = match text(answer, "/stop_reason") {
            _ if parts.iter().any(|part| text(part, "/type").ends_with("tool_use")) => Stop::Tool,
            "tool_use" | "pause_turn" => Stop::Tool,
            "refusal" => Stop::Refusal,
            "max_tokens" => Stop::Length,
            "model_context_window_exceeded" => Stop::Window,
            _ => Stop::Done,
        };
        let text_of = join(parts, |part| part["type"] == "text");
        Some(Reply { text: text_of, stop, input: number(answer, "/usage/input_tokens") })
    }
}
