//! Conversations of arbitrary messages in every dialect, few of which a provider would accept.

use context_compact::dialect::Layout;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A conversation as it stands in a file.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) dialect: &'static str,
    /// The member of a request that holds the messages.
    pub(crate) holder: Option<&'static str>,
    request: Value,
    units: Vec<Value>,
    is_pretty: bool,
}

impl Sample {
    pub(crate) fn layout(&self) -> Layout {
        match self.dialect {
            "claude-code" | "codex" => Layout::Stream,
            _ => Layout::Array,
        }
    }

    /// The file.
    pub(crate) fn text(&self) -> String {
        if self.layout() == Layout::Stream {
            return self
                .units
                .iter()
                .flat_map(|unit| [unit.to_string(), "\n".to_owned()])
                .collect();
        }
        let whole = match self.holder {
            None => Value::from(self.units.clone()),
            Some(holder) => {
                let mut request = self.request.clone();
                request[holder] = Value::from(self.units.clone());
                request
            }
        };
        if self.is_pretty { format!("{whole:#}\n") } else { whole.to_string() }
    }
}

fn text() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        5 => Just("hi"),
        2 => Just("zwei\nZeilen \"é\""),
        1 => Just(""),
        1 => Just(" \n"),
        1 => Just("<system-reminder>r</system-reminder>"),
    ]
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!("a")),
        4 => Just(json!("b")),
        3 => Just(json!("c")),
        2 => Just(json!("call12345")),
        1 => Just(json!("f:0")),
        1 => Just(json!("x".repeat(70))),
        1 => Just(json!("")),
        1 => Just(Value::Null),
        1 => Just(json!(7)),
    ]
}

fn name() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => Just(json!("f")),
        3 => Just(json!("g")),
        1 => Just(json!("no.dots")),
        1 => Just(json!("")),
        1 => Just(Value::Null),
        1 => Just(json!("y".repeat(130))),
    ]
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => Just(json!({"p": 1})),
        2 => Just(json!("{\"p\": 1}")),
        1 => Just(json!("not JSON")),
        1 => Just(json!("")),
        1 => Just(Value::Null),
        1 => Just(json!([1])),
    ]
}

/// An object without the members that are null, half of the time.
fn sparse(value: Value, keeps_null: bool) -> Value {
    let Value::Object(members) = value else { return value };
    let members = members.into_iter().filter(|(_, value)| keeps_null || !value.is_null());
    Value::Object(members.collect())
}

fn role() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => Just("user"),
        4 => Just("assistant"),
        1 => Just("system"),
    ]
}

fn anthropic_block() -> impl Strategy<Value = Value> {
    let call = (id(), name(), input(), any::<bool>()).prop_map(|(id, name, input, nulls)| {
        sparse(json!({"type": "tool_use", "id": id, "name": name, "input": input}), nulls)
    });
    let content = prop_oneof![
        4 => text().prop_map(|text| json!(text)),
        1 => Just(Value::Null),
        1 => text().prop_map(|text| json!([{"type": "text", "text": text}])),
        1 => Just(json!([{"type": "image", "source": {}}])),
    ];
    let result =
        (id(), content, any::<bool>(), any::<bool>()).prop_map(|(id, content, is_error, nulls)| {
            let result = json!({"type": "tool_result", "tool_use_id": id, "content": content,
                "is_error": is_error});
            sparse(result, nulls)
        });
    let signature =
        prop_oneof![3 => Just(json!("sig")), 1 => Just(json!("")), 1 => Just(Value::Null)];
    let thinking = signature.prop_map(
        |signature| json!({"type": "thinking", "thinking": "hm", "signature": signature}),
    );
    prop_oneof![
        4 => text().prop_map(|text| json!({"type": "text", "text": text})),
        5 => call,
        5 => result,
        2 => thinking,
        1 => Just(json!({"type": "redacted_thinking", "data": "x"})),
        1 => Just(json!({"type": "image", "source": {}})),
        1 => Just(json!({"type": "hologram"})),
    ]
}

fn anthropic_message() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        2 => text().prop_map(|text| json!(text)),
        6 => vec(anthropic_block(), 0..4).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    (role(), content).prop_map(|(role, content)| json!({"role": role, "content": content}))
}

/// As it was before calls had ids.
fn legacy_message() -> impl Strategy<Value = Value> {
    let call = (name(), text()).prop_map(|(name, arguments)| {
        let call = json!({"name": name, "arguments": arguments});
        json!({"role": "assistant", "content": null, "function_call": call})
    });
    let result = (name(), text())
        .prop_map(|(name, text)| json!({"role": "function", "name": name, "content": text}));
    let said = (role(), text()).prop_map(|(role, text)| json!({"role": role, "content": text}));
    prop_oneof![2 => said, 2 => call, 2 => result]
}

fn openai_message() -> impl Strategy<Value = Value> {
    let parts = vec(
        prop_oneof![
            3 => text().prop_map(|text| json!({"type": "text", "text": text})),
            1 => Just(json!({"type": "image_url", "image_url": {"url": "data:,"}})),
        ],
        0..3,
    );
    let content = || {
        prop_oneof![
            5 => text().prop_map(|text| json!(text)),
            1 => Just(Value::Null),
        ]
    };
    let rich = prop_oneof![4 => content(), 1 => parts.prop_map(Value::from)];
    let call = (id(), name(), input(), any::<bool>()).prop_map(|(id, name, input, nulls)| {
        let function = sparse(json!({"name": name, "arguments": input}), nulls);
        sparse(json!({"id": id, "type": "function", "function": function}), nulls)
    });
    let calls = prop_oneof![
        2 => Just(Value::Null),
        4 => vec(call, 0..3).prop_map(Value::from),
    ];
    let said = (role(), rich, calls, any::<bool>()).prop_map(|(role, content, calls, nulls)| {
        let mut message = sparse(json!({"role": role, "content": content}), nulls);
        if !calls.is_null() {
            message["tool_calls"] = calls;
        }
        message
    });
    let result = (id(), content(), any::<bool>()).prop_map(|(id, content, nulls)| {
        sparse(json!({"role": "tool", "tool_call_id": id, "content": content}), nulls)
    });
    prop_oneof![
        8 => said,
        6 => result,
        1 => Just(json!({"role": "_checkpoint", "id": 1})),
        1 => text().prop_map(|text| json!({"role": "developer", "content": text})),
        1 => Just(json!({"role": "exit", "content": "done"})),
    ]
}

fn gemini_content() -> impl Strategy<Value = Value> {
    let call = (prop_oneof![2 => Just(Value::Null), 1 => id()], name(), any::<bool>()).prop_map(
        |(id, name, signed)| {
            let mut part =
                json!({"functionCall": sparse(json!({"id": id, "name": name, "args": {}}), false)});
            if signed {
                part["thoughtSignature"] = json!("sig");
            }
            part
        },
    );
    let response = (prop_oneof![2 => Just(Value::Null), 1 => id()], name()).prop_map(
        |(id, name)| {
            json!({"functionResponse": sparse(json!({"id": id, "name": name, "response": {"ok": 1}}), false)})
        },
    );
    let part = prop_oneof![
        3 => text().prop_map(|text| json!({"text": text})),
        3 => call,
        3 => response,
        1 => Just(json!({"thought": true, "text": "hm"})),
    ];
    let role = prop_oneof![3 => Just("user"), 3 => Just("model"), 1 => Just("function")];
    (role, vec(part, 0..4)).prop_map(|(role, parts)| json!({"role": role, "parts": parts}))
}

fn responses_item() -> impl Strategy<Value = Value> {
    let message = (prop_oneof![Just("user"), Just("assistant"), Just("developer")], text())
        .prop_map(|(role, text)| {
            let kind = if role == "assistant" { "output_text" } else { "input_text" };
            json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
        });
    let call = (id(), name(), any::<bool>()).prop_map(|(id, name, nulls)| {
        let call = json!({"type": "function_call", "call_id": id, "name": name, "arguments": "{}"});
        sparse(call, nulls)
    });
    let output = (id(), text()).prop_map(
        |(id, text)| json!({"type": "function_call_output", "call_id": id, "output": text}),
    );
    let reasoning = any::<bool>().prop_map(|has_id| {
        let mut item = json!({"type": "reasoning", "summary": [], "encrypted_content": "e"});
        if has_id {
            item["id"] = json!("rs_1");
        }
        item
    });
    prop_oneof![
        4 => message,
        4 => call,
        4 => output,
        2 => reasoning,
        1 => Just(json!({"type": "ghost_snapshot"})),
        1 => Just(json!({"type": "web_search_call", "id": "ws_1", "action": {}})),
    ]
}

fn array(
    dialect: &'static str,
    holder: &'static str,
    request: impl Strategy<Value = Value>,
    unit: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Sample> {
    (vec(unit, 0..9), any::<bool>(), any::<bool>(), request).prop_map(
        move |(units, is_held, is_pretty, request)| {
            let holder = is_held.then_some(holder);
            Sample { dialect, holder, request, units, is_pretty }
        },
    )
}

fn anthropic_request() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => Just(json!({})),
        1 => Just(json!({"system": "s"})),
        1 => Just(json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "thinking": {"type": "enabled"}})),
        1 => Just(json!({"model": "m", "tools": [{"name": "f"}]})),
    ]
}

fn claude_code() -> impl Strategy<Value = Sample> {
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

fn codex() -> impl Strategy<Value = Sample> {
    vec(responses_item(), 0..9).prop_map(|items| {
        let line = |payload| json!({"timestamp": "t", "type": "response_item", "payload": payload});
        let units = items.into_iter().map(line).collect();
        Sample { dialect: "codex", holder: None, request: Value::Null, units, is_pretty: false }
    })
}

/// A conversation in some dialect.
pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    let none = || Just(json!({}));
    let with_units =
        |sample: &Sample| !sample.units.is_empty() || sample.layout() != Layout::Stream;
    prop_oneof![
        array("openai", "messages", none(), openai_message()),
        array("openai", "messages", none(), legacy_message()),
        array("anthropic", "messages", anthropic_request(), anthropic_message()),
        array("gemini", "contents", none(), gemini_content()),
        array("responses", "input", none(), responses_item()),
        claude_code().prop_filter("a log has lines", with_units),
        codex().prop_filter("a log has lines", with_units),
    ]
}
