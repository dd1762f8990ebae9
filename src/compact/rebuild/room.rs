//! The room of the summary: who gets what it leaves over, and who gives way where it has none.

use super::Rebuild;
use crate::profile::{Tail, Users};
use crate::truncate::elide::Infeasible;

/// A summary leaves much of its room where it is more than one of so many parts.
const MUCH: usize = 20;

/// Tokens in which most summaries say something.
pub const SHORT_SUMMARY: usize = 64;

impl Rebuild<'_, '_> {
    /// The tokens that the text of the summary may count.
    pub fn summary_room(&self) -> usize {
        let room = self.budget.saturating_sub(self.fixed());
        room.saturating_sub(self.around_summary())
    }

    /// What stands around the text of the summary.
    pub(super) fn around_summary(&self) -> usize {
        let profile = self.options.profile;
        let around = [profile.opener, "\n", profile.closer];
        let wrapper: usize = around.iter().map(|text| self.subject.meter.text(text)).sum();
        wrapper + self.frame() + self.acknowledgement_size()
    }

    /// Gives what the summary left over to the tail; true where that changed what stays.
    pub fn give_rest_to_tail(&mut self, summary: &str) -> bool {
        let Some(foremost) = self.foremost_tail() else { return false };
        let rest = self.rest(summary);
        let mut more = self.cut_less(rest);
        // Where all stays, what is told of a cut stands before it, and before nothing else.
        if self.lets_go() && !self.begins_with_cut() {
            more += self.extend_tail(rest.saturating_sub(more), foremost);
            let left = rest.saturating_sub(more);
            if self.options.digests && self.is_much(left) {
                more += self.cut_what_crosses(left, foremost);
            }
        }
        more > 0
    }

    /// What the summary leaves over of its room.
    fn rest(&self, summary: &str) -> usize {
        if summary.is_empty() {
            return self.budget.saturating_sub(self.fixed() + self.added(&self.note()));
        }
        self.summary_room().saturating_sub(self.subject.meter.page(summary))
    }

    /// Whether that is so much that a summary is worth being written again.
    pub fn leaves_much(&self, summary: &str) -> bool {
        self.is_much(self.rest(summary))
    }

    fn is_much(&self, tokens: usize) -> bool {
        tokens > self.summary_room() / MUCH
    }

    /// Before which message the tail never begins, whatever room there is; `None` where the profile wants no
    /// more of it than was asked for.
    pub(super) fn foremost_tail(&self) -> Option<usize> {
        match self.options.profile.tail {
            Tail::Share | Tail::Percent(_) => Some(0),
            Tail::Messages(messages) if self.options.keep_tail.is_none() => {
                Some(self.kept.len().saturating_sub(messages))
            }
            _ => None,
        }
    }

    /// Leaves so many tokens less to a summary than it took; false where it has none left to give.
    pub fn tighten(&mut self, summary: &str, tokens: usize) -> bool {
        let has_room = self.summary_room() > 0;
        if has_room {
            self.budget = self.budget.saturating_sub(self.rest(summary) + tokens);
        }
        has_room
    }

    /// Decides again which messages stay, where all that stays counts so many tokens too many; false
    /// where nothing less is left.
    pub fn plan_anew(&mut self, tokens: usize) -> bool {
        let plan = |budget| Self::plan(self.subject, self.options, budget, self.uncut().clone());
        let rebuild = match plan(self.planned.saturating_sub(tokens)) {
            Err(Infeasible { least }) if least < self.planned => plan(least),
            rebuild => rebuild,
        };
        rebuild.map(|rebuild| self.turn_into(rebuild)).is_ok()
    }

    /// The summary that `write` gives. Where the newest messages leave less to it than its share, they give way
    /// if it has as much to say; where it is none, messages do that the profile alone asks for: in a larger
    /// budget there is not to be one more of them, and no summary.
    pub fn summary(&mut self, mut write: impl FnMut(&mut Self) -> String) -> String {
        let (profile, least) = (self.options.profile, self.least_share);
        let is_asked =
            self.options.keep_tail.is_some() || matches!(profile.tail, Tail::Messages(_));
        if is_asked && self.summary_room() < least && self.leave_to_summary(least) {
            let text = write(self);
            if self.subject.meter.page(&text) * 4 >= self.summary_room() * 3 {
                return text;
            }
            self.leave_to_summary(0);
        }
        let mut text = write(self);
        let gives_way =
            matches!(profile.tail, Tail::Messages(_)) || matches!(profile.users, Users::Tokens(_));
        for share in [SHORT_SUMMARY, usize::MAX, 0] {
            if gives_way && self.lets_go() && text.is_empty() && self.leave_to_summary(share) {
                text = write(self);
            }
        }
        text
    }

    /// Plans again with another share of the summary; whether another part of the messages stays then.
    fn leave_to_summary(&mut self, share: usize) -> bool {
        let (subject, options, slim) = (self.subject, self.options, self.uncut().clone());
        let plan = Self::plan_beside(subject, options, self.budget, slim, share);
        plan.is_ok_and(|plan| {
            let is_other = plan.kept != self.kept || plan.cut_in_tail().ne(self.cut_in_tail());
            self.turn_into(plan);
            is_other
        })
    }

    /// Takes another plan; what goes is in the same file.
    fn turn_into(&mut self, plan: Self) {
        *self = Self { archive: self.archive.take(), ..plan };
    }
}
