//! Conversations made up at random, and how each dialect writes them.

mod apps;
mod logs;
mod thinking;

use proptest::prelude::*;
use serde_json::{Value, json};

/// A call and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    id: usize,
    tool: &'static str,
    path: String,
    result: String,
}

/// A message of the assistant's with calls, and their results.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    text: Option<String>,
    calls: Vec<Call>,
}

/// A user's message and all that follows up to the next.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    user: String,
    exchanges: Vec<Exchange>,
    answer: Option<String>,
}

/// A conversation.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    system: Option<String>,
    turns: Vec<Turn>,
}

const WORDS: &[&str] = &[
    "the", "parser", "fails", "on", "src/lib.rs", "because", "line", "42", "is", "empty", "fixed",
    "now", "running", "cargo", "test", "passed", "error:", "cannot", "find", "`value`", "in",
    "this", "scope", "é", "日本語", "never", "touch", "config.toml", "\"quoted\"", "back\\slash",
    "tab\there", "decided", "to", "use",
];

fn phrase(most: usize) -> impl Strategy<Value = String> {
    let words = proptest::collection::vec((0..WORDS.len(), 0..12_usize), 1..most);
    words.prop_map(|words| {
        let mut text = String::new();
        for (word, gap) in words {
            text.push_str(WORDS[word]);
            text.push_str(["\n", "\n- ", "\n  - ", ":\n\n| "].get(gap).unwrap_or(&" "));
        }
        text.trim().to_owned()
    })
}

fn call() -> impl Strategy<Value = Call> {
    let tool = prop_oneof![Just("Read"), Just("Edit"), Just("Bash"), Just("TodoWrite")];
    let path = prop_oneof![Just("src/lib.rs"), Just("src/main.rs"), Just("README.md")];
    (tool, path, phrase(40)).prop_map(|(tool, path, result)| Call {
        id: 0,
        tool,
        path: path.to_owned(),
        result,
    })
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let text = prop_oneof![Just(None), phrase(12).prop_map(Some)];
    let calls = proptest::collection::vec(call(), 1..4);
    (text, calls).prop_map(|(text, calls)| Exchange { text, calls })
}

fn turn() -> impl Strategy<Value = Turn> {
    let exchanges = proptest::collection::vec(exchange(), 0..4);
    (phrase(20), exchanges, phrase(15)).prop_map(|(user, exchanges, answer)| Turn {
        user,
        exchanges,
        answer: Some(answer),
    })
}

/// A conversation whose calls are all answered, and whose roles alternate; its last turn may be open.
pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    let system = prop_oneof![Just(None), phrase(12).prop_map(Some)];
    let turns = proptest::collection::vec(turn(), 1..6);
    (system, turns, any::<bool>()).prop_map(|(system, mut turns, open)| {
        let mut id = 0;
        for (at, turn) in turns.iter_mut().enumerate() {
            turn.user = format!("request {at}: {}", turn.user);
            for call in turn.exchanges.iter_mut().flat_map(|exchange| &mut exchange.calls) {
                id += 1;
                call.id = id;
            }
        }
        if let Some(last) = turns.last_mut().filter(|_| open) {
            last.answer = None;
        }
        Sample { system, turns }
    })
}

/// A conversation whose instructions and newest request are long.
pub(crate) fn sample_of_long_words() -> impl Strategy<Value = Sample> {
    (sample(), phrase(150), phrase(300)).prop_map(|(mut sample, system, user)| {
        sample.system = Some(system);
        let turns = sample.turns.len();
        sample.turns[turns - 1].user = format!("request {}: {user}", turns - 1);
        sample
    })
}

/// A conversation whose results are worth restoring.
pub(crate) fn sample_of_long_results() -> impl Strategy<Value = Sample> {
    (sample(), phrase(90)).prop_map(|(mut sample, result)| {
        let exchanges = sample.turns.iter_mut().flat_map(|turn| &mut turn.exchanges);
        for call in exchanges.flat_map(|exchange| &mut exchange.calls) {
            call.result = format!("{} {result} {result}", call.id);
        }
        sample
    })
}

impl Call {
    fn id(&self) -> String {
        format!("call_{}", self.id)
    }

    fn arguments(&self) -> Value {
        json!({"file_path": self.path})
    }
}

impl Sample {
    /// A fixed conversation, for tests of the samples themselves.
    pub(crate) fn of(numbers: &[usize]) -> Self {
        let turns = numbers.chunks(3).enumerate().map(|(at, chunk)| {
            let calls = chunk.iter().map(|&number| Call {
                id: 10 * at + number,
                tool: "Read",
                path: format!("src/{number}.rs"),
                result: format!("line {number}"),
            });
            let exchanges = vec![Exchange { text: None, calls: calls.collect() }];
            Turn { user: format!("request {at}"), exchanges, answer: Some("done".to_owned()) }
        });
        Self { system: Some("be brief".to_owned()), turns: turns.collect() }
    }

    /// What the user said last.
    pub(crate) fn newest_request(&self) -> &str {
        &self.turns[self.turns.len() - 1].user
    }

    /// Every text and result, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.system.iter().cloned().collect();
        for turn in &self.turns {
            texts.push(turn.user.clone());
            for exchange in &turn.exchanges {
                texts.extend(exchange.text.clone());
                texts.extend(exchange.calls.iter().map(|call| call.result.clone()));
            }
            texts.extend(turn.answer.clone());
        }
        texts
    }

    /// The conversation in every dialect, with the dialect's name.
    pub(crate) fn files(&self) -> Vec<(&'static str, String)> {
        let names = context_compact::dialect::DIALECTS.iter().map(|dialect| dialect.name());
        names.map(|name| (name, self.written_as(name))).collect()
    }

    fn written_as(&self, dialect: &str) -> String {
        match dialect {
            "openai" => json!({"messages": self.openai()}).to_string(),
            "anthropic" => self.anthropic(),
            "bedrock" => self.bedrock(),
            "responses" => self.responses(),
            "gemini" => self.gemini(),
            "sharegpt" => self.sharegpt(),
            "claude-code" => self.claude_code(),
            "codex" => self.codex(),
            "gemini-cli" => self.gemini_cli(),
            "langchain" => self.langchain(),
            "opencode" => self.opencode(),
            "openhands" => self.openhands(),
            "pi" => self.pi(),
            "chatgpt" => self.chatgpt(),
            "ui-message" => self.ui_message(),
            new => panic!("nobody writes {new}"),
        }
    }

    /// As Anthropic's, with the first line of each text as a part of its own.
    pub(crate) fn in_parts(&self) -> String {
        let mut messages = self.blocks();
        for message in &mut messages {
            let content = message["content"].take();
            let parts = match content {
                Value::Array(parts) => parts,
                text => vec![json!({"type": "text", "text": text})],
            };
            let parted = parts.into_iter().flat_map(|part| {
                match part["text"].as_str().and_then(|text| text.split_once('\n')) {
                    Some((first, rest)) => {
                        [first, rest].map(|text| json!({"type": "text", "text": text})).to_vec()
                    }
                    None => vec![part],
                }
            });
            message["content"] = parted.collect();
        }
        json!({"max_tokens": 1, "messages": messages}).to_string()
    }

    fn openai(&self) -> Vec<Value> {
        let system = self.system.iter().map(|text| json!({"role": "system", "content": text}));
        let mut messages: Vec<Value> = system.collect();
        for turn in &self.turns {
            messages.push(json!({"role": "user", "content": turn.user}));
            for exchange in &turn.exchanges {
                let calls: Vec<Value> = exchange
                    .calls
                    .iter()
                    .map(|call| {
                        let function =
                            json!({"name": call.tool, "arguments": call.arguments().to_string()});
                        json!({"id": call.id(), "type": "function", "function": function})
                    })
                    .collect();
                messages.push(
                    json!({"role": "assistant", "content": exchange.text, "tool_calls": calls}),
                );
                messages.extend(exchange.calls.iter().map(|call| {
                    json!({"role": "tool", "tool_call_id": call.id(), "content": call.result})
                }));
            }
            messages.extend(
                turn.answer.iter().map(|text| json!({"role": "assistant", "content": text})),
            );
        }
        messages
    }

    fn langchain(&self) -> String {
        let system = self.system.iter().map(|text| json!({"type": "system", "content": text}));
        let mut messages: Vec<Value> = system.collect();
        for turn in &self.turns {
            messages.push(json!({"type": "human", "content": turn.user}));
            for exchange in &turn.exchanges {
                let calls = exchange.calls.iter().map(|call| {
                    json!({"type": "tool_call", "id": call.id(), "name": call.tool, "args": call.arguments()})
                });
                let content = exchange.text.as_ref().map_or(json!([]), |text| json!(text));
                let calls: Vec<Value> = calls.collect();
                messages.push(json!({"type": "ai", "content": content, "tool_calls": calls}));
                messages.extend(exchange.calls.iter().map(|call| {
                    json!({"type": "tool", "content": call.result, "tool_call_id": call.id(), "name": call.tool})
                }));
            }
            messages.extend(turn.answer.iter().map(|text| json!({"type": "ai", "content": text})));
        }
        json!({"messages": messages}).to_string()
    }

    /// Messages in Anthropic's shape, without the system prompt.
    fn blocks(&self) -> Vec<Value> {
        let mut messages = Vec::new();
        for turn in &self.turns {
            messages.push(json!({"role": "user", "content": turn.user}));
            for exchange in &turn.exchanges {
                let text = exchange.text.iter().map(|text| json!({"type": "text", "text": text}));
                let calls = exchange.calls.iter().map(|call| {
                    json!({"type": "tool_use", "id": call.id(), "name": call.tool, "input": call.arguments()})
                });
                let content: Vec<Value> = text.chain(calls).collect();
                messages.push(json!({"role": "assistant", "content": content}));
                let results: Vec<Value> = exchange.calls.iter().map(|call| {
                    json!({"type": "tool_result", "tool_use_id": call.id(), "content": call.result})
                }).collect();
                messages.push(json!({"role": "user", "content": results}));
            }
            messages.extend(
                turn.answer.iter().map(|text| json!({"role": "assistant", "content": text})),
            );
        }
        messages
    }

    fn anthropic(&self) -> String {
        match &self.system {
            Some(system) => json!({"system": system, "messages": self.blocks()}).to_string(),
            None => json!({"max_tokens": 1, "system": null, "messages": self.blocks()}).to_string(),
        }
    }

    fn bedrock(&self) -> String {
        let message = |role: &str, content: Vec<Value>| json!({"role": role, "content": content});
        let text = |text: &String| json!({"text": text});
        let mut messages = Vec::new();
        for turn in &self.turns {
            messages.push(message("user", vec![text(&turn.user)]));
            for exchange in &turn.exchanges {
                let calls = exchange.calls.iter().map(|call| {
                    json!({"toolUse": {"toolUseId": call.id(), "name": call.tool, "input": call.arguments()}})
                });
                let content = exchange.text.iter().map(text).chain(calls);
                messages.push(message("assistant", content.collect()));
                // Some say it as JSON.
                let results = exchange.calls.iter().map(|call| {
                    let said = match call.id % 3 {
                        0 => json!({"json": {"output": call.result}}),
                        _ => text(&call.result),
                    };
                    json!({"toolResult": {"toolUseId": call.id(), "content": [said], "status": "success"}})
                });
                messages.push(message("user", results.collect()));
            }
            messages.extend(turn.answer.iter().map(|it| message("assistant", vec![text(it)])));
        }
        match &self.system {
            Some(system) => json!({"system": [{"text": system}], "messages": messages}).to_string(),
            None => json!({"messages": messages}).to_string(),
        }
    }

    fn items(&self) -> Vec<Value> {
        let message = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
        let mut items = Vec::new();
        for turn in &self.turns {
            items.push(message("user", "input_text", &turn.user));
            for exchange in &turn.exchanges {
                items.extend(
                    exchange.text.iter().map(|text| message("assistant", "output_text", text)),
                );
                items.extend(exchange.calls.iter().map(|call| {
                    json!({"type": "function_call", "call_id": call.id(), "name": call.tool,
                           "arguments": call.arguments().to_string()})
                }));
                items.extend(exchange.calls.iter().map(|call| {
                    json!({"type": "function_call_output", "call_id": call.id(), "output": call.result})
                }));
            }
            items.extend(turn.answer.iter().map(|text| message("assistant", "output_text", text)));
        }
        items
    }

    fn responses(&self) -> String {
        match &self.system {
            Some(system) => json!({"instructions": system, "input": self.items()}).to_string(),
            None => json!({"input": self.items()}).to_string(),
        }
    }

    fn gemini(&self) -> String {
        let content = |role: &str, parts: Vec<Value>| json!({"role": role, "parts": parts});
        let mut contents = Vec::new();
        for turn in &self.turns {
            contents.push(content("user", vec![json!({"text": turn.user})]));
            for exchange in &turn.exchanges {
                let text = exchange.text.iter().map(|text| json!({"text": text}));
                let calls = exchange.calls.iter().map(
                    |call| json!({"functionCall": {"name": call.tool, "args": call.arguments()}}),
                );
                contents.push(content("model", text.chain(calls).collect()));
                let results = exchange.calls.iter().map(|call| {
                    json!({"functionResponse": {"name": call.tool, "response": {"output": call.result}}})
                });
                contents.push(content("user", results.collect()));
            }
            contents.extend(
                turn.answer.iter().map(|text| content("model", vec![json!({"text": text})])),
            );
        }
        match &self.system {
            Some(system) => {
                json!({"systemInstruction": {"parts": [{"text": system}]}, "contents": contents})
                    .to_string()
            }
            None => json!({"contents": contents}).to_string(),
        }
    }

    fn sharegpt(&self) -> String {
        let mut turns = Vec::new();
        turns.extend(self.system.iter().map(|text| json!({"from": "system", "value": text})));
        for turn in &self.turns {
            turns.push(json!({"from": "human", "value": turn.user}));
            for exchange in &turn.exchanges {
                turns
                    .extend(exchange.text.iter().map(|text| json!({"from": "gpt", "value": text})));
                // Order alone pairs them: all calls, then all results.
                turns.extend(exchange.calls.iter().map(|call| {
                    let value = json!({"name": call.tool, "arguments": call.arguments()});
                    json!({"from": "function_call", "value": value.to_string()})
                }));
                turns.extend(
                    exchange
                        .calls
                        .iter()
                        .map(|call| json!({"from": "observation", "value": call.result})),
                );
            }
            turns.extend(turn.answer.iter().map(|text| json!({"from": "gpt", "value": text})));
        }
        json!({"conversations": turns}).to_string()
    }
}
