use super::super::patterns::{LIMITS, NO_BODY, OUTPUTS, PATTERNS, SIZES, STATUS};
use super::*;

/// What the providers answer when a request has too many tokens, with the real size and the limit.
const OVERFLOWS: &[(&str, Option<usize>, Option<usize>)] = &[
    ("prompt is too long: 213462 tokens > 200000 maximum", Some(213_462), Some(200_000)),
    (
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
        Some(188_240),
        Some(200_000),
    ),
    (r#"{"error":{"type":"prompt_too_long","message":"250000 tokens are too many"}}"#, None, None),
    ("PromptTooLongError", None, None),
    ("Input is too long for requested model.", None, None),
    ("Input is too long for this model", None, None),
    (
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        None,
        None,
    ),
    (
        r#"{"error":{"message":"too big","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        None,
        None,
    ),
    ("model_context_window_exceeded", None, None),
    (
        "litellm.ContextWindowExceededError: litellm.BadRequestError: this is a mock error",
        None,
        None,
    ),
    (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150,001 tokens.",
        Some(150_001),
        Some(128_000),
    ),
    (
        "This model's maximum context length is 4097 tokens, however you requested 5360 tokens (1360 in your prompt; 4000 for the completion).",
        Some(1360),
        Some(4097),
    ),
    ("The request exceeds the model's maximum context length", None, None),
    (
        "This endpoint's maximum context length is 163840 tokens. However, you requested about 164123 tokens",
        Some(164_123),
        Some(163_840),
    ),
    ("The prompt tokens (210,000) exceed model maximum (200,000)", Some(210_000), Some(200_000)),
    (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
        Some(1_196_265),
        Some(1_048_575),
    ),
    ("The input exceeds the maximum number of tokens", None, None),
    (
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
        Some(537_812),
        Some(131_072),
    ),
    ("Please reduce the length of the messages or completion", None, None),
    ("Prompt exceeds the maximum allowed input length of 98,304 tokens", None, Some(98_304)),
    (
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        Some(9000),
        Some(8192),
    ),
    ("prompt token count of 140000 exceeds the limit of 128000", Some(140_000), Some(128_000)),
    ("the request exceeds the available context size, try increasing it", None, None),
    (
        r#"{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}"#,
        Some(5000),
        Some(4096),
    ),
    ("tokens to keep from the initial prompt is greater than the context length", None, None),
    ("invalid params, context window exceeds limit", None, None),
    (
        "Your request exceeded model token limit: 262144 (requested: 291351)",
        Some(291_351),
        Some(262_144),
    ),
    (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        Some(40_000),
        Some(32_768),
    ),
    ("the prompt has 9000 tokens, but the configured context size is 8192", Some(9000), Some(8192)),
    ("prompt too long; exceeded max context length by 4 tokens", None, None),
    ("Range of input length should be [1, 98304]", None, Some(98_304)),
    ("tokens in request more than max tokens allowed", None, None),
    ("total tokens in the request exceed the model's limit", None, None),
    (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
        Some(5000),
        Some(4096),
    ),
    ("input length 5000 exceeds the context length", None, None),
    ("max_tokens of 9000 would exceed the context of the model", None, None),
    ("the server ran out of room in the context window", None, None),
    ("input tokens exceed the configured limit of 272000 tokens", None, None),
    ("the context length is only 8192 tokens", None, Some(8192)),
    ("request would exceed context limit", None, None),
    ("too many tokens in prompt", None, None),
    ("token limit exceeded", None, None),
    ("context overflow: 12 over", None, None),
    (r#"{"error":{"message":"\u4e0a\u4e0b\u6587\u8fc7\u957f"}}"#, None, None),
    ("上下文超出限制", None, None),
    ("上下文长度超过限制", None, None),
    ("超出最大上下文", None, None),
    ("请压缩上下文后重试", None, None),
];

/// What is about load, whatever it says of tokens.
const WAITS: &[(Option<u16>, &str)] = &[
    (Some(429), ""),
    (Some(429), "prompt is too long: 213462 tokens > 200000 maximum"),
    (Some(429), "Too many tokens, please wait before trying again."),
    (Some(500), "Internal server error"),
    (Some(502), "<html>Bad gateway</html>"),
    (Some(503), "service unavailable"),
    (Some(529), r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
    // A status of the server's goes before its words.
    (Some(500), "the request exceeds the available context size, try increasing it"),
    (Some(503), "prompt is too long: 213462 tokens > 200000 maximum"),
    (Some(408), ""),
    (Some(409), ""),
    (Some(425), ""),
    (None, "throttling error: too many tokens, please wait"),
    (None, "service unavailable: the context length exceeded its welcome"),
    (
        None,
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    ),
    (
        Some(413),
        "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size",
    ),
    (None, "Rate limit reached for gpt-4o: RPM limit 3"),
    (None, "HTTP 429 too many requests"),
    (None, "limit reached: 200000 tokens per day"),
    (None, "Quota exceeded for metric"),
    (None, "You exceeded your current quota, please check your plan and billing details."),
    (None, "Service tier capacity exceeded. Please try again later."),
    (None, "ThrottlingException: Too many tokens, please wait before trying again."),
    (None, "The model is overloaded. Please try again later."),
];

/// What is about bytes.
const PAYLOADS: &[(Option<u16>, &str)] = &[
    (Some(413), ""),
    (
        Some(413),
        r#"{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
    ),
    (None, "413 Request Entity Too Large"),
    (None, "Payload Too Large"),
    (None, "Content Too Large"),
    (None, "Request exceeds the maximum size"),
    (None, "image exceeds the maximum allowed number of bytes"),
    (Some(413), "the request exceeds the limit of 33554432 bytes"),
    (None, "request body too large"),
];

/// What will never work, and is not cured by a smaller request.
const FINALS: &[(Option<u16>, &str)] = &[
    (Some(401), "invalid x-api-key"),
    (Some(403), "forbidden"),
    (Some(403), "rate limit exceeded"),
    (Some(400), "Too many tokens, please wait before trying again."),
    (Some(404), "model not found"),
    (Some(422), "unprocessable"),
    (Some(400), ""),
    (Some(400), "Your credit balance is too low to access the API"),
    (Some(400), "model context window of 8192 is too small, minimum is 16000"),
    (
        Some(400),
        r#"{"error":{"code":"string_above_max_length","message":"string too long, maximum context length is 9 tokens"}}"#,
    ),
    (Some(400), "Invalid 'user': string too long. Expected a string with maximum length 64"),
    (Some(400), "Reasoning is mandatory for this endpoint; too many tokens"),
    (Some(400), "Invalid 'messages[3].tool_calls[0].id': string too long."),
    (None, "An assistant message with 'tool_calls' must be followed by tool messages"),
];

#[test]
fn every_row_compiles() {
    let rows = PATTERNS.iter().map(|(_, pattern)| pattern);
    for pattern in rows.chain(STATUS).chain(SIZES).chain(OUTPUTS).chain(LIMITS).chain([&NO_BODY]) {
        assert!(Regex::new(pattern).is_ok(), "{pattern}");
    }
}

#[test]
fn every_row_has_an_example() {
    let texts: Vec<String> = OVERFLOWS
        .iter()
        .map(|(text, ..)| *text)
        .chain([WAITS, PAYLOADS, FINALS].concat().iter().map(|(_, text)| *text))
        .map(words)
        .collect();
    for (_, pattern) in PATTERNS {
        assert!(texts.iter().any(|text| find(pattern, text).is_some()), "{pattern}");
    }
}

#[test]
fn overflows_are_recognised_with_their_sizes() {
    for &(text, size, limit) in OVERFLOWS {
        let Class::Overflow(found) = classify(Some(400), text, false) else { panic!("{text}") };
        assert_eq!((found.size, found.limit), (size, limit), "{text}");
        assert_eq!(overflow(text), Some(found), "{text}");
    }
}

#[test]
fn a_status_of_size_that_speaks_of_tokens_is_an_overflow() {
    let sizes = (Some(250_000), Some(200_000));
    let words = "prompt is too long: 250000 tokens > 200000 maximum";
    for (text, sizes) in [
        ("413 prompt_too_long".to_owned(), (None, None)),
        (format!("HTTP 413: {words}"), sizes),
        (format!(r#"{{"status":413,"error":{{"message":"{words}"}}}}"#), sizes),
        // The reason phrase of the status is not what the server says of it.
        (format!("HTTP/1.1 413 Payload Too Large\n\n{words}"), sizes),
    ] {
        let Some(found) = overflow(&text) else { panic!("{text}") };
        assert_eq!((found.size, found.limit), sizes, "{text}");
        assert!(matches!(classify(Some(413), &text, false), Class::Overflow(_)), "{text}");
    }
}

#[test]
fn load_is_not_overflow() {
    for &(status, text) in WAITS {
        assert_eq!(classify(status, text, true), Class::Wait, "{status:?} {text}");
    }
}

#[test]
fn bytes_are_not_overflow() {
    for &(status, text) in PAYLOADS {
        assert_eq!(classify(status, text, false), Class::Payload, "{status:?} {text}");
    }
}

#[test]
fn the_rest_is_final() {
    for &(status, text) in FINALS {
        assert_eq!(classify(status, text, false), Class::Final, "{status:?} {text}");
    }
}

#[test]
fn no_body_is_an_overflow_of_a_large_request_only() {
    for (status, body) in [
        (Some(400), ""),
        (Some(413), " "),
        (None, "413 status code (no body)"),
        (None, "400 (no body)"),
    ] {
        assert_eq!(classify(status, body, true), Class::Overflow(Overflow::default()));
        assert!(!matches!(classify(status, body, false), Class::Overflow(_)));
    }
}

#[test]
fn printed_errors_are_read_with_their_status() {
    let body = r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
    assert!(overflow(&format!("Error code: 400 - {body}")).is_some());
    assert!(overflow(&format!("API Error: 400 {body}")).is_some());
    for prefix in ["Error code: 429 - ", "HTTP/1.1 429\n", "API Error: 529 ", "status code: 503 "] {
        assert_eq!(overflow(&format!("{prefix}{body}")), None, "{prefix}");
    }
    assert_eq!(overflow(r#"{"error":{"code":429,"message":"too many tokens"}}"#), None);
    assert_eq!(overflow(""), None);
}

#[test]
fn the_output_that_was_asked_for_is_told_apart() {
    let Some(found) =
        overflow("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000")
    else {
        panic!("an overflow")
    };
    assert_eq!(found.room(), Some(178_667));
}
