//! What the providers publish judges what we call valid: the request validator of `mistral-common`,
//! and the request types of the `openai` and `anthropic` packages, over made-up conversations.
//!
//! It needs Python with these packages (`CTX_PYTHON` names it, else it is `python3`):
//!
//!     python3 -m venv target/judges && target/judges/bin/pip install mistral-common openai anthropic
//!     CTX_PYTHON=target/judges/bin/python cargo test --test judges
//!
//! Where they are missing it says that it is skipped, whatever the test runner hides: it has a `main`
//! of its own.

#![allow(clippy::print_stdout, reason = "it reports like a test runner")]

#[allow(dead_code, reason = "the judges read no session logs")]
mod arbitrary;

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use context_compact::check::{self, Severity};
use context_compact::conversation::{self, Conversation};
use context_compact::dialect::{self, Layout, Provider, Scope};
use context_compact::document::Document;
use context_compact::normalize::normalize;
use context_compact::pairing::Pairs;
use context_compact::thinking::Signatures;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use arbitrary::Sample;

const SAMPLES: usize = 1500;

fn main() -> ExitCode {
    let python = std::env::var("CTX_PYTHON").unwrap_or_else(|_| "python3".into());
    let probe = ["-c", "import mistral_common, openai, anthropic"];
    let probe = Command::new(&python).args(probe).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("judges: skipped: no {python} with mistral-common, openai and anthropic");
        return ExitCode::SUCCESS;
    }
    let cases = cases();
    let refused: Vec<_> = cases
        .iter()
        .zip(verdicts(&python, &cases))
        .filter(|(_, verdict)| verdict != "ok")
        .map(|(case, verdict)| format!("{}\n  {verdict}", case["messages"]))
        .collect();
    let count = |name: &str| cases.iter().filter(|case| case["provider"] == name).count();
    for name in ["openai", "responses", "anthropic", "mistral"] {
        println!("judges: {} conversations for {name}", count(name));
    }
    for line in refused.iter().take(10) {
        println!("judges: refused: {line}");
    }
    println!("judges: {} refused", refused.len());
    if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Conversations that we call valid: as they were made up, or repaired.
fn cases() -> Vec<Value> {
    let mut runner = TestRunner::deterministic();
    let strategy = arbitrary::sample();
    let mut cases = Vec::new();
    for _ in 0..SAMPLES {
        let sample = strategy.new_tree(&mut runner).expect("a sample").current();
        let providers: &[Provider] = match sample.dialect {
            "openai" => &[Provider::OpenAi, Provider::Mistral],
            "responses" => &[Provider::Responses],
            "anthropic" => &[Provider::Anthropic],
            _ => &[],
        };
        cases.extend(providers.iter().filter_map(|&provider| case(&sample, provider)));
    }
    cases
}

fn case(sample: &Sample, provider: Provider) -> Option<Value> {
    let text = sample.text();
    let document = Document::parse(text.as_bytes()).expect("JSON");
    let conversation = decode(&document, sample);
    let (draft, _) = normalize(&conversation, provider, Signatures::default(), &[]);
    let text = document.apply(&draft.edits(&document));
    let document = Document::parse(&text).expect("JSON");
    let conversation = decode(&document, sample);
    let found = check::findings(&conversation, &Pairs::of(&conversation.messages), provider);
    let is_mended = |finding: &check::Finding<'_>| {
        // What nobody said can't be made up, nor what nobody knows be named.
        let unmended = ["empty-conversation", "unknown-role", "unknown-type"];
        finding.severity == Severity::Note || unmended.contains(&finding.rule.name)
    };
    assert!(found.iter().all(is_mended));
    let notes = |names: &[&str]| found.iter().any(|finding| names.contains(&finding.rule.name));
    if notes(&["first-role"]) {
        // An answer alone is no request.
        return None;
    }
    let is_open = notes(&["in-flight", "last-role"]);
    let value: Value = serde_json::from_slice(&text).expect("JSON");
    let mut messages = sample.holder.map_or(&value, |holder| &value[holder]).as_array()?.clone();
    let is_judged = !messages.is_empty() && messages.iter().all(|said| is_typed(said, provider));
    messages.iter_mut().for_each(complete);
    is_judged
        .then(|| json!({"provider": provider.name(), "messages": messages, "is_open": is_open}))
}

/// Whether a message is of a type that the packages know. The others are not about our rules: pictures
/// in words of the assistant, fields of one role in messages of another, what passes through with a note.
fn is_typed(message: &Value, provider: Provider) -> bool {
    let known = match provider {
        Provider::Mistral => &["system", "user", "assistant", "tool"][..],
        _ => &["system", "developer", "user", "assistant", "tool", "function"],
    };
    let role = message["role"].as_str();
    let kind = message["type"].as_str().unwrap_or_default();
    let is_picture = |part: &Value| part["type"] == "image_url" || part["source"] == json!({});
    let mut parts = message["content"].as_array().into_iter().flatten();
    role.is_none_or(|role| known.contains(&role))
        && (role == Some("assistant") || message.get("tool_calls").is_none())
        && (provider != Provider::Mistral || message.get("function_call").is_none())
        && message["type"] != "ghost_snapshot"
        // They lack what their tools need.
        && !["computer_call", "local_shell_call", "tool_search_call"].contains(&kind)
        && !message["call_id"].is_number()
        && (message["type"] != "function_call" || message.get("name").is_some())
        && parts.all(|part| {
            let inner = part["content"].as_array().into_iter().flatten();
            // A result's content may be left out; whether it may be null only the server knows.
            let is_null =
                part["type"] == "tool_result" && part.get("content") == Some(&Value::Null);
            !is_null
                && part["type"] != "hologram"
                && (part.is_string() || part["type"].is_string())
                && !is_picture(part)
                && !inner.clone().any(is_picture)
        })
}

/// Adds what every recorded item of Responses has and the made-up ones lack.
fn complete(item: &mut Value) {
    match item["type"].as_str() {
        Some("reasoning") => item["id"] = json!("rs_1"),
        Some("web_search_call") => {
            item["status"] = json!("completed");
            item["action"] = json!({"type": "search", "query": "q"});
        }
        Some("message") if item["role"] == "assistant" => {
            item["id"] = json!("msg_1");
            item["status"] = json!("completed");
            for part in item["content"].as_array_mut().into_iter().flatten() {
                part["annotations"] = json!([]);
            }
        }
        _ => {}
    }
}

fn decode<'a>(document: &Document<'a>, sample: &Sample) -> Conversation<'a> {
    let dialect = dialect::named(sample.dialect).expect("a dialect");
    let layout = sample.holder.map_or(sample.layout(), Layout::Objects);
    conversation::decode(dialect, dialect::sources(document, layout).remove(0), Scope::Live)
}

/// What the judges say of each case.
fn verdicts(python: &str, cases: &[Value]) -> Vec<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/judges/judge.py");
    let mut judge = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the judge starts");
    let mut input = judge.stdin.take().expect("its input");
    let lines: String = cases.iter().flat_map(|case| [case.to_string(), "\n".into()]).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = judge.wait_with_output().expect("the judge ends");
    writer.join().expect("a thread").expect("the judge reads");
    let verdicts: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(verdicts.len(), cases.len(), "a verdict for each");
    verdicts
}
