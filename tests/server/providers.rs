//! Each provider: what is sent, what is read, what is refused.

use std::time::Duration;

use context_compact::summarizer::provider::{PROVIDERS, by_name};
use context_compact::summarizer::{Endpoint, Fault, Key, Reason, Source, Stage};
use serde_json::{Value, json};

use super::loopback::{Act, KEY, Server, answer, error, excerpt, run, settings};

/// Name, path, header of the key, its value's beginning, and the pointer to the bound on the answer.
const SHAPES: &[(&str, &str, &str, &str, &str)] = &[
    ("openai", "/v1/chat/completions", "authorization", "Bearer ", "/max_tokens"),
    ("responses", "/v1/responses", "authorization", "Bearer ", "/max_output_tokens"),
    ("anthropic", "/v1/messages", "x-api-key", "", "/max_tokens"),
    (
        "gemini", "/v1beta/models/m:generateContent", "x-goog-api-key", "",
        "/generationConfig/maxOutputTokens",
    ),
];

/// Returns the word with which `provider` ends a complete answer.
fn done(provider: &str) -> &'static str {
    match provider {
        "openai" => "stop",
        "anthropic" => "end_turn",
        "gemini" => "STOP",
        _ => "",
    }
}

#[test]
fn the_table_is_complete() {
    let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.facts().name).collect();
    assert_eq!(names, SHAPES.iter().map(|shape| shape.0).collect::<Vec<_>>());
}

#[test]
fn json_is_an_answer_whatever_the_server_calls_it() {
    let Act::Answer(status, _, body) = answer("openai", "the work", "stop") else { unreachable!() };
    let plain: &[(&str, &str)] = &[("content-type", "text/plain; charset=utf-8")];
    for act in [
        Act::Answer(status, plain, body.clone()),
        Act::Answer(status, &[], format!("\u{feff}{body}")),
    ] {
        let server = Server::start(vec![act]);
        let settings = settings("openai", &server.url);
        assert_eq!(run(&settings, &[excerpt(0, 5)]).0.unwrap().attempts, 1);
    }
}

#[test]
fn half_a_surrogate_pair_does_not_spoil_an_answer() {
    let Act::Answer(status, headers, body) = answer("openai", "the HALF work", "stop") else {
        unreachable!()
    };
    let server = Server::start(vec![Act::Answer(status, headers, body.replace("HALF", "\\ud83d"))]);
    let summary = run(&settings("openai", &server.url), &[excerpt(3, 5)]).0.unwrap();
    assert_eq!((&*summary.text, summary.attempts), ("the \u{fffd} work", 1));
}

#[test]
fn each_is_asked_in_its_own_shape() {
    for &(name, path, header, before, bound) in SHAPES {
        let text = "<analysis>hm</analysis>\n<summary>\nthe work\n</summary>";
        let server = Server::start(vec![answer(name, text, done(name))]);
        let mut settings = settings(name, &server.url);
        if let Source::Http(endpoint) = &mut settings.source {
            endpoint.model = Some("m".into());
        }
        let (result, said) = run(&settings, &[excerpt(3, 5), excerpt(7, 5)]);
        let summary = result.unwrap();
        assert_eq!((&*summary.text, summary.attempts), ("the work", 1), "{name}");
        assert_eq!(summary.requests.len(), 1);
        assert_eq!(
            (summary.requests[0].stage, &*summary.requests[0].messages),
            (Stage::Whole, &[3, 7][..])
        );

        let host = server.url.trim_start_matches("http://");
        assert_eq!(said[0].to_string(), format!("summarising 2 messages with m at {host}"));

        let seen = &server.seen()[0];
        assert_eq!(seen.path, path);
        assert_eq!(seen.header(header), Some(&*format!("{before}{KEY}")));
        assert_eq!(seen.body.pointer(bound), Some(&json!(4096)));
        let temperature = seen
            .body
            .pointer("/temperature")
            .or(seen.body.pointer("/generationConfig/temperature"));
        assert_eq!(temperature, Some(&json!(0)));
        assert_eq!(seen.body.get("tools"), None);
        let prompt = seen.prompt();
        assert!(prompt.contains("start3 ") && prompt.contains(" end7"), "{prompt}");
        assert!(prompt.contains("about 500 tokens"));
        assert!(!seen.body.to_string().contains(KEY));
    }
}

#[test]
fn what_is_no_summary_is_refused_and_asked_for_again() {
    let call = |name: &str| match name {
        "openai" => {
            json!({"choices": [{"message": {"content": null, "tool_calls": [{"id": "c"}]}, "finish_reason": "tool_calls"}]})
        }
        "responses" => {
            json!({"status": "completed", "output": [{"type": "function_call", "name": "ls"}]})
        }
        "anthropic" => {
            json!({"content": [{"type": "tool_use", "id": "t"}], "stop_reason": "tool_use"})
        }
        _ => {
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "ls"}}]}, "finishReason": "STOP"}]})
        }
    };
    let refusal = |name: &str| match name {
        "openai" => {
            json!({"choices": [{"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}]})
        }
        "responses" => {
            json!({"status": "completed", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]})
        }
        "anthropic" => {
            json!({"content": [{"type": "text", "text": "no"}], "stop_reason": "refusal"})
        }
        _ => json!({"promptFeedback": {"blockReason": "SAFETY"}}),
    };
    let ok = |body: Value| Act::Answer(200, &[], body.to_string());
    for &(name, ..) in SHAPES {
        let cut = match name {
            "openai" => "length",
            "anthropic" => "max_tokens",
            "gemini" => "MAX_TOKENS",
            _ => "max_output_tokens",
        };
        let long = format!("<summary>{}</summary>", "word ".repeat(1000));
        for (act, fault) in [
            (answer(name, "", done(name)), Fault::Empty),
            (answer(name, " \n ", done(name)), Fault::Empty),
            (answer(name, "<summary>the wo", cut), Fault::CutOff),
            (ok(call(name)), Fault::Call),
            (ok(refusal(name)), Fault::Refusal),
            (answer(name, &long, done(name)), Fault::NotSmaller),
            (ok(json!({"hello": 1})), Fault::OtherShape),
        ] {
            let server = Server::start(vec![act]);
            let (result, said) = run(&settings(name, &server.url), &[excerpt(0, 5)]);
            let failure = result.unwrap_err();
            assert_eq!(failure.reason, Reason::Answer(fault), "{name}");
            assert_eq!(
                (failure.attempts, server.seen().len(), said.len()),
                (3, 3, 3),
                "{name} {fault:?}"
            );
            assert!(!failure.requests[0].answered);
            let again = server.seen()[2].prompt().to_owned();
            assert!(
                again.contains(&format!("thrown away because it was {}", fault.words())),
                "{again}"
            );
        }
    }
}

#[test]
fn each_ones_overflow_divides_the_request() {
    let messages = [
        ("openai", "Your input exceeds the context window of this model"),
        ("responses", "Your input exceeds the context window of this model"),
        ("anthropic", "prompt is too long: 213462 tokens > 200000 maximum"),
        (
            "gemini",
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
        ),
    ];
    for (name, message) in messages {
        let good = answer(name, "<summary>part</summary>", done(name));
        let server = Server::start(vec![error(400, message), good]);
        let excerpts: Vec<_> = (0..8).map(|message| excerpt(message, 100)).collect();
        let summary = run(&settings(name, &server.url), &excerpts).0.unwrap();
        let stages: Vec<Stage> = summary.requests.iter().map(|request| request.stage).collect();
        assert_eq!(stages[..3], [Stage::Whole, Stage::Chunk, Stage::Chunk], "{name}");
        assert_eq!(stages.last(), Some(&Stage::Merge));
        let answered = summary.requests.iter().filter(|request| request.answered);
        let messages: Vec<usize> = answered.flat_map(|request| request.messages.clone()).collect();
        assert_eq!(messages, (0..8).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_parameter_that_the_model_does_not_take_is_left_out() {
    let script = vec![
        error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        error(400, "'temperature' does not support 0 with this model."),
        answer("openai", "<summary>the work</summary>", "stop"),
    ];
    let server = Server::start(script);
    let mut settings = settings("openai", &server.url);
    // What is asked again at once needs no repetition.
    settings.limits.retries = 0;
    let summary = run(&settings, &[excerpt(0, 5)]).0.unwrap();
    assert_eq!((&*summary.text, summary.attempts), ("the work", 3));
    assert_eq!(summary.requests[0].attempts, 3);
    let bodies: Vec<Value> = server.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(bodies[0]["max_tokens"], 4096);
    assert_eq!(
        (&bodies[2]["max_completion_tokens"], bodies[2].get("temperature")),
        (&json!(4096), None)
    );
}

#[test]
fn an_answer_that_was_cut_off_gets_more_room() {
    let cut = answer("openai", "<analysis>hm", "length");
    let server = Server::start(vec![cut, answer("openai", "<summary>the work</summary>", "stop")]);
    assert!(run(&settings("openai", &server.url), &[excerpt(0, 5)]).0.is_ok());
    let bounds: Vec<Value> =
        server.seen().iter().map(|seen| seen.body["max_tokens"].clone()).collect();
    assert_eq!(bounds, [4096, 16384]);
}

#[test]
fn a_local_server_needs_no_key_and_others_do() {
    let server = Server::start(vec![answer("openai", "the work", "stop")]);
    let mut settings = settings("openai", &server.url);
    let Source::Http(endpoint) = &mut settings.source else { unreachable!("it is HTTP") };
    endpoint.key = None;
    assert!(run(&settings, &[excerpt(0, 5)]).0.is_ok());
    assert_eq!(server.seen()[0].header("authorization"), None);

    let Source::Http(endpoint) = &mut settings.source else { unreachable!("it is HTTP") };
    endpoint.base_url = None;
    settings.limits.deadline = Duration::from_secs(1);
    let failure = run(&settings, &[excerpt(0, 5)]).0.unwrap_err();
    assert_eq!(failure.to_string(), "no API key: set OPENAI_API_KEY, or --api-key-file");
}

#[test]
fn base_urls_end_where_the_path_of_the_provider_begins() {
    for (name, base, url, host) in [
        ("openai", "http://h:1/v1", "http://h:1/v1/chat/completions", "h:1"),
        ("openai", "https://me:pw@h/api/v1/", "https://me:pw@h/api/v1/chat/completions", "h"),
        ("responses", "http://h:1/v1", "http://h:1/v1/responses", "h:1"),
        ("anthropic", "http://[::1]:1", "http://[::1]:1/v1/messages", "[::1]:1"),
        ("anthropic", "http://h:1/v1", "http://h:1/v1/messages", "h:1"),
        ("gemini", "http://h:1", "http://h:1/v1beta/models/m:generateContent", "h:1"),
        ("gemini", "http://h:1/v1", "http://h:1/v1/models/m:generateContent", "h:1"),
    ] {
        let mut endpoint = Endpoint::new(by_name(name).unwrap());
        endpoint.base_url = Some(base.into());
        endpoint.model = Some("m".into());
        assert_eq!((&*endpoint.url(), &*endpoint.host()), (url, host));
    }
    for provider in PROVIDERS {
        let endpoint = Endpoint::new(*provider);
        assert!(endpoint.url().starts_with(&format!("https://{}", endpoint.host())));
    }
}

#[test]
fn keys_come_from_the_environment_or_a_file() {
    let gemini = by_name("gemini").unwrap();
    let environment = |names: &'static [(&str, &str)]| {
        Key::from_environment(gemini, |name| {
            names.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    };
    let key = |text| Ok(Some(Key::new(text).unwrap()));
    assert_eq!(environment(&[("GEMINI_API_KEY", "a"), ("GOOGLE_API_KEY", "b")]), key("a"));
    assert_eq!(environment(&[("GEMINI_API_KEY", " "), ("GOOGLE_API_KEY", "b")]), key("b"));
    assert_eq!(environment(&[("OPENAI_API_KEY", "c")]), Ok(None));
    assert!(environment(&[("GEMINI_API_KEY", "two words")]).is_err());

    let path = std::env::temp_dir().join(format!("ctx-server-{}-key", std::process::id()));
    std::fs::write(&path, "  a\n").unwrap();
    assert_eq!(Key::from_file(&path), Ok(Key::new("a").unwrap()));
    std::fs::write(&path, "\n").unwrap();
    let empty = Key::from_file(&path).unwrap_err().to_string();
    assert_eq!(empty, format!("{}: API key is empty", path.display()));
    std::fs::remove_file(&path).unwrap();
    assert!(Key::from_file(&path).unwrap_err().to_string().starts_with("could not read "));
}
