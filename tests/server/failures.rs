//! Each failure: how often it is tried, how it ends, and that it ends in time.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use context_compact::summarizer::{Fault, Notice, Reason, Settings};

use super::loopback::{Act, KEY, Server, error, excerpt, good, play_out, run, settings};

/// Summarises against a script with little patience; returns the reason and how long it took.
fn hurried(script: Vec<Act>, change: impl Fn(&mut Settings)) -> (Reason, usize, Duration) {
    let server = Server::start(script);
    let mut settings = settings("openai", &server.url);
    settings.limits.answer = Duration::from_millis(200);
    change(&mut settings);
    let start = Instant::now();
    let failure = run(&settings, &[excerpt(0, 5)]).0.unwrap_err();
    (failure.reason, failure.attempts, start.elapsed())
}

#[test]
fn load_is_waited_for() {
    for status in [408, 409, 425, 429, 500, 502, 503, 529] {
        let (result, said, _) =
            play_out(vec![error(status, "busy"), error(status, "busy"), good()]);
        let summary = result.unwrap();
        assert_eq!((&*summary.text, summary.attempts), ("the work", 3), "{status}");
        assert_eq!(summary.requests[0].attempts, 3);
        assert_eq!(said.len(), 3);
        assert!(said[1].to_string().contains(&format!("answered {status}: busy")), "{}", said[1]);

        let failure = play_out(vec![error(status, "busy")]).0.unwrap_err();
        assert!(matches!(failure.reason, Reason::Wait { .. }), "{status}");
        assert_eq!(failure.attempts, 3);
    }
}

#[test]
fn a_wish_to_be_left_alone_is_granted() {
    let busy = Act::Answer(429, &[("retry-after", "1")], String::new());
    let start = Instant::now();
    let (result, said, _) = play_out(vec![busy, good()]);
    assert_eq!(result.unwrap().attempts, 2);
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert!(matches!(said[1], Notice::Again { after, .. } if after == Duration::from_secs(1)));
}

#[test]
fn a_wish_beyond_the_deadline_is_a_failure_at_once() {
    let busy = Act::Answer(429, &[("retry-after", "3600")], String::new());
    let start = Instant::now();
    let failure = play_out(vec![busy]).0.unwrap_err();
    assert!(matches!(failure.reason, Reason::Deadline(_)), "{failure}");
    assert_eq!(failure.attempts, 1);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn what_is_final_is_not_repeated() {
    for status in [400, 401, 403, 404, 422] {
        let failure = play_out(vec![error(status, "no")]).0.unwrap_err();
        assert!(matches!(failure.reason, Reason::Final { .. }), "{status}");
        assert_eq!(failure.attempts, 1);
    }
    // The status goes before the words.
    for status in [400, 403] {
        let failure = play_out(vec![error(status, "rate limit exceeded"), good()]).0.unwrap_err();
        assert!(matches!(failure.reason, Reason::Final { .. }), "{status}");
        assert_eq!(failure.attempts, 1);
    }
}

#[test]
fn an_answer_that_is_no_text_is_none() {
    let Act::Answer(_, _, body) = good() else { panic!("an answer") };
    let bytes = body.replace("the work", "the w\u{1}rk").into_bytes();
    let bytes = bytes.into_iter().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
    let (result, ..) = play_out(vec![Act::Raw(bytes), good()]);
    assert_eq!(result.unwrap().attempts, 2);
}

#[test]
fn keys_do_not_come_back() {
    for status in [401, 500] {
        let (result, said, _) =
            play_out(vec![error(status, &format!("Incorrect API key provided: {KEY}."))]);
        let failure = result.unwrap_err();
        assert!(failure.to_string().contains("[key]"), "{failure}");
        assert!(!format!("{failure} {failure:?} {said:?}").contains(KEY));
    }
}

#[test]
fn redirects_are_not_followed() {
    let other = Server::start(vec![good()]);
    for status in [301, 302, 303, 307, 308] {
        let failure =
            play_out(vec![Act::Redirect(status, format!("{}/v1", other.url))]).0.unwrap_err();
        assert!(matches!(failure.reason, Reason::Final { .. }), "{failure}");
        assert!(failure.to_string().contains("redirects are not followed"));
    }
    assert!(other.seen().is_empty());
}

#[test]
fn broken_connections_are_tried_again() {
    for act in [Act::Reset, Act::Truncate("{\"choices\": [".into())] {
        let (result, ..) = play_out(vec![act.clone(), act.clone(), good()]);
        assert_eq!(result.unwrap().attempts, 3, "{act:?}");
        let failure = play_out(vec![act]).0.unwrap_err();
        assert!(matches!(failure.reason, Reason::Wait { .. }), "{failure:?}");
        assert_eq!(failure.attempts, 3);
    }
}

#[test]
fn nobody_there_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let failure = run(&settings("openai", &url), &[excerpt(0, 5)]).0.unwrap_err();
    assert!(matches!(failure.reason, Reason::Wait { .. }), "{failure:?}");
    assert_eq!(failure.attempts, 3);
}

#[test]
fn what_is_not_an_answer_is_tried_again() {
    let html: &[(&str, &str)] = &[("content-type", "text/html")];
    for (act, fault) in [
        (Act::Answer(200, &[], "{\"choices\": [".into()), Fault::NotJson),
        (Act::Answer(200, &[], String::new()), Fault::NotJson),
        (Act::Answer(200, html, "<h1>Welcome</h1>".into()), Fault::OtherType),
        (Act::Flood, Fault::TooLarge),
    ] {
        let failure = play_out(vec![act]).0.unwrap_err();
        assert_eq!((failure.reason, failure.attempts), (Reason::Answer(fault), 3));
    }
}

#[test]
fn an_error_inside_a_success_is_an_error() {
    let inner = r#"{"error": {"code": 429, "message": "upstream busy"}}"#;
    let (result, ..) = play_out(vec![Act::Answer(200, &[], inner.into()), good()]);
    assert_eq!(result.unwrap().attempts, 2);
    let inner = r#"{"error": {"code": 402, "message": "no credits"}}"#;
    let failure = play_out(vec![Act::Answer(200, &[], inner.into())]).0.unwrap_err();
    assert!(matches!(failure.reason, Reason::Final { .. }), "{failure:?}");
}

#[test]
fn stalls_and_drips_end_with_the_answers_time() {
    for act in [Act::Stall, Act::Drip] {
        let (reason, attempts, took) = hurried(vec![act], |_| {});
        assert!(matches!(reason, Reason::Wait { .. }), "{reason:?}");
        assert_eq!(attempts, 3);
        assert!(took >= Duration::from_millis(600) && took < Duration::from_secs(3), "{took:?}");
    }
}

#[test]
fn nothing_outlives_the_deadline() {
    for act in [Act::Stall, Act::Drip, Act::Reset, error(500, "busy")] {
        let (_, _, took) = hurried(vec![act], |settings| {
            settings.limits.answer = Duration::from_mins(1);
            settings.limits.deadline = Duration::from_millis(500);
            settings.limits.pause = Duration::from_millis(200);
            settings.limits.retries = 1_000_000;
        });
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn an_address_nobody_routes_ends_with_the_connecting_time() {
    let mut settings = settings("openai", "http://192.0.2.1:9");
    settings.limits.connect = Duration::from_millis(200);
    settings.limits.retries = 0;
    let start = Instant::now();
    assert!(run(&settings, &[excerpt(0, 5)]).0.is_err());
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn unusable_addresses_are_said() {
    for (url, reason) in [
        ("ftp://x", "base URL begins with neither http:// nor https://"),
        ("http:///v1", "base URL names no host"),
    ] {
        let failure = run(&settings("anthropic", url), &[excerpt(0, 5)]).0.unwrap_err();
        assert_eq!(failure.reason.to_string(), reason);
    }
}

#[test]
fn endless_overflow_ends() {
    for retries in [0, 2, 5] {
        let server = Server::start(vec![error(400, "prompt is too long")]);
        let mut settings = settings("openai", &server.url);
        settings.limits.retries = retries;
        let excerpts: Vec<_> = (0..64).map(|message| excerpt(message, 50)).collect();
        let failure = run(&settings, &excerpts).0.unwrap_err();
        assert!(matches!(failure.reason, Reason::Overflow(_)), "{failure:?}");
        assert_eq!((failure.attempts, server.seen().len()), (retries + 2, retries + 2));
    }
}

#[test]
fn every_providers_overflow_is_one() {
    let messages = [
        (400, "prompt is too long: 213462 tokens > 200000 maximum"),
        (400, "prompt_too_long"),
        (413, "prompt_too_long"),
        (400, "Input is too long for requested model."),
        (400, "Your input exceeds the context window of this model"),
        (
            400,
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
        ),
        (
            400,
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
        ),
        (400, "Please reduce the length of the messages or completion"),
        (
            400,
            "This endpoint's maximum context length is 8 tokens. However, you requested about 9 tokens",
        ),
        (400, "the request exceeds the available context size, try increasing it"),
        (400, "tokens to keep from the initial prompt is greater than the context length"),
        (400, "prompt token count of 140000 exceeds the limit of 128000"),
        (400, "invalid params, context window exceeds limit"),
        (400, "Your request exceeded model token limit: 8 (requested: 9)"),
        (
            400,
            "Prompt contains 9 tokens and more, too large for model with 8 maximum context length",
        ),
        (422, "Range of input length should be [1, 98304]"),
        (400, "上下文过长"),
    ];
    for (status, message) in messages {
        let (reason, ..) = hurried(vec![error(status, message)], |_| {});
        assert!(matches!(reason, Reason::Overflow(_)), "{message}: {reason:?}");
        let (reason, ..) = hurried(vec![error(429, message)], |_| {});
        assert!(matches!(reason, Reason::Wait { .. }), "{message}: {reason:?}");
    }
}

#[test]
fn too_many_bytes_divide_the_request() {
    let server = Server::start(vec![error(413, "Payload Too Large"), good()]);
    let excerpts: Vec<_> = (0..4).map(|message| excerpt(message, 50)).collect();
    let summary = run(&settings("openai", &server.url), &excerpts).0.unwrap();
    assert_eq!(
        summary.requests.iter().map(|request| request.messages.len()).collect::<Vec<_>>(),
        [4, 2, 2, 0]
    );
}
