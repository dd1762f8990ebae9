//! What truncate and compact are asked for in the laws, and compact carried out without a command around it.
//!
//! Responsible for what several suites ask alike; a digest writes the summaries.

use context_compact::compact::digested::Digested;
use context_compact::compact::{self, Compacted, Options, Plan};
use context_compact::count::Meter;
use context_compact::profile::{PROFILES, Profile};
use context_compact::reread::Form;
use context_compact::subject::Subject;
use context_compact::tokenizer::Tokenizer;
use context_compact::truncate::Policies;
use context_compact::truncate::clear::Tools;
use context_compact::truncate::cut::{Limit, Measure};
use context_compact::truncate::elide::Infeasible;
use proptest::option::of;
use proptest::prelude::*;

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
    pub(crate) restore: Option<usize>,
}

pub(crate) fn some_compactions() -> impl Strategy<Value = Asked> {
    (0..PROFILES.len(), of(0..4_usize), any::<bool>(), of(0..3_usize)).prop_map(
        |(which, keep_results, pins_tools, restore)| Asked {
            profile: &PROFILES[which],
            keep_results,
            pins_tools,
            restore,
        },
    )
}

/// A compaction, with the text of its summary; `None` if the conversation fits.
pub(crate) fn compaction(
    subject: &Subject<'_, '_>,
    budget: usize,
    asked: Asked,
    form: Form,
) -> Result<Option<Compacted<String>>, Infeasible> {
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
        restore: asked.restore,
        redact: false,
        digests: true,
        min_saving: 50,
        form,
    };
    let plan = compact::plan(subject, &options, &mut |_| None)?;
    if let Plan::Fits = plan {
        return Ok(None);
    }
    let done = compact::carry_out(subject, plan, &options, |rebuild| {
        let text = Digested::default().summary(subject, rebuild);
        Some((text.clone(), text))
    });
    // The command refuses what is over, and what has no records to append.
    let least = || Infeasible { least: compact::least_budget(subject, &options) };
    let done = done.ok_or_else(least)?;
    if done.settled.tokens > budget { Err(least()) } else { Ok(Some(done)) }
}

pub(crate) fn some_policies() -> impl Strategy<Value = Policies> {
    let measure = vec![Measure::Tokens, Measure::Bytes, Measure::Chars];
    let limit = (proptest::sample::select(measure), 0..60_usize)
        .prop_map(|(measure, most)| Limit { measure, most, head_share: 0.5 });
    (of(limit), any::<bool>(), of(0..4_usize), of(0..20_usize), of(20..400_usize)).prop_map(
        |(per_result, dedupe, keep_results, max_messages, budget)| Policies {
            per_result,
            dedupe,
            keep_results,
            max_messages,
            budget,
            ..Policies::default()
        },
    )
}
