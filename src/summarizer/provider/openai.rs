//! Chat Completions: `openai` itself and all servers with this API (vLLM, llama.cpp, Ollama, routers).
//!
//! Relies only on the wire shape. All servers know `max_tokens`; the newest reasoning models require
//! `max_completion_tokens`, and say so in their error.

use serde_json::{Value, json};

use super::{Ask, Facts, Provider, Reply, Stop, holds, join, number, text};

pub(super) struct OpenAi;

pub(super) const FACTS: Facts = Facts {
    name: "openai",
    base_url: "https://api.openai.com/v1",
    model: "gpt-4.1-mini",
    key_variables: &["OPENAI_API_KEY"],
};

impl Provider for OpenAi {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn url(&self, base: &str, _model: &str) -> String {
        format!("{base}/chat/completions")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    fn body(&self, ask: &Ask) -> Value {
        let bound = if ask.refused.max_tokens { "max_completion_tokens" } else { "max_tokens" };
        let mut body = json!({
            "model": ask.model,
            "messages": [{ "role": "user", "content": ask.prompt }],
            "stream": false,
            bound: ask.tokens,
        });
        if !ask.refused.temperature {
            body["temperature"] = json!(0);
        }
        body
    }

    fn read(&self, answer: &Value) -> Option<Reply> {
        let choice = answer.pointer("/choices/0")?;
        let message = choice.get("message")?;
        let text_of = match &message["content"] {
            Value::Array(parts) => join(parts, |part| part["type"] == "text"),
            content => content.as_str().unwrap_or_default().to_owned(),
        };
        let stop = match text(choice, "/finish_reason") {
            _ if holds(message, "/tool_calls") || message["function_call"].is_object() => {
                Stop::Tool
            }
            "tool_calls" | "function_call" => Stop::Tool,
            "content_filter" => Stop::Refusal,
            _ if !text(message, "/refusal").is_empty() => Stop::Refusal,
            "length" | "max_tokens" => Stop::Length,
            "model_context_window_exceeded" => Stop::Window,
            _ => Stop::Done,
        };
        Some(Reply { text: text_of, stop, input: number(answer, "/usage/prompt_tokens") })
    }
}
