//! Making a conversation fit a budget: cheap edits first, then a summary in place of the middle.
//!
//! Responsible for what stays, what goes, and that the result counts at most the budget, with every
//! note and wrapper in it. Pure: the summary comes from the caller, who may ask the digest, a model
//! or a file for it. It relies on [`truncate`](crate::truncate) for the cheap edits and on legal cuts
//! for everything that goes.

pub mod entries;
pub mod excerpts;
pub mod profile;
pub mod rebuild;
pub mod report;
pub mod restore;

use crate::conversation::Conversation;
use crate::count::{Count, Meter};
use crate::dialect::Shape;
use crate::document::Document;
use crate::draft::Draft;
use crate::pairing::{Cuts, Pairs};
use crate::reread::{Settled, append, settle};
use crate::truncate::clear::Tools;
use crate::truncate::elide::Infeasible;
use crate::truncate::{clear, dedupe};
use profile::Profile;
use rebuild::Rebuild;
use report::{Fate, Step, fates};

/// Results that the cheap edits never clear: the newest.
const NEWEST_RESULTS: usize = 5;

/// From this part of a conversation on cheap edits are not asked: to leave so little they would clear
/// results that a digest tells of (measured at a fifth).
const DEEP: usize = 4;

/// What may stay, and how much.
pub struct Options {
    /// The most that the result may count, in tokens.
    pub budget: usize,
    /// The set of choices that the fields below override.
    pub profile: &'static Profile,
    /// Keep the first user's message.
    pub keep_first_user: bool,
    /// Tokens of user messages to keep.
    pub keep_users: Option<usize>,
    /// Tokens of the newest messages to keep.
    pub keep_tail: Option<usize>,
    /// How many of the newest results stay.
    pub keep_results: Option<usize>,
    /// Whose results survive.
    pub tools: Tools,
    /// How many recently read files to restore; as the profile says, if `None`.
    pub restore: Option<usize>,
    /// Per mille of the tokens that a compaction has to save.
    pub min_saving: usize,
    /// What a session log becomes.
    pub form: Form,
}

/// What a compacted session log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The shorter log: lines that went are gone.
    Shorter,
    /// The whole log, with the agent's own records of a compaction behind it.
    Appended,
}

/// A conversation that is read and counted.
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

/// What has to be done to meet the budget.
pub enum Plan<'c, 'a> {
    /// It fits: nothing.
    Fits,
    /// The cheap edits are enough.
    Shortened(Draft<'c, 'a>, Vec<Step>),
    /// A middle has to be summarised.
    Summarise(Rebuild<'c, 'a>, Vec<Step>),
}

/// Decides what has to be done.
///
/// # Errors
///
/// What has to stay counts more than the budget.
pub fn plan<'c, 'a>(
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
) -> Result<Plan<'c, 'a>, Infeasible> {
    let tokens = subject.count.tokens();
    if tokens <= options.budget {
        return Ok(Plan::Fits);
    }
    // What saves less than asked is not worth a new prompt cache: aim lower than the budget then.
    let worth = tokens - (tokens * options.min_saving).div_ceil(1000).min(tokens);
    let budget = options.budget.min(worth);
    let mut steps = Vec::new();
    if options.profile.cheap_edits && options.form == Form::Shorter && tokens < budget * DEEP {
        let draft = shorten(subject, options, budget, &mut steps);
        if subject.meter.draft(&draft, subject.count) <= budget {
            return Ok(Plan::Shortened(draft, steps));
        }
        steps.clear();
    }
    let rebuild = Rebuild::plan(subject, options, budget)
        .or_else(|_| Rebuild::plan(subject, options, options.budget))?;
    Ok(Plan::Summarise(rebuild, steps))
}

/// The edits that lose least, one after another until the budget is met.
fn shorten<'c, 'a>(
    subject: &Subject<'c, 'a>,
    options: &Options,
    budget: usize,
    steps: &mut Vec<Step>,
) -> Draft<'c, 'a> {
    let Subject { pairs, meter, count, .. } = *subject;
    let mut draft = Draft::new(subject.conversation);
    let mut tokens = count.tokens();
    let keep = options.keep_results.unwrap_or(NEWEST_RESULTS);
    let mut step = |name, draft: &mut Draft<'c, 'a>, edit: &dyn Fn(&mut Draft<'c, 'a>) -> usize| {
        if tokens <= budget {
            return;
        }
        let messages = edit(draft);
        let now = meter.draft(draft, count);
        if messages > 0 {
            steps.push(Step { step: name, tokens_saved: tokens - now, messages });
        }
        tokens = now;
    };
    let tools = &options.tools;
    step("dedupe", &mut draft, &|draft| {
        let newest = options.keep_results.unwrap_or(0);
        dedupe::drop_superseded_reads(draft, pairs, meter, tools, newest)
    });
    step("clear", &mut draft, &|draft| {
        clear::clear_until(draft, pairs, meter, count, keep, tools, budget)
    });
    draft
}

/// A compacted conversation.
pub struct Compacted<S> {
    /// The edits, what the result counts, what was repaired.
    pub settled: Settled,
    /// Each step and what it saved.
    pub steps: Vec<Step>,
    /// What became of each message.
    pub fates: Vec<Fate>,
    /// The summary, if there is one.
    pub summary: Option<S>,
}

/// Makes a plan true. `summarise` gives a summary for who stays, and its text; it is asked again where
/// the result, read back, counts more than the budget. `None` is a summary that could not be had.
pub fn carry_out<'c, 'a, S>(
    subject: &'c Subject<'c, 'a>,
    plan: Plan<'c, 'a>,
    options: &Options,
    mut summarise: impl FnMut(&mut Rebuild<'c, 'a>) -> Option<(S, String)>,
) -> Option<Compacted<S>> {
    let Subject { document, shape, meter, count, .. } = *subject;
    let settled = |draft: Draft<'c, 'a>| match options.form {
        Form::Shorter => Some(settle(document, shape, draft, meter, count)),
        Form::Appended => append(document, shape, draft, meter, count),
    };
    match plan {
        Plan::Fits => None,
        Plan::Shortened(draft, steps) => {
            let fates = fates(&draft, false);
            Some(Compacted { settled: settled(draft)?, steps, fates, summary: None })
        }
        Plan::Summarise(mut rebuild, mut steps) => loop {
            let (summary, text) = summarise(&mut rebuild)?;
            let draft = rebuild.with_summary(&text);
            let fates = fates(&draft, !text.is_empty());
            let settled = settled(draft)?;
            let over = settled.tokens.saturating_sub(options.budget);
            if over > 0 && (rebuild.tighten(over) || rebuild.plan_anew()) {
                continue;
            }
            steps.push(Step {
                step: "summarise",
                tokens_saved: count.tokens().saturating_sub(settled.tokens),
                messages: fates.iter().filter(|fate| **fate == Fate::Summarised).count(),
            });
            return Some(Compacted { settled, steps, fates, summary: Some(summary) });
        },
    }
}
