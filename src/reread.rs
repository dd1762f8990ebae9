//! Reading a result back, to know what it really is and counts.
//!
//! Responsible for the text of one conversation after some edits, as a document of its own. It is repaired if
//! an edit left something that the provider refuses, and counted as any reader would count it.

mod alone;
mod normalized;
mod pieces;
mod repaired;
mod roles;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::check::{OBJECTS, Rule, Severity, findings_for, takes_objects, waived};
use crate::conversation::{Conversation, Message, Part, Source, decode};
use crate::dialect::{self, Provider, Shape};
use crate::document::{Document, Edit, compose, take_out};
use crate::draft::{Draft, NewMessage};
use crate::json::Json;
use crate::normalize::{Repair, normalize};
use crate::pairing::{Joints, Pairs};
use crate::resume;
use crate::subject::Subject;
use crate::thinking::{self, Signatures};
use pieces::Pieces;

pub use normalized::{Again, Left, Normalized, PlacedRepair, Target};
pub(crate) use repaired::repaired_first;

/// Reads the conversation that `edits`, which all lie in its span, make of `subject`; `None` if the result is
/// no conversation. If the conversation is just a list, its unedited units are not copied for this.
fn read_after<T>(
    subject: &Subject<'_, '_>,
    edits: &[Edit],
    read: impl FnOnce(&Conversation<'_>) -> T,
) -> Option<T> {
    let Subject { document, shape, conversation, .. } = *subject;
    let Some(pieces) = Pieces::of(document, &conversation.source, edits) else {
        let text = document.apply_within(subject.span(), edits);
        return read_text(subject, &text, |_, conversation| read(conversation));
    };
    let (shape, source) = pieces.read(shape)?;
    Some(read(&decode(shape.dialect, source, conversation.scope)))
}

/// Reads the conversation that `edits`, which all lie in its span, make of `subject`, and pairs and counts
/// it; `None` if the result is no conversation.
pub(crate) fn read_changed<T>(
    subject: &Subject<'_, '_>,
    edits: &[Edit],
    then: impl FnOnce(&Subject<'_, '_>) -> T,
) -> Option<T> {
    let Subject { document, meter, shape, .. } = *subject;
    let text = document.apply_within(subject.span(), edits);
    read_text(subject, &text, |document, conversation| {
        let (joints, count) = (Joints::of(conversation), meter.count(conversation));
        let (pairs, cuts) = (&joints.pairs, &joints.cuts);
        let (dialect, layout) = (conversation.dialect, shape.layout.alone());
        let shape = Shape { dialect, layout, ..shape };
        let count = &count;
        then(&Subject { document, shape, conversation, pairs, cuts, meter, count })
    })
}

/// Reads the text that a conversation became; `None` if it is no conversation.
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
    // After edits, an anthropic conversation may have only plain roles and texts, which are read as openai.
    let dialect = dialect::recognise(document.values(), subject.shape.named())
        .ok()
        .filter(|found| found.layout == layout)
        .map_or(subject.shape.dialect, |found| found.dialect);
    let source = dialect::sources(&document, layout).into_iter().next()?;
    let conversation = decode(dialect, source, subject.conversation.scope);
    Some(read(&document, &conversation))
}

/// The result of a draft that was carried out.
pub struct Settled {
    /// The edits of the document; empty if nothing was decided.
    pub edits: Vec<Edit>,
    /// The tokens of the result.
    pub tokens: usize,
    /// The number of thinking parts that were removed because something before them was edited.
    pub thoughts: usize,
    /// The other repairs that the result needed.
    pub repairs: Vec<Repair>,
    /// If anything was repaired, hashes of the parts of the result: of how each is written, and of its text.
    words: Option<HashSet<u64>>,
}

impl Settled {
    /// Edits that needed no repair.
    pub(crate) fn of(edits: Vec<Edit>, tokens: usize) -> Self {
        Self { edits, tokens, thoughts: 0, repairs: Vec::new(), words: None }
    }

    /// These edits with the edits `first` before them, which made the `repairs`. Repairs of messages that are
    /// removed are left out.
    #[must_use]
    pub(crate) fn behind(
        self,
        subject: &Subject<'_, '_>,
        first: &[Edit],
        mut repairs: Vec<Repair>,
    ) -> Self {
        let edits = compose(subject.span(), first, &self.edits);
        let Subject { document, conversation, .. } = *subject;
        repairs.retain(|repair| {
            let span = repair.message.map(|at| document.span(conversation.messages[at].json));
            span.is_none_or(|span| take_out(first, &span) || !take_out(&edits, &span))
        });
        let repairs = repairs.into_iter().chain(self.repairs).collect();
        Self { edits, repairs, ..self }
    }

    /// Whether anything was repaired; a repair may remove what the draft keeps.
    pub fn is_repaired(&self) -> bool {
        self.words.is_some()
    }

    /// Whether the repaired result still has a part: as it was written, or also with only the same text,
    /// unless its message `is_out`.
    pub fn has(&self, part: &Part<'_>, is_out: bool) -> bool {
        let has = |word| self.words.as_ref().is_none_or(|words| words.contains(&word));
        has(written(part)) || !is_out && said(part).is_some_and(has)
    }

    /// Whether all repairs removed something.
    pub fn only_removes(&self) -> bool {
        self.repairs.iter().all(|repair| repair.loses)
    }

    /// Whether an edit changes anything within a span of the document.
    pub fn touches(&self, span: &Range<usize>) -> bool {
        let from = self.edits.partition_point(|edit| edit.span.end <= span.start);
        self.edits.get(from).is_some_and(|edit| edit.span.start < span.end)
    }

    /// Whether the edits remove all of a span of the document.
    pub fn takes_out(&self, span: &Range<usize>) -> bool {
        take_out(&self.edits, span)
    }
}

/// What a session log becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The shorter log: removed lines are gone.
    Shorter,
    /// The whole log, followed by changed copies of lines and the agent's own records.
    Appended,
}

impl Form {
    /// Whether a draft can be carried out in this form; not every dialect has records to append.
    pub fn can_settle<'a>(self, subject: &Subject<'_, 'a>, draft: &mut Draft<'_, 'a>) -> bool {
        self == Self::Shorter || append(subject, draft).is_some()
    }

    /// Whether this form is possible for the conversation, whatever is decided.
    pub fn suits(self, subject: &Subject<'_, '_>) -> bool {
        let mut draft = Draft::new(subject.conversation);
        draft.insert_message(0, NewMessage::note());
        self.can_settle(subject, &mut draft)
    }

    /// Carries a draft out in this form; `None` if the dialect has no records to append.
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

/// Carries a draft out: removes thinking that it makes void, mends the log, repairs what the provider would
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
    // A broken conversation is better than none.
    left.unwrap_or_else(|| unrepaired(edits, tokens))
}

/// The rules that are not applied to a conversation.
fn exempt(conversation: &Conversation<'_>) -> &'static [&'static Rule] {
    let shows_internal = conversation.dialect.facts().shows_internal;
    if takes_objects(conversation) && !shows_internal { OBJECTS } else { waived(conversation) }
}

/// The names of the rules that a conversation breaks and that its provider enforces.
fn broken(
    conversation: &Conversation<'_>,
    exempt: &'static [&'static Rule],
) -> HashSet<&'static str> {
    let signatures = Signatures::of(conversation, None);
    faults(conversation, conversation.dialect.provider(), signatures, exempt).into_iter().collect()
}

/// The name of the broken rule of each fault that a provider finds.
fn faults(
    conversation: &Conversation<'_>,
    provider: Provider,
    signatures: Signatures,
    exempt: &'static [&'static Rule],
) -> Vec<&'static str> {
    let pairs = Pairs::of(&conversation.messages);
    let found = findings_for(conversation, &pairs, provider, signatures, None).into_iter();
    let faults = found.filter(|finding| finding.severity == Severity::Fault);
    faults.filter(|fault| !fault.rule.is_in(exempt)).map(|fault| fault.rule.name).collect()
}

/// Repairs the result of `edits`. `written` turns the repairing draft into edits in the form asked for.
/// Returns the edits and repairs, or `None` if they can't be written or the result is no conversation.
fn repair(
    subject: &Subject<'_, '_>,
    edits: &[Edit],
    written: impl for<'t> FnOnce(&mut Draft<'_, 't>, &Document<'t>, usize) -> Option<Vec<Edit>>,
) -> Option<(Vec<Edit>, Vec<Repair>)> {
    let Subject { document, conversation: before, meter, .. } = *subject;
    let (provider, exempt) = (before.dialect.provider(), exempt(before));
    let text = document.apply_within(subject.span(), edits);
    let repaired = read_text(subject, &text, |document, conversation| {
        let signatures = Signatures::of(conversation, None);
        let (mut draft, repairs) = normalize(conversation, provider, signatures, exempt);
        let tokens = meter.draft(&draft, &meter.count(conversation));
        Some((written(&mut draft, document, tokens)?, repairs))
    });
    let (more, repairs) = repaired??;
    Some((compose(subject.span(), edits, &more), repairs))
}

/// Carries a draft out by appending changed copies of lines and the agent's own records to the untouched log,
/// with repairs behind them if the provider would refuse something new; `None` if the dialect has no such
/// records.
fn append<'a>(subject: &Subject<'_, 'a>, draft: &mut Draft<'_, 'a>) -> Option<Settled> {
    let Subject { document, conversation, meter, count, .. } = *subject;
    if draft.is_empty() {
        return Some(Settled::of(Vec::new(), count.tokens()));
    }
    // Behind a compaction of its own, an agent keeps its thinking.
    let has_summary = draft.new_messages().any(|(_, message)| message.is_summary);
    let thoughts = if has_summary { 0 } else { thinking::drop_behind_edits(draft) };
    // The messages that the agent's records name stay; a note has to say that the others are gone.
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
    // A line that held only thinking stays, because no record can say that it is gone.
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

/// The edit that appends a draft's decisions to a log.
fn behind<'a>(
    draft: &mut Draft<'_, 'a>,
    document: &Document<'a>,
    tokens: usize,
) -> Option<Vec<Edit>> {
    let lines = resume::append(draft, document, tokens)?;
    let (end, newline) = (document.end(), document.newline());
    let mut text: String = lines.iter().flat_map(|line| [newline, line]).collect();
    // The agent's next line must begin on a new line.
    if !document.bytes()[end..].contains(&b'\n') {
        text.push_str(newline);
    }
    Some(vec![Edit { span: end..end, text }])
}

/// The tokens of a conversation that was read back; unchanged messages count as before.
fn tokens_after(subject: &Subject<'_, '_>, after: &Conversation<'_>) -> usize {
    let Subject { conversation: before, count, meter, .. } = *subject;
    if after.source.root.is_some() || after.dialect.name() != before.dialect.name() {
        return meter.count(after).tokens();
    }
    let start = |message: &Message<'_>| message.json.source().as_ptr();
    // Index the messages after the edits, since they are fewer.
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
            // The framing of the whole conversation needs at least one message to be counted.
            Some(at) if index > 0 => tokens += count.messages[at].tokens(),
            _ => changed.push(message.clone()),
        }
    }
    let source = Source::default();
    tokens + meter.count(&Conversation { source, messages: changed, ..*after }).tokens()
}

/// Whether two messages are the same text in memory, not just equal text, and were read alike.
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

/// Hashes of how each part is written and of its text.
fn words(conversation: &Conversation<'_>) -> HashSet<u64> {
    let parts = conversation.messages.iter().flat_map(|message| &message.parts);
    parts.flat_map(|part| [Some(written(part)), said(part)]).flatten().collect()
}

/// A hash of a part as it is written.
fn written(part: &Part<'_>) -> u64 {
    number(part.json.source())
}

/// A hash of the kind, name and body of a part, whatever stands beside them; `None` without a body.
fn said(part: &Part<'_>) -> Option<u64> {
    let name = part.name.map(Json::source);
    Some(number((part.kind, name, part.body?.source())))
}

fn number(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
