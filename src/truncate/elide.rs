//! Dropping whole exchanges, oldest first, with one note in their place.
//!
//! Responsible for the window: what is dropped is one run behind the head, cut at legal places, and
//! the newest request is never in it, nor are results of calls that the server keeps. Where it ends
//! inside a tool loop, the loop's leader stays. The note is a user's message, so that what follows may
//! begin with any role; an earlier note goes when a new one comes, so notes never add up.

use std::ops::Range;

use crate::check::is_continued;
use crate::draft::{Draft, NewMessage};
use crate::subject::Subject;

/// Messages at the beginning that a window keeps.
pub const FIRST_MESSAGES: usize = 3;

/// The budget can't be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The least budget that can, in tokens.
    pub least: usize,
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
    let total = subject.meter.draft(draft, subject.count);
    if total <= budget {
        return Ok(0);
    }
    let mut total = total + note_size(draft, subject);
    let head = subject.conversation.head();
    let mut end = head;
    for (piece, size) in pieces(draft, subject) {
        if total + leader_size(draft, subject, end) <= budget {
            break;
        }
        total -= size;
        end = piece.end;
    }
    total += leader_size(draft, subject, end);
    if total > budget {
        return Err(Infeasible { least: total });
    }
    Ok(drop_run(draft, subject, head..end))
}

/// What has to stay beside the messages from `end` on, in tokens, if they stay and what is before them
/// goes.
pub fn leader_size(draft: &Draft<'_, '_>, subject: &Subject<'_, '_>, end: usize) -> usize {
    let pinned = pinned(subject);
    let stays = leader(subject, end).filter(|at| pinned.binary_search(at).is_err());
    stays.map(|at| subject.meter.drafted(draft, at, subject.count)).sum()
}

/// The leader of the tool loop that goes on at `end`.
fn leader(subject: &Subject<'_, '_>, end: usize) -> Range<usize> {
    subject.cuts.leader(end).unwrap_or(end..end)
}

/// The messages that stay, in order: the newest request, and results that the server waits for.
pub fn pinned(subject: &Subject<'_, '_>) -> Vec<usize> {
    let newest = subject.conversation.newest_request();
    let waits = is_continued(subject.conversation);
    let orphans = subject.pairs.orphans.iter().filter(|_| waits).map(|place| place.0);
    let mut pinned: Vec<usize> = newest.into_iter().chain(orphans).collect();
    pinned.sort_unstable();
    pinned
}

/// The pieces behind the head that go whole or stay, and what each counts beside what is pinned.
pub fn pieces(draft: &Draft<'_, '_>, subject: &Subject<'_, '_>) -> Vec<(Range<usize>, usize)> {
    let Subject { conversation, cuts, meter, count, .. } = *subject;
    let all = conversation.messages.len();
    let pinned = pinned(subject);
    let sized = |piece: Range<usize>| {
        let goes = piece.clone().filter(|at| pinned.binary_search(at).is_err());
        let size = goes.map(|at| meter.drafted(draft, at, count)).sum();
        (piece, size)
    };
    let behind_head = cuts.at_or_after(conversation.head())..all;
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
    let (pinned, leader) = (pinned(subject), leader(subject, end));
    let goes = |at: usize| {
        let stays = pinned.binary_search(&at).is_ok() || leader.contains(&at);
        !stays && !conversation.messages[at].is_note()
    };
    if start >= end || !(start..end).any(goes) {
        return 0;
    }
    let saved: usize =
        (start..end).filter(|&at| goes(at)).map(|at| meter.drafted(draft, at, count)).sum();
    if saved <= meter.new_message(conversation.dialect, &NewMessage::note()) {
        return 0;
    }
    drop_run(draft, subject, start..end)
}

/// Drops a run but for what is pinned and the leader of what stays behind it, and says so in a note before
/// that; returns how many messages went.
fn drop_run(draft: &mut Draft<'_, '_>, subject: &Subject<'_, '_>, run: Range<usize>) -> usize {
    let conversation = draft.conversation();
    let (pinned, leader, note) = (pinned(subject), leader(subject, run.end), NewMessage::note());
    // Messages without units stand outside the list and can't go.
    let goes: Vec<usize> = run
        .filter(|at| {
            let stays = pinned.binary_search(at).is_ok() || leader.contains(at);
            !stays && !conversation.messages[*at].units.is_empty()
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
