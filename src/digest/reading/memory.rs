//! What one digest read of a conversation, for the next one of it with a longer tail.
//!
//! Responsible for reading long talk once: what a digest leaves of its room goes to the tail, and the
//! digest is written again. Invariant: what is kept is what a new reading would have found, for only
//! messages behind it have become visible, and nothing of them changes how those before it are read.

use std::ops::Range;

use super::survey::Survey;
use crate::digest::text::talk::Talk;
use crate::redact::Masked;
use crate::text_calls::TextCalls;

/// What was read of the first messages.
#[derive(Default)]
pub struct Memory {
    /// From which message on the tail may begin; none once that was made use of.
    tail: Option<usize>,
    /// How many messages were read, and what was found in them.
    begun: Option<(usize, Survey)>,
    pub(crate) talk: Option<Talk>,
    /// The calls that stand in texts, once they were looked for.
    pub(crate) text_calls: Option<TextCalls>,
    /// The secrets of all messages, where they are masked.
    pub(crate) masked: Option<Masked>,
}

impl Memory {
    /// For a conversation whose tail may begin with this message when its next digest is written, and
    /// not before it.
    pub fn before(tail: usize) -> Self {
        Self { tail: Some(tail), ..Self::default() }
    }

    /// What was found in so many messages.
    pub(crate) fn begun(&mut self) -> (usize, Option<Survey>) {
        self.begun.take().map_or((0, None), |(until, survey)| (until, Some(survey)))
    }

    /// Keeps something only if what stands before the tail is read alike whatever the tail is.
    pub(crate) fn keep_if(&mut self, is_read_alike: impl Fn(usize) -> bool) {
        self.tail = self.tail.filter(|&tail| is_read_alike(tail));
    }

    /// Keeps what was found before this share if the tail may begin in it, unless there is so much that
    /// a digest of this budget leaves nothing to the tail.
    pub(crate) fn keep(&mut self, share: &Range<usize>, survey: Option<&Survey>, budget: usize) {
        let is_much = |survey: &&Survey| survey.cost() > 2 * budget;
        if self.tail.take_if(|tail| share.end > *tail).is_some() {
            let survey = survey.filter(|survey| !is_much(survey));
            self.begun = survey.map(|survey| (share.start, survey.clone()));
        }
    }
}
