//! What a summarizer gives back: the summary, and which messages were in which request.
//!
//! Relies on nothing. Invariant: the requests of a [`Summary`] name every message of its job.

use serde::Serialize;

/// A summary, and how it came about.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The summary, without analysis and tags.
    pub text: String,
    /// How many calls were made, failed ones included.
    pub attempts: usize,
    /// The requests that were made, in order.
    pub requests: Vec<Request>,
}

/// One request to a summarizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// What the request asks for.
    pub stage: Stage,
    /// Indexes of the messages whose text is in it.
    pub messages: Vec<usize>,
    /// Those of them that were too large and lost a middle, which the text says: of a tool result, or
    /// their own.
    pub shortened: Vec<usize>,
    /// Characters of the prompt.
    pub characters: usize,
    /// How often it was sent.
    pub attempts: usize,
    /// Whether it was answered with a usable text.
    pub answered: bool,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The summary of the whole middle.
    Whole,
    /// The summary of a piece of it.
    Chunk,
    /// One summary out of several.
    Merge,
    /// A summary that exists already, in a file.
    File,
}
