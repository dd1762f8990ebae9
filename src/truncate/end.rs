//! Cutting the results that would cost a conversation its end.
//!
//! Responsible for the newest exchanges under a budget: they stay or go whole, so a result larger than
//! the room would leave nothing of the end. It is cut to the room that there is: were some of it kept for
//! what led to it, that would have to go again where a larger budget holds the whole result.

use std::ops::Range;

use crate::defaults::HEAD_SHARE;
use crate::draft::Draft;
use crate::pairing::Place;
use crate::subject::Subject;
use crate::truncate::cut::{Limit, Measure};
use crate::truncate::elide::{self, Stays};
use crate::truncate::{Policies, clear, cut_result};

/// Tokens of a cut result that still say something.
const LEAST_RESULT: usize = 40;

/// Cuts results of the newest piece that does not fit into the budget beside what is newer, where most
/// of the room would stay empty without it; returns how many.
pub fn cut_to_keep_the_end(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    policies: &Policies,
    budget: usize,
) -> usize {
    let total = subject.meter.draft(draft, subject.count);
    if total <= budget {
        return 0;
    }
    let stays = Stays::of(subject);
    let pieces = elide::pieces(draft, subject, &stays);
    let going: usize = pieces.iter().map(|(_, size)| size).sum();
    let fixed = total - going + elide::note_size(draft, subject);
    let Some(room) = budget.checked_sub(fixed) else { return 0 };
    let mut left = room;
    for (piece, size) in pieces.iter().rev() {
        if *size > left {
            let is_needed = left > room / 2;
            let leader = elide::leader_size(draft, subject, piece.start);
            let left = left.saturating_sub(leader);
            return if is_needed {
                cut_piece(draft, subject, policies, &stays, piece, left)
            } else {
                0
            };
        }
        left -= size;
    }
    0
}

/// Cuts the largest results of a piece until it counts at most so many tokens; returns how many, and
/// none where that is not enough.
fn cut_piece(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    policies: &Policies,
    stays: &Stays,
    piece: &Range<usize>,
    tokens: usize,
) -> usize {
    let Subject { pairs, meter, count, .. } = *subject;
    let is_in = |place: &Place| piece.contains(&place.0);
    let places: Vec<Place> = clear::shortenable(draft, pairs)
        .into_iter()
        .filter(|(place, tool)| is_in(place) && policies.tools.allow(tool))
        .map(|(place, _)| place)
        .collect();
    let head_share = policies.head_share.unwrap_or(HEAD_SHARE);
    let cut_at = |most: usize| {
        let limit = Limit { measure: Measure::Tokens, most, head_share };
        let mut shorter = draft.clone();
        let cut = places
            .iter()
            .filter(|place| cut_result(&mut shorter, **place, &limit, policies.keep_json, meter));
        let cut = cut.count();
        let goes = piece.clone().filter(|at| !stays.is_pinned(*at));
        let size: usize = goes.map(|at| meter.drafted(&shorter, at, count)).sum();
        (size <= tokens).then_some((shorter, cut))
    };
    // The largest limit that is small enough.
    let (mut fits, mut is_over) = (LEAST_RESULT, tokens);
    let Some(mut best) = cut_at(fits) else { return 0 };
    while is_over > fits + 1 {
        let most = usize::midpoint(fits, is_over);
        match cut_at(most) {
            Some(better) => (fits, best) = (most, better),
            None => is_over = most,
        }
    }
    *draft = best.0;
    best.1
}
