//! What one digest read of a conversation, kept for the next digest with a longer tail.
//!
//! Responsible for reading long talk only once: when a digest leaves room to the tail, it is written again.
//! Invariant: what is kept is what a new reading would find, since only messages after it have become
//! visible, and these do not change how earlier ones are read.

use std::ops::Range;

use super::survey::Survey;
use crate::digest::text::talk::Talk;
use crate::redact::Masked;
use crate::text_calls::TextCalls;

/// What was read of the first messages of a conversation.
#[derive(Default)]
pub struct Memory {
    /// The first message that the tail may begin with; `None` once it was used.
    tail: Option<usize>,
    /// How many messages were read, and what was found in them.
    begun: Option<(usize, Survey)>,
    pub(crate) talk: Option<Talk>,
    /// The tool calls that stand in plain text, once they were looked for.
    pub(crate) text_calls: Option<TextCalls>,
    /// The secrets of all messages, if they are masked.
    pub(crate) masked: Option<Masked>,
}

impl Memory {
    /// A memory for a conversation whose tail, when the next digest is written, may begin with message
    /// `tail` but not before it.
    pub fn before(tail: usize) -> Self {
        Self { tail: Some(tail), ..Self::default() }
    }

    /// Takes the number of messages that were read, with what was found in them.
    pub(crate) fn begun(&mut self) -> (usize, Option<Survey>) {
        self.begun.take().map_or((0, None), |(until, survey)| (until, Some(survey)))
    }

    /// Keeps nothing unless what stands before the tail is read alike whatever the tail is.
    pub(crate) fn keep_if(&mut self, is_read_alike: impl Fn(usize) -> bool) {
        self.tail = self.tail.filter(|&tail| is_read_alike(tail));
    }

    /// Keeps what was found before this share if the tail may begin in it. A survey of more than twice the
    /// budget is not kept: its digest leaves no room to the tail.
    pub(crate) fn keep(&mut self, share: &Range<usize>, survey: Option<&Survey>, budget: usize) {
        let is_much = |survey: &&Survey| survey.cost() > 2 * budget;
        if self.tail.take_if(|tail| share.end > *tail).is_some() {
            let survey = survey.filter(|survey| !is_much(survey));
            self.begun = survey.map(|survey| (share.start, survey.clone()));
        }
    }
}
