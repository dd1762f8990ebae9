//! The words of the providers: which errors mean what, and where they name the real sizes.
//!
//! Relies on nothing. The first row that matches decides, so the order of the rows is the order of the tests.
//! Patterns are case-insensitive, and `^` is the beginning of a line. Invariant: each row compiles and has an
//! example in the tests.

/// The kind of an error that matches a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Rate or load: the request may work later.
    Wait,
    /// Sounds like an overflow but is none.
    Neither,
    /// Too many bytes.
    Payload,
    /// Too many tokens.
    Overflow,
}

use Kind::{Neither, Overflow, Payload, Wait};

/// Every pattern, in the order in which they are tried.
pub(super) static PATTERNS: &[(Kind, &str)] = &[
    (Wait, r"^(throttling error|service unavailable):"),
    (Wait, r"rate[\s_-]*limit"),
    (Wait, r"too many requests"),
    (Wait, r"tokens per (minute|day)"),
    (Wait, r"\b[TR]PM\b"),
    (Wait, r"quota exceeded|exceeded your current quota"),
    (Wait, r"service tier capacity exceeded"),
    (Wait, r"throttlingexception|request was throttled|please wait before trying again"),
    (Wait, r"overloaded_error|model is overloaded|resource_exhausted"),
    (Neither, r"billing|credit balance|insufficient (credits|funds|balance)|payment required"),
    (Neither, r"context window.*(too small|minimum is)"),
    (Neither, r"string_above_max_length"),
    (Neither, r"invalid 'user'.*string too long|string too long.*invalid 'user'"),
    (
        Neither,
        r"reasoning (is (mandatory|required)|.*cannot be disabled)|requires reasoning|budget_tokens",
    ),
    (Payload, r"request_too_large|request (entity |body )?too large"),
    (Payload, r"(payload|content) too large"),
    (Payload, r"request exceeds the maximum size"),
    (Payload, r"exceeds? the (maximum allowed number of|limit of [\d,]+) bytes"),
    // Anthropic, Bedrock, OpenAI, and the codes of several.
    (Overflow, r"prompt[ _]?(is )?too[ _]?long"),
    (Overflow, r"input is too long for (requested|this) model"),
    (Overflow, r"too many total text bytes"),
    (Overflow, r"exceeds the context window"),
    (
        Overflow,
        r"context[_ ]length[_ ]exceeded|context[_ ]?window[_ ]?exceeded|exceed_context_size_error",
    ),
    // OpenAI-compatible servers, routers.
    (Overflow, r"exceeds? (the )?(model'?s )?maximum context length"),
    (Overflow, r"maximum context length is [\d,]+|this endpoint's maximum context length"),
    (Overflow, r"prompt tokens \([\d,]+\) exceed model maximum"),
    // Gemini, Vertex.
    (Overflow, r"input token count.*exceeds the maximum"),
    (Overflow, r"input exceeds the maximum number of tokens"),
    // xAI, Groq, OpenRouter, Together, Copilot.
    (Overflow, r"maximum prompt length is [\d,]+"),
    (Overflow, r"reduce the length of the messages"),
    (Overflow, r"exceeds (the )?maximum allowed input length of [\d,]+"),
    (Overflow, r"input \([\d,]+ tokens\) is longer than the model'?s context length"),
    (Overflow, r"exceeds the limit of [\d,]+"),
    // llama.cpp, LM Studio, and other local servers.
    (Overflow, r"exceeds the available context size"),
    (Overflow, r"greater than the context length"),
    (Overflow, r"prompt has [\d,]+ tokens?, but the configured context size"),
    (Overflow, r"prompt too long; exceeded (max )?context length"),
    // MiniMax, Kimi, Mistral, DashScope, Zhipu, Cohere.
    (Overflow, r"context window exceeds limit"),
    (Overflow, r"model token limit"),
    (Overflow, r"too large for model with [\d,]+ maximum context length"),
    (Overflow, r"range of input length should be"),
    (Overflow, r"tokens? in request more than max tokens? allowed"),
    (Overflow, r"total tokens?.*exceeds? (the )?(model('s)? )?(max|maximum|limit)"),
    // TGI, vLLM.
    (Overflow, r"`?inputs`? tokens \+ `?max_new_tokens`? must be"),
    (Overflow, r"input length.*exceeds.*context length"),
    (Overflow, r"(max_tokens|input length).*exceed.*context"),
    (Overflow, r"ran out of (room|space).*context (window|length)"),
    (Overflow, r"input tokens exceed the configured limit|context length is only [\d,]+ tokens"),
    (Overflow, r"exceed context limit"),
    (Overflow, r"too many tokens|token limit exceeded|context overflow:"),
    (Overflow, r"上下文过长|上下文超出|上下文长度超|超出最大上下文|请压缩上下文"),
];

/// An account without credit, which has the status of a rate limit at OpenAI, but does not refill.
pub(super) static NO_CREDIT: &str = "insufficient_quota";

/// A status without a body, in the words of client libraries: an overflow if the request was large.
pub(super) static NO_BODY: &str = r"^4(?:00|13)\s*(?:status code)?\s*\(no body\)";

/// Patterns for a limit on tokens per time, and for the size of the request that exceeds it.
pub(super) static IN_A_TIME: (&[&str], &[&str]) = (
    &[r"tokens per (?:min|minute|day)\b[^\n]*?\blimit:?\s*([\d,]+)"],
    &[r"tokens per (?:min|minute|day)\b[^\n]*?\brequested:?\s*([\d,]+)"],
);

/// Patterns for the status in a text.
pub(super) static STATUS: &[&str] = &[
    r"^\s*(?:HTTP(?:/[\d.]+)?\s+|HTTP error:?\s+|error code:\s*|(?:API )?error:?\s+|status(?: code)?:?\s*)?([45]\d\d)\b",
    r#""(?:code|status|status_code|statusCode)"\s*:\s*"?([45]\d\d)\b"#,
    r"(?:\bstatus(?: code)?|\berror code)\s*[:=]?\s*([45]\d\d)\b",
];

/// Patterns for the size of the request in an overflow.
pub(super) static SIZES: &[&str] = &[
    r"prompt is too long:\s*([\d,]+)\s+tokens\s*>",
    r"\(([\d,]+) in (?:the|your) (?:messages|prompt)",
    r"input length(?:\s+and\s+`?max_tokens`?)?\s+exceeds?\s+context(?:\s+limit|\s+window)?\s*(?::|\(i\.e\)?\.?)\s*([\d,]+)\s*\+",
    r"token limit\s*:\s*[\d,]+\s*\(requested\s*:\s*([\d,]+)\)",
    r"token count(?: of)? \(?([\d,]+)\)? exceeds",
    r"requested\s+(?:about\s+)?([\d,]+)\s+tokens",
    r"resulted in\s+([\d,]+)\s+tokens",
    r"contains (?:at least )?([\d,]+) (?:input )?tokens",
    r"request has ([\d,]+) (?:input )?tokens",
    r"prompt has ([\d,]+) tokens?",
    r"prompt tokens \(([\d,]+)\) exceed",
    r"input \(([\d,]+) tokens\) is longer",
    r"request \(([\d,]+) tokens\) exceeds",
    r"given: ([\d,]+) `?inputs`? tokens",
    r#""n_prompt_tokens"\s*:\s*(\d+)"#,
];

/// Patterns for the requested output in an overflow.
pub(super) static OUTPUTS: &[&str] = &[
    r"([\d,]+) in the (?:completion|output)",
    r"\bexceeds?\s+context(?:\s+limit|\s+window)?\s*(?::|\(i\.e\)?\.?)\s*[\d,]+\s*\+\s*([\d,]+)",
];

/// Patterns for the model's limit in an overflow.
pub(super) static LIMITS: &[&str] = &[
    r"tokens\s*>\s*([\d,]+)\s+maximum",
    r"\bexceeds?\s+context(?:\s+limit|\s+window)?\s*(?::|\(i\.e\)?\.?)\s*[\d,]+\s*\+\s*[\d,]+\s*>\s*([\d,]+)",
    r"token limit\s*:\s*([\d,]+)",
    r"token count(?: of)? \(?[\d,]+\)? exceeds [^\n]*?\(([\d,]+)\)",
    r"maximum (?:context|prompt) length (?:is|of) ([\d,]+)",
    r"with ([\d,]+) maximum context length",
    r"exceeds the limit of ([\d,]+)",
    r"maximum allowed input length of ([\d,]+)",
    r"configured context size (?:is|of) ([\d,]+)",
    r"model'?s context length \(([\d,]+)",
    r"available context size \(([\d,]+)",
    r"exceed model maximum \(([\d,]+)",
    r"range of input length should be \[\d+,\s*(\d+)\]",
    r"context length is only ([\d,]+)",
    r"must be <= ([\d,]+)",
    r#""n_ctx"\s*:\s*(\d+)"#,
];
