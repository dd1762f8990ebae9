use super::super::patterns::{IN_A_TIME, LIMITS, NO_BODY, OUTPUTS, PATTERNS, SIZES, STATUS};
use super::*;

/// Answers of providers to a request with too many tokens, behind the real size and the limit.
const OVERFLOWS: &str = r#"
213462 200000 prompt is too long: 213462 tokens > 200000 maximum
188240 200000 input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length
- - {"error":{"type":"prompt_too_long","message":"250000 tokens are too many"}}
- - PromptTooLongError
- - Input is too long for requested model.
- - An error occurred (ValidationException) when calling the Converse operation: The model returned the following errors: Input is too long for requested model.
- - too many total text bytes: 2097152 > 1048576
- - Input is too long for this model
- - Your input exceeds the context window of this model. Please adjust your input and try again.
- - {"error":{"message":"too big","type":"invalid_request_error","code":"context_length_exceeded"}}
- - model_context_window_exceeded
- - litellm.ContextWindowExceededError: litellm.BadRequestError: this is a mock error
150001 128000 This model's maximum context length is 128000 tokens. However, your messages resulted in 150,001 tokens.
1360 4097 This model's maximum context length is 4097 tokens, however you requested 5360 tokens (1360 in your prompt; 4000 for the completion).
- - The request exceeds the model's maximum context length
164123 163840 This endpoint's maximum context length is 163840 tokens. However, you requested about 164123 tokens
210000 200000 The prompt tokens (210,000) exceed model maximum (200,000)
1196265 1048575 The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)
- - The input exceeds the maximum number of tokens
537812 131072 This model's maximum prompt length is 131072 but the request contains 537812 tokens
- - Please reduce the length of the messages or completion
- 98304 Prompt exceeds the maximum allowed input length of 98,304 tokens
9000 8192 The input (9000 tokens) is longer than the model's context length (8192 tokens).
140000 128000 prompt token count of 140000 exceeds the limit of 128000
- - the request exceeds the available context size, try increasing it
5000 4096 {"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}
- - tokens to keep from the initial prompt is greater than the context length
- - invalid params, context window exceeds limit
291351 262144 Your request exceeded model token limit: 262144 (requested: 291351)
40000 32768 Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length
9000 8192 the prompt has 9000 tokens, but the configured context size is 8192
- - prompt too long; exceeded max context length by 4 tokens
- 98304 Range of input length should be [1, 98304]
- - tokens in request more than max tokens allowed
- - total tokens in the request exceed the model's limit
5000 4096 Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`
- - input length 5000 exceeds the context length
- - max_tokens of 9000 would exceed the context of the model
- - the server ran out of room in the context window
- - input tokens exceed the configured limit of 272000 tokens
- 8192 the context length is only 8192 tokens
- - request would exceed context limit
- - too many tokens in prompt
- - token limit exceeded
- - context overflow: 12 over
- - {"error":{"message":"\u4e0a\u4e0b\u6587\u8fc7\u957f"}}
- - 上下文超出限制
- - 上下文长度超过限制
- - 超出最大上下文
- - 请压缩上下文后重试
"#;

/// Errors about load, whatever they say of tokens, behind their status.
const WAITS: &str = r#"
429
429 prompt is too long: 213462 tokens > 200000 maximum
429 Too many tokens, please wait before trying again.
500 Internal server error
502 <html>Bad gateway</html>
503 service unavailable
529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
# A status of the server's goes before its words.
500 the request exceeds the available context size, try increasing it
503 prompt is too long: 213462 tokens > 200000 maximum
408
409
425
- throttling error: too many tokens, please wait
- service unavailable: the context length exceeded its welcome
- This request would exceed your organization's rate limit of 30,000 input tokens per minute
413 Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size
- Rate limit reached for gpt-4o: RPM limit 3
- HTTP 429 too many requests
- limit reached: 200000 tokens per day
- Quota exceeded for metric
- You exceeded your current quota, please check your plan and billing details.
- Service tier capacity exceeded. Please try again later.
- ThrottlingException: Too many tokens, please wait before trying again.
- The model is overloaded. Please try again later.
"#;

/// Errors about bytes.
const PAYLOADS: &str = r#"
413
413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}
- 413 Request Entity Too Large
- Payload Too Large
- Content Too Large
- Request exceeds the maximum size
- image exceeds the maximum allowed number of bytes
413 the request exceeds the limit of 33554432 bytes
- request body too large
"#;

/// Errors that are final, and not cured by a smaller request.
const FINALS: &str = r#"
401 invalid x-api-key
429 {"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan"}}
403 forbidden
403 rate limit exceeded
400 Too many tokens, please wait before trying again.
404 model not found
422 unprocessable
400
400 Your credit balance is too low to access the API
400 model context window of 8192 is too small, minimum is 16000
400 {"error":{"code":"string_above_max_length","message":"string too long, maximum context length is 9 tokens"}}
400 Invalid 'user': string too long. Expected a string with maximum length 64
400 Reasoning is mandatory for this endpoint; too many tokens
400 Invalid 'messages[3].tool_calls[0].id': string too long.
- An assistant message with 'tool_calls' must be followed by tool messages
"#;

/// The numbers at the beginning of each line, and the text behind them. A dash stands for no number, and a
/// `#` begins a remark.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = ([Option<usize>; N], &str)> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut rest = line;
        let numbers = [(); N].map(|()| {
            let (number, behind) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = behind;
            number.parse().ok()
        });
        (numbers, rest)
    })
}

/// The statuses and the texts behind them.
fn answers(table: &str) -> impl Iterator<Item = (Option<u16>, &str)> {
    rows(table).map(|([status], text)| (status.and_then(|status| status.try_into().ok()), text))
}

#[test]
fn every_row_compiles() {
    let rows = PATTERNS.iter().map(|(_, pattern)| pattern);
    let (limits, sizes) = IN_A_TIME;
    let others = [STATUS, SIZES, OUTPUTS, LIMITS, limits, sizes].into_iter().flatten();
    for pattern in rows.chain(others).chain([&NO_BODY]) {
        assert!(Regex::new(pattern).is_ok(), "{pattern}");
    }
}

#[test]
fn every_row_has_an_example() {
    let others = [WAITS, PAYLOADS, FINALS].into_iter().flat_map(answers).map(|(_, text)| text);
    let overflows = rows::<2>(OVERFLOWS).map(|(_, text)| text);
    let texts: Vec<String> = overflows.chain(others).map(words).collect();
    for (_, pattern) in PATTERNS {
        assert!(texts.iter().any(|text| find(pattern, text).is_some()), "{pattern}");
    }
}

#[test]
fn overflows_are_recognised_with_their_sizes() {
    for ([size, limit], text) in rows(OVERFLOWS) {
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
        // The reason phrase of the status is not the server's message.
        (format!("HTTP/1.1 413 Payload Too Large\n\n{words}"), sizes),
    ] {
        let Some(found) = overflow(&text) else { panic!("{text}") };
        assert_eq!((found.size, found.limit), sizes, "{text}");
        assert!(matches!(classify(Some(413), &text, false), Class::Overflow(_)), "{text}");
    }
}

#[test]
fn load_is_not_overflow() {
    for (status, text) in answers(WAITS) {
        assert_eq!(classify(status, text, true), Class::Wait, "{status:?} {text}");
    }
}

#[test]
fn bytes_are_not_overflow() {
    for (status, text) in answers(PAYLOADS) {
        assert_eq!(classify(status, text, false), Class::Payload, "{status:?} {text}");
    }
}

#[test]
fn the_rest_is_final() {
    for (status, text) in answers(FINALS) {
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
fn a_request_above_what_a_minute_takes_is_an_overflow_to_whoever_compacts() {
    let of = |said: &str| format!("Request too large for gpt-4o in organization org-x on {said}");
    let tpm = "tokens per min (TPM): Limit 8000, Requested 12956.";
    let sizes = Some((Some(12_956), Some(8000)));
    for (text, sizes) in [
        (of(tpm), sizes),
        (format!("Error code: 429 - {{'error': {{'message': '{}'}}}}", of(tpm)), sizes),
        (format!(r#"{{"error":{{"code":429,"message":"{}"}}}}"#, of(tpm)), sizes),
        (of("tokens per minute (TPM): Limit 8,000, Used 10, Requested 12,956"), sizes),
        (of("tokens per day (TPD): Limit: 8000, Used: 7000, Requested: 12956"), sizes),
        (of("tokens per min (TPM): Limit 30000, Used 29000, Requested 5000"), None),
        (of("requests per min (RPM): Limit 3, Requested 4"), None),
        (of("tokens per min (TPM): Limit 8000"), None),
    ] {
        let found = overflow(&text).map(|found| (found.size, found.limit));
        assert_eq!(found, sizes, "{text}");
    }
    // A caller that asks a model can only wait.
    assert_eq!(classify(Some(429), &of(tpm), true), Class::Wait);
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
