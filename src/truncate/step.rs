//! Steps of a shortening, and what each saved.
//!
//! Responsible for measuring: after each step the whole draft is counted, so that the next one is
//! only taken where it is still needed.

use std::fmt;

use serde::Serialize;

use crate::count::{Count, Meter};
use crate::draft::Draft;
use crate::subject::Subject;

/// What is done in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// Results go to files.
    Spill,
    /// Placeholders stand for readings that newer ones replace.
    Dedupe,
    /// Results lose their middle.
    Cut,
    /// Placeholders stand for old results.
    Clear,
    /// Messages go that are more than a window holds.
    Window,
    /// Results are cut that would cost the end its place.
    Fit,
    /// Messages go for which nothing stands.
    Drop,
    /// Messages go for which a summary stands.
    Summarise,
}

impl fmt::Display for StepKind {
    /// Writes the word that a report has for it.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.serialize(f)
    }
}

/// What one step did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What it was.
    pub step: StepKind,
    /// How many tokens fewer it left.
    pub tokens_saved: usize,
    /// How many results or messages it touched.
    pub messages: usize,
}

/// The same steps, which together saved so many tokens: what was repaired when the result was read back, and
/// thinking that went or stayed, is of the last of them.
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
    /// What the draft counts after them.
    pub tokens: usize,
    /// Those that touched anything.
    pub taken: Vec<Step>,
}

impl<'c> Steps<'c> {
    /// None yet.
    pub fn of(subject: &Subject<'c, '_>) -> Self {
        let Subject { meter, count, .. } = *subject;
        Self { meter, count, tokens: count.tokens(), taken: Vec::new() }
    }

    /// Takes a step: `edit` answers how many results or messages it touched.
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

    /// Measures again what the last step saved, after some of that was put back.
    pub fn remeasure(&mut self, draft: &Draft<'_, '_>) {
        let now = self.meter.draft(draft, self.count);
        if let Some(last) = self.taken.last_mut() {
            last.tokens_saved = (last.tokens_saved + self.tokens).saturating_sub(now);
        }
        self.tokens = now;
    }
}
