//! A conversation and the document that it stands in.
//!
//! Responsible for what reading it again needs: its span, and how it was read.

use std::ops::Range;

use crate::conversation::Conversation;
use crate::dialect::Shape;
use crate::document::Document;

/// A conversation and the document that it stands in.
#[derive(Clone, Copy)]
pub struct Placed<'c, 'a> {
    /// The document.
    pub document: &'c Document<'a>,
    /// The dialect and layout that the conversation was read with.
    pub shape: Shape,
    /// The messages.
    pub conversation: &'c Conversation<'a>,
    /// Whether the input holds several conversations.
    pub is_one_of_many: bool,
}

impl Placed<'_, '_> {
    /// The span of the conversation in its document.
    pub(crate) fn span(&self) -> Range<usize> {
        span_of(self.document, self.conversation)
    }
}

/// The span of a conversation in its document: that of its root or its array, or the whole document.
pub(crate) fn span_of(document: &Document<'_>, conversation: &Conversation<'_>) -> Range<usize> {
    let all = 0..document.bytes().len();
    conversation.source.whole().map_or(all, |value| document.span(value))
}
