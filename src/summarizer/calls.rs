//! Calling the summarizer: one request, repeated until it is answered well or time is up.
//!
//! Relies on [`Client`] and [`command`] to end in time. Every failure is classified: temporary failures and
//! bad answers are repeated here, requests that are too large go back to be divided, all else is final.
//! Invariant: nothing is begun or waited for beyond the deadline.

use std::hash::{BuildHasher, RandomState};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::judge;
use super::class::Overflow;
use super::failure::{Reason, Unanswered};
use super::fault::Fault;
use super::http::Client;
use super::job::{Job, Notice};
use super::provider::{Refused, Reply, Stop};
use super::report::Request;
use super::settings::{Limits, Settings};
use super::{command, exchange};
use exchange::Question;

/// The longest pause that we choose ourselves.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The factor by which a model's answer may be longer after it was cut off.
const MORE_TO_ANSWER: usize = 4;

/// The recipient of the calls.
pub(super) enum Recipient<'a> {
    Http(Client<'a>),
    Command(&'a str),
}

/// The calls of one job.
pub(super) struct Calls<'a> {
    settings: &'a Settings,
    job: &'a Job<'a>,
    recipient: Recipient<'a>,
    deadline: Instant,
    refused: Refused,
    /// The most tokens of a model's answer.
    answer_tokens: usize,
    pub(super) attempts: usize,
    pub(super) requests: Vec<Request>,
}

impl<'a> Calls<'a> {
    /// Prepares the calls; nothing is sent yet.
    pub(super) fn new(settings: &'a Settings, job: &'a Job<'a>, recipient: Recipient<'a>) -> Self {
        // A century counts as forever; an instant beyond the clock's range would panic.
        let century = Duration::from_hours(100 * 365 * 24);
        let deadline = Instant::now() + settings.limits.deadline.min(century);
        let (refused, requests) = (Refused::default(), Vec::new());
        let answer_tokens = settings.limits.summary_tokens;
        Self { settings, job, recipient, deadline, refused, answer_tokens, attempts: 0, requests }
    }

    /// Sends a request until there is an answer that `accept` accepts.
    ///
    /// `prompt` is given the fault of the last answer; `tokens` is the size of the request.
    pub(super) fn ask(
        &mut self,
        mut request: Request,
        tokens: usize,
        prompt: impl Fn(Option<&str>) -> String,
        accept: impl Fn(&str) -> Result<(), Fault>,
    ) -> Result<String, Unanswered> {
        let (mut fault, mut tries) = (None, 0);
        let result = loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Err(Unanswered::Failed(self.over()));
            }
            let prompt = prompt(fault.map(Fault::words));
            request.characters = prompt.chars().count();
            tries += 1;
            // A call that only found out about a refused parameter is not a failed try.
            let mut calls = 1;
            let timeout = left.min(self.settings.limits.answer);
            let answer = self.call(&prompt, tokens, timeout, &mut calls);
            request.attempts += calls;
            self.attempts += calls;
            let answer = answer.and_then(|text| match accept(&text) {
                Ok(()) => Ok(text),
                Err(fault) => Err(Unanswered::Failed(Reason::Answer(fault))),
            });
            let reason = match answer {
                // In this case all answers together took too long, not this one.
                Err(Unanswered::Failed(Reason::Wait { .. })) if Instant::now() >= self.deadline => {
                    self.over()
                }
                Err(Unanswered::Failed(reason)) => reason,
                done => break done,
            };
            if reason == Reason::Answer(Fault::CutOff) {
                // With the same limit, the model would think as long as before.
                let Limits { summary_tokens, most_answer, .. } = self.settings.limits;
                let most = most_answer.unwrap_or(usize::MAX);
                self.answer_tokens = (summary_tokens * MORE_TO_ANSWER).min(most);
            }
            if let Err(reason) = self.pause(reason, tries, &mut fault) {
                break Err(Unanswered::Failed(reason));
            }
        };
        request.answered = result.is_ok();
        self.requests.push(request);
        result
    }

    /// The reason why no more calls are begun.
    fn over(&self) -> Reason {
        Reason::Deadline(format!("{} s are over", self.settings.limits.deadline.as_secs_f64()))
    }

    /// Waits before a repetition, or says why there is none.
    fn pause(
        &self,
        reason: Reason,
        attempt: usize,
        fault: &mut Option<Fault>,
    ) -> Result<(), Reason> {
        let asked = match &reason {
            Reason::Wait { after, .. } => *after,
            Reason::Answer(what) => {
                *fault = Some(*what);
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

    /// Makes one call and judges the answer; `calls` counts those that had to be repeated at once.
    fn call(
        &mut self,
        prompt: &str,
        tokens: usize,
        timeout: Duration,
        calls: &mut usize,
    ) -> Result<String, Unanswered> {
        let reply = match &self.recipient {
            Recipient::Http(client) => {
                let question = Question {
                    prompt,
                    tokens,
                    answer_tokens: self.answer_tokens,
                    window: self.settings.limits.window,
                };
                exchange::post(client, &question, &mut self.refused, calls, timeout)?
            }
            Recipient::Command(line) => {
                let stderr = |line| (self.job.say)(&Notice::Stderr(line));
                let text = command::run(line, prompt, timeout, &stderr).map_err(unanswered)?;
                Reply { text, stop: Stop::Done, input: None }
            }
        };
        judge(&reply.text, reply.stop).map_err(|fault| Unanswered::Failed(Reason::Answer(fault)))
    }
}

/// Returns what the failure of a command means for the request.
fn unanswered(reason: Reason) -> Unanswered {
    match reason {
        Reason::Overflow(_) | Reason::Payload(_) => {
            Unanswered::TooLarge(reason, Overflow::default())
        }
        reason => Unanswered::Failed(reason),
    }
}

/// Returns the pause before the next attempt: doubled each time, give or take a quarter, so that clients that
/// were refused together do not return together.
fn backoff(first: Duration, attempt: usize) -> Duration {
    let doublings = u32::try_from(attempt.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    let pause = first.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
    let jitter = RandomState::new().hash_one(attempt) % 500;
    pause.mul_f64(0.75 + f64::from(u16::try_from(jitter).unwrap_or(250)) / 1000.0)
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
}
