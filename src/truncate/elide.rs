//! Dropping whole exchanges, oldest first, with one note in their place.
//!
//! Responsible for the window: what is dropped is one run behind the head, cut at legal places. The newest
//! request is never in it, nor are results of calls that the server keeps; summaries of what was before and
//! instructions that came later go last. Where it ends inside a tool loop, the loop's leader stays. The note
//! is a user's message, so that what follows may begin with any role; an earlier note goes when a new one
//! comes, so notes never add up.

use std::ops::Range;

use crate::check::is_continued;
use crate::conversation::Origin;
use crate::draft::{Draft, NewMessage};
use crate::subject::Subject;

/// Messages at the beginning that a window keeps.
pub const FIRST_MESSAGES: usize = 3;

/// Instructions behind the head are few where they are less than this part of a conversation; else they
/// are what an application says at every turn, and go like the rest.
const MUCH: usize = 10;

/// The budget can't be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The least budget that can, in tokens.
    pub least: usize,
}

/// The messages that stay where those around them go.
pub struct Stays {
    /// For each message, whether it stays whatever goes: the newest request, results that the server
    /// waits for.
    pinned: Vec<bool>,
    /// The same for those that go last of all: the newest summary, for nothing else tells what it does,
    /// and instructions behind the head.
    standing: Vec<bool>,
}

impl Stays {
    /// Finds them.
    pub fn of(subject: &Subject<'_, '_>) -> Self {
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
        if let Some(newest) = messages.rposition(|message| message.origin == Origin::Summary) {
            standing[newest] = true;
        }
        let later = conversation.later_instructions();
        let size = |at: &usize| subject.count.messages[*at].tokens();
        let is_much = later.iter().map(size).sum::<usize>() > subject.count.tokens() / MUCH;
        for at in later.into_iter().filter(|_| !is_much) {
            standing[at] = true;
        }
        Self { pinned, standing }
    }

    /// Whether a message stays whatever goes.
    pub fn is_pinned(&self, at: usize) -> bool {
        self.pinned[at]
    }

    fn stays(&self, at: usize) -> bool {
        self.pinned[at] || self.standing[at]
    }
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
    budget: usize,
) -> Result<usize, Infeasible> {
    let Subject { conversation, meter, count, .. } = *subject;
    let total = meter.draft(draft, count);
    if total <= budget {
        return Ok(0);
    }
    let mut stays = Stays::of(subject);
    let mut total = total + note_size(draft, subject);
    let mut end = conversation.head();
    let pieces = pieces(draft, subject, &stays);
    let sum = |which: Vec<usize>| -> usize {
        which.into_iter().map(|at| meter.drafted(draft, at, count)).sum()
    };
    let fits = |total: usize, end: usize| total + leader_size(draft, subject, end) <= budget;
    for (piece, size) in &pieces {
        if fits(total, end) {
            break;
        }
        if piece.end < conversation.messages.len() {
            total -= size;
            end = piece.end;
            continue;
        }
        // Before the last piece goes what had stood beside it.
        let standing = |range: Range<usize>| range.filter(|at| stays.standing[*at]).collect();
        total -= sum(standing(conversation.head()..piece.start));
        stays.standing.fill(false);
        if !fits(total, end) {
            total -= sum(piece.clone().filter(|at| !stays.pinned[*at]).collect());
            end = piece.end;
        }
    }
    total += leader_size(draft, subject, end);
    if total > budget {
        return Err(Infeasible { least: total });
    }
    Ok(drop_run(draft, subject, &stays, conversation.head()..end))
}

/// What has to stay beside the messages from `end` on, in tokens, if they stay and what is before them
/// goes.
pub fn leader_size(draft: &Draft<'_, '_>, subject: &Subject<'_, '_>, end: usize) -> usize {
    leader(subject, end).map(|at| subject.meter.drafted(draft, at, subject.count)).sum()
}

/// The leader of the tool loop that goes on at `end`.
fn leader(subject: &Subject<'_, '_>, end: usize) -> Range<usize> {
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

/// Keeps the first messages and of the rest as many that `most` stay, out to legal cuts;
/// returns how many messages went. Notes do not count as messages.
pub fn keep_window(draft: &mut Draft<'_, '_>, subject: &Subject<'_, '_>, most: usize) -> usize {
    let Subject { conversation, cuts, meter, count, .. } = *subject;
    let real: Vec<usize> = (0..conversation.messages.len())
        .filter(|&at| !conversation.messages[at].is_note())
        .collect();
    if real.len() <= most {
        return 0;
    }
    let first = FIRST_MESSAGES.min(most);
    // Instructions stay, however few messages are asked for.
    let start = cuts.at_or_after(real[first].max(conversation.head()));
    let tail = real.len() - (most - first);
    let end = real.get(tail).map_or(conversation.messages.len(), |&at| cuts.behind_leader(at));
    let (stays, leader) = (Stays::of(subject), leader(subject, end));
    let goes = |at: usize| {
        !stays.stays(at) && !leader.contains(&at) && !conversation.messages[at].is_note()
    };
    if start >= end || !(start..end).any(goes) {
        return 0;
    }
    let saved: usize =
        (start..end).filter(|&at| goes(at)).map(|at| meter.drafted(draft, at, count)).sum();
    if saved <= meter.new_message(conversation.dialect, &NewMessage::note()) {
        return 0;
    }
    drop_run(draft, subject, &stays, start..end)
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
