//! Dropping whole exchanges, oldest first, with one note in their place.
//!
//! Responsible for what goes: one run behind the head, cut at legal places. The newest
//! request is never in it, nor are results of calls that the server keeps and exchanges of protected tools;
//! summaries of what was before and instructions that came later go last. Where it ends inside a tool loop,
//! the loop's leader stays. The note is a user's message, so that what follows may begin with any role; an
//! earlier note goes when a new one comes, so notes never add up.

pub mod window;

use std::ops::Range;

use crate::draft::{Draft, NewMessage};
use crate::subject::Subject;
use crate::summaries;
use crate::truncate::clear::{self, Tools};
use crate::wire::is_continued;

/// So many of the newest instructions behind the head stay: more are what an application says at every
/// turn, and go like the rest.
const LATER_INSTRUCTIONS: usize = 3;

/// The budget can't be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The least budget that can, in tokens.
    pub least: usize,
}

/// The messages that stay where those around them go.
pub struct Stays {
    /// For each message, whether it stays whatever goes: the newest request, results that the server
    /// waits for, exchanges of protected tools.
    pinned: Vec<bool>,
    /// The same for those that go last of all: the newest summary, for nothing else tells what it does,
    /// and instructions behind the head.
    standing: Vec<bool>,
}

impl Stays {
    /// Finds them; results of the tools that are to be kept are among them.
    pub fn of(subject: &Subject<'_, '_>, tools: &Tools) -> Self {
        let conversation = subject.conversation;
        let all = conversation.messages.len();
        let (mut pinned, mut standing) = (vec![false; all], vec![false; all]);
        if let Some(newest) = conversation.newest_request() {
            pinned[newest] = true;
        }
        if is_continued(conversation) {
            subject.pairs.orphans.iter().for_each(|place| pinned[place.0] = true);
        }
        let mut messages = conversation.messages.iter();
        if let Some(newest) = messages.rposition(summaries::stands_in) {
            standing[newest] = true;
        }
        for at in conversation.later_instructions().into_iter().take(LATER_INSTRUCTIONS) {
            standing[at] = true;
        }
        for exchange in protected(subject, tools) {
            pinned[exchange].fill(true);
        }
        // What stays whatever goes does not go last: a summary may be joined with the newest request.
        standing.iter_mut().zip(&pinned).for_each(|(stands, pinned)| *stands &= !pinned);
        Self { pinned, standing }
    }

    /// The first of the newest pieces, which stay before what stands beside the others: those that
    /// together count no more than that, and the last.
    pub fn recent(
        &self,
        pieces: &[(Range<usize>, usize)],
        draft: &Draft<'_, '_>,
        subject: &Subject<'_, '_>,
    ) -> usize {
        let behind_head = subject.conversation.head()..self.standing.len();
        let mut left = self.standing_within(behind_head, draft, subject);
        let mut fits = |(piece, size): &(Range<usize>, usize)| {
            let rest =
                left.checked_sub(*size).filter(|_| !self.standing[piece.clone()].contains(&true));
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let many = pieces.iter().rev().take_while(|piece| fits(piece)).count();
        pieces.len().saturating_sub(many.max(1))
    }

    /// What of some messages goes last, in tokens.
    pub fn standing_within(
        &self,
        messages: Range<usize>,
        draft: &Draft<'_, '_>,
        subject: &Subject<'_, '_>,
    ) -> usize {
        let standing = messages.filter(|at| self.standing[*at]);
        standing.map(|at| subject.meter.drafted(draft, at, subject.count)).sum()
    }

    /// Whether a message stays, or goes last.
    pub fn stays(&self, at: usize) -> bool {
        self.pinned[at] || self.standing[at]
    }
}

/// The exchanges with results of tools that are to be kept, and what leads the loops that they are of.
fn protected(subject: &Subject<'_, '_>, tools: &Tools) -> Vec<Range<usize>> {
    if tools.keep.is_none() {
        return Vec::new();
    }
    let Subject { conversation, pairs, cuts, .. } = *subject;
    let results = clear::shortenable(&Draft::new(conversation), pairs).into_iter();
    results
        .filter(|(_, tool)| tools.protect(tool))
        .flat_map(|((at, _), _)| {
            let (exchange, leader) = cuts.exchange(at);
            [exchange, leader]
        })
        .collect()
}

/// Drops the oldest pieces behind the head until the draft counts at most `budget`; returns how many
/// messages went.
///
/// # Errors
///
/// The head, what is pinned and the note alone count more.
pub fn drop_oldest(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    tools: &Tools,
    budget: usize,
) -> Result<usize, Infeasible> {
    let Subject { conversation, meter, count, .. } = *subject;
    let total = meter.draft(draft, count);
    if total <= budget {
        return Ok(0);
    }
    let mut stays = Stays::of(subject, tools);
    let mut total = total + note_size(draft, subject);
    let mut end = conversation.head();
    let pieces = pieces(draft, subject, &stays);
    let recent = stays.recent(&pieces, draft, subject);
    let mut cleared = end;
    // One loop may have many pieces.
    let mut leading = (0..0, 0);
    for (index, (piece, size)) in pieces.iter().enumerate() {
        let leader = leader(subject, end);
        if leading.0 != leader {
            leading = (leader, leader_size(draft, subject, &stays, end));
        }
        if total + leading.1 <= budget {
            break;
        }
        if index < recent {
            total -= size;
            end = piece.end;
            continue;
        }
        // Before the newest pieces goes what had stood beside them.
        total -= stays.standing_within(cleared..piece.start, draft, subject);
        stays.standing[cleared..piece.start].fill(false);
        cleared = piece.start;
        if total + leader_size(draft, subject, &stays, end) <= budget {
            break;
        }
        stays.standing[piece.clone()].fill(false);
        let goes = piece.clone().filter(|at| !stays.pinned[*at]);
        total -= goes.map(|at| meter.drafted(draft, at, count)).sum::<usize>();
        end = piece.end;
    }
    total += leader_size(draft, subject, &stays, end);
    if total > budget {
        return Err(Infeasible { least: total });
    }
    Ok(drop_run(draft, subject, &stays, conversation.head()..end))
}

/// What has to stay beside the messages from `end` on, in tokens, if they stay and what is before them
/// goes.
pub fn leader_size(
    draft: &Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    stays: &Stays,
    end: usize,
) -> usize {
    let more = leader(subject, end).filter(|at| !stays.stays(*at));
    more.map(|at| subject.meter.drafted(draft, at, subject.count)).sum()
}

/// The leader of the tool loop that goes on at `end`.
pub fn leader(subject: &Subject<'_, '_>, end: usize) -> Range<usize> {
    subject.cuts.leader(end).unwrap_or(end..end)
}

/// The pieces behind the head that go whole or stay, and what each counts beside what stays.
pub fn pieces(
    draft: &Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    stays: &Stays,
) -> Vec<(Range<usize>, usize)> {
    let Subject { conversation, cuts, meter, count, .. } = *subject;
    let sized = |piece: Range<usize>| {
        let goes = piece.clone().filter(|at| !stays.stays(*at));
        let size = goes.map(|at| meter.drafted(draft, at, count)).sum();
        (piece, size)
    };
    let behind_head = cuts.at_or_after(conversation.head())..conversation.messages.len();
    cuts.pieces_behind_leaders(behind_head).into_iter().map(sized).collect()
}

/// What the note would add: nothing where another step's stands already, for there is only ever one.
pub fn note_size(draft: &Draft<'_, '_>, subject: &Subject<'_, '_>) -> usize {
    let note = NewMessage::note();
    let has_note = draft.new_messages().any(|(_, new)| *new == note);
    if has_note { 0 } else { subject.meter.new_message(subject.conversation.dialect, &note) }
}

/// Drops a run but for what stays and the leader of what is behind it, and says so in a note before that;
/// returns how many messages went.
fn drop_run(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    stays: &Stays,
    run: Range<usize>,
) -> usize {
    let conversation = draft.conversation();
    let (leader, note) = (leader(subject, run.end), NewMessage::note());
    // What an earlier note says right behind the run this one says.
    let behind = &conversation.messages[run.end..];
    let notes = behind.iter().take_while(|it| it.is_note() && leader.is_empty()).count();
    let run = run.start..run.end + notes;
    // Messages without units stand outside the list and can't go.
    let goes: Vec<usize> = run
        .filter(|at| {
            let goes = !stays.stays(*at) && !leader.contains(at);
            goes && !conversation.messages[*at].units.is_empty()
        })
        .collect();
    for &at in &goes {
        draft.drop_message(at);
    }
    if let Some(&first) = goes.first() {
        let is_note = |(at, new): (usize, &NewMessage<'_>)| (*new == note).then_some(at);
        let earlier: Vec<usize> = draft.new_messages().filter_map(is_note).collect();
        for at in earlier {
            draft.take_inserted(at);
        }
        draft.insert_message(first.min(leader.start), note);
    }
    goes.len()
}
