//! The whole command against the server: what is written, said and kept secret, whatever fails.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::loopback::{Act, KEY, Server, answer, error};

/// A directory of its own, gone at the end.
pub(super) struct Place(PathBuf);

impl Place {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ctx-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory is made");
        Self(path)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file is written");
        path
    }

    /// The command, with a key and nothing else of the environment's that it looks at.
    fn ctx(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctx"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        let proxies = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
        for name in ["CTX_MODEL", "SSL_CERT_FILE"].into_iter().chain(proxies) {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        command.env("OPENAI_API_KEY", KEY);
        command
    }

    /// Compacts with a model behind `server`.
    pub(super) fn compact(&self, server: &Server, arguments: &[&str]) -> Command {
        let url = format!("{}/v1", server.url);
        let mut command = self.ctx(&["compact", "--summarizer", "openai", "--base-url", &url]);
        command.args(arguments);
        command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn run(command: &mut Command) -> Output {
    command.output().expect("it runs")
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn part(words: &str) -> Act {
    answer("openai", &format!("<analysis>hm</analysis><summary>{words}</summary>"), "stop")
}

/// A conversation of exchanges about one file after another, of about 250 tokens each.
pub(super) fn chat(exchanges: usize) -> Value {
    let mut messages = vec![json!({"role": "system", "content": "You are a careful engineer."})];
    for number in 0..exchanges {
        let id = format!("call_{number}");
        let arguments = json!({"path": format!("src/part{number}.rs"), "content": "fn f() {}"});
        let call = json!({"name": "write_file", "arguments": arguments.to_string()});
        let result = format!("wrote part {number}\n").repeat(40);
        messages.extend([
            json!({"role": "user", "content": format!("please write part {number}")}),
            json!({"role": "assistant", "content": null,
                "tool_calls": [{"id": id, "type": "function", "function": call}]}),
            json!({"role": "tool", "tool_call_id": id, "content": result}),
            json!({"role": "assistant", "content": format!("part {number} is written")}),
        ]);
    }
    messages.push(json!({"role": "user", "content": "and what is left?"}));
    Value::Array(messages)
}

/// Tokens of a conversation, if it is valid.
fn valid_tokens(place: &Place, conversation: &[u8]) -> Option<usize> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("result-{}.json", NEXT.fetch_add(1, Ordering::SeqCst));
    fs::write(place.0.join(&name), conversation).expect("a file is written");
    let valid = run(&mut place.ctx(&["check", "-q", "--only", "valid", &name])).status.success();
    let count = text(&run(&mut place.ctx(&["count", &name])).stdout);
    count.split(' ').next()?.trim().parse().ok().filter(|_| valid)
}

#[test]
fn a_failure_at_any_step_leaves_the_input_or_a_valid_result() {
    let place = Place::new("steps");
    let input = chat(60).to_string();
    let path = place.write("chat.json", &input);
    // A small window makes several requests.
    let arguments = |policy: &'static str| {
        ["--summary-model", "gpt-4", "--budget", "3000", "--retries", "0", "--timeout", "1s"]
            .into_iter()
            .chain(["--deadline", "20s", "-q", "--on-failure", policy, "chat.json"])
            .collect::<Vec<_>>()
    };
    let good = Server::start(vec![part("a part of the work")]);
    let result = run(&mut place.compact(&good, &arguments("fail")));
    assert!(result.status.success(), "{}", text(&result.stderr));
    assert!(valid_tokens(&place, &result.stdout).expect("it is valid") <= 3000);
    let steps = good.seen().len();
    assert!(steps >= 4, "{steps} requests");

    let html: &[(&str, &str)] = &[("content-type", "text/html")];
    let failures = [
        error(500, "oops"),
        error(429, "busy"),
        error(401, "no such key"),
        error(413, "Payload Too Large"),
        error(400, "prompt is too long: 20000 tokens > 8192 maximum"),
        Act::Redirect(302, "http://127.0.0.1:1/".into()),
        Act::Reset,
        Act::Stall,
        Act::Drip,
        Act::Flood,
        Act::Truncate("{\"choices\": [".into()),
        Act::Answer(200, &[], "not JSON".into()),
        Act::Answer(200, html, "<h1>Welcome</h1>".into()),
        answer("openai", "", "stop"),
        answer("openai", "<summary>the wo", "length"),
        answer("openai", "{\"name\": \"ls\", \"arguments\": {}}", "stop"),
    ];
    let cases: Vec<_> = (0..steps)
        .flat_map(|step| failures.iter().enumerate().map(move |(at, act)| (step, at, act)))
        .collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((step, at, act)) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let policy = ["digest", "original", "fail"][(step + at) % 3];
                    let mut script = vec![part("a part of the work"); *step];
                    script.push((*act).clone());
                    let server = Server::start(script);
                    let start = Instant::now();
                    let result = run(&mut place.compact(&server, &arguments(policy)));
                    let case = format!("step {step}, {act:?}, {policy}: {}", text(&result.stderr));
                    assert!(start.elapsed() < Duration::from_secs(21), "{case}");
                    match policy {
                        "fail" => assert_eq!(result.status.code(), Some(2), "{case}"),
                        _ => assert_eq!(result.status.code(), Some(0), "{case}"),
                    }
                    match policy {
                        "fail" => assert!(result.stdout.is_empty(), "{case}"),
                        "original" => assert!(result.stdout == input.as_bytes(), "{case}"),
                        _ => {
                            let tokens = valid_tokens(&place, &result.stdout);
                            assert!(tokens.expect("it is valid") <= 3000, "{case}");
                        }
                    }
                    assert!(server.seen().len() <= step + 4, "{case}");
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(path).expect("the input"), input);
}

#[test]
fn the_report_shows_every_message_in_a_request() {
    let place = Place::new("proof");
    let mut messages = chat(60);
    // One of nothing but white space, and one of a type that no dialect knows.
    let items = messages.as_array_mut().expect("a list");
    items.insert(5, json!({"role": "user", "content": " "}));
    items.insert(9, json!({"role": "user", "content": [{"type": "hologram", "data": "x"}]}));
    place.write("chat.json", &messages.to_string());
    let long = "prompt is too long: 20000 tokens > 8192 maximum";
    let script = vec![part("one"), error(400, long), part("the work so far")];
    let server = Server::start(script);
    let mut input = "chat.json";
    for (model, compactions) in [("gpt-4", 1), ("gpt-4.1-mini", 2)] {
        let arguments = ["--summary-model", model, "--budget", "3000", "--report", "report.json"];
        let result = run(place.compact(&server, &arguments).args(["--force", input]));
        assert!(result.status.success(), "{}", text(&result.stderr));
        let report = fs::read_to_string(place.0.join("report.json")).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["compactions"], compactions);
        let fates = report["fates"].as_array().expect("fates").iter().enumerate();
        let gone = fates.filter(|(_, fate)| **fate == "summarised").map(|(at, _)| at as u64);
        let requests = report["requests"].as_array().expect("requests").iter();
        let sent = requests.filter(|request| request["answered"] == true).flat_map(|request| {
            request["messages"].as_array().expect("messages").iter().filter_map(Value::as_u64)
        });
        let (gone, sent): (BTreeSet<u64>, BTreeSet<u64>) = (gone.collect(), sent.collect());
        assert!(gone.len() > 2 && gone.is_subset(&sent), "{gone:?} {sent:?}");
        // The result with its summary in it, and more to say, is compacted once more.
        let mut again: Value = serde_json::from_slice(&result.stdout).expect("JSON");
        let more = chat(15).as_array().expect("a list")[1..].to_vec();
        again.as_array_mut().expect("a list").extend(more);
        place.write("again.json", &again.to_string());
        input = "again.json";
    }
    let seen = server.seen();
    let last = seen.last().expect("a request").prompt();
    assert_eq!(last.matches("the work so far").count(), 1, "the earlier summary is folded in");
}

#[test]
fn keys_are_nowhere() {
    let place = Place::new("keys");
    place.write("chat.json", &chat(20).to_string());
    let path = place.write("key", &format!("{KEY}\n"));
    let secret = &KEY[KEY.len() - 12..];
    let quoted = format!("Incorrect API key provided: Bearer {KEY}, ending in {secret}");
    for (act, status) in [
        (error(401, &quoted), 2),
        (error(500, &quoted), 2),
        (Act::Answer(401, &[], format!("<p>{quoted}</p>")), 2),
        (part(&format!("The user's key is {KEY}, ending in {secret}.")), 0),
    ] {
        let is_open = status == 0;
        let bits = if is_open { 0o644 } else { 0o600 };
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).expect("a mode");
        let server = Server::start(vec![act]);
        let arguments = ["--budget", "1000", "--retries", "1", "--on-failure", "fail"];
        let more = ["--archive", "archive", "--report", "report.json", "chat.json"];
        let mut command = place.compact(&server, &arguments);
        command.env_remove("OPENAI_API_KEY").args(["--api-key-file", "key"]).args(more);
        let result = run(&mut command);
        assert_eq!(result.status.code(), Some(status), "{}", text(&result.stderr));
        let authorization = server.seen()[0].header("authorization").map(str::to_owned);
        assert_eq!(authorization, Some(format!("Bearer {KEY}")));
        let mut all = text(&result.stdout) + &text(&result.stderr);
        for path in files(&place.0) {
            if !path.ends_with("key") {
                all += &text(&fs::read(path).expect("a file"));
            }
        }
        assert_eq!(all.contains("others can read the key in key\nhint: chmod 600 key\n"), is_open);
        assert!(all.contains("[key]") && !all.contains(secret), "{}", text(&result.stderr));
    }
    let dry = place
        .compact(&Server::start(vec![part("")]), &["--budget", "1000", "-n", "chat.json"])
        .output();
    let dry = dry.expect("it runs");
    assert!(dry.status.success() && text(&dry.stdout).contains("chat/completions"));
    assert!(!text(&dry.stdout).contains(KEY));
    let refused = run(&mut place.ctx(&["compact", "--api-key", KEY, "chat.json"]));
    assert_eq!(refused.status.code(), Some(2));
    assert!(!text(&refused.stderr).contains(KEY), "{}", text(&refused.stderr));
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("one").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn three_conversations_in_a_row_open_the_breaker() {
    let place = Place::new("breaker");
    let line = json!({"messages": chat(20)}).to_string() + "\n";
    let set = line.repeat(8);
    place.write("set.jsonl", &set);
    for jobs in ["1", "6"] {
        let server = Server::start(vec![error(401, "no such key")]);
        let arguments = ["--budget", "1000", "--on-failure", "original", "--jobs", jobs];
        let result = run(place.compact(&server, &arguments).arg("set.jsonl"));
        assert!(result.status.success() && result.stdout == set.as_bytes());
        assert_eq!(server.seen().len(), 3, "--jobs {jobs}");
        let said = text(&result.stderr);
        assert_eq!(said.matches("failed three times in a row").count(), 5, "{said}");
        assert_eq!(said.matches("hint: ").count(), 3, "{said}");
    }
    let server = Server::start(vec![part("the work goes on well")]);
    let result =
        run(place.compact(&server, &["--budget", "1000", "set.jsonl"]).args(["--jobs", "3"]));
    assert!(result.status.success());
    assert_eq!((server.seen().len(), text(&result.stdout).lines().count()), (8, 8));
}

#[test]
fn nothing_outlives_the_deadline() {
    let place = Place::new("deadline");
    place.write("chat.json", &chat(20).to_string());
    for act in [Act::Stall, Act::Drip, error(503, "busy"), Act::Reset] {
        let server = Server::start(vec![act]);
        let arguments = ["--budget", "1000", "--retries", "1000000", "--timeout", "1h"];
        let start = Instant::now();
        let result =
            run(place.compact(&server, &arguments).args(["--deadline", "1s", "chat.json"]));
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        assert!(result.status.success());
        assert!(valid_tokens(&place, &result.stdout).expect("it is valid") <= 1000);
        let said = text(&result.stderr);
        assert!(said.contains("hint: --deadline TIME waits longer"), "{said}");
    }
}

#[test]
fn where_it_goes_is_said_before_and_an_interrupt_leaves_the_input() {
    let place = Place::new("interrupt");
    let input = chat(20).to_string();
    let path = place.write("chat.json", &input);
    let server = Server::start(vec![Act::Stall]);
    let mut command = place.compact(&server, &["--budget", "1000", "-i", "chat.json"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it runs");
    let mut said = String::new();
    let stderr = child.stderr.take().expect("a pipe");
    BufReader::new(stderr).read_line(&mut said).expect("a line");
    let host = server.url.trim_start_matches("http://");
    assert!(said.starts_with("ctx: chat.json: summarising "), "{said}");
    assert!(said.ends_with(&format!(" messages with gpt-4.1-mini at {host}\n")), "{said}");
    let id = child.id().to_string();
    // An interrupt proper may be ignored here: so it is in what a script starts in the background.
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    assert_eq!(child.wait().expect("it ends").code(), None, "it died of the signal");
    assert_eq!(fs::read_to_string(&path).expect("the input"), input);
    assert_eq!(files(&place.0), [path]);
}

#[test]
fn what_a_model_forgot_is_appended_and_reported() {
    let place = Place::new("audit");
    place.write("chat.json", &chat(20).to_string());
    let server = Server::start(vec![part("Wrote src/part3.rs.")]);
    for audit in ["true", "false"] {
        let arguments = ["--budget", "1500", "--report", "report.json", "--audit", audit];
        let result = run(place.compact(&server, &arguments).arg("chat.json"));
        assert!(valid_tokens(&place, &result.stdout).expect("it is valid") <= 1500);
        let report = fs::read_to_string(place.0.join("report.json")).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let appended = report["appended"].as_array().expect("a list");
        let has = |path: &str| {
            appended.iter().any(|line| line.as_str().is_some_and(|line| line.contains(path)))
        };
        assert_eq!(has("src/part4.rs"), audit == "true");
        assert!(!has("src/part3.rs"), "it is in the summary");
        assert_eq!(text(&result.stdout).contains("changed src/part4.rs"), audit == "true");
    }
}

#[test]
fn mistakes_are_told_before_anything_is_sent() {
    let place = Place::new("mistakes");
    place.write("chat.json", &chat(20).to_string());
    place.write("two", "two words\n");
    for (arguments, reason) in [
        (
            &["--base-url", "localhost:1/v1"][..],
            "base URL begins with neither http:// nor https://",
        ),
        (&["--api-key-file", "none"], "could not read the key file none: No such file"),
        (&["--api-key-file", "two"], "two: API key has characters that no key has"),
        (&["--timeout", "0"], "--timeout 0 leaves no time for an answer"),
        (&["--prompt-file", "none"], "could not read the prompt none"),
    ] {
        let mut command = place.ctx(&["compact", "--summarizer", "openai", "--budget", "1000"]);
        let result = run(command.args(arguments).arg("chat.json"));
        let said = text(&result.stderr);
        assert_eq!((result.status.code(), &*result.stdout), (Some(2), &b""[..]), "{said}");
        assert!(said.contains(&format!("ctx: {reason}")), "{said}");
    }
    let mut command = place.ctx(&["compact", "--summarizer", "anthropic", "--budget", "1000"]);
    let command =
        command.env_remove("ANTHROPIC_API_KEY").args(["--on-failure", "fail", "chat.json"]);
    let said = text(&run(command).stderr);
    assert!(
        said.contains("no API key: set ANTHROPIC_API_KEY, or --api-key-file\nhint: "),
        "{said}"
    );
}

/// Compacts with a model behind a server that answers with this many words.
fn answered(place: &Place, conversation: &Value, budget: &str, words: usize) -> Output {
    place.write("chat.json", &conversation.to_string());
    let server = Server::start(vec![part(&"word ".repeat(words))]);
    let arguments = ["--budget", budget, "--retries", "0", "--on-failure", "fail", "--force"];
    run(place.compact(&server, &arguments).arg("chat.json"))
}

#[test]
fn a_summary_is_held_against_the_messages_and_not_their_previews() {
    let place = Place::new("large-results");
    let mut messages = chat(4);
    for message in messages.as_array_mut().expect("a list") {
        if message["role"] == "tool" {
            message["content"] = json!("another line of a long result\n".repeat(1000));
        }
    }
    // Previewed, the results count less than this answer.
    let result = answered(&place, &messages, "4000", 1800);
    assert!(result.status.success(), "{}", text(&result.stderr));
    assert!(text(&result.stdout).contains("word word"));
}

#[test]
fn an_earlier_summary_alone_can_be_summarised() {
    let place = Place::new("earlier");
    let earlier = "It was written, and then it was written anew.\n".repeat(200);
    let opener = "[Summary of the conversation so far, made by ctx]";
    let messages = json!([
        {"role": "system", "content": "You are a careful engineer."},
        {"role": "user", "content": format!("{opener}\n\n{earlier}")},
        {"role": "user", "content": "and what is left?"},
    ]);
    let result = answered(&place, &messages, "1000", 300);
    assert!(result.status.success(), "{}", text(&result.stderr));
    assert!(text(&result.stdout).contains("word word"));
    let result = answered(&place, &messages, "1000", 3000);
    assert!(text(&result.stderr).contains("too large for what it replaces"));
}

#[test]
fn what_cannot_be_appended_is_refused_before_anybody_is_asked() {
    let place = Place::new("append");
    place.write("chat.json", &chat(20).to_string());
    let server = Server::start(vec![part("the work goes on well")]);
    let arguments = ["--budget", "1000", "--append", "--archive", "kept", "chat.json"];
    let result = run(&mut place.compact(&server, &arguments));
    assert_eq!(result.status.code(), Some(2));
    let said = text(&result.stderr);
    assert_eq!(
        said,
        "ctx: chat.json: openai has no records of a compaction to append\n\
         hint: leave out --append\n"
    );
    assert!(server.seen().is_empty() && !place.0.join("kept").exists());
}

#[test]
fn a_dry_run_reports_who_would_be_asked() {
    let place = Place::new("dry-run");
    place.write("chat.json", &chat(20).to_string());
    let server = Server::start(vec![part("the work goes on well")]);
    for flags in [&["-n"][..], &[]] {
        let arguments = ["--budget", "1000", "--report", "report.json", "chat.json"];
        let result = run(place.compact(&server, &arguments).args(flags));
        assert!(result.status.success(), "{}", text(&result.stderr));
        let report = fs::read_to_string(place.0.join("report.json")).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["summarizer"], "gpt-4.1-mini", "{flags:?}");
    }
    assert_eq!(server.seen().len(), 1);
}
