//! Reading a result back, to know and not to hope what it is.
//!
//! Responsible for the text of one conversation after some edits, alone and as a document of its own:
//! what a command promises of its result is checked on that.

use std::ops::Range;

use crate::conversation::{Conversation, List};
use crate::dialect::{self, Layout, Scope, Shape};
use crate::document::{self, Document, Edit};

/// The text that holds one conversation, and what it was before.
pub struct Region {
    /// Where it stands in the document.
    pub span: Range<usize>,
    layout: Layout,
}

impl Region {
    /// Where a conversation stands: its root, its array, or the whole document.
    pub fn of(document: &Document<'_>, shape: Shape, conversation: &Conversation<'_>) -> Self {
        let source = &conversation.source;
        let value = source.root.or(match source.lists.first() {
            Some(List::Array(array)) => Some(*array),
            _ => None,
        });
        let layout = if shape.layout == Layout::Arrays { Layout::Array } else { shape.layout };
        let span = value.map_or(0..document.bytes().len(), |value| document.span(value));
        Self { span, layout }
    }

    /// The region after `edits`, which all lie in it.
    pub fn after(&self, document: &Document<'_>, edits: &[Edit]) -> Vec<u8> {
        let start = self.span.start;
        let shifted: Vec<Edit> = edits
            .iter()
            .map(|edit| Edit {
                span: edit.span.start - start..edit.span.end - start,
                text: edit.text.clone(),
            })
            .collect();
        document::apply(&document.bytes()[self.span.clone()], &shifted)
    }

    /// Reads the text of a region; `None` where it is no conversation any more.
    pub fn read<T>(
        &self,
        text: &[u8],
        shape: Shape,
        read: impl FnOnce(&Document<'_>, &Conversation<'_>) -> T,
    ) -> Option<T> {
        let document = Document::parse(text).ok()?;
        // What is left of an anthropic conversation may be plain roles and texts, read as openai.
        let dialect = dialect::recognise(document.values(), None)
            .ok()
            .filter(|found| found.layout == self.layout)
            .map_or(shape.dialect, |found| found.dialect);
        let source = dialect::sources(&document, self.layout).into_iter().next()?;
        let conversation = dialect::decode(dialect, source, Scope::Live);
        Some(read(&document, &conversation))
    }
}
