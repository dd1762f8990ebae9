//! Planning the requests of a job without sending any.
//!
//! Relies on the same composition as the stages that send. Text that depends on a missing answer is a note in
//! brackets. Invariant: no header, and so no key, is in the output.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use super::failure::Reason;
use super::job::{Excerpt, Job};
use super::pieces::Middle;
use super::prompt::Frame;
use super::provider::{Ask, Refused};
use super::report::{Request, Stage};
use super::settings::{Settings, Source};
use super::stages::{capacity, compose, divide};

/// A request that would be sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// The stage that it belongs to.
    pub stage: Stage,
    /// Its destination: the address, `the command`, or the file that would be read.
    pub to: String,
    /// The indexes of the messages whose text is in it.
    pub messages: Vec<usize>,
    /// The indexes of those messages that are too large and lose the middle of their text or of a tool
    /// result.
    pub shortened: Vec<usize>,
    /// The JSON that would be posted, or the command's input as a string.
    pub body: Value,
}

/// Returns the requests that [`summarise`](super::summarise) would make, if each was answered.
pub fn dry_run(settings: &Settings, job: &Job) -> Result<Vec<Planned>, Reason> {
    if let Source::File(notes) = &settings.source {
        let (to, body) = (notes.path().display().to_string(), Value::Null);
        let (messages, shortened) = (Vec::new(), Vec::new());
        return Ok(vec![Planned { stage: Stage::File, to, messages, shortened, body }]);
    }
    let frame = Frame::new(settings, job.target, job.say);
    let earlier = job.earlier.map(|earlier| earlier.text);
    let capacity = capacity(settings);
    let plan = |stage, middle: &Middle, piece: &Range<usize>, is_all: bool| {
        let (request, text) = compose(stage, middle, piece, capacity, is_all, job.earlier);
        let Request { stage, messages, shortened, .. } = request;
        let prompt = frame.prompt(stage, earlier.filter(|_| is_all), &text, None);
        Planned { stage, to: to(settings), messages, shortened, body: body(settings, &prompt) }
    };
    let middle = Middle::new(job.excerpts);
    let pieces = divide(&middle, 0, capacity, earlier);
    let is_all = pieces.len() == 1;
    let mut planned: Vec<Planned> =
        pieces.iter().map(|piece| plan(Stage::Whole, &middle, piece, is_all)).collect();
    if pieces.len() > 1 {
        let part = |index| Excerpt::part(index, format!("[the answer to request {}]", index + 1));
        let parts: Vec<Excerpt> = (0..pieces.len()).map(part).collect();
        planned.push(plan(Stage::Merge, &Middle::new(&parts), &(0..1), true));
    }
    Ok(planned)
}

/// Returns the destination of requests; shows neither a command nor a password in an address.
fn to(settings: &Settings) -> String {
    let Source::Http(endpoint) = &settings.source else {
        return settings.source.name();
    };
    let url = endpoint.url();
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let path = rest.find('/').map_or("", |at| &rest[at..]);
            format!("{scheme}://{}{path}", endpoint.host())
        }
        None => url,
    }
}

fn body(settings: &Settings, prompt: &str) -> Value {
    match &settings.source {
        Source::Http(endpoint) => {
            let tokens = settings.limits.summary_tokens;
            let ask = Ask { model: endpoint.model(), prompt, tokens, refused: Refused::default() };
            endpoint.provider.body(&ask)
        }
        Source::Command(_) | Source::File(_) => prompt.into(),
    }
}
