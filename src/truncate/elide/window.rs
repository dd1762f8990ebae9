//! Keeping a number of messages: the first ones and the newest ones, with one note between them.
//!
//! Responsible for which run goes, and for reporting what is left. More messages are left than were asked for
//! only if no run leaves so few, or none of those saves more than the note costs; the first messages give way
//! before the last of the newest, the first request last of them. It relies on [`Stays`] for the messages that
//! no run drops.

use std::iter;
use std::ops::Range;

use super::{Stays, drop_run, leader, protected};
use crate::conversation::{Conversation, Message};
use crate::draft::{Draft, NewMessage};
use crate::subject::Subject;
use crate::truncate::clear::Tools;
use crate::wire::is_continued;

/// The number of messages at the beginning that a window keeps.
pub const FIRST_MESSAGES: usize = 3;

/// Whether a window keeps some of the newest messages even if more messages are left then than were asked
/// for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Some stay: no summary stands for what goes.
    Stays,
    /// They may all go to meet the number.
    MayGo,
}

/// Drops one run behind the first messages, so that at most `most` are left if that is possible; returns how
/// many messages were dropped.
pub fn keep_window(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    tools: &Tools,
    most: usize,
    end: End,
) -> usize {
    let stays = Stays::of(subject, tools);
    if counted(subject.conversation, &stays).count() <= most {
        return 0;
    }
    let run = Window::of(draft, subject, &stays).run_to_leave(most, end);
    run.map_or(0, |run| drop_run(draft, subject, &stays, run))
}

/// The messages that a window counts. Notes, the assistant's words that part them from results, and messages
/// that are dropped last do not count; otherwise the next run would drop messages to make room for what this
/// one inserted.
fn counted<'a>(
    conversation: &'a Conversation<'_>,
    stays: &'a Stays,
) -> impl Iterator<Item = usize> + 'a {
    let messages = conversation.messages.iter().enumerate();
    let is_put_in = |it: &Message<'_>| it.is_note() || it.is_no_reply();
    messages.filter(move |(at, it)| !is_put_in(it) && !stays.standing[*at]).map(|(at, _)| at)
}

/// The messages of a conversation, as sums over all messages before each index.
struct Window<'w, 'a> {
    subject: &'w Subject<'w, 'a>,
    /// The number of messages.
    all: usize,
    /// The number of counted messages that go with a run around them.
    going: Vec<usize>,
    /// The number of counted messages.
    counted: Vec<usize>,
    /// The tokens of the messages that go with a run around them.
    tokens: Vec<usize>,
    /// The tokens that the note counts.
    note: usize,
}

impl<'w, 'a> Window<'w, 'a> {
    fn of(draft: &Draft<'_, '_>, subject: &'w Subject<'w, 'a>, stays: &Stays) -> Self {
        let Subject { conversation, meter, count, .. } = *subject;
        let messages = conversation.messages.iter().enumerate();
        // Messages without units stand outside the list and can't go.
        let goes = messages.map(|(at, message)| !stays.stays(at) && !message.units.is_empty());
        let goes: Vec<bool> = goes.collect();
        let mut is_counted = vec![0; goes.len()];
        counted(conversation, stays).for_each(|at| is_counted[at] = 1);
        let going = goes.iter().zip(&is_counted).map(|(goes, one)| usize::from(*goes) * one);
        let tokens = goes.iter().enumerate().map(|(at, goes)| match goes {
            true => meter.drafted(draft, at, count),
            false => 0,
        });
        let (going, tokens) = (sums(going), sums(tokens));
        let note = meter.new_message(conversation.dialect, &NewMessage::note());
        Self { subject, all: goes.len(), going, counted: sums(is_counted), tokens, note }
    }

    /// The run to drop so that at most `most` messages are left. It keeps the first request if some of the end
    /// fits beside it, then what came after the newest request, then as many of the first messages as fit, then
    /// of the newest. If no run leaves so few, the run that leaves the fewest; `None` if that would save nothing.
    fn run_to_leave(&self, most: usize, end: End) -> Option<Range<usize>> {
        let (starts, all) = (self.starts(), self.all);
        let conversation = self.subject.conversation;
        let newest = conversation.newest_request().map_or(0, |at| at + 1);
        let run_up_to = |starts: &[usize], most_end: usize| {
            let run = move |&start: &usize| {
                let ends = self.ends(start).take_while(move |at| *at <= most_end);
                ends.map(|end| start..end).find(|run| self.fits(run, most))
            };
            starts.iter().find_map(run)
        };
        let run_from =
            |starts: &[usize]| run_up_to(starts, newest).or_else(|| run_up_to(starts, all));
        // The newest request stays anyway.
        let first = conversation.first_request().filter(|first| first + 1 < newest);
        let behind_first = starts.partition_point(|at| first.is_some_and(|first| first < *at));
        let to_end = |&start: &usize| start..all;
        let least = match end {
            End::MayGo => {
                let fits = starts.iter().map(to_end).find(|run| self.fits(run, most));
                fits.or_else(|| starts.last().map(to_end))
            }
            End::Stays => {
                let last = |&start: &usize| Some(start..self.ends(start).last()?);
                starts.first().and_then(last)
            }
        };
        let run = run_from(&starts[..behind_first]).or_else(|| run_from(&starts)).or(least);
        run.filter(|run| self.fits(run, self.counted[all] - 1))
    }

    /// Where a run may begin, best start first: those that leave most of the first messages. Instructions
    /// stay, however few messages are asked for, and a note goes with the messages behind it.
    fn starts(&self) -> Vec<usize> {
        let Subject { conversation, cuts, .. } = *self.subject;
        let least = cuts.next_behind_leader(conversation.head());
        let first = self.counted.partition_point(|before| *before <= FIRST_MESSAGES) - 1;
        // A message behind an earlier note is none of the first.
        let noted = conversation.messages.iter().position(Message::is_note);
        let first = noted.map_or(first, |noted| first.min(noted));
        let cut_before = |&at: &usize| Some(cuts.behind_leader(at.checked_sub(1)?));
        let cuts = iter::successors(Some(cuts.behind_leader(first.max(least))), cut_before);
        // The position behind the last message before each place that is no note.
        let mut behind = least;
        let spoken = (0..=self.all).map(|at| {
            let follows_note = at <= least || conversation.messages[at - 1].is_note();
            behind = if follows_note { behind } else { at };
            behind
        });
        let spoken: Vec<usize> = spoken.collect();
        cuts.take_while(|at| *at >= least).map(|at| spoken[at]).collect()
    }

    /// Where a run may end if some of the end is to stay, best end first: those that leave the most.
    fn ends(&self, start: usize) -> impl Iterator<Item = usize> {
        let (cuts, all) = (self.subject.cuts, self.all);
        let next = move |at: usize| (at < all).then(|| cuts.next_behind_leader(at + 1));
        iter::successors(next(start), move |&at| next(at)).take_while(move |at| *at < all)
    }

    /// Whether dropping a run leaves at most `most` messages and saves tokens.
    fn fits(&self, run: &Range<usize>, most: usize) -> bool {
        let within = |sums: &[usize]| sums[run.end] - sums[run.start];
        let (mut left, mut saved) = (self.counted[self.all], within(&self.tokens));
        left -= within(&self.going);
        for at in leader(self.subject, run.end).filter(|at| run.contains(at)) {
            left += self.going[at + 1] - self.going[at];
            saved -= self.tokens[at + 1] - self.tokens[at];
        }
        left <= most && saved > self.note
    }
}

/// The sums of the numbers before each position, and of all numbers.
fn sums(numbers: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0;
    let behind = numbers.into_iter().map(|number| {
        sum += number;
        sum
    });
    iter::once(0).chain(behind.collect::<Vec<_>>()).collect()
}

/// The messages that are left, of those that a window counts.
#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// How many messages are left.
    pub messages: usize,
    /// The kinds of these messages, in words, if none of them may be dropped.
    pub pinned: Vec<&'static str>,
}

impl Left {
    /// Counts the messages for which `is_left` holds.
    pub fn of(subject: &Subject<'_, '_>, tools: &Tools, is_left: impl Fn(&usize) -> bool) -> Self {
        let conversation = subject.conversation;
        let stays = Stays::of(subject, tools);
        let left: Vec<usize> = counted(conversation, &stays).filter(is_left).collect();
        let head = subject.cuts.next_behind_leader(conversation.head());
        let newest = conversation.newest_request();
        let kept = protected(subject, tools);
        let awaited = || is_continued(conversation).then_some(&subject.pairs.orphans);
        let is_awaited = |at| awaited().into_iter().flatten().any(|place| place.0 == at);
        let what = |at: usize| match at {
            _ if at < head => Some("instructions"),
            _ if Some(at) == newest => Some("the newest request"),
            _ if kept.iter().any(|exchange| exchange.contains(&at)) => {
                Some("what --keep-tools names")
            }
            _ if is_awaited(at) => Some("results that are waited for"),
            _ if conversation.messages[at].units.is_empty() => Some("what stands beside the list"),
            _ => None,
        };
        let mut pinned = Vec::new();
        for what in left.iter().map(|&at| what(at)) {
            match what {
                None => return Self { messages: left.len(), pinned: Vec::new() },
                Some(what) if pinned.contains(&what) => {}
                Some(what) => pinned.push(what),
            }
        }
        Self { messages: left.len(), pinned }
    }
}
