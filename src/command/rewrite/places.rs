//! The places of the conversations of a data set.
//!
//! Responsible for leaving some conversations out of lines, or out of the items of one array, so that the
//! rest is still a data set.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::command::Visit;
use crate::conversation::Source;
use crate::document::{Document, Edit};
use crate::draft::list::{Separator, rewrite};

/// The lines or items that hold conversations, mostly one in each.
pub(super) struct Places<'p, 'a> {
    document: &'p Document<'a>,
    /// The offsets at which the conversations begin.
    starts: Vec<usize>,
    /// The ranges of the lines, found when a conversation is left out.
    lines: OnceCell<Vec<Range<usize>>>,
}

impl<'p, 'a> Places<'p, 'a> {
    pub(super) fn of<'s>(
        document: &'p Document<'a>,
        conversations: impl Iterator<Item = &'s Source<'a>>,
    ) -> Self
    where
        'a: 's,
    {
        let start = |source: &Source<'a>| Some(document.span(source.whole()?).start);
        let starts = conversations.filter_map(start).collect();
        Self { document, starts, lines: OnceCell::new() }
    }

    /// The items of the array, unless the array itself is a conversation.
    fn items(&self) -> Option<&[Range<usize>]> {
        let start = self.document.span(*self.document.values().first()?).start;
        self.document.items().filter(|_| self.starts.first() != Some(&start))
    }

    fn spans(&self) -> &[Range<usize>] {
        let values = || self.document.values().iter();
        let lines = || values().map(|value| self.document.span(*value)).collect();
        self.items().unwrap_or_else(|| self.lines.get_or_init(lines))
    }

    /// The index of the line or item of a conversation; `None` if others share it.
    pub(super) fn alone(&self, visit: &Visit<'_, '_>) -> Option<usize> {
        let start = self.document.span(visit.conversation.source.whole()?).start;
        let behind = self.spans().partition_point(|span| span.start <= start);
        let at = behind.checked_sub(1)?;
        let before = |end: usize| self.starts.partition_point(|&start| start < end);
        let Range { start, end } = self.spans()[at];
        (before(end) - before(start) == 1).then_some(at)
    }

    /// The edits that leave out the lines or items with these indices, which are sorted.
    pub(super) fn without(&self, left_out: &[usize]) -> Vec<Edit> {
        if left_out.is_empty() {
            return Vec::new();
        }
        let (document, spans) = (self.document, self.spans());
        let separator = if self.items().is_some() {
            Separator::Comma
        } else if left_out.len() == spans.len() {
            // The last line break is removed too.
            let end = document.torn().unwrap_or(document.bytes().len());
            return vec![Edit { span: spans[0].start..end, text: String::new() }];
        } else {
            Separator::Line(document.newline())
        };
        let keeps = |at: usize| left_out.binary_search(&at).is_err();
        rewrite(document.bytes(), &separator, spans, spans[0].start, keeps, &BTreeMap::new())
    }
}
