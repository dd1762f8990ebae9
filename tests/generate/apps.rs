//! How applications store the conversations that are made up: chat pages, and agents whose logs are no lines.

use serde_json::{Map, Value, json};

use super::{Call, Sample};

impl Sample {
    /// A user's message, an assistant's exchange or answer at a time: the text, and the calls beside it. A log
    /// holds no system prompt: what one says stands in a first message here.
    fn moves(&self) -> Vec<(&'static str, Option<&str>, &[Call])> {
        let mut moves: Vec<(_, _, &[Call])> = Vec::new();
        moves.extend(self.system.iter().map(|said| ("user", Some(said.as_str()), &[][..])));
        for turn in &self.turns {
            moves.push(("user", Some(turn.user.as_str()), &[]));
            let exchanges = turn.exchanges.iter();
            moves.extend(exchanges.map(|it| ("assistant", it.text.as_deref(), &it.calls[..])));
            moves.extend(turn.answer.iter().map(|said| ("assistant", Some(&said[..]), &[][..])));
        }
        moves
    }

    pub(super) fn gemini_cli(&self) -> String {
        let messages = self.moves().into_iter().enumerate().map(|(at, (role, said, calls))| {
            let kind = if role == "user" { "user" } else { "gemini" };
            let calls = calls.iter().map(|call| {
                let response = json!({"id": call.id(), "name": call.tool, "response": {"output": call.result}});
                json!({"id": call.id(), "name": call.tool, "args": call.arguments(), "status": "success",
                    "result": [{"functionResponse": response}]})
            });
            let mut message = json!({"id": format!("m{at}"), "timestamp": "2026-01-01T00:00:00.000Z",
                "type": kind, "content": said.unwrap_or_default()});
            let calls: Vec<Value> = calls.collect();
            if !calls.is_empty() {
                message["toolCalls"] = json!(calls);
            }
            message
        });
        let messages: Vec<Value> = messages.collect();
        json!({"sessionId": "s", "projectHash": "p", "messages": messages}).to_string()
    }

    pub(super) fn ui_message(&self) -> String {
        let messages = self.moves().into_iter().enumerate().map(|(at, (role, said, calls))| {
            let step = (role == "assistant").then(|| json!({"type": "step-start"}));
            let said = said.map(|said| json!({"type": "text", "text": said}));
            let calls = calls.iter().map(|call| {
                json!({"type": format!("tool-{}", call.tool), "toolCallId": call.id(),
                    "state": "output-available", "input": call.arguments(), "output": call.result})
            });
            let parts: Vec<Value> = step.into_iter().chain(said).chain(calls).collect();
            json!({"id": format!("m{at}"), "role": role, "parts": parts})
        });
        let messages: Vec<Value> = messages.collect();
        json!({"id": "chat", "messages": messages}).to_string()
    }

    pub(super) fn openhands(&self) -> String {
        let message = |source: &str, said: &str| json!({"source": source, "action": "message", "args": {"content": said}});
        let metadata = |call: &Call| json!({"function_name": call.tool, "tool_call_id": call.id()});
        let mut events: Vec<Value> = Vec::new();
        for (role, said, calls) in self.moves() {
            let source = if role == "user" { "user" } else { "agent" };
            if calls.is_empty() {
                events.push(message(source, said.unwrap_or_default()));
            }
            let first = events.len();
            for (nth, call) in calls.iter().enumerate() {
                let mut args = call.arguments();
                args["thought"] = json!(said.filter(|_| nth == 0).unwrap_or_default());
                events.push(json!({"source": source, "action": "run", "args": args,
                    "tool_call_metadata": metadata(call)}));
            }
            events.extend(calls.iter().enumerate().map(|(nth, call)| {
                json!({"source": source, "observation": "run", "content": call.result,
                    "cause": first + nth, "tool_call_metadata": metadata(call)})
            }));
        }
        for (at, event) in events.iter_mut().enumerate() {
            event["id"] = json!(at);
            event["timestamp"] = json!("2026-01-01T00:00:00");
        }
        json!(events).to_string()
    }

    pub(super) fn chatgpt(&self) -> String {
        let text = |said: &str| json!({"content_type": "text", "parts": [said]});
        let mut messages = vec![Value::Null];
        for (role, said, calls) in self.moves() {
            messages.extend(said.map(
                |said| json!({"author": {"role": role}, "content": text(said), "recipient": "all"}),
            ));
            // Order alone pairs a call with its result.
            for call in calls {
                let code = json!({"content_type": "code", "text": call.arguments().to_string()});
                let author = json!({"role": "tool", "name": call.tool});
                messages.push(
                    json!({"author": {"role": role}, "content": code, "recipient": call.tool}),
                );
                messages.push(
                    json!({"author": author, "content": text(&call.result), "recipient": "all"}),
                );
            }
        }
        let last = messages.len() - 1;
        let id = |at: usize| format!("n{at:04}");
        let node = |(at, message): (usize, &Value)| {
            let parent = at.checked_sub(1).map(id);
            let children: Vec<String> = (at < last).then(|| id(at + 1)).into_iter().collect();
            let node =
                json!({"id": id(at), "message": message, "parent": parent, "children": children});
            (id(at), node)
        };
        let mapping: Map<String, Value> = messages.iter().enumerate().map(node).collect();
        json!({"title": "t", "current_node": id(last), "mapping": mapping}).to_string()
    }
}
