//! The result of a summarizer: the summary, and the messages of each request.
//!
//! Relies on nothing. Invariant: the requests of a [`Summary`] name every message of its job.

use serde::Serialize;

/// A summary, and how it was made.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The summary, without analysis and tags.
    pub text: String,
    /// The number of calls, failed ones included.
    pub attempts: usize,
    /// The requests that were made, in order.
    pub requests: Vec<Request>,
}

/// One request to a summarizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The stage that it belongs to.
    pub stage: Stage,
    /// The indexes of the messages whose text is in it.
    pub messages: Vec<usize>,
    /// The indexes of those messages that were too large and lost the middle of their text or of a tool
    /// result; the text says so.
    pub shortened: Vec<usize>,
    /// The number of characters of the prompt.
    pub characters: usize,
    /// How often it was sent.
    pub attempts: usize,
    /// Whether it was answered with a usable text.
    pub answered: bool,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The summary of the whole middle.
    Whole,
    /// The summary of a piece of the middle.
    Chunk,
    /// One summary out of several.
    Merge,
    /// A summary that exists already, in a file.
    File,
}
