//! Reading a result back: what it really is, and what it counts.
//!
//! Responsible for the text of one conversation after some edits, alone and as a document of its own:
//! it is repaired where an edit left something that the provider refuses, and counted as anyone would
//! count it who reads it.

mod pieces;
mod repaired;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::check::{OBJECTS, Rule, Severity, findings, takes_objects};
use crate::conversation::{Conversation, Message, Part, Source, decode};
use crate::dialect::{self, Shape};
use crate::document::{Document, Edit, compose, take_out};
use crate::draft::{Draft, NewMessage};
use crate::json::Json;
use crate::normalize::{Repair, normalize};
use crate::pairing::{Joints, Pairs};
use crate::resume;
use crate::subject::Subject;
use crate::thinking::{self, Signatures};
use pieces::Pieces;

pub(crate) use repaired::repaired_first;

/// Where a conversation stands in its document: its root, its array, or the whole of it.
fn span_of(subject: &Subject<'_, '_>) -> Range<usize> {
    let Subject { document, conversation, .. } = *subject;
    let all = 0..document.bytes().len();
    conversation.source.whole().map_or(all, |value| document.span(value))
}

/// Reads what `edits`, which all lie in its span, make of a conversation; `None` where that is none any
/// more. What no edit touches is not written out for it, where the conversation is but a list.
fn read_after<T>(
    subject: &Subject<'_, '_>,
    edits: &[Edit],
    read: impl FnOnce(&Conversation<'_>) -> T,
) -> Option<T> {
    let Subject { document, shape, conversation, .. } = *subject;
    let Some(pieces) = Pieces::of(document, &conversation.source, edits) else {
        let text = document.apply_within(span_of(subject), edits);
        return read_text(subject, &text, |_, conversation| read(conversation));
    };
    let (shape, source) = pieces.read(shape)?;
    Some(read(&decode(shape.dialect, source, conversation.scope)))
}

/// Reads what `edits`, which all lie in its span, make of a conversation, joined and counted; `None` where that
/// is none any more.
pub(crate) fn read_changed<T>(
    subject: &Subject<'_, '_>,
    edits: &[Edit],
    then: impl FnOnce(&Subject<'_, '_>) -> T,
) -> Option<T> {
    let Subject { document, meter, shape, .. } = *subject;
    let text = document.apply_within(span_of(subject), edits);
    read_text(subject, &text, |document, conversation| {
        let (joints, count) = (Joints::of(conversation), meter.count(conversation));
        let (pairs, cuts) = (&joints.pairs, &joints.cuts);
        let (dialect, layout) = (conversation.dialect, shape.layout.alone());
        let shape = Shape { dialect, layout, ..shape };
        let count = &count;
        then(&Subject { document, shape, conversation, pairs, cuts, meter, count })
    })
}

/// Reads the text that a conversation became; `None` where it is none any more.
fn read_text<T>(
    subject: &Subject<'_, '_>,
    text: &[u8],
    read: impl for<'t> FnOnce(&Document<'t>, &Conversation<'t>) -> T,
) -> Option<T> {
    let layout = subject.shape.layout.alone();
    let ends = OnceCell::new();
    let is_broken = subject.conversation.dialect.is_log() && !subject.document.broken().is_empty();
    let document = match Document::parse(text) {
        Err(_) if is_broken => Document::by_line(text, &ends),
        read => read.ok()?,
    };
    // What is left of an anthropic conversation may be plain roles and texts, read as openai.
    let dialect = dialect::recognise(document.values(), subject.shape.named())
        .ok()
        .filter(|found| found.layout == layout)
        .map_or(subject.shape.dialect, |found| found.dialect);
    let source = dialect::sources(&document, layout).into_iter().next()?;
    let conversation = decode(dialect, source, subject.conversation.scope);
    Some(read(&document, &conversation))
}

/// A draft, carried out.
pub struct Settled {
    /// The edits of the document; none where nothing was decided.
    pub edits: Vec<Edit>,
    /// What the result counts.
    pub tokens: usize,
    /// How many thinking parts went because something before them was edited.
    pub thoughts: usize,
    /// What had to be repaired besides.
    pub repairs: Vec<Repair>,
    /// Where something was repaired, the parts of the result: numbers for how each is written and for what
    /// it says.
    words: Option<HashSet<u64>>,
}

impl Settled {
    /// Edits that needed nothing else.
    pub(crate) fn of(edits: Vec<Edit>, tokens: usize) -> Self {
        Self { edits, tokens, thoughts: 0, repairs: Vec::new(), words: None }
    }

    /// The same edits where some others come first, of whose repairs they are. What goes has no need of its own.
    #[must_use]
    pub(crate) fn behind(
        self,
        subject: &Subject<'_, '_>,
        first: &[Edit],
        mut repairs: Vec<Repair>,
    ) -> Self {
        let edits = compose(span_of(subject), first, &self.edits);
        let Subject { document, conversation, .. } = *subject;
        repairs.retain(|repair| {
            let span = repair.message.map(|at| document.span(conversation.messages[at].json));
            span.is_none_or(|span| take_out(first, &span) || !take_out(&edits, &span))
        });
        let repairs = repairs.into_iter().chain(self.repairs).collect();
        Self { edits, repairs, ..self }
    }

    /// Whether something was repaired, which may have taken what the draft keeps.
    pub fn is_repaired(&self) -> bool {
        self.words.is_some()
    }

    /// Whether the repaired result has a part; where its message was taken out, as it was written, and
    /// where that stays, with the same words.
    pub fn has(&self, part: &Part<'_>, is_out: bool) -> bool {
        let has = |word| self.words.as_ref().is_none_or(|words| words.contains(&word));
        has(written(part)) || !is_out && said(part).is_some_and(has)
    }

    /// Whether all that was repaired is what went.
    pub fn only_removes(&self) -> bool {
        self.repairs.iter().all(|repair| repair.loses)
    }

    /// Whether something within a span of the document is another.
    pub fn touches(&self, span: &Range<usize>) -> bool {
        let from = self.edits.partition_point(|edit| edit.span.end <= span.start);
        self.edits.get(from).is_some_and(|edit| edit.span.start < span.end)
    }

    /// Whether nothing of a span of the document is left.
    pub fn takes_out(&self, span: &Range<usize>) -> bool {
        take_out(&self.edits, span)
    }
}

/// What a session log becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The shorter log: lines that went are gone.
    Shorter,
    /// The whole log, with changed copies of lines and the agent's own records behind it.
    Appended,
}

impl Form {
    /// Whether a draft can be carried out in this form: not every dialect has records to append.
    pub fn can_settle<'a>(self, subject: &Subject<'_, 'a>, draft: &mut Draft<'_, 'a>) -> bool {
        self == Self::Shorter || append(subject, draft).is_some()
    }

    /// Whether there is any result of this form, whatever is decided.
    pub fn suits(self, subject: &Subject<'_, '_>) -> bool {
        let mut draft = Draft::new(subject.conversation);
        draft.insert_message(0, NewMessage::note());
        self.can_settle(subject, &mut draft)
    }

    /// Carries a draft out in this form; `None` where the dialect has no records to append.
    pub fn settle<'a>(
        self,
        subject: &Subject<'_, 'a>,
        draft: &mut Draft<'_, 'a>,
    ) -> Option<Settled> {
        match self {
            Self::Shorter => Some(settle(subject, draft)),
            Self::Appended => append(subject, draft),
        }
    }
}

/// Carries a draft out: drops thinking that it unbinds, mends the log, repairs what its provider would
/// refuse, and counts the result.
fn settle<'a>(subject: &Subject<'_, 'a>, draft: &mut Draft<'_, 'a>) -> Settled {
    let Subject { document, conversation, meter, count, .. } = *subject;
    let thoughts = thinking::drop_behind_edits(draft);
    let tokens = meter.draft(draft, count);
    let edits = resume::edits(draft, document, tokens);
    let unrepaired = |edits, tokens| Settled { thoughts, ..Settled::of(edits, tokens) };
    if edits.is_empty() {
        return unrepaired(edits, tokens);
    }
    let exempt = exempt(conversation);
    let counted = read_after(subject, &edits, |conversation| {
        broken(conversation, exempt).is_empty().then(|| tokens_after(subject, conversation))
    });
    if let Some(tokens) = counted.unwrap_or(Some(tokens)) {
        return unrepaired(edits, tokens);
    }
    let repaired = repair(subject, &edits, |draft, document, tokens| {
        Some(resume::edits(draft, document, tokens))
    });
    let left = repaired.and_then(|(edits, repairs)| {
        let read = |after: &Conversation<'_>| {
            let is_left = after.messages.iter().any(|it| it.is_sent() && !it.units.is_empty());
            is_left.then(|| (tokens_after(subject, after), words(after)))
        };
        let (tokens, words) = read_after(subject, &edits, read)??;
        Some(Settled { edits, tokens, thoughts, repairs, words: Some(words) })
    });
    // Better a broken conversation than none.
    left.unwrap_or_else(|| unrepaired(edits, tokens))
}

/// The rules that do not hold for a conversation, whatever its provider says.
fn exempt(conversation: &Conversation<'_>) -> &'static [&'static Rule] {
    if takes_objects(conversation) { OBJECTS } else { &[] }
}

/// The rules by which its provider would refuse a conversation.
fn broken(
    conversation: &Conversation<'_>,
    exempt: &'static [&'static Rule],
) -> HashSet<&'static str> {
    let pairs = Pairs::of(&conversation.messages);
    let found = findings(conversation, &pairs, conversation.dialect.provider());
    let faults = found.iter().filter(|finding| finding.severity == Severity::Fault);
    faults.filter(|fault| !fault.rule.is_in(exempt)).map(|fault| fault.rule.name).collect()
}

/// Edits and the repairs of what they make of a conversation, `written` by the form that they are for;
/// `None` where it has no way to write them, or where that is no conversation any more.
fn repair(
    subject: &Subject<'_, '_>,
    edits: &[Edit],
    written: impl for<'t> FnOnce(&mut Draft<'_, 't>, &Document<'t>, usize) -> Option<Vec<Edit>>,
) -> Option<(Vec<Edit>, Vec<Repair>)> {
    let Subject { document, conversation: before, meter, .. } = *subject;
    let (provider, exempt) = (before.dialect.provider(), exempt(before));
    let text = document.apply_within(span_of(subject), edits);
    let repaired = read_text(subject, &text, |document, conversation| {
        let signatures = Signatures::of(conversation, None);
        let (mut draft, repairs) = normalize(conversation, provider, signatures, exempt);
        let tokens = meter.draft(&draft, &meter.count(conversation));
        Some((written(&mut draft, document, tokens)?, repairs))
    });
    let (more, repairs) = repaired??;
    Some((compose(span_of(subject), edits, &more), repairs))
}

/// Carries a draft out by changed copies of lines and the agent's own records behind the untouched
/// log, with repairs behind them where its provider would refuse what it took before; `None` where the
/// dialect has no such records.
fn append<'a>(subject: &Subject<'_, 'a>, draft: &mut Draft<'_, 'a>) -> Option<Settled> {
    let Subject { document, conversation, meter, count, .. } = *subject;
    if draft.is_empty() {
        return Some(Settled::of(Vec::new(), count.tokens()));
    }
    // Behind a compaction of its own an agent keeps its thinking.
    let has_summary = draft.new_messages().any(|(_, message)| message.is_summary);
    let thoughts = if has_summary { 0 } else { thinking::drop_behind_edits(draft) };
    // What an agent's records name stays; something has to say that the rest is gone.
    let mut gone = (0..conversation.messages.len()).filter(|&at| draft.is_dropped(at));
    if let Some(first) = gone.next().filter(|_| draft.new_messages().next().is_none()) {
        draft.insert_message(first, NewMessage::note());
    }
    let tokens = meter.draft(draft, count);
    let edits = behind(draft, document, tokens)?;
    let exempt = exempt(conversation);
    let is_no_worse = |after: &Conversation<'_>| {
        let broken = broken(after, exempt);
        broken.is_empty() || broken.is_subset(&self::broken(conversation, exempt))
    };
    // A line that held nothing else stays: no record says that it is gone.
    let before = thinking::parts(conversation);
    let read = |after: &Conversation<'_>| {
        let gone = before.saturating_sub(thinking::parts(after)).min(thoughts);
        (is_no_worse(after), tokens_after(subject, after), gone)
    };
    let (is_done, tokens, thoughts) = read_after(subject, &edits, read)?;
    if is_done {
        return Some(Settled { thoughts, ..Settled::of(edits, tokens) });
    }
    let (edits, repairs) = repair(subject, &edits, behind)?;
    let read = |after: &Conversation<'_>| {
        is_no_worse(after).then(|| (tokens_after(subject, after), words(after)))
    };
    let (tokens, words) = read_after(subject, &edits, read)??;
    Some(Settled { edits, tokens, thoughts, repairs, words: Some(words) })
}

/// The lines that say behind a log what a draft decides.
fn behind<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<Edit>> {
    let lines = resume::append(draft, document, tokens)?;
    let (end, newline) = (document.end(), document.newline());
    let mut text: String = lines.iter().flat_map(|line| [newline, line]).collect();
    // What its agent writes next begins a line.
    if !document.bytes()[end..].contains(&b'\n') {
        text.push_str(newline);
    }
    Some(vec![Edit { span: end..end, text }])
}

/// What a conversation counts that was read back: a message that is where it was counts what it did.
fn tokens_after(subject: &Subject<'_, '_>, after: &Conversation<'_>) -> usize {
    let Subject { conversation: before, count, meter, .. } = *subject;
    if after.source.root.is_some() || after.dialect.name() != before.dialect.name() {
        return meter.count(after).tokens();
    }
    let start = |message: &Message<'_>| message.json.source().as_ptr();
    // Fewer are left than there were.
    let mut known: HashMap<_, Option<usize>> =
        after.messages.iter().map(|message| (start(message), None)).collect();
    for (at, message) in before.messages.iter().enumerate() {
        if let Some(known) = known.get_mut(&start(message)) {
            *known = Some(at);
        }
    }
    let (mut tokens, mut changed) = (0, Vec::new());
    for (index, message) in after.messages.iter().enumerate() {
        let same = known[&start(message)].filter(|at| is_same(message, &before.messages[*at]));
        match same {
            // What a conversation costs as a whole depends on there being a message.
            Some(at) if index > 0 => tokens += count.messages[at].tokens(),
            _ => changed.push(message.clone()),
        }
    }
    let source = Source::default();
    tokens + meter.count(&Conversation { source, messages: changed, ..*after }).tokens()
}

/// Whether two messages are the same text, and not only an equal one, read alike.
fn is_same(one: &Message<'_>, other: &Message<'_>) -> bool {
    let is = |one: Option<Json<'_>>, other: Option<Json<'_>>| match (one, other) {
        (Some(one), Some(other)) => one.is(other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let is_part = |(one, other): (&Part<'_>, &Part<'_>)| {
        let is_it = one.kind == other.kind && one.json.is(other.json);
        is_it && is(one.body, other.body) && is(one.name, other.name)
    };
    (one.role, one.origin) == (other.role, other.origin)
        && is(one.name, other.name)
        && one.parts.len() == other.parts.len()
        && one.parts.iter().zip(&other.parts).all(is_part)
}

/// Numbers for how each part of a conversation is written, and for what it says.
fn words(conversation: &Conversation<'_>) -> HashSet<u64> {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    parts.flat_map(|part| [Some(written(part)), said(part)]).flatten().collect()
}

/// A number that parts have in common that are written alike.
fn written(part: &Part<'_>) -> u64 {
    number(part.json.source())
}

/// A number that parts have in common that say the same, whatever else is beside it.
fn said(part: &Part<'_>) -> Option<u64> {
    let name = part.name.map(Json::source);
    Some(number((part.kind, name, part.body?.source())))
}

fn number(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
