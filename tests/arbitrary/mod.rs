//! Conversations of arbitrary messages in every dialect, few of which a provider would accept.

mod logs;

use context_compact::dialect::Layout;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use logs::{claude_code, codex};

/// Stands for half a surrogate pair, which no JSON library writes.
pub(crate) const HALF: char = '\u{e000}';

/// A conversation as it stands in a file.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) dialect: &'static str,
    /// The member of a request that holds the messages.
    pub(crate) holder: Option<&'static str>,
    pub(crate) request: Value,
    units: Vec<Value>,
    is_pretty: bool,
}

impl Sample {
    /// A bare list of these.
    pub(crate) fn of(dialect: &'static str, units: &str) -> Self {
        let units = serde_json::from_str(units).expect("a list");
        Self { dialect, holder: None, request: Value::Null, units, is_pretty: false }
    }

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
        1 => Just("hi "),
        1 => Just("half \u{e000}"),
    ]
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!("a")),
        4 => Just(json!("b")),
        3 => Just(json!("c")),
        2 => Just(json!("call12345")),
        1 => Just(json!("f:0")),
        1 => Just(json!("half \u{e000}")),
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
        1 => Just(json!("half_\u{e000}")),
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
        1 => Just(json!({"\u{e000}": {"p": "\u{e000}"}})),
        1 => Just(json!(["\u{e000}"])),
        1 => Just(json!("not \u{e000}")),
    ]
}

/// What no provider takes for a content or a text.
fn strange() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(5)),
        Just(json!(true)),
        Just(json!({"x": "half \u{e000}"})),
        Just(json!([5, null, "half \u{e000}", ""])),
    ]
}

/// Mostly nothing, else a mark of the cache.
fn cached(block: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    (block, 0..4).prop_map(|(mut block, mark)| {
        match mark {
            0 => block["cache_control"] = json!({"type": "ephemeral"}),
            1 => block["cache_control"] = Value::Null,
            _ => {}
        }
        block
    })
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
        1 => Just(json!([{"type": "text", "text": "a", "cache_control": null}, {"type": "text"}])),
        1 => strange(),
    ];
    let result =
        (id(), content, any::<bool>(), any::<bool>()).prop_map(|(id, content, is_error, nulls)| {
            let result = json!({"type": "tool_result", "tool_use_id": id, "content": content,
                "is_error": is_error});
            sparse(result, nulls)
        });
    let signature =
        prop_oneof![3 => Just(json!("sig")), 1 => Just(json!("")), 1 => Just(Value::Null)];
    let thinking = (text(), signature).prop_map(
        |(text, signature)| json!({"type": "thinking", "thinking": text, "signature": signature}),
    );
    let server_id =
        || prop_oneof![9 => Just(json!("srvtoolu_1")), 9 => Just(json!("srvtoolu_2")), 1 => id()];
    let search = server_id().prop_map(
        |id| json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}),
    );
    let found = server_id()
        .prop_map(|id| json!({"type": "web_search_tool_result", "tool_use_id": id, "content": []}));
    prop_oneof![
        4 => cached(text().prop_map(|text| json!({"type": "text", "text": text}))),
        5 => cached(call),
        5 => cached(result),
        2 => cached(thinking),
        1 => Just(json!({"type": "redacted_thinking", "data": "x"})),
        1 => Just(json!({"type": "image", "source": {}})),
        1 => Just(json!({"type": "hologram"})),
        1 => strange().prop_map(|text| json!({"type": "text", "text": text})),
        1 => Just(json!({"type": "text"})),
        1 => search,
        1 => found,
    ]
}

fn anthropic_message() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        2 => text().prop_map(|text| json!(text)),
        6 => vec(anthropic_block(), 0..4).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => strange(),
    ];
    (role(), content).prop_map(|(role, content)| json!({"role": role, "content": content}))
}

fn bedrock_message() -> impl Strategy<Value = Value> {
    let call = (id(), name(), input(), any::<bool>()).prop_map(|(id, name, input, nulls)| {
        json!({"toolUse": sparse(json!({"toolUseId": id, "name": name, "input": input}), nulls)})
    });
    let content = prop_oneof![
        4 => text().prop_map(|text| json!([{"text": text}])),
        1 => Just(json!([{"json": {"a": 1}}])),
        1 => text().prop_map(|text| json!([{"json": {"output": text}}])),
        1 => Just(json!([{"text": "a"}, {"image": {"format": "png", "source": {}}}])),
        1 => strange().prop_map(|said| json!([{"json": said}])),
        1 => text().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => strange(),
    ];
    let status = prop_oneof![Just("success"), Just("error")];
    let result = (id(), content, status, any::<bool>()).prop_map(|(id, content, status, nulls)| {
        let result = json!({"toolUseId": id, "content": content, "status": status});
        json!({"toolResult": sparse(result, nulls)})
    });
    let signature = prop_oneof![Just(json!("sig")), Just(Value::Null)];
    let thinking = (text(), signature, any::<bool>()).prop_map(|(text, signature, nulls)| {
        let thought = sparse(json!({"text": text, "signature": signature}), nulls);
        json!({"reasoningContent": {"reasoningText": thought}})
    });
    let block = prop_oneof![
        4 => text().prop_map(|text| json!({"text": text})),
        5 => call,
        5 => result,
        2 => thinking,
        2 => Just(json!({"cachePoint": {"type": "default"}})),
        1 => Just(json!({"cachePoint": "default"})),
        1 => Just(json!({"image": {"format": "png", "source": {"bytes": ""}}})),
        1 => text().prop_map(|text| json!({"guardContent": {"text": {"text": text}}})),
        1 => Just(json!({"toolUse": {}})),
        1 => Just(json!({"toolResult": {}})),
        1 => Just(json!({"hologram": {}})),
        1 => strange(),
        1 => strange().prop_map(|text| json!({"text": text})),
    ];
    let content = prop_oneof![
        8 => vec(block, 0..4).prop_map(Value::from),
        1 => text().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => strange(),
    ];
    (role(), content).prop_map(|(role, content)| json!({"role": role, "content": content}))
}

fn bedrock_request() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({"system": [{"text": "s"}, {"cachePoint": {"type": "default"}}]})),
        Just(json!({"system": [{}, {"cachePoint": {"type": "default"}}, {"cachePoint": 7}]})),
        Just(json!({"modelId": "m", "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]}})),
        Just(json!({"modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0"})),
    ]
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
            1 => Just(json!({"type": "text"})),
            1 => strange(),
        ],
        0..3,
    );
    let content = || {
        prop_oneof![
            5 => text().prop_map(|text| json!(text)),
            1 => Just(Value::Null),
            1 => strange(),
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
        1 => strange(),
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
        1 => strange().prop_map(|text| json!({"text": text})),
        1 => strange().prop_map(|args| json!({"functionCall": {"name": "f", "args": args}})),
        1 => strange().prop_map(|said| json!({"functionResponse": {"name": "f", "response": said}})),
        1 => Just(json!({"hologram": {}})),
    ];
    let role = prop_oneof![3 => Just("user"), 3 => Just("model"), 1 => Just("function"), 1 => Just("system")];
    let parts = prop_oneof![
        8 => vec(part, 0..4).prop_map(Value::from),
        1 => strange(),
        1 => text().prop_map(Value::from),
        1 => text().prop_map(|text| json!({"text": text})),
    ];
    (role, parts).prop_map(|(role, parts)| json!({"role": role, "parts": parts}))
}

fn responses_item() -> impl Strategy<Value = Value> {
    let message = (prop_oneof![Just("user"), Just("assistant"), Just("developer")], text())
        .prop_map(|(role, text)| {
            let kind = if role == "assistant" { "output_text" } else { "input_text" };
            json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
        });
    let strange_message = strange().prop_map(|said| json!({"role": "user", "content": said}));
    let call = (id(), name(), input(), any::<bool>()).prop_map(|(id, name, input, nulls)| {
        let call =
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": input});
        sparse(call, nulls)
    });
    let said = prop_oneof![4 => text().prop_map(Value::from), 1 => strange()];
    let output = (id(), said).prop_map(
        |(id, said)| json!({"type": "function_call_output", "call_id": id, "output": said}),
    );
    let other = (id(), prop_oneof![Just("computer"), Just("local_shell"), Just("tool_search")])
        .prop_map(
            |(id, kind)| json!({"type": format!("{kind}_call"), "call_id": id, "action": {}}),
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
        1 => strange_message,
        1 => other,
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
    let unit =
        prop_oneof![40 => unit, 1 => strange().prop_filter("no object", |it| !it.is_object())];
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
        1 => Just(json!({"model": "m", "tools": [{"name": "f", "description": "\u{e000}",
            "cache_control": {}}], "system": [{"type": "text", "text": "s", "cache_control": {}}]})),
    ]
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
        array("bedrock", "messages", bedrock_request(), bedrock_message()),
        array("gemini", "contents", none(), gemini_content()),
        array("responses", "input", none(), responses_item()),
        claude_code().prop_filter("a log has lines", with_units),
        codex().prop_filter("a log has lines", with_units),
    ]
}
