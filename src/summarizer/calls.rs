//! Calling the summarizer: one request, repeated until it is answered well or time is up.
//!
//! Relies on [`Client`] and [`command`] to end in time. Every failure is classed: waiting and bad
//! answers are repeated here, what is too large goes back to be divided, the rest is final.
//! Invariant: nothing is begun, and nothing waited for, beyond the deadline.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::judge;
use super::class::{Class, Overflow, classify};
use super::command;
use super::failure::Reason;
use super::http::{Answer, Client};
use super::job::{Job, Notice};
use super::provider::{Ask, Refused, Reply, Stop};
use super::report::Request;
use super::settings::{Endpoint, Settings};

/// Windows of models nobody knows the window of.
const WINDOW: usize = 128_000;
/// The longest pause that we choose ourselves.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How much of a server's explanation is shown.
const SHOWN: usize = 300;

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// It has to become smaller.
    TooLarge(Reason, Overflow),
    /// It has to do without media, or become smaller.
    TooManyBytes(Reason),
    /// There is nothing more to be done.
    Failed(Reason),
}

/// Whom the calls reach.
#[derive(Debug)]
pub(super) enum Line<'a> {
    Http(Client<'a>),
    Command(&'a str),
}

/// The calls of one job.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    settings: &'a Settings,
    job: &'a Job<'a>,
    line: Line<'a>,
    deadline: Instant,
    refused: Refused,
    pub(super) attempts: usize,
    pub(super) requests: Vec<Request>,
}

impl<'a> Calls<'a> {
    /// Makes ready to call; nothing is sent yet.
    pub(super) fn new(settings: &'a Settings, job: &'a Job<'a>, line: Line<'a>) -> Self {
        let deadline = Instant::now() + settings.limits.deadline;
        let (refused, requests) = (Refused::default(), Vec::new());
        Self { settings, job, line, deadline, refused, attempts: 0, requests }
    }

    /// Sends a request until there is an answer that `accept` does not find fault with.
    ///
    /// `prompt` is given what was wrong with the last answer; `tokens` is what the request counts.
    pub(super) fn ask(
        &mut self,
        mut request: Request,
        tokens: usize,
        prompt: impl Fn(Option<&str>) -> String,
        accept: impl Fn(&str) -> Result<(), &'static str>,
    ) -> Result<String, Unanswered> {
        let mut fault = None;
        let result = loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let seconds = self.settings.limits.deadline.as_secs_f64();
                break Err(Unanswered::Failed(Reason::Deadline(format!("{seconds} s are over"))));
            }
            let prompt = prompt(fault);
            request.characters = prompt.chars().count();
            request.attempts += 1;
            self.attempts += 1;
            let answer = self.call(&prompt, tokens, left.min(self.settings.limits.answer));
            let answer = answer.and_then(|text| match accept(&text) {
                Ok(()) => Ok(text),
                Err(fault) => Err(Unanswered::Failed(Reason::Answer(fault))),
            });
            let reason = match answer {
                Err(Unanswered::Failed(reason)) => reason,
                done => break done,
            };
            if let Err(reason) = self.pause(reason, request.attempts, &mut fault) {
                break Err(Unanswered::Failed(reason));
            }
        };
        request.answered = result.is_ok();
        self.requests.push(request);
        result
    }

    /// Waits before a repetition, or says why there is none.
    fn pause(
        &self,
        reason: Reason,
        attempt: usize,
        fault: &mut Option<&'static str>,
    ) -> Result<(), Reason> {
        let asked = match &reason {
            Reason::Wait { after, .. } => *after,
            Reason::Answer(what) => {
                *fault = Some(what);
                None
            }
            Reason::Command(_) => None,
            _ => return Err(reason),
        };
        if attempt > self.settings.limits.retries {
            return Err(reason);
        }
        let after = asked.unwrap_or_else(|| backoff(self.settings.limits.pause, attempt));
        if after >= self.deadline.saturating_duration_since(Instant::now()) {
            let wait =
                format!("{reason}, and the next attempt would be in {:.1} s", after.as_secs_f64());
            return Err(Reason::Deadline(wait));
        }
        (self.job.say)(&Notice::Again { reason: reason.to_string(), after });
        thread::sleep(after);
        Ok(())
    }

    /// Makes one call and judges the answer.
    fn call(
        &mut self,
        prompt: &str,
        tokens: usize,
        timeout: Duration,
    ) -> Result<String, Unanswered> {
        let reply = match &self.line {
            Line::Http(client) => {
                let (reply, refused) = self.post(client, prompt, tokens, timeout);
                self.refused = refused;
                reply?
            }
            Line::Command(line) => {
                let stderr = |line| (self.job.say)(&Notice::Stderr(line));
                let text = command::run(line, prompt, timeout, &stderr).map_err(unanswered)?;
                Reply { text, stop: Stop::Done, input: None }
            }
        };
        judge(&reply.text, reply.stop).map_err(|fault| Unanswered::Failed(Reason::Answer(fault)))
    }

    /// Posts a prompt, again without each parameter that the model turns out not to take.
    fn post(
        &self,
        client: &Client,
        prompt: &str,
        tokens: usize,
        timeout: Duration,
    ) -> (Result<Reply, Unanswered>, Refused) {
        let (end, endpoint) = (Instant::now() + timeout, client.endpoint);
        let mut refused = self.refused;
        loop {
            let model = endpoint.model();
            let ask = Ask { model, prompt, tokens: self.settings.limits.summary_tokens, refused };
            let left = end.saturating_duration_since(Instant::now());
            let answer = match client.send(&endpoint.provider.body(&ask), left) {
                Ok(answer) => answer,
                Err(reason) => return (Err(Unanswered::Failed(reason)), refused),
            };
            let reply = self.read(endpoint, &answer, tokens);
            let is_final = matches!(reply, Err(Unanswered::Failed(Reason::Final(_))));
            if answer.status != 400 || !is_final || !refused.learn(&answer.body) {
                return (reply, refused);
            }
        }
    }

    /// Reads an answer of the server's: a reply, or the class of its failure.
    fn read(
        &self,
        endpoint: &Endpoint,
        answer: &Answer,
        tokens: usize,
    ) -> Result<Reply, Unanswered> {
        let host = endpoint.host();
        let window = self.settings.limits.window;
        let fault = |fault| Unanswered::Failed(Reason::Answer(fault));
        let json = serde_json::from_str::<serde_json::Value>(&answer.body);
        // Routers answer 200 and put the error of the model's own server into the body.
        let inner =
            json.as_ref().ok().and_then(|json| json.get("error")).filter(|error| !error.is_null());
        if (200..300).contains(&answer.status) && inner.is_none() {
            if answer.content_type.as_ref().is_some_and(|kind| !kind.contains("json")) {
                return Err(fault("of another content type than JSON"));
            }
            let reply = endpoint.provider.read(&json.map_err(|_| fault("not JSON"))?);
            let reply = reply.ok_or_else(|| fault("of another shape than expected"))?;
            return if is_silent_overflow(&reply, window) {
                let reason = Reason::Overflow(format!("{host} read more than its window"));
                Err(Unanswered::TooLarge(
                    reason,
                    Overflow { size: reply.input, limit: window, output: None },
                ))
            } else {
                Ok(reply)
            };
        }
        let code = inner
            .and_then(|error| error.get("code")?.as_u64())
            .and_then(|code| u16::try_from(code).ok());
        let status = if (200..300).contains(&answer.status) { code } else { Some(answer.status) };
        let text = format!("{host} answered {}", explain(answer));
        if (300..400).contains(&answer.status) {
            return Err(Unanswered::Failed(Reason::Final(format!(
                "{text}: redirects are not followed"
            ))));
        }
        let is_large = tokens >= window.unwrap_or(WINDOW) / 2;
        Err(match classify(status, &answer.body, is_large) {
            Class::Wait => Unanswered::Failed(Reason::Wait { text, after: answer.after }),
            Class::Overflow(overflow) => Unanswered::TooLarge(Reason::Overflow(text), overflow),
            Class::Payload => Unanswered::TooManyBytes(Reason::Payload(text)),
            Class::Final => Unanswered::Failed(Reason::Final(text)),
        })
    }
}

impl Refused {
    /// Takes note of a parameter that an error complains about; tells whether that is news.
    fn learn(&mut self, error: &str) -> bool {
        let before = *self;
        self.max_tokens |= error.contains("max_completion_tokens");
        self.temperature |= error.contains("temperature");
        *self != before
    }
}

/// Returns the failure of a command as what is to be done about it.
fn unanswered(reason: Reason) -> Unanswered {
    match reason {
        Reason::Overflow(_) => Unanswered::TooLarge(reason, Overflow::default()),
        Reason::Payload(_) => Unanswered::TooManyBytes(reason),
        reason => Unanswered::Failed(reason),
    }
}

/// Tells whether a server took more than fits and answered all the same, as some do.
fn is_silent_overflow(reply: &Reply, window: Option<usize>) -> bool {
    let (Some(input), Some(window)) = (reply.input, window) else {
        return reply.stop == Stop::Window;
    };
    let is_full = reply.stop == Stop::Length
        && reply.text.trim().is_empty()
        && input >= window - window / 100;
    input > window || is_full || reply.stop == Stop::Window
}

/// Returns the pause before the next attempt: twice as long each time, give or take a quarter, so
/// that those who were refused together do not come back together.
fn backoff(first: Duration, attempt: usize) -> Duration {
    let doublings = u32::try_from(attempt.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    let pause = first.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
    let jitter = RandomState::new().hash_one(attempt) % 500;
    pause.mul_f64(0.75 + f64::from(u16::try_from(jitter).unwrap_or(250)) / 1000.0)
}

/// Returns status and explanation of an error, on one line.
fn explain(answer: &Answer) -> String {
    let json = serde_json::from_str::<serde_json::Value>(&answer.body).unwrap_or_default();
    let said = ["/error/message", "/message", "/detail", "/error", "/error_msg"]
        .iter()
        .find_map(|pointer| json.pointer(pointer)?.as_str())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_are_bounded() {
        let first = Duration::from_millis(100);
        for (attempt, expected) in [(1, 100), (2, 200), (3, 400), (60, 30_000)] {
            let pause = backoff(first, attempt).as_millis();
            assert!((expected * 3 / 4..=expected * 5 / 4).contains(&pause), "{attempt}: {pause}");
        }
    }

    #[test]
    fn explanations_are_one_short_line() {
        let answer = |body: &str| {
            let body = body.to_owned();
            explain(&Answer { status: 500, after: None, content_type: None, body })
        };
        assert_eq!(answer(r#"{"error":{"message":"no\n\u001b[31m way"}}"#), "500: no [31m way");
        assert_eq!(answer(r#"{"message":"no"}"#), "500: no");
        assert_eq!(answer("<h1>no</h1>"), "500: <h1>no</h1>");
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
