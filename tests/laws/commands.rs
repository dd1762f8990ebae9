//! The commands, run through the library: what they make of an input, and what that counts and says.

use context_compact::check::{Severity, findings};
use context_compact::conversation::{Conversation, decode};
use context_compact::count::Meter;
use context_compact::dialect::{self, Scope, Shape};
use context_compact::document::Document;
use context_compact::pairing::{Joints, Pairs};
use context_compact::profile::Profile;
use context_compact::reread::Form;
use context_compact::subject::Subject;
use context_compact::truncate::{Policies, shortened};

use super::shortening::{Asked, compaction, words};

/// Reads the one conversation of a text.
pub(crate) fn with<T>(
    bytes: &[u8],
    then: impl for<'a> FnOnce(&Document<'a>, Shape, &Conversation<'a>) -> T,
) -> T {
    let text = || String::from_utf8_lossy(bytes);
    let document = Document::parse(bytes).unwrap_or_else(|error| panic!("{error}: {}", text()));
    let shape = dialect::recognise(document.values(), None).expect("a known dialect");
    let source = dialect::sources(&document, shape.layout).remove(0);
    let conversation = decode(shape.dialect, source, Scope::Live);
    then(&document, shape, &conversation)
}

pub(crate) fn tokens(bytes: &[u8], meter: &Meter) -> usize {
    with(bytes, |_, _, conversation| meter.count(conversation).tokens())
}

/// What each message says, for telling whether it was kept.
pub(crate) fn said(bytes: &[u8]) -> Vec<String> {
    with(bytes, |_, _, conversation| {
        let parts = |message: &context_compact::conversation::Message<'_>| {
            let parts = message.parts.iter().map(|part| format!("{:?} {}", part.kind, part.text()));
            parts.collect::<Vec<_>>().join("\n")
        };
        conversation.messages.iter().map(parts).collect()
    })
}

/// What its provider would refuse.
pub(crate) fn faults(bytes: &[u8]) -> Vec<String> {
    with(bytes, |_, _, conversation| {
        let pairs = Pairs::of(&conversation.messages);
        let found = findings(conversation, &pairs, conversation.dialect.provider());
        let faults = found.iter().filter(|finding| finding.severity == Severity::Fault);
        faults.map(|fault| format!("{}: {}", fault.rule.name, fault.text)).collect()
    })
}

/// There is no result; the least budget that can be met.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) usize);

impl Asked {
    pub(crate) fn of(profile: &'static Profile) -> Self {
        Self { profile, keep_results: None, pins_tools: false, restore: None }
    }
}

pub(crate) fn truncated(bytes: &[u8], policies: &Policies) -> Result<Vec<u8>, Refusal> {
    let meter = words();
    with(bytes, |document, shape, conversation| {
        let joints = Joints::of(conversation);
        let count = meter.count(conversation);
        let (pairs, cuts, count, meter) = (&joints.pairs, &joints.cuts, &count, &meter);
        let subject = Subject { document, shape, conversation, pairs, cuts, meter, count };
        let done = shortened(&subject, policies, Form::Shorter, &mut |_| None);
        let done = done.map_err(|infeasible| Refusal(infeasible.least))?;
        Ok(document.apply(&done.expect("nothing is appended").settled.edits))
    })
}

/// What a compaction makes of a conversation.
pub(crate) struct Shortened {
    pub(crate) bytes: Vec<u8>,
    /// The summary and the paths of restored files, if anything had to go.
    pub(crate) inserted: Vec<String>,
}

pub(crate) fn compacted(bytes: &[u8], budget: usize, asked: Asked) -> Result<Vec<u8>, Refusal> {
    carried_out(bytes, budget, asked).map(|done| done.bytes)
}

pub(crate) fn carried_out(bytes: &[u8], budget: usize, asked: Asked) -> Result<Shortened, Refusal> {
    let meter = words();
    with(bytes, |document, shape, conversation| {
        let joints = Joints::of(conversation);
        let count = meter.count(conversation);
        let (pairs, cuts, count, meter) = (&joints.pairs, &joints.cuts, &count, &meter);
        let subject = Subject { document, shape, conversation, pairs, cuts, meter, count };
        let done = compaction(&subject, budget, asked, Form::Shorter);
        let Some(done) = done.map_err(|infeasible| Refusal(infeasible.least))? else {
            return Ok(Shortened { bytes: bytes.to_vec(), inserted: Vec::new() });
        };
        let bytes = document.apply(&done.settled.edits);
        let inserted = done.summary.into_iter().chain(done.restored_files).collect();
        Ok(Shortened { bytes, inserted })
    })
}

pub(crate) fn to_budget(budget: usize) -> Policies {
    Policies { budget: Some(budget), ..Policies::default() }
}
