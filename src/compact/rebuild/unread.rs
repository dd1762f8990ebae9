//! Results that nobody has read yet: the agent waits for them, and told that a call came to something, and
//! not to what, it would make the call again.
//!
//! Responsible for their place in the tail, whole or cut. It relies on [`end`] for the cuts.

use super::{Rebuild, SHORT_SUMMARY};
use crate::conversation::{Kind, Place};
use crate::digest;
use crate::draft::Draft;
use crate::profile::Tail;
use crate::subject::Subject;
use crate::truncate::Policies;
use crate::truncate::end::{self, Room};

/// Part of the room that such results may take where they have to be cut: the summary has as much.
const CUT_SHARE: usize = 2;

/// Results of the tail that are cut.
pub(super) struct Cut<'c, 'a> {
    /// The tail as it would be without.
    whole: Draft<'c, 'a>,
    /// The messages that stay for the sake of them, in order, and what each counts uncut.
    messages: Vec<usize>,
    sizes: Vec<usize>,
    /// The results.
    places: Vec<Place>,
}

impl<'c, 'a> Rebuild<'c, 'a> {
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
        let leader = self.subject.cuts.leader(start).unwrap_or(start..start);
        // What leads them stands before the tail, and stays whole.
        let lead: usize = leader.filter(|at| !self.kept[*at]).map(|at| self.size(at)).sum();
        let messages: Vec<usize> = (start..self.tail).collect();
        let more: usize = messages.iter().map(|&at| self.more_in_tail(at)).sum();
        let size = lead + more;
        // What is asked for may stay whole as the message that crosses the line.
        let crosses = self.options.keep_tail.is_some() && size <= room / CUT_SHARE;
        let half = share.min(room / CUT_SHARE);
        let beside = self.wanted_before(start).map(|wanted| half.max(share.saturating_sub(wanted)));
        if size > beside.unwrap_or(share) && !crosses {
            let (whole, all) = (self.slim.clone(), self.size_in_tail(&messages));
            let sizes = messages.iter().map(|&at| self.sizes.in_tail[at]).collect();
            self.cut = Some(Cut { whole, messages, sizes, places: Vec::new() });
            self.cut_results(all - more + beside.unwrap_or(half).saturating_sub(lead));
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

    /// Leaves more of the results that are cut, up to so many tokens; returns how many that took.
    pub(super) fn cut_less(&mut self, tokens: usize) -> usize {
        let Some(cut) = self.cut.as_ref().filter(|cut| !cut.places.is_empty()) else { return 0 };
        if cut.places[0].0 < self.tail {
            return 0;
        }
        let messages = cut.messages.clone();
        let before = self.size_in_tail(&messages);
        self.cut_results(before + tokens);
        self.size_in_tail(&messages).saturating_sub(before)
    }

    /// Cuts results of the tail until their messages count at most so many tokens, if that is possible.
    fn cut_results(&mut self, tokens: usize) {
        let Self { subject, slim, cut: Some(cut), sizes, options, .. } = self else { return };
        let policies = Policies { tools: options.tools.clone(), ..Policies::default() };
        slim.clone_from(&cut.whole);
        let drafted = |draft: &Draft<'_, '_>, at| subject.meter.drafted(draft, at, subject.count);
        // Thinking and earlier summaries that go are no part of what counts.
        let gone = cut.messages.iter().zip(&cut.sizes);
        let gone = gone.map(|(&at, size)| drafted(&cut.whole, at).saturating_sub(*size));
        let tokens = tokens + gone.sum::<usize>();
        let room = Room { messages: &cut.messages, tokens };
        end::cut_results(slim, subject, &policies, &cut.messages, &room);
        cut.places.clear();
        for (&at, size) in cut.messages.iter().zip(&cut.sizes) {
            let parts = (0..subject.conversation.messages[at].parts.len()).map(|index| (at, index));
            let is_cut = |place: &Place| slim.new_text(*place) != cut.whole.new_text(*place);
            cut.places.extend(parts.filter(is_cut));
            let saved = drafted(&cut.whole, at).saturating_sub(drafted(slim, at));
            sizes.in_tail[at] = size.saturating_sub(saved);
        }
    }

    fn size_in_tail(&self, messages: &[usize]) -> usize {
        messages.iter().map(|&at| self.sizes.in_tail[at]).sum()
    }

    /// The tail without the cuts.
    pub(super) fn uncut(&self) -> &Draft<'c, 'a> {
        self.cut.as_ref().map_or(&self.slim, |cut| &cut.whole)
    }

    /// Whether only a part of a result stays.
    pub(super) fn is_cut(&self, place: Place) -> bool {
        self.cut_in_tail().any(|(cut, _)| cut == place)
    }

    /// What is left out of the results of the tail counts.
    pub fn left_out(&self) -> usize {
        let cut = self.cut.iter().flat_map(|cut| cut.messages.iter().zip(&cut.sizes));
        let in_tail = cut.filter(|(at, _)| **at >= self.tail);
        in_tail.map(|(&at, size)| size.saturating_sub(self.sizes.in_tail[at])).sum()
    }

    /// The results of the tail of which only a part stays, and that part.
    pub fn cut_in_tail(&self) -> impl Iterator<Item = (Place, &str)> {
        let places = self.cut.iter().flat_map(|cut| &cut.places);
        let in_tail = places.filter(|(at, _)| *at >= self.tail);
        in_tail.filter_map(|&place| Some((place, self.slim.new_text(place)?)))
    }
}
