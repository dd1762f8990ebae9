//! A conversation that is read, paired and counted, as every operation that shortens one needs it.

use std::ops::Range;

use crate::conversation::Conversation;
use crate::count::{Count, Meter};
use crate::dialect::Shape;
use crate::document::Document;
use crate::pairing::{Cuts, Pairs};
use crate::placed::span_of;

/// A conversation that is read, paired and counted.
#[derive(Clone, Copy)]
pub struct Subject<'c, 'a> {
    /// The document that it stands in.
    pub document: &'c Document<'a>,
    /// The dialect and layout it was read with.
    pub shape: Shape,
    /// The messages.
    pub conversation: &'c Conversation<'a>,
    /// Its calls and results, joined.
    pub pairs: &'c Pairs,
    /// The places where it may be cut.
    pub cuts: &'c Cuts,
    /// The meter that counts it.
    pub meter: &'c Meter,
    /// Its token counts.
    pub count: &'c Count,
}

impl Subject<'_, '_> {
    /// The span of the conversation in its document.
    pub(crate) fn span(&self) -> Range<usize> {
        span_of(self.document, self.conversation)
    }

    /// The tokens of the words in a message.
    pub fn said(&self, message: usize) -> usize {
        let parts = self.conversation.messages[message].parts.iter();
        let texts = parts.zip(&self.count.parts[message]);
        let texts = texts.filter(|(part, _)| part.is_words());
        texts.map(|(_, tally)| tally.content).sum()
    }
}
