//! A conversation that is read, joined and counted: what everything that shortens one begins with.

use crate::conversation::Conversation;
use crate::count::{Count, Meter};
use crate::dialect::Shape;
use crate::document::Document;
use crate::pairing::{Cuts, Pairs};

/// A conversation that is read and counted.
#[derive(Clone, Copy)]
pub struct Subject<'c, 'a> {
    /// The text around it.
    pub document: &'c Document<'a>,
    /// How it was read.
    pub shape: Shape,
    /// The messages.
    pub conversation: &'c Conversation<'a>,
    /// Its calls and results, joined.
    pub pairs: &'c Pairs,
    /// Where it may be cut.
    pub cuts: &'c Cuts,
    /// Counts.
    pub meter: &'c Meter,
    /// What it counts.
    pub count: &'c Count,
}

impl Subject<'_, '_> {
    /// The tokens of what a message says.
    pub fn said(&self, message: usize) -> usize {
        let parts = self.conversation.messages[message].parts.iter();
        let texts = parts.zip(&self.count.parts[message]);
        let texts = texts.filter(|(part, _)| part.is_words());
        texts.map(|(_, tally)| tally.content).sum()
    }
}
