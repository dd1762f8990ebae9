//! The steps of a shortening, and what each saved.
//!
//! Responsible for measuring: the whole draft is counted after each step, so that the next step is taken only
//! if it is still needed.

use std::collections::HashSet;
use std::fmt;
use std::mem::take;

use serde::Serialize;

use crate::conversation::Place;
use crate::count::{Count, Meter};
use crate::draft::Draft;
use crate::marks;
use crate::subject::Subject;

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// Results are written to files.
    Spill,
    /// Readings that newer ones replace become placeholders.
    Dedupe,
    /// Results are cut in their middle.
    Cut,
    /// Old results become placeholders.
    Clear,
    /// Messages beyond the limit of a window are dropped.
    Window,
    /// Results so large that the newest messages would have to go are cut.
    Fit,
    /// Messages are dropped without a summary.
    Drop,
    /// Messages are replaced by a summary.
    Summarise,
}

impl fmt::Display for StepKind {
    /// Writes the word that reports use for the step.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.serialize(f)
    }
}

/// What one step did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The kind of the step.
    pub step: StepKind,
    /// How many tokens it saved.
    pub tokens_saved: usize,
    /// How many results or messages it touched.
    pub messages: usize,
}

/// The steps, corrected so that together they saved `saved` tokens: repairs after the result was read back,
/// and thinking that went or stayed, are attributed to the last steps.
#[must_use]
pub fn summing_to(mut steps: Vec<Step>, saved: usize) -> Vec<Step> {
    let told: usize = steps.iter().map(|step| step.tokens_saved).sum();
    if let Some(last) = steps.last_mut() {
        last.tokens_saved += saved.saturating_sub(told);
    }
    let mut more = told.saturating_sub(saved);
    for step in steps.iter_mut().rev() {
        let back = more.min(step.tokens_saved);
        step.tokens_saved -= back;
        more -= back;
    }
    steps
}

/// The steps that were taken on one draft.
#[derive(Clone)]
pub struct Steps<'c> {
    meter: &'c Meter,
    count: &'c Count,
    /// The tokens of the draft after these steps.
    pub tokens: usize,
    /// The steps that touched anything.
    pub taken: Vec<Step>,
    /// The places of the results that steps touched.
    touched: Vec<(StepKind, Vec<Place>)>,
}

impl<'c> Steps<'c> {
    /// No steps yet.
    pub fn of(subject: &Subject<'c, '_>) -> Self {
        let Subject { meter, count, .. } = *subject;
        Self { meter, count, tokens: count.tokens(), taken: Vec::new(), touched: Vec::new() }
    }

    /// Takes a step; `edit` changes the draft and returns how many results or messages it touched.
    pub fn take<'d, 'a>(
        &mut self,
        step: StepKind,
        draft: &mut Draft<'d, 'a>,
        edit: impl FnOnce(&mut Draft<'d, 'a>) -> usize,
    ) {
        let messages = edit(draft);
        if messages > 0 {
            let now = self.meter.draft(draft, self.count);
            let tokens_saved = self.tokens.saturating_sub(now);
            self.taken.push(Step { step, tokens_saved, messages });
            self.tokens = now;
        }
    }

    /// Takes a step that shortens results; `edit` changes the draft and returns the places of these results.
    pub fn take_results<'d, 'a>(
        &mut self,
        step: StepKind,
        draft: &mut Draft<'d, 'a>,
        edit: impl FnOnce(&mut Draft<'d, 'a>) -> Vec<Place>,
    ) {
        let mut places = Vec::new();
        self.take(step, draft, |draft| {
            places = edit(draft);
            places.len()
        });
        self.touched.push((step, places));
    }

    /// The steps of which something is left in the draft: a result counts for the last step that shortened it,
    /// and for none if it was dropped. A result in a file stays there, however little of it is shown.
    pub fn left_in(mut self, draft: &Draft<'_, '_>) -> Vec<Step> {
        let mut later: HashSet<Place> = HashSet::new();
        for (step, places) in self.touched.into_iter().rev() {
            let is_in_file = |place| {
                step == StepKind::Spill && draft.new_text(place).is_some_and(marks::is_spilled)
            };
            let is_last = |place| !later.contains(&place) || is_in_file(place);
            let left = places.iter().filter(|place| !draft.is_removed(**place) && is_last(**place));
            let left = left.count();
            let mut taken = self.taken.iter_mut();
            taken.find(|taken| taken.step == step).into_iter().for_each(|it| it.messages = left);
            later.extend(places);
        }
        let mut saved = 0;
        self.taken.retain_mut(|step| {
            saved += step.tokens_saved;
            let is_left = step.messages > 0;
            if is_left {
                step.tokens_saved = take(&mut saved);
            }
            is_left
        });
        self.taken
    }

    /// Measures the draft again, and corrects what the last step saved, after some of it was put back.
    pub fn remeasure(&mut self, draft: &Draft<'_, '_>) {
        let now = self.meter.draft(draft, self.count);
        if let Some(last) = self.taken.last_mut() {
            last.tokens_saved = (last.tokens_saved + self.tokens).saturating_sub(now);
        }
        self.tokens = now;
    }
}
