//! Dropping whole exchanges, oldest first, with one note in their place.
//!
//! Responsible for what goes: one run of messages behind the head, cut at legal places. The newest request is
//! never in it, nor are results of calls that the server keeps, nor exchanges of protected tools; earlier
//! summaries and later instructions go last. If the run ends inside a tool loop, the loop's leader stays. The
//! note is a user message, so that any role may follow it; an earlier note goes when a new one comes, so
//! notes never add up.

pub mod window;

use std::ops::Range;

use crate::draft::{Draft, NewMessage};
use crate::subject::Subject;
use crate::summaries;
use crate::truncate::clear::{self, Tools};
use crate::wire::is_continued;

/// How many of the newest instructions behind the head stay. An application that repeats instructions at
/// every turn has more; the others go like any message.
const LATER_INSTRUCTIONS: usize = 3;

/// The budget can't be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The least budget that can be met, in tokens.
    pub least: usize,
}

/// The messages that stay when those around them are dropped.
pub struct Stays {
    /// For each message, whether it always stays: the newest request, results that the server awaits,
    /// exchanges of protected tools.
    pinned: Vec<bool>,
    /// For each message, whether it is dropped last: the newest summary, because nothing else tells what it
    /// does, and instructions behind the head.
    standing: Vec<bool>,
}

impl Stays {
    /// Finds these messages; exchanges of protected `tools` are among them.
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
        for at in conversation.later_instructions().all().take(LATER_INSTRUCTIONS) {
            standing[at] = true;
        }
        for exchange in protected(subject, tools) {
            pinned[exchange].fill(true);
        }
        // A message that always stays is not dropped last: a summary may be joined with the newest request.
        standing.iter_mut().zip(&pinned).for_each(|(stands, pinned)| *stands &= !pinned);
        Self { pinned, standing }
    }

    /// The index of the first of the newest pieces, which are kept in preference to the messages that are
    /// dropped last: these pieces together count no more than those messages, or there is just one piece.
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

    /// The tokens of those of the `messages` that are dropped last.
    pub fn standing_within(
        &self,
        messages: Range<usize>,
        draft: &Draft<'_, '_>,
        subject: &Subject<'_, '_>,
    ) -> usize {
        let standing = messages.filter(|at| self.standing[*at]);
        standing.map(|at| subject.meter.drafted(draft, at, subject.count)).sum()
    }

    /// Whether a message always stays or is dropped last.
    pub fn stays(&self, at: usize) -> bool {
        self.pinned[at] || self.standing[at]
    }
}

/// The exchanges with results of protected tools, and the leaders of their tool loops.
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

/// Drops the oldest pieces behind the head until the draft counts at most `budget` tokens; returns how many
/// messages were dropped.
///
/// # Errors
///
/// The head, the pinned messages and the note alone count more than the budget.
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
    // The leader is the same for many pieces of one loop, so it is measured once.
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
        // Before any of the newest pieces is dropped, the messages go that are dropped last.
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

/// The tokens of the leader that has to stay if the messages from `end` on stay and those before are dropped.
pub fn leader_size(
    draft: &Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    stays: &Stays,
    end: usize,
) -> usize {
    let more = leader(subject, end).filter(|at| !stays.stays(*at));
    more.map(|at| subject.meter.drafted(draft, at, subject.count)).sum()
}

/// The leader of the tool loop that continues at `end`; empty if there is none.
pub fn leader(subject: &Subject<'_, '_>, end: usize) -> Range<usize> {
    subject.cuts.leader(end).unwrap_or(end..end)
}

/// The pieces behind the head that are kept or dropped whole, each with the tokens of the messages in it that
/// may go.
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

/// The tokens that the note would add: 0 if another step inserted it already, because there is only one note.
pub fn note_size(draft: &Draft<'_, '_>, subject: &Subject<'_, '_>) -> usize {
    let note = NewMessage::note();
    let has_note = draft.new_messages().any(|(_, new)| *new == note);
    if has_note { 0 } else { subject.meter.new_message(subject.conversation.dialect, &note) }
}

/// Drops a run, except messages that stay and the leader of the messages behind it, and inserts a note before
/// it; returns how many messages were dropped.
fn drop_run(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    stays: &Stays,
    run: Range<usize>,
) -> usize {
    let conversation = draft.conversation();
    let (leader, note) = (leader(subject, run.end), NewMessage::note());
    // An earlier note right behind the run is replaced by the new one.
    let behind = &conversation.messages[run.end..];
    let notes = behind.iter().take_while(|it| it.is_note() && leader.is_empty()).count();
    let run = run.start..run.end + notes;
    // Messages without units stand outside the list and can't be dropped.
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
