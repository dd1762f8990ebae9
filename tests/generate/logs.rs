//! How session logs write the conversations that are made up.

use serde_json::{Value, json};

use super::Sample;

impl Sample {
    pub(super) fn claude_code(&self) -> String {
        let mut text = String::new();
        let mut parent = Value::Null;
        // A log holds no system prompt: what one says stands in a first message here.
        let system = self.system.iter().map(|text| json!({"role": "user", "content": text}));
        for (at, mut message) in system.chain(self.blocks()).enumerate() {
            let uuid = format!("00000000-0000-4000-8000-{at:012}");
            let kind = message["role"].clone();
            if kind == "assistant" {
                message["id"] = json!(format!("msg_{at}"));
                message["usage"] = json!({"input_tokens": 100 * at, "output_tokens": 1});
            }
            let line = json!({"parentUuid": parent, "isSidechain": false, "sessionId": "s", "cwd": "/w",
                "version": "2.1.0", "type": kind, "message": message, "uuid": uuid,
                "timestamp": format!("2026-01-01T00:{:02}:{:02}Z", at / 60, at % 60)});
            text.push_str(&line.to_string());
            text.push('\n');
            parent = json!(uuid);
        }
        text
    }

    pub(super) fn codex(&self) -> String {
        let line = |kind: &str, payload: Value| {
            json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload})
                .to_string()
                + "\n"
        };
        let meta = match &self.system {
            Some(system) => json!({"id": "s", "cwd": "/w", "base_instructions": {"text": system}}),
            None => json!({"id": "s", "cwd": "/w"}),
        };
        let items = self.items().into_iter().map(|item| line("response_item", item));
        line("session_meta", meta) + &items.collect::<String>()
    }

    pub(super) fn pi(&self) -> String {
        let text = |text: &str| json!({"type": "text", "text": text});
        let user = |said: &str| json!({"role": "user", "content": [text(said)], "timestamp": 1});
        let answer = |content: Vec<Value>, reason: &str| {
            json!({"role": "assistant", "content": content, "api": "messages", "provider": "anthropic",
                "model": "m", "usage": {"input": 1, "output": 1}, "stopReason": reason, "timestamp": 1})
        };
        let mut messages: Vec<Value> = self.system.iter().map(|text| user(text)).collect();
        for turn in &self.turns {
            messages.push(user(&turn.user));
            for exchange in &turn.exchanges {
                let calls = exchange.calls.iter().map(|call| {
                    json!({"type": "toolCall", "id": call.id(), "name": call.tool, "arguments": call.arguments()})
                });
                let said = exchange.text.iter().map(|said| text(said));
                messages.push(answer(said.chain(calls).collect(), "toolUse"));
                messages.extend(exchange.calls.iter().map(|call| {
                    json!({"role": "toolResult", "toolCallId": call.id(), "toolName": call.tool,
                        "content": [text(&call.result)], "isError": false, "timestamp": 1})
                }));
            }
            messages.extend(turn.answer.iter().map(|said| answer(vec![text(said)], "stop")));
        }
        let time = "2026-01-01T00:00:00.000Z";
        let header =
            json!({"type": "session", "version": 3, "id": "s", "timestamp": time, "cwd": "/w"});
        let mut lines = header.to_string() + "\n";
        let mut parent = Value::Null;
        for (at, message) in messages.into_iter().enumerate() {
            let id = json!(format!("{at:08x}"));
            let line = json!({"type": "message", "id": id, "parentId": parent, "timestamp": time,
                "message": message});
            lines.push_str(&line.to_string());
            lines.push('\n');
            parent = id;
        }
        lines
    }

    pub(super) fn opencode(&self) -> String {
        let text = |text: &str| json!({"type": "text", "text": text});
        let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
        messages.extend(self.system.iter().map(|said| ("user", vec![text(said)])));
        for turn in &self.turns {
            messages.push(("user", vec![text(&turn.user)]));
            for exchange in &turn.exchanges {
                // A call and its result are one part.
                let calls = exchange.calls.iter().map(|call| {
                    let state = json!({"status": "completed", "input": call.arguments(),
                        "output": call.result, "time": {"start": 1, "end": 2}});
                    json!({"type": "tool", "callID": call.id(), "tool": call.tool, "state": state})
                });
                let said = exchange.text.iter().map(|said| text(said));
                messages.push(("assistant", said.chain(calls).collect()));
            }
            messages.extend(turn.answer.iter().map(|said| ("assistant", vec![text(said)])));
        }
        let written = messages.into_iter().enumerate().map(|(at, (role, parts))| {
            let id = format!("msg_{at:06}");
            let info = json!({"id": id, "sessionID": "s", "role": role, "time": {"created": at}});
            json!({"info": info, "parts": parts})
        });
        let written: Vec<Value> = written.collect();
        json!({"info": {"id": "s", "title": "t"}, "messages": written}).to_string()
    }
}
