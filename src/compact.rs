//! Making a conversation fit a budget: cheap edits first, then a summary in place of the middle.
//!
//! Responsible for what stays, what goes, and that the result counts at most the budget, with every
//! note and wrapper in it. Pure: the summary comes from the caller, who may ask the digest, a model
//! or a file for it. It relies on [`truncate`](crate::truncate) for the cheap edits and on legal cuts
//! for everything that goes.

mod cheap;
pub mod digested;
pub mod entries;
pub mod excerpts;
pub(crate) mod files;
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

/// Old results are cleared first only if the budget is more than one `DEEP`th of the conversation: to leave
/// less, clearing would remove results that a digest reports on. Measured at a fifth.
const DEEP: usize = 4;

/// What may stay in a compacted conversation, and how much.
#[derive(Clone)]
pub struct Options {
    /// The most that the result may count, in tokens.
    pub budget: usize,
    /// The set of choices that the fields below override.
    pub profile: &'static Profile,
    /// Whether the first user message is kept.
    pub keep_first_user: bool,
    /// Tokens of user messages to keep; `None` leaves it to the profile.
    pub keep_users: Option<usize>,
    /// Tokens of the newest messages to keep; `None` leaves it to the profile.
    pub keep_tail: Option<usize>,
    /// How many of the newest results stay, whatever room there is; `None` leaves it to the profile.
    pub keep_results: Option<usize>,
    /// The tools whose results may be touched, and those whose results are protected.
    pub tools: Tools,
    /// Whether all results of the protected tools stay, whatever room there is. If not, they stay as far as
    /// the profile provides and the budget allows.
    pub pins_tools: bool,
    /// The most bytes of results in the last batch; the largest results beyond that go to files.
    pub tool_budget: Option<usize>,
    /// How many recently read files to restore; `None` leaves it to the profile.
    pub restore: Option<usize>,
    /// Whether secrets are masked in restored files and in what a summary is made of.
    pub redact: bool,
    /// Whether the built-in digest is the summarizer: it costs nothing and keeps most of what matters.
    pub digests: bool,
    /// The least part of the tokens, per mille, that a compaction has to save.
    pub min_saving: usize,
    /// What a session log becomes: shorter, or longer by appended records.
    pub form: Form,
}

impl Options {
    /// The most messages that the profile keeps before anything is summarised. `None` if the profile sets no
    /// limit or the user said what is to stay, because the limit goes by number alone.
    pub fn window(&self) -> Option<usize> {
        let some = |most: Option<usize>| most.is_some_and(|most| most > 0);
        let is_asked = self.keep_first_user
            || self.pins_tools
            || [self.keep_users, self.keep_tail, self.keep_results].into_iter().any(some);
        self.profile.cheap_edits?.messages.filter(|_| !is_asked)
    }

    /// Whether newest messages are to stay, by the profile or because the user asked for it.
    pub fn keeps_newest(&self) -> bool {
        self.keep_tail.map_or(self.profile.tail != Tail::None, |tokens| tokens > 0)
    }

    /// Whether old results are cleared before anything is summarised. The built-in digest keeps more of a
    /// result than a placeholder does; no other summarizer is sure to.
    pub fn clears_first(&self) -> bool {
        !self.digests || self.profile.cheap_edits.is_some_and(|cheap| cheap.clears_first)
    }
}

/// What has to be done to meet the budget.
pub enum Plan<'c, 'a> {
    /// Nothing: the conversation fits.
    Fits,
    /// The cheap edits are enough. Holds their draft, the settled result (`None` if the dialect can't have
    /// the asked form), and the steps.
    Shortened(Box<Draft<'c, 'a>>, Option<Settled>, Vec<Step>),
    /// The middle has to be summarised.
    Summarise(Box<Rebuild<'c, 'a>>),
}

/// Decides what has to be done; `store` writes a result to a file and returns its path. Edits that lose
/// little come first, until the budget is met. If they do not suffice, they are taken back, except for
/// readings and large results in the tail, because a summary of unedited messages is better.
///
/// # Errors
///
/// The messages that have to stay count more than the budget.
pub fn plan<'c, 'a>(
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
    store: &mut dyn FnMut(&Spill) -> Option<String>,
) -> Result<Plan<'c, 'a>, Infeasible> {
    let tokens = subject.count.tokens();
    if tokens <= options.budget {
        return Ok(Plan::Fits);
    }
    // A saving below the asked minimum is not worth a new prompt cache, so aim lower than the budget.
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

/// The least budget that can be met, in tokens: the messages that have to stay and a note for the others,
/// counted as they are read back. Never more than the conversation itself counts, because one that fits is
/// left as it is.
pub fn least_budget(subject: &Subject<'_, '_>, options: &Options) -> usize {
    let mut cheap = Cheap::edits(subject, options, 0, &mut |_| None);
    cheap.clear(0);
    cheap.least()
}

/// Whether the budget has room for the messages that have to stay and a meaningful summary with its frame.
pub fn leaves_room(subject: &Subject<'_, '_>, options: &Options) -> bool {
    least_budget(subject, options) + 2 * SHORT_SUMMARY <= options.budget
}

/// A compacted conversation.
pub struct Compacted<S> {
    /// The edits, the token count of the result, and the repairs.
    pub settled: Settled,
    /// The steps, and how many tokens each saved.
    pub steps: Vec<Step>,
    /// What became of each message.
    pub fates: Vec<Fate>,
    /// Units of a log that stay but are changed, because resuming requires it.
    pub mended: Vec<usize>,
    /// Paths of files that were restored behind the summary.
    pub restored_files: Vec<String>,
    /// The summary, if there is one.
    pub summary: Option<S>,
}

/// Carries a plan out. `summarise` returns a summary and its text, or `None` if it could get none; it is
/// called again if the result, read back, counts more than the budget.
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
            // A message that moved behind the summary was dropped from its old place, but it is kept.
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
