//! The steps of a compaction, as a report lists them.
//!
//! Responsible for what each step saved: clearing or cutting results in the tail, and then the summary or the
//! note that stands for removed messages.

use super::Rebuild;
use crate::compact::report::Fate;
use crate::marks;
use crate::truncate::step::{Step, StepKind};

impl Rebuild<'_, '_> {
    /// The steps that were taken: needless results cleared in the tail, results cut, and the summary or note.
    pub fn steps(
        &self,
        before: usize,
        after: usize,
        fates: &[Fate],
        has_summary: bool,
    ) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let tail = self.tail..self.kept.len();
        let replaced = tail.flat_map(|at| self.replaced(at).map(move |index| (at, index)));
        for place in replaced {
            let text = self.slim.new_text(place).unwrap_or_default();
            let step = match text {
                _ if self.is_cut(place) => StepKind::Cut,
                text if marks::is_spilled(text) => StepKind::Spill,
                _ => StepKind::Dedupe,
            };
            let was = self.subject.count.parts[place.0][place.1].content;
            let tokens_saved = was.saturating_sub(self.subject.meter.text(text));
            match steps.iter_mut().find(|taken| taken.step == step) {
                Some(taken) => {
                    taken.tokens_saved += tokens_saved;
                    taken.messages += 1;
                }
                None => steps.push(Step { step, tokens_saved, messages: 1 }),
            }
        }
        let others: usize = steps.iter().map(|step| step.tokens_saved).sum();
        let tokens_saved = before.saturating_sub(after).saturating_sub(others);
        let became = |what: Fate| fates.iter().filter(|fate| **fate == what).count();
        let (step, messages) = if has_summary {
            // If no message is removed, an earlier summary inside a message is.
            (
                StepKind::Summarise,
                became(Fate::Summarised)
                    .max(usize::from(self.summaries_in_words().next().is_some())),
            )
        } else {
            (StepKind::Drop, became(Fate::Dropped))
        };
        if messages > 0 || tokens_saved > 0 {
            steps.push(Step { step, tokens_saved, messages });
        }
        steps
    }
}
