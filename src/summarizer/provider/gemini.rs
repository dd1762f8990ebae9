//! Gemini generateContent.
//!
//! Relies only on the wire shape. The key goes into a header and never into the address, because addresses
//! are logged. The base URL may end before or after the version.

use serde_json::{Value, json};

use super::{Ask, Facts, Provider, Reply, Stop, join, number, text};

pub(super) struct Gemini;

impl Provider for Gemini {
    fn facts(&self) -> &'static Facts {
        &Facts {
            name: "gemini",
            base_url: "https://generativelanguage.googleapis.com/v1beta",
            model: "gemini-2.5-flash",
            key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        }
    }

    fn url(&self, base: &str, model: &str) -> String {
        let last = base.rsplit('/').next().unwrap_or_default();
        let is_version = last
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let version = if is_version { "" } else { "/v1beta" };
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!("{base}{version}/models/{model}:generateContent")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect()
    }

    fn body(&self, ask: &Ask) -> Value {
        let mut body = json!({
            "contents": [{ "role": "user", "parts": [{ "text": ask.prompt }] }],
            "generationConfig": { "maxOutputTokens": ask.tokens },
        });
        if !ask.refused.temperature {
            body["generationConfig"]["temperature"] = json!(0);
        }
        body
    }

    fn read(&self, answer: &Value) -> Option<Reply> {
        let input = number(answer, "/usageMetadata/promptTokenCount");
        if !text(answer, "/promptFeedback/blockReason").is_empty() {
            return Some(Reply { text: String::new(), stop: Stop::Refusal, input });
        }
        let candidate = answer.pointer("/candidates/0")?;
        let none = Vec::new();
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array).unwrap_or(&none);
        let stop = match text(candidate, "/finishReason") {
            _ if parts.iter().any(|part| part["functionCall"].is_object()) => Stop::Tool,
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => Stop::Tool,
            "MAX_TOKENS" => Stop::Length,
            "" | "STOP" | "FINISH_REASON_UNSPECIFIED" => Stop::Done,
            _ => Stop::Refusal,
        };
        let text_of = join(parts, |part| part["thought"] != true);
        Some(Reply { text: text_of, stop, input })
    }
}
