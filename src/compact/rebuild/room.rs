//! The room of the summary: what gets the room it leaves over, and what gives way if it has none.

use super::Rebuild;
use crate::profile::{Tail, Users};
use crate::truncate::elide::Infeasible;

/// A summary leaves much of its room if it leaves more than one part in this many.
const MUCH: usize = 20;

/// Tokens in which most summaries say something useful.
pub const SHORT_SUMMARY: usize = 64;

impl Rebuild<'_, '_> {
    /// The most tokens that the text of the summary may count.
    pub fn summary_room(&self) -> usize {
        let room = self.budget.saturating_sub(self.fixed());
        room.saturating_sub(self.around_summary())
    }

    /// The tokens of the frame around the text of the summary.
    pub(super) fn around_summary(&self) -> usize {
        let profile = self.options.profile;
        let around = [profile.opener, "\n", profile.closer];
        let wrapper: usize = around.iter().map(|text| self.subject.meter.text(text)).sum();
        wrapper + self.frame() + self.acknowledgement_size()
    }

    /// Gives the room that the summary left over to the tail; returns whether that changed what stays.
    pub fn give_rest_to_tail(&mut self, summary: &str) -> bool {
        let Some(foremost) = self.foremost_tail() else { return false };
        let rest = self.rest(summary);
        let mut more = self.cut_less(rest);
        // If all messages stay, the note about a cut stands before it and the tail begins there.
        if self.lets_go() && !self.begins_with_cut() {
            more += self.extend_tail(rest.saturating_sub(more), foremost);
            let left = rest.saturating_sub(more);
            if self.options.digests && self.is_much(left) {
                more += self.cut_what_crosses(left, foremost);
            }
        }
        if more > 0 {
            self.restore_none_that_stays();
        }
        more > 0
    }

    /// The tokens that the summary leaves over of its room.
    fn rest(&self, summary: &str) -> usize {
        if summary.is_empty() {
            return self.budget.saturating_sub(self.fixed() + self.added(&self.note()));
        }
        self.summary_room().saturating_sub(self.subject.meter.page(summary))
    }

    /// Whether the summary leaves so much room that it is worth writing another one.
    pub fn leaves_much(&self, summary: &str) -> bool {
        self.is_much(self.rest(summary))
    }

    fn is_much(&self, tokens: usize) -> bool {
        tokens > self.summary_room() / MUCH
    }

    /// The first message at which the tail may begin, whatever room there is; `None` if the profile wants no
    /// more than was asked for.
    pub(super) fn foremost_tail(&self) -> Option<usize> {
        match self.options.profile.tail {
            Tail::Share | Tail::Percent(_) => Some(0),
            Tail::Messages(messages) if self.options.keep_tail.is_none() => {
                Some(self.kept.len().saturating_sub(messages))
            }
            _ => None,
        }
    }

    /// Gives the summary `tokens` less than it took; returns false if it has no room left to give.
    pub fn tighten(&mut self, summary: &str, tokens: usize) -> bool {
        let has_room = self.summary_room() > 0;
        if has_room {
            self.budget = self.budget.saturating_sub(self.rest(summary) + tokens);
        }
        has_room
    }

    /// Decides again which messages stay, after the result counted `tokens` too many; returns false if no
    /// smaller plan exists.
    pub fn plan_anew(&mut self, tokens: usize) -> bool {
        let plan = |budget| Self::plan(self.subject, self.options, budget, self.uncut().clone());
        let rebuild = match plan(self.planned.saturating_sub(tokens)) {
            Err(Infeasible { least }) if least < self.planned => plan(least),
            rebuild => rebuild,
        };
        rebuild.map(|rebuild| self.turn_into(rebuild)).is_ok()
    }

    /// The summary that `write` returns. If the newest messages leave it less than its share, they give way
    /// as long as the summary has as much to say. If there is no room for a summary at all, messages give way
    /// that only the profile asks for: a larger budget must not keep one more message but no summary.
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

    /// Plans again with another share for the summary; returns whether that changes which messages stay.
    fn leave_to_summary(&mut self, share: usize) -> bool {
        let (subject, options, slim) = (self.subject, self.options, self.uncut().clone());
        let plan = Self::plan_beside(subject, options, self.budget, slim, share);
        plan.is_ok_and(|plan| {
            let is_other = plan.kept != self.kept || plan.cut_in_tail().ne(self.cut_in_tail());
            self.turn_into(plan);
            is_other
        })
    }

    /// Adopts another plan; the removed messages are in the same archive.
    fn turn_into(&mut self, plan: Self) {
        *self = Self { archive: self.archive.take(), ..plan };
    }
}
