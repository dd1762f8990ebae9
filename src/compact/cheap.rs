//! Edits that lose little: large results go to files, superseded readings and old results are cleared.
//!
//! Responsible for their order, and for taking each edit only as far as it is needed.

use super::rebuild::Rebuild;
use super::{Options, Plan};
use crate::conversation::Place;
use crate::defaults::HEAD_SHARE;
use crate::draft::Draft;
use crate::reread::Settled;
use crate::subject::Subject;
use crate::truncate::clear::{self, Tools};
use crate::truncate::cut::{Limit, Measure, cut};
use crate::truncate::dedupe;
use crate::truncate::elide::{Infeasible, window};
use crate::truncate::spill::{self, Spill};
use crate::truncate::step::{StepKind, Steps};

/// The least tokens of a cut result that are worth more than a placeholder with the call's outcome.
pub(super) const LEAST_CUT: usize = 500;

/// A conversation with cheap edits.
pub(super) struct Cheap<'c, 'a> {
    subject: &'c Subject<'c, 'a>,
    options: &'c Options,
    /// The draft without readings that newer readings and files make needless.
    slim: Draft<'c, 'a>,
    /// The draft with all cheap edits.
    draft: Draft<'c, 'a>,
    steps: Steps<'c>,
    /// The result that was cleared last.
    last: Option<Place>,
}

impl<'c, 'a> Cheap<'c, 'a> {
    /// Makes the edits that every conversation over the budget gets.
    pub(super) fn edits(
        subject: &'c Subject<'c, 'a>,
        options: &'c Options,
        budget: usize,
        store: &mut dyn FnMut(&Spill) -> Option<String>,
    ) -> Self {
        let tools = &options.tools;
        let mut steps = Steps::of(subject);
        let mut draft = Draft::new(subject.conversation);
        let newest = options.keep_results.unwrap_or(0);
        if let Some(bytes) = options.tool_budget {
            steps.take_results(StepKind::Spill, &mut draft, |draft| {
                spill::spill_last_batch(draft, subject, tools, bytes, newest, store)
            });
        }
        if options.profile.cheap_edits.is_some() && steps.tokens > budget {
            steps.take_results(StepKind::Dedupe, &mut draft, |draft| {
                dedupe::drop_superseded_reads(draft, subject, tools, newest)
            });
        }
        let slim = draft.clone();
        if let Some(most) = options.window().filter(|_| steps.tokens > budget) {
            let tools = Tools::default();
            steps.take(StepKind::Window, &mut draft, |draft| {
                window::keep_window(draft, subject, &tools, most, window::End::Stays)
            });
        }
        Self { subject, options, slim, draft, steps, last: None }
    }

    /// Also clears old results, until the draft meets the budget.
    pub(super) fn clear(&mut self, budget: usize) {
        let Self { subject, options, draft, steps, last, .. } = self;
        if let Some(cheap) = options.profile.cheap_edits.filter(|_| steps.tokens > budget) {
            let keep = options.keep_results.unwrap_or(cheap.results);
            steps.take(StepKind::Clear, draft, |draft| {
                let cleared = clear::clear_until(draft, subject, keep, &options.tools, budget);
                *last = cleared.last().copied().or(*last);
                cleared.len()
            });
        }
    }

    /// The plan for when no other meets the budget. Results that have to stay keep whole exchanges with them;
    /// clearing such results leaves less than a summary would.
    pub(super) fn cleared(&mut self, budget: usize) -> Option<Plan<'c, 'a>> {
        [budget, 0].into_iter().find_map(|most| {
            self.clear(most);
            self.shortened(budget)
        })
    }

    /// The plan with these edits, if they meet the budget: with as much of the last cleared result as fits.
    pub(super) fn shortened(&self, budget: usize) -> Option<Plan<'c, 'a>> {
        if self.steps.tokens > budget {
            return None;
        }
        let plan = |(mut draft, steps): (Draft<'c, 'a>, Steps<'c>)| {
            let settled = self.options.form.settle(self.subject, &mut draft);
            // Read back, it may count more: appended records can't remove thinking.
            let fits = settled.as_ref().is_none_or(|it| it.tokens <= self.options.budget);
            fits.then(|| Plan::Shortened(Box::new(draft), settled, steps.taken))
        };
        let cleared = || plan((self.draft.clone(), self.steps.clone()));
        self.with_last_cut(budget).and_then(plan).or_else(cleared)
    }

    /// Plans a summary in place of the middle.
    pub(super) fn rebuild(&self, budget: usize) -> Result<Rebuild<'c, 'a>, Infeasible> {
        Rebuild::plan(self.subject, self.options, budget, self.slim.clone())
    }

    /// The least budget that can be met when all results are cleared: by clearing alone, or with a note for
    /// the middle.
    pub(super) fn least(&self) -> usize {
        let Err(Infeasible { least }) = self.rebuild(0) else { return 0 };
        let counts = |tokens, settled: Option<Settled>| {
            settled.map_or(tokens, |settled| settled.tokens.max(tokens))
        };
        let noted = self.rebuild(least).ok();
        let noted = noted.and_then(|rebuild| {
            self.options.form.settle(self.subject, &mut rebuild.with_summary(""))
        });
        let settled = self.options.form.settle(self.subject, &mut self.draft.clone());
        let cleared = counts(self.steps.tokens, settled);
        counts(least, noted).min(cleared).min(self.subject.count.tokens())
    }

    /// The draft with as much of the last cleared result as there is room for; `None` if that is too little.
    fn with_last_cut(&self, budget: usize) -> Option<(Draft<'c, 'a>, Steps<'c>)> {
        let place = self.last?;
        let Subject { conversation, meter, .. } = *self.subject;
        let room = budget - self.steps.tokens + meter.text(self.draft.new_text(place)?);
        let limit = Limit { measure: Measure::Tokens, most: room, head_share: HEAD_SHARE };
        let part = conversation.part(place);
        let text = (room >= LEAST_CUT).then(|| cut(&part.text(), &limit, meter))??;
        let (mut draft, mut steps) = (self.draft.clone(), self.steps.clone());
        draft.set_text(place, text);
        steps.remeasure(&draft);
        (steps.tokens <= budget).then_some((draft, steps))
    }
}
