//! One exchange with a model over HTTP: a prompt is sent, and a reply or a classified failure returned.
//!
//! Relies on [`Client`] for the bytes, on the provider for their shape and on [`classify`] for the meaning of
//! an error. Invariant: an answer that is not clearly a reply is a failure.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::class::{Class, Overflow, classify};
use super::failure::{Cause, Reason, Unanswered};
use super::fault::Fault;
use super::http::{Answer, Client};
use super::provider::{Ask, Refused, Reply, Stop};
use super::settings::Endpoint;
use crate::json::Json;

/// The assumed window of a model, if it is not known.
const WINDOW: usize = 128_000;
/// The most characters of a server's explanation that are shown.
const SHOWN: usize = 300;

/// A prompt for a model, with its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub(super) prompt: &'a str,
    /// The tokens of the prompt.
    pub(super) tokens: usize,
    /// The most tokens of the answer.
    pub(super) answer_tokens: usize,
    /// The window of the model, if it is known.
    pub(super) window: Option<usize>,
}

/// Posts a prompt, and posts it again without each parameter that the model rejects; `again` counts the
/// repetitions.
pub(super) fn post(
    client: &Client,
    question: &Question,
    refused: &mut Refused,
    again: &mut usize,
    timeout: Duration,
) -> Result<Reply, Unanswered> {
    let (end, endpoint) = (Instant::now() + timeout, client.endpoint);
    let Question { prompt, tokens, answer_tokens, window } = *question;
    loop {
        let model = endpoint.model();
        let ask = Ask { model, prompt, tokens: answer_tokens, refused: *refused };
        let left = end.saturating_duration_since(Instant::now());
        let answer =
            client.send(&endpoint.provider.body(&ask), left).map_err(Unanswered::Failed)?;
        let reply = read(endpoint, &answer, window, tokens);
        let is_final = matches!(reply, Err(Unanswered::Failed(Reason::Final { .. })));
        if answer.status != 400 || !is_final || !refused.learn(&answer.body) {
            return reply;
        }
        *again += 1;
    }
}

/// Reads the server's answer: a reply, or a classified failure.
fn read(
    endpoint: &Endpoint,
    answer: &Answer,
    window: Option<usize>,
    tokens: usize,
) -> Result<Reply, Unanswered> {
    let json = parse(&answer.body);
    // Routers answer with status 200 and put the error of the model's server into the body.
    let inner =
        json.as_ref().ok().and_then(|json| json.get("error")).filter(|error| !error.is_null());
    let is_success = (200..300).contains(&answer.status);
    if !is_success || inner.is_some() {
        let code = inner.and_then(|error| u16::try_from(error.get("code")?.as_u64()?).ok());
        let status = if is_success { code } else { Some(answer.status) };
        let is_large = tokens >= window.unwrap_or(WINDOW) / 2;
        return Err(refusal(endpoint, answer, status, is_large));
    }
    let fault = |fault| Unanswered::Failed(Reason::Answer(fault));
    // Some servers call their JSON plain text: what can be read is no fault.
    let is_other = answer.content_type.as_ref().is_some_and(|kind| !kind.contains("json"));
    let unread = if is_other { Fault::OtherType } else { Fault::NotJson };
    let reply = endpoint.provider.read(&json.map_err(|_| fault(unread))?);
    let reply = reply.ok_or_else(|| fault(Fault::OtherShape))?;
    if is_silent_overflow(&reply, window) {
        let reason = Reason::Overflow(format!("{} read more than its window", endpoint.host()));
        return Err(Unanswered::TooLarge(
            reason,
            Overflow { size: reply.input, limit: window, output: None },
        ));
    }
    Ok(reply)
}

/// The body as JSON. Half a surrogate pair, which `serde_json` can't read, becomes U+FFFD. A byte order mark, which
/// some servers send, is no part of it.
fn parse(body: &str) -> serde_json::Result<Value> {
    let body = body.trim_start_matches('\u{feff}');
    serde_json::from_str(body).or_else(|error| {
        let json = Json::parse(body).ok_or(error)?;
        serde_json::from_str(&json.compact())
    })
}

/// Returns the classified failure of an answer that is an error.
fn refusal(
    endpoint: &Endpoint,
    answer: &Answer,
    status: Option<u16>,
    is_large: bool,
) -> Unanswered {
    let said = explain(answer);
    let said = endpoint.key.as_ref().map_or_else(|| said.clone(), |key| key.redact(&said));
    let text = format!("{} answered {said}", endpoint.host());
    let cause = Cause::Answered(answer.status);
    if (300..400).contains(&answer.status) {
        let text = format!("{text}: redirects are not followed");
        return Unanswered::Failed(Reason::Final { cause, text });
    }
    match classify(status, &answer.body, is_large) {
        Class::Wait => Unanswered::Failed(Reason::Wait { cause, text, after: answer.after }),
        Class::Overflow(overflow) => Unanswered::TooLarge(Reason::Overflow(text), overflow),
        Class::Payload => Unanswered::TooLarge(Reason::Payload(text), Overflow::default()),
        Class::Final => Unanswered::Failed(Reason::Final { cause, text }),
    }
}

impl Refused {
    /// Records a parameter that an error complains about; tells whether it is new.
    fn learn(&mut self, error: &str) -> bool {
        let before = *self;
        self.max_tokens |= error.contains("max_completion_tokens");
        self.temperature |= error.contains("temperature");
        *self != before
    }
}

/// Tells whether a server accepted more input than fits and answered all the same, as some do.
fn is_silent_overflow(reply: &Reply, window: Option<usize>) -> bool {
    let (Some(input), Some(window)) = (reply.input, window) else {
        return reply.stop == Stop::Window;
    };
    let is_full = reply.stop == Stop::Length
        && reply.text.trim().is_empty()
        && input >= window - window / 100;
    input > window || is_full || reply.stop == Stop::Window
}

/// Returns the status and the explanation of an error, on one line.
fn explain(answer: &Answer) -> String {
    let json = serde_json::from_str::<Value>(&answer.body).unwrap_or_default();
    let said = ["/error/message", "/message", "/detail", "/error", "/error_msg"]
        .iter()
        .find_map(|pointer| json.pointer(pointer)?.as_str())
        .or_else(|| title(&answer.body).filter(|_| json.is_null()))
        .unwrap_or(if json.is_null() { &answer.body } else { "" });
    let said: String = said
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(SHOWN)
        .collect();
    if said.is_empty() { answer.status.to_string() } else { format!("{}: {said}", answer.status) }
}

/// The title of a page with which a gateway explains an error.
fn title(body: &str) -> Option<&str> {
    let (_, rest) = body.split_once("<title>")?;
    let (title, _) = rest.split_once("</title>")?;
    Some(title).filter(|title| !title.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_are_one_short_line() {
        let answer = |body: &str| {
            let body = body.to_owned();
            explain(&Answer { status: 500, after: None, content_type: None, body })
        };
        assert_eq!(answer(r#"{"error":{"message":"no\n\u001b[31m way"}}"#), "500: no [31m way");
        assert_eq!(answer(r#"{"message":"no"}"#), "500: no");
        assert_eq!(answer("<h1>no</h1>"), "500: <h1>no</h1>");
        let page = "<html><head><title>504 Gateway Time-out</title></head><body></body></html>";
        assert_eq!(answer(page), "500: 504 Gateway Time-out");
        assert_eq!(answer(""), "500");
        assert_eq!(answer(&"x".repeat(9999)).len(), 305);
    }

    #[test]
    fn refused_parameters_are_learnt_once() {
        let mut refused = Refused::default();
        let error = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        assert!(refused.learn(error) && !refused.learn(error));
        assert_eq!(refused, Refused { temperature: false, max_tokens: true });
        assert!(refused.learn("`temperature` is deprecated for this model"));
    }
}
