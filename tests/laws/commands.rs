//! The commands, run through the library: what they make of an input, and what that counts and says.

use context_compact::check::{Severity, findings};
use context_compact::compact::rebuild::Rebuild;
use context_compact::compact::{self, Options, Plan};
use context_compact::conversation::{Conversation, decode};
use context_compact::count::Meter;
use context_compact::dialect::{self, Scope, Shape};
use context_compact::digest::{self, digest};
use context_compact::document::Document;
use context_compact::pairing::{Cuts, Pairs};
use context_compact::profile::Profile;
use context_compact::reread::Form;
use context_compact::subject::Subject;
use context_compact::tokenizer::Tokenizer;
use context_compact::truncate::clear::Tools;
use context_compact::truncate::{Policies, shortened};

/// One token a word: quick, and as good for the laws as any.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

pub(crate) fn words() -> Meter {
    Meter::with(Box::new(Words), None)
}

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

pub(crate) fn truncated(bytes: &[u8], policies: &Policies) -> Result<Vec<u8>, Refusal> {
    let meter = words();
    with(bytes, |document, shape, conversation| {
        let pairs = Pairs::of(&conversation.messages);
        let cuts = Cuts::of(conversation, &pairs);
        let count = meter.count(conversation);
        let (pairs, cuts, count, meter) = (&pairs, &cuts, &count, &meter);
        let subject = Subject { document, shape, conversation, pairs, cuts, meter, count };
        let done = shortened(&subject, policies, Form::Shorter, &mut |_| None);
        let done = done.map_err(|infeasible| Refusal(infeasible.least))?;
        Ok(document.apply(&done.expect("nothing is appended").settled.edits))
    })
}

/// The results of these are protected unasked.
pub(crate) fn plan_tools() -> Tools {
    let keep = globset::GlobSet::builder().add(globset::Glob::new("TodoWrite").unwrap()).build();
    Tools { keep: keep.ok(), ..Tools::default() }
}

/// What a compaction is asked for besides its budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) profile: &'static Profile,
    pub(crate) keep_results: Option<usize>,
    pub(crate) pins_tools: bool,
}

impl Asked {
    pub(crate) fn of(profile: &'static Profile) -> Self {
        Self { profile, keep_results: None, pins_tools: false }
    }
}

pub(crate) fn compacted(bytes: &[u8], budget: usize, asked: Asked) -> Result<Vec<u8>, Refusal> {
    let meter = words();
    with(bytes, |document, shape, conversation| {
        let pairs = Pairs::of(&conversation.messages);
        let cuts = Cuts::of(conversation, &pairs);
        let count = meter.count(conversation);
        let (pairs, cuts, count, meter) = (&pairs, &cuts, &count, &meter);
        let subject = Subject { document, shape, conversation, pairs, cuts, meter, count };
        let options = Options {
            budget,
            profile: asked.profile,
            keep_first_user: false,
            keep_users: None,
            keep_tail: None,
            keep_results: asked.keep_results,
            tools: plan_tools(),
            pins_tools: asked.pins_tools,
            tool_budget: None,
            restore: None,
            redact: false,
            summarises: true,
            min_saving: 50,
            form: Form::Shorter,
        };
        let plan = compact::plan(&subject, &options, &mut |_| None);
        let plan = plan.map_err(|infeasible| Refusal(infeasible.least))?;
        if let Plan::Fits = plan {
            return Ok(bytes.to_vec());
        }
        let done = compact::carry_out(&subject, plan, &options, |rebuild| {
            let write = |rebuild: &Rebuild<'_, '_>| {
                digest(&digest::Request {
                    conversation,
                    pairs,
                    setting: rebuild.setting,
                    summarised: &rebuild.summarised(),
                    shown: &rebuild.kept,
                    partly_shown: None,
                    budget: rebuild.summary_room(),
                    may_spread: true,
                    count: &|text| meter.text(text),
                    said: &|at| subject.said(at),
                    archive: None,
                    redact: false,
                })
            };
            let text = rebuild.summary(|rebuild| {
                let mut text = write(rebuild);
                if rebuild.give_rest_to_tail(&text) {
                    text = write(rebuild);
                    rebuild.give_rest_to_tail(&text);
                }
                text
            });
            Some(((), text))
        });
        let settled = done.expect("a summary").settled;
        // The command refuses what is over.
        if settled.tokens > budget {
            return Err(Refusal(compact::least_budget(&subject, &options)));
        }
        Ok(document.apply(&settled.edits))
    })
}

pub(crate) fn to_budget(budget: usize) -> Policies {
    Policies { budget: Some(budget), ..Policies::default() }
}
