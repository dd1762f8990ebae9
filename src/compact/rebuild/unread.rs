//! Results that nobody has read yet: the agent waits for them, and told that a call came to something, and
//! not to what, it would make the call again.
//!
//! Responsible for their place in the tail, whole or cut. It relies on [`cuts`](super::cuts) for the cuts.

use super::{Rebuild, SHORT_SUMMARY};
use crate::conversation::Kind;
use crate::digest;
use crate::profile::Tail;
use crate::subject::Subject;

/// Part of the room that such results may take where they have to be cut: the summary has as much.
const CUT_SHARE: usize = 2;

impl Rebuild<'_, '_> {
    /// Keeps the newest exchange and what is behind it, where no reply to its results is, whatever share
    /// the tail has: its results are cut where they are larger. Returns how many tokens that takes. Who
    /// wants no tail, by the profile or as asked, wants none of this.
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
        // What is asked for may stay whole as the message that crosses the line.
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

    /// Keeps everything where that fits beside such results, cut: a summary of what has room itself would say less of
    /// it. An earlier summary is written anew all the same.
    pub(super) fn keep_all_that_fits(&mut self) {
        let gone = (0..self.kept.len()).filter(|&at| !self.kept[at]);
        // Who is asked for a summary by name gives one.
        let is_plain = self.options.digests && self.clipped.is_none() && self.earlier.is_empty();
        let is_plain = is_plain && !gone.into_iter().any(|at| self.is_readable_summary(at));
        let Some(cut) = self.cut.as_ref().filter(|_| is_plain) else { return };
        let Subject { meter, count, .. } = *self.subject;
        let size: usize = cut.sizes.iter().sum();
        let over = meter.draft(&cut.whole, count).saturating_sub(self.budget);
        let fits = |it: &Self| meter.draft(&it.slim, count) <= it.budget;
        // What was too much beside a summary may be little beside none.
        if !fits(self) && (!cut.places.is_empty() || over * 2 >= size) {
            return;
        }
        // What is cut is told of in a few words, if there is room for them.
        let told = SHORT_SUMMARY.min(self.least_share) + self.around_summary();
        for told in [told, 0] {
            self.cut_results(size.saturating_sub(over + told));
            if fits(self) {
                // What is told of the cut stands before it, so that what is before that stays as it was.
                let first = (0..self.kept.len()).find(|&at| self.slim.is_changed(at));
                self.tail = first.map_or(self.tail, |at| self.subject.cuts.behind_leader(at));
                self.kept.fill(true);
                self.restored = None;
                return;
            }
        }
    }

    /// What older messages count in the tail of which the profile wants so many, however large the newest are; `None`
    /// where it goes by tokens.
    fn wanted_before(&self, start: usize) -> Option<usize> {
        let Tail::Messages(_) = self.options.profile.tail else { return None };
        let foremost = self.foremost_tail()?;
        Some((foremost..start).map(|at| self.more_in_tail(at)).sum())
    }

    /// Where the newest exchange begins, if no reply to its results is behind it.
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
