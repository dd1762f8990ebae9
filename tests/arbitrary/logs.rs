//! Session logs of arbitrary messages.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Sample, anthropic_message, responses_item};

pub(super) fn claude_code() -> impl Strategy<Value = Sample> {
    let line = (anthropic_message(), any::<bool>());
    vec(line, 0..9).prop_map(|lines| {
        let mut turn = 0;
        let units = lines.into_iter().enumerate().filter_map(|(at, (mut message, joined))| {
            let role = message["role"].as_str()?.to_owned();
            let is_result = |block: &Value| block["type"] == "tool_result";
            if let (Some(blocks), "assistant") = (message["content"].as_array_mut(), role.as_str())
            {
                blocks.retain(|block| !is_result(block));
            }
            let results = message["content"]
                .as_array()
                .is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_result));
            // The fragments of a message stand together, with nothing but results between.
            let is_alone = if role == "assistant" { !joined } else { !results };
            turn += usize::from(is_alone);
            if role == "system" {
                return Some(
                    json!({"type": "progress", "uuid": format!("u{at}"), "parentUuid": parent(at)}),
                );
            }
            if role == "assistant" {
                message["id"] = json!(if joined { format!("m{turn}") } else { format!("n{at}") });
            }
            Some(json!({"type": role, "uuid": format!("u{at}"), "parentUuid": parent(at),
                "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "message": message}))
        });
        let units = units.collect();
        Sample {
            dialect: "claude-code",
            holder: None,
            request: Value::Null,
            units,
            is_pretty: false,
        }
    })
}

fn parent(at: usize) -> Value {
    at.checked_sub(1).map_or(Value::Null, |before| json!(format!("u{before}")))
}

pub(super) fn codex() -> impl Strategy<Value = Sample> {
    vec(responses_item(), 0..9).prop_map(|items| {
        let line = |payload| json!({"timestamp": "t", "type": "response_item", "payload": payload});
        let units = items.into_iter().map(line).collect();
        Sample { dialect: "codex", holder: None, request: Value::Null, units, is_pretty: false }
    })
}
