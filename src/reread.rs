//! Reading a result back, to know and not to hope what it is.
//!
//! Responsible for the text of one conversation after some edits, alone and as a document of its own:
//! it is repaired where an edit left something that the provider refuses, and counted as anyone would
//! count it who reads it.

use std::ops::Range;

use crate::check::{Severity, findings};
use crate::conversation::{Conversation, List};
use crate::count::{Count, Meter};
use crate::dialect::{self, Layout, Scope, Shape};
use crate::document::{self, Document, Edit};
use crate::draft::Draft;
use crate::normalize::{Repair, normalize};
use crate::pairing::Pairs;
use crate::thinking;

/// The text that holds one conversation, and what it was before.
pub struct Region {
    /// Where it stands in the document.
    pub span: Range<usize>,
    layout: Layout,
    scope: Scope,
}

impl Region {
    /// Where a conversation stands: its root, its array, or the whole document.
    pub fn of(document: &Document<'_>, shape: Shape, conversation: &Conversation<'_>) -> Self {
        let source = &conversation.source;
        let value = source.value().or(match source.lists.first() {
            Some(List::Array(array)) => Some(*array),
            _ => None,
        });
        let layout = shape.layout.alone();
        // A torn last line is nobody's: it stays as it is.
        let end = document.torn().unwrap_or(document.bytes().len());
        let span = value.map_or(0..end, |value| document.span(value));
        Self { span, layout, scope: conversation.scope }
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
        read: impl for<'t> FnOnce(&Document<'t>, &Conversation<'t>) -> T,
    ) -> Option<T> {
        let document = Document::parse(text).ok()?;
        // What is left of an anthropic conversation may be plain roles and texts, read as openai.
        let dialect = dialect::recognise(document.values(), None)
            .ok()
            .filter(|found| found.layout == self.layout)
            .map_or(shape.dialect, |found| found.dialect);
        let source = dialect::sources(&document, self.layout).into_iter().next()?;
        let conversation = dialect::decode(dialect, source, self.scope);
        Some(read(&document, &conversation))
    }
}

/// A draft, made true.
pub struct Settled {
    /// The edits of the document; none where nothing was decided.
    pub edits: Vec<Edit>,
    /// What the result counts.
    pub tokens: usize,
    /// How many thinking parts went because something before them was edited.
    pub thoughts: usize,
    /// What had to be repaired besides.
    pub repairs: Vec<Repair>,
}

/// Makes a draft true: drops thinking that it unbinds, mends the log, repairs what its provider would
/// refuse, and counts the result. `count` is what the conversation counted before.
pub fn settle<'a>(
    document: &Document<'a>,
    shape: Shape,
    mut draft: Draft<'_, 'a>,
    meter: &Meter,
    count: &Count,
) -> Settled {
    let conversation = draft.conversation();
    let thoughts = thinking::drop_behind_edits(&mut draft);
    let tokens = meter.draft(&draft, count);
    conversation.dialect.make_resumable(&mut draft, document, tokens);
    let edits = draft.edits(document);
    let unrepaired = |edits, tokens| Settled { edits, tokens, thoughts, repairs: Vec::new() };
    if edits.is_empty() {
        return unrepaired(edits, tokens);
    }
    let region = Region::of(document, shape, conversation);
    let text = region.after(document, &edits);
    let provider = conversation.dialect.provider();
    let repaired = region.read(&text, shape, |document, conversation| {
        let pairs = Pairs::of(&conversation.messages);
        let found = findings(conversation, &pairs, provider);
        if found.iter().all(|finding| finding.severity != Severity::Fault) {
            return Err(meter.count(conversation).tokens());
        }
        let (mut draft, repairs) =
            normalize(conversation, provider, thinking::Binding::of(conversation));
        let tokens = meter.draft(&draft, &meter.count(conversation));
        conversation.dialect.make_resumable(&mut draft, document, tokens);
        Ok((document.apply(&draft.edits(document)), repairs))
    });
    match repaired {
        Some(Ok((text, repairs))) => {
            let count = |_: &Document<'_>, conversation: &Conversation<'_>| {
                meter.count(conversation).tokens()
            };
            let tokens = region.read(&text, shape, count).unwrap_or(tokens);
            let text = String::from_utf8_lossy(&text).into_owned();
            Settled { edits: vec![Edit { span: region.span, text }], tokens, thoughts, repairs }
        }
        Some(Err(tokens)) => unrepaired(edits, tokens),
        None => unrepaired(edits, tokens),
    }
}

/// Makes a draft true by the agent's own records behind the untouched log; `None` where the dialect
/// has none.
pub fn append<'a>(
    document: &Document<'a>,
    shape: Shape,
    mut draft: Draft<'_, 'a>,
    meter: &Meter,
    count: &Count,
) -> Option<Settled> {
    let conversation = draft.conversation();
    let tokens = meter.draft(&draft, count);
    let lines = conversation.dialect.append(&mut draft, document, tokens)?;
    let end = document.values().last().map_or(0, |last| document.span(*last).end);
    let newline = document.newline();
    let text: String = lines.iter().flat_map(|line| [newline, line]).collect();
    let edits = vec![Edit { span: end..end, text }];
    let region = Region::of(document, shape, conversation);
    let read = region.read(&region.after(document, &edits), shape, |_, conversation| {
        meter.count(conversation).tokens()
    });
    Some(Settled { edits, tokens: read.unwrap_or(tokens), thoughts: 0, repairs: Vec::new() })
}
