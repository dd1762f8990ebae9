//! Cutting results at the beginning of the tail: those that the model has not read yet, and those too large
//! for the tail.
//!
//! Responsible for the tokens of the messages that hold them, and for restoring more of them when there is
//! room. It relies on [`end`] for the cuts.

use super::Rebuild;
use crate::compact::cheap::LEAST_CUT;
use crate::conversation::Place;
use crate::draft::Draft;
use crate::truncate::Policies;
use crate::truncate::end::{self, Room};

/// The results of the tail that are cut.
pub(super) struct Cut<'c, 'a> {
    /// The draft without these cuts.
    pub(super) whole: Draft<'c, 'a>,
    /// The messages that hold the cut results, in order; `sizes` has the tokens of each without cuts.
    messages: Vec<usize>,
    pub(super) sizes: Vec<usize>,
    /// The places of the cut results.
    pub(super) places: Vec<Place>,
    /// Whether the model read them already; the tail then begins with them.
    is_read: bool,
}

impl<'c, 'a> Rebuild<'c, 'a> {
    /// Extends the tail by the piece that is too large for the room that the summary left, with its results
    /// cut. Returns how many tokens that took; 0 if it is not worth it.
    pub(super) fn cut_what_crosses(&mut self, room: usize, foremost: usize) -> usize {
        let Some(last) = self.tail.checked_sub(1).filter(|_| self.cut.is_none()) else { return 0 };
        let start = self.subject.cuts.behind_leader(last);
        if start < foremost {
            return 0;
        }
        let (lead, messages, more) = self.beside_tail(start);
        let all = self.size_in_tail(&messages);
        self.begin_cut(messages, (all + room).saturating_sub(more + lead), true);
        // A smaller part of each result says less than the digest does.
        let cut = self.cut.as_ref().map_or(0, |cut| cut.places.len());
        let is_worth_it = cut * LEAST_CUT <= room;
        let used = if is_worth_it { self.extend_tail(room, start) } else { 0 };
        if used == 0 {
            self.take_cut_back();
        } else {
            self.keep_the_little_before(foremost);
        }
        used
    }

    /// Cuts the results further where little stands before them: those messages stay whole then, and no digest
    /// has to tell of them.
    fn keep_the_little_before(&mut self, foremost: usize) {
        let little: usize = (foremost..self.tail).map(|at| self.more_in_tail(at)).sum();
        let cut = self.cut.as_ref().filter(|_| (1..=LEAST_CUT).contains(&little));
        let Some(messages) = cut.map(|cut| cut.messages.clone()) else { return };
        let before = self.size_in_tail(&messages);
        self.cut_results(before.saturating_sub(little));
        let saved = before.saturating_sub(self.size_in_tail(&messages));
        if saved < little || self.extend_tail(saved, foremost) == 0 {
            self.cut_results(before);
        }
    }

    /// Undoes the cuts.
    fn take_cut_back(&mut self) {
        let Some(Cut { whole, messages, sizes, .. }) = self.cut.take() else { return };
        self.slim = whole;
        for (at, size) in messages.into_iter().zip(sizes) {
            self.sizes.in_tail[at] = size;
        }
    }

    /// Cuts results of messages that are to begin the tail until these messages count at most `tokens`, if
    /// that is possible.
    pub(super) fn begin_cut(&mut self, messages: Vec<usize>, tokens: usize, is_read: bool) {
        let sizes = messages.iter().map(|&at| self.sizes.in_tail[at]).collect();
        let (whole, places) = (self.slim.clone(), Vec::new());
        self.cut = Some(Cut { whole, messages, sizes, places, is_read });
        self.cut_results(tokens);
    }

    /// Whether the tail begins with cut results that the model has read.
    pub(super) fn begins_with_cut(&self) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.is_read)
    }

    /// Restores more of the cut results, in up to `tokens` tokens; returns how many that took.
    pub(super) fn cut_less(&mut self, tokens: usize) -> usize {
        let Some(cut) = self.cut.as_ref().filter(|cut| !cut.places.is_empty()) else { return 0 };
        if cut.places[0].0 < self.tail {
            return 0;
        }
        let messages = cut.messages.clone();
        let before = self.size_in_tail(&messages);
        self.cut_results(before + tokens);
        if self.cut.as_ref().is_some_and(|cut| cut.places.is_empty()) {
            self.take_cut_back();
        }
        self.size_in_tail(&messages).saturating_sub(before)
    }

    /// The messages between `start` and the tail. Returns the tokens of their leader, their indices, and the
    /// tokens that they would count more in the tail.
    pub(super) fn beside_tail(&self, start: usize) -> (usize, Vec<usize>, usize) {
        let leader = self.subject.cuts.leader(start).unwrap_or(start..start);
        // The leader stands before the tail and stays whole.
        let lead = leader.filter(|at| !self.kept[*at]).map(|at| self.size(at)).sum();
        let messages: Vec<usize> = (start..self.tail).collect();
        let more = messages.iter().map(|&at| self.more_in_tail(at)).sum();
        (lead, messages, more)
    }

    /// Cuts results of the tail until their messages count at most `tokens`, if that is possible.
    pub(super) fn cut_results(&mut self, tokens: usize) {
        let Self { subject, slim, cut: Some(cut), sizes, options, .. } = self else { return };
        let policies = Policies { tools: options.tools.clone(), ..Policies::default() };
        slim.clone_from(&cut.whole);
        let drafted = |draft: &Draft<'_, '_>, at| subject.meter.drafted(draft, at, subject.count);
        // Thinking and earlier summaries that are dropped do not count.
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

    pub(super) fn size_in_tail(&self, messages: &[usize]) -> usize {
        messages.iter().map(|&at| self.sizes.in_tail[at]).sum()
    }

    /// The draft of the tail without the cuts.
    pub(super) fn uncut(&self) -> &Draft<'c, 'a> {
        self.cut.as_ref().map_or(&self.slim, |cut| &cut.whole)
    }

    /// Whether only a part of the result stays.
    pub(super) fn is_cut(&self, place: Place) -> bool {
        self.cut_in_tail().any(|(cut, _)| cut == place)
    }

    /// The tokens that are left out of results in the tail.
    pub fn left_out(&self) -> usize {
        let cut = self.cut.iter().flat_map(|cut| cut.messages.iter().zip(&cut.sizes));
        let in_tail = cut.filter(|(at, _)| **at >= self.tail);
        in_tail.map(|(&at, size)| size.saturating_sub(self.sizes.in_tail[at])).sum()
    }

    /// The cut results in the tail, each with the part that stays.
    pub fn cut_in_tail(&self) -> impl Iterator<Item = (Place, &str)> {
        let places = self.cut.iter().flat_map(|cut| &cut.places);
        let in_tail = places.filter(|(at, _)| *at >= self.tail);
        in_tail.filter_map(|&place| Some((place, self.slim.new_text(place)?)))
    }
}
