//! Results that the model has not read yet. The agent waits for them: told only how a call ended but not its
//! result, the model would make the call again.
//!
//! Responsible for keeping them in the tail, whole or cut. It relies on [`cuts`](super::cuts) for the cuts.

use super::{Rebuild, SHORT_SUMMARY};
use crate::conversation::Kind;
use crate::digest;
use crate::profile::Tail;
use crate::subject::Subject;

/// One part in this many of the room that such results may take if they have to be cut; the summary gets as
/// much.
const CUT_SHARE: usize = 2;

impl Rebuild<'_, '_> {
    /// Keeps the newest exchange and all behind it if no reply to its results follows, whatever the share of
    /// the tail; larger results are cut. Returns how many tokens that takes. Does nothing if the profile or
    /// the user wants no tail.
    pub(super) fn keep_unread_results(&mut self, share: usize) -> usize {
        let start = self.unread().filter(|start| *start < self.tail);
        let Some(start) = start.filter(|_| self.options.keeps_newest()) else { return 0 };
        let (room, total) = (self.room(), self.subject.count.tokens());
        let share = match self.options.keep_tail {
            Some(_) => share,
            None => share.max(digest::unread_share(room, total, self.setting)),
        };
        let (lead, messages, more) = self.beside_tail(start);
        let size = lead + more;
        // With a tail that the user asked for, it may stay whole as the message that crosses the limit.
        let crosses = self.options.keep_tail.is_some() && size <= room / CUT_SHARE;
        let half = share.min(room / CUT_SHARE);
        let beside = self.wanted_before(start).map(|wanted| half.max(share.saturating_sub(wanted)));
        if size > beside.unwrap_or(share) && !crosses {
            let all = self.size_in_tail(&messages);
            let most = all - more + beside.unwrap_or(half).saturating_sub(lead);
            self.begin_cut(messages, most, false);
        }
        self.extend_tail(share, start)
    }

    /// Keeps all messages if they fit once unread results are cut, because a summary would say less than the
    /// messages themselves. Not if there is an earlier summary, which has to be written anew.
    pub(super) fn keep_all_that_fits(&mut self) {
        let gone = (0..self.kept.len()).filter(|&at| !self.kept[at]);
        // A user who names another summarizer gets its summary.
        let is_plain = self.options.digests && self.clipped.is_none() && self.earlier.is_empty();
        let is_plain = is_plain && !gone.into_iter().any(|at| self.is_readable_summary(at));
        let Some(cut) = self.cut.as_ref().filter(|_| is_plain) else { return };
        let Subject { meter, count, .. } = *self.subject;
        let size: usize = cut.sizes.iter().sum();
        let over = meter.draft(&cut.whole, count).saturating_sub(self.budget);
        let fits = |it: &Self| meter.draft(&it.slim, count) <= it.budget;
        // What was too much beside a summary may be little without one.
        if !fits(self) && (!cut.places.is_empty() || over * 2 >= size) {
            return;
        }
        // A short note tells what is cut, if there is room for it.
        let told = SHORT_SUMMARY.min(self.least_share) + self.around_summary();
        for told in [told, 0] {
            self.cut_results(size.saturating_sub(over + told));
            if fits(self) {
                // The note stands before the first cut, so that everything before it stays as it was.
                let first = (0..self.kept.len()).find(|&at| self.slim.is_changed(at));
                self.tail = first.map_or(self.tail, |at| self.subject.cuts.behind_leader(at));
                self.kept.fill(true);
                self.restored = None;
                return;
            }
        }
    }

    /// The tokens in the tail of the older messages that the profile wants by number, however large the
    /// newest are; `None` if the profile goes by tokens.
    fn wanted_before(&self, start: usize) -> Option<usize> {
        let Tail::Messages(_) = self.options.profile.tail else { return None };
        let foremost = self.foremost_tail()?;
        Some((foremost..start).map(|at| self.more_in_tail(at)).sum())
    }

    /// The message with which the newest exchange begins, if no reply to its results follows.
    fn unread(&self) -> Option<usize> {
        let conversation = self.subject.conversation;
        let unread = conversation.unread();
        let is_unread = |at: &usize| {
            let results = conversation.messages[*at].parts_of(Kind::ToolResult);
            results.into_iter().any(|(index, _)| (*at, index) >= unread)
        };
        let newest = (unread.0..conversation.messages.len()).rfind(is_unread)?;
        Some(self.subject.cuts.behind_leader(newest))
    }
}
