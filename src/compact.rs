//! Making a conversation fit a budget: cheap edits first, then a summary in place of the middle.
//!
//! Responsible for what stays, what goes, and that the result counts at most the budget, with every
//! note and wrapper in it. Pure: the summary comes from the caller, who may ask the digest, a model
//! or a file for it. It relies on [`truncate`](crate::truncate) for the cheap edits and on legal cuts
//! for everything that goes.

mod cheap;
pub mod entries;
pub mod excerpts;
pub mod rebuild;
pub mod report;
pub mod restore;
mod sizes;

use crate::draft::Draft;
use crate::profile::{Profile, Tail};
use crate::reread::{Form, Settled};
use crate::subject::Subject;
use crate::truncate::clear::Tools;
use crate::truncate::elide::Infeasible;
use crate::truncate::spill::Spill;
use crate::truncate::step::{Step, summing_to};
use cheap::Cheap;
use rebuild::{Rebuild, SHORT_SUMMARY};
use report::{Fate, changed_units, fates};

/// From this part of a conversation on results are not cleared first: to leave so little, those would go that
/// a digest tells of (measured at a fifth).
const DEEP: usize = 4;

/// What may stay, and how much.
#[derive(Clone)]
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
    /// How many of the newest results stay, whatever room there is.
    pub keep_results: Option<usize>,
    /// Whose results survive.
    pub tools: Tools,
    /// Whether all results of the protected tools stay, whatever room there is; if not, as far as the
    /// profile has it and there is room.
    pub pins_tools: bool,
    /// Bytes of results that the last batch may hold before the largest go to files.
    pub tool_budget: Option<usize>,
    /// How many recently read files to restore; as the profile says, if `None`.
    pub restore: Option<usize>,
    /// Whether secrets are masked in what is restored, and in what is told.
    pub redact: bool,
    /// Whether the built-in digest tells of what goes, which costs nothing and keeps most of it.
    pub digests: bool,
    /// Per mille of the tokens that a compaction has to save.
    pub min_saving: usize,
    /// What a session log becomes.
    pub form: Form,
}

impl Options {
    /// The most messages that the profile leaves before anything is summarised. It goes by their number
    /// alone, so there is no such limit where the user said what is to stay.
    pub fn window(&self) -> Option<usize> {
        let some = |most: Option<usize>| most.is_some_and(|most| most > 0);
        let is_asked = self.keep_first_user
            || self.pins_tools
            || [self.keep_users, self.keep_tail, self.keep_results].into_iter().any(some);
        self.profile.cheap_edits?.messages.filter(|_| !is_asked)
    }

    /// Whether newest messages are to stay, by the profile or as asked.
    pub fn keeps_newest(&self) -> bool {
        self.keep_tail.map_or(self.profile.tail != Tail::None, |tokens| tokens > 0)
    }

    /// Whether old results go before anything is summarised: the built-in digest keeps more of them, and no other
    /// summary is sure to.
    pub fn clears_first(&self) -> bool {
        !self.digests || self.profile.cheap_edits.is_some_and(|cheap| cheap.clears_first)
    }
}

/// What has to be done to meet the budget.
pub enum Plan<'c, 'a> {
    /// It fits: nothing.
    Fits,
    /// The cheap edits are enough: they, the result if the dialect has this form, and each step.
    Shortened(Box<Draft<'c, 'a>>, Option<Settled>, Vec<Step>),
    /// A middle has to be summarised.
    Summarise(Box<Rebuild<'c, 'a>>),
}

/// Decides what has to be done; `store` writes a result to a file and answers its path. Edits that
/// lose little come first, until the budget is met. Where they do not meet it, they are taken back,
/// but for the readings and large results of the tail: a summary is the better, the more it is of.
///
/// # Errors
///
/// What has to stay counts more than the budget.
pub fn plan<'c, 'a>(
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
    store: &mut dyn FnMut(&Spill) -> Option<String>,
) -> Result<Plan<'c, 'a>, Infeasible> {
    let tokens = subject.count.tokens();
    if tokens <= options.budget {
        return Ok(Plan::Fits);
    }
    // What saves less than asked is not worth a new prompt cache: aim lower than the budget then.
    let worth = tokens - (tokens * options.min_saving).div_ceil(1000).min(tokens);
    let budget = options.budget.min(worth);
    let mut cheap = Cheap::edits(subject, options, budget, store);
    if tokens < budget * DEEP && options.clears_first() {
        cheap.clear(budget);
    }
    if let Some(plan) = cheap.shortened(budget) {
        return Ok(plan);
    }
    if let Ok(rebuild) = cheap.rebuild(budget).or_else(|_| cheap.rebuild(options.budget)) {
        return Ok(Plan::Summarise(Box::new(rebuild)));
    }
    cheap.cleared(options.budget).ok_or_else(|| Infeasible { least: cheap.least() })
}

/// The least budget that can be met: what has to stay, and a note for the rest, as they count when
/// they are read back; never more than the conversation counts, which is left as it is where it fits.
pub fn least_budget(subject: &Subject<'_, '_>, options: &Options) -> usize {
    let mut cheap = Cheap::edits(subject, options, 0, &mut |_| None);
    cheap.clear(0);
    cheap.least()
}

/// Whether what has to stay has room in the budget, and beside it a summary that says something, with what
/// stands around one.
pub fn leaves_room(subject: &Subject<'_, '_>, options: &Options) -> bool {
    least_budget(subject, options) + 2 * SHORT_SUMMARY <= options.budget
}

/// A compacted conversation.
pub struct Compacted<S> {
    /// The edits, what the result counts, what was repaired.
    pub settled: Settled,
    /// Each step and what it saved.
    pub steps: Vec<Step>,
    /// What became of each message.
    pub fates: Vec<Fate>,
    /// Units of a log that stay and yet are not as they were, for resuming requires it.
    pub mended: Vec<usize>,
    /// Files that were put back behind the summary.
    pub restored_files: Vec<String>,
    /// The summary, if there is one.
    pub summary: Option<S>,
}

/// Carries a plan out. `summarise` gives a summary and its text; it is asked again where the result,
/// read back, counts more than the budget. `None` is a summary that could not be had.
pub fn carry_out<'c, 'a, S>(
    subject: &'c Subject<'c, 'a>,
    plan: Plan<'c, 'a>,
    options: &'c Options,
    mut summarise: impl FnMut(&mut Rebuild<'c, 'a>) -> Option<(S, String)>,
) -> Option<Compacted<S>> {
    match plan {
        Plan::Fits => None,
        Plan::Shortened(draft, settled, steps) => {
            let settled = settled?;
            let saved = subject.count.tokens().saturating_sub(settled.tokens);
            let steps = summing_to(steps, saved);
            let fates = fates(subject, &draft, &settled, false);
            let mended = changed_units(subject, &settled, &fates);
            let restored_files = Vec::new();
            Some(Compacted { settled, steps, fates, mended, restored_files, summary: None })
        }
        Plan::Summarise(mut rebuild) => loop {
            let (summary, text) = summarise(&mut rebuild)?;
            let mut draft = rebuild.with_summary(&text);
            let settled = options.form.settle(subject, &mut draft)?;
            let over = settled.tokens.saturating_sub(options.budget);
            if over > 0 && (rebuild.tighten(&text, over) || rebuild.plan_anew(over)) {
                continue;
            }
            if over > 0 {
                let mut cheap = Cheap::edits(subject, options, 0, &mut |_| None);
                if let Some(plan) = cheap.cleared(options.budget) {
                    return carry_out(subject, plan, options, summarise);
                }
            }
            let has_summary = !text.is_empty();
            let mut fates = fates(subject, &draft, &settled, has_summary);
            // What goes where it stood and comes back behind the summary stays.
            rebuild.moved().into_iter().for_each(|at| fates[at] = Fate::Kept);
            let mended = changed_units(subject, &settled, &fates);
            let before = subject.count.tokens();
            let steps = rebuild.steps(before, settled.tokens, &fates, has_summary);
            let steps = summing_to(steps, before.saturating_sub(settled.tokens));
            let restored_files = rebuild.restored.map_or(Vec::new(), |files| files.paths);
            let summary = Some(summary);
            return Some(Compacted { settled, steps, fates, mended, restored_files, summary });
        },
    }
}
