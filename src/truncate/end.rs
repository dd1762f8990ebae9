//! Cutting results so large that the newest messages would have to go.
//!
//! Responsible for the newest exchanges under a budget. Exchanges stay or go whole, so a result larger than
//! the room would leave none of them. It is cut to all the room there is, with nothing reserved for older
//! messages: those would be dropped again under a larger budget that holds the whole result.

use std::borrow::Cow;

use crate::conversation::Place;
use crate::defaults::HEAD_SHARE;
use crate::draft::Draft;
use crate::subject::Subject;
use crate::truncate::cut::{Limit, Measure};
use crate::truncate::elide::{self, Stays};
use crate::truncate::output::Output;
use crate::truncate::{Policies, clear, may_be_cut, text_of};
use crate::within::largest;

/// The least tokens of a cut result that still say something.
const LEAST_RESULT: usize = 40;

/// Cuts results of the newest piece that does not fit into the budget beside the newer pieces, if most of the
/// room would stay empty without it; returns the places of those cut.
pub fn cut_to_keep_the_end(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    policies: &Policies,
    budget: usize,
) -> Vec<Place> {
    let total = subject.meter.draft(draft, subject.count);
    if total <= budget {
        return Vec::new();
    }
    let stays = Stays::of(subject, &policies.tools);
    let pieces = elide::pieces(draft, subject, &stays);
    let going: usize = pieces.iter().map(|(_, size)| size).sum();
    let fixed = total - going + elide::note_size(draft, subject);
    let recent = stays.recent(&pieces, draft, subject);
    let Some((newest, _)) = pieces.get(recent) else { return Vec::new() };
    // Beside the newest pieces stays only what fits beside all of them.
    let older = subject.conversation.head()..newest.start;
    let standing = stays.standing_within(older, draft, subject);
    let Some(room) = (budget + standing).checked_sub(fixed) else { return Vec::new() };
    let mut left = room;
    let mut led = None;
    for (piece, size) in pieces.iter().rev() {
        // The leader of a loop is counted with the newest piece of the loop.
        let leader = elide::leader(subject, piece.start);
        let is_paid = |start| led == Some(start);
        let leading = if is_paid(leader.start) { 0..0 } else { leader.clone() };
        let more = if is_paid(leader.start) {
            0
        } else {
            elide::leader_size(draft, subject, &stays, piece.start)
        };
        let size = more + if is_paid(piece.start) { 0 } else { *size };
        if size > left {
            let is_needed = left > room / 2;
            let messages: Vec<usize> = leading.chain(piece.clone()).collect();
            let goes: Vec<usize> =
                messages.iter().copied().filter(|at| !stays.stays(*at)).collect();
            let limit = Room { messages: &goes, tokens: left };
            return if is_needed {
                cut_results(draft, subject, policies, &messages, &limit)
            } else {
                Vec::new()
            };
        }
        left -= size;
        led = Some(leader.start).filter(|_| !leader.is_empty()).or(led);
        if piece.start == newest.start {
            let Some(beside) = left.checked_sub(standing) else { return Vec::new() };
            left = beside;
        }
    }
    Vec::new()
}

/// The tokens that some messages may count.
pub struct Room<'m> {
    /// The indices of these messages, in order.
    pub messages: &'m [usize],
    /// The most tokens of all these messages together.
    pub tokens: usize,
}

/// Cuts the largest results of `messages`, which are in order, until the messages of `room` fit. Results in
/// files get a shorter preview. Returns the places of those cut; none, and no cut, if that is not enough.
pub fn cut_results(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    policies: &Policies,
    messages: &[usize],
    room: &Room<'_>,
) -> Vec<Place> {
    let Subject { pairs, meter, count, .. } = *subject;
    let is_in = |place: &Place| messages.binary_search(&place.0).is_ok();
    let places: Vec<Place> = clear::shortenable(draft, pairs)
        .into_iter()
        .filter(|(place, tool)| is_in(place) && policies.tools.allow(tool))
        .map(|(place, _)| place)
        .collect();
    let (measure, head_share) = (Measure::Tokens, policies.head_share.unwrap_or(HEAD_SHARE));
    let texts = places.iter().map(|place| (*place, text_of(draft, *place)));
    let texts: Vec<(Place, Cow<'_, str>)> = texts.filter(|(_, text)| may_be_cut(text)).collect();
    let results = texts.iter().map(|(place, text)| (*place, Output::of(text, measure, meter)));
    let results: Vec<(Place, Output<'_>)> = results.collect();
    let cut_at = |most: usize| {
        let limit = Limit { measure, most, head_share };
        let mut shorter = draft.clone();
        let mut cut = Vec::new();
        for (place, result) in &results {
            if let Some(text) = result.cut(&limit, policies.keep_json, meter) {
                shorter.set_text(*place, text);
                cut.push(*place);
            }
        }
        let sizes = room.messages.iter().map(|&at| meter.drafted(&shorter, at, count));
        (sizes.sum::<usize>() <= room.tokens).then_some((shorter, cut))
    };
    let Some(least) = cut_at(LEAST_RESULT) else { return Vec::new() };
    // A cut result counts no more than the limit. Usually this is enough to know that there is room, without
    // cutting anything.
    let sizes = room.messages.iter().map(|&at| meter.drafted(draft, at, count));
    let whole = sizes.sum::<usize>();
    let saved = |(place, output): &(Place, Output<'_>), most: usize| {
        let is_new = draft.new_text(*place).is_some();
        let said = if is_new { output.size() } else { count.parts[place.0][place.1].content };
        let is_cut = output.size() > most && output.gets_within() && !policies.keep_json;
        if is_cut { said.saturating_sub(most) } else { 0 }
    };
    let has_room = |most: usize| {
        let saved = results.iter().map(|result| saved(result, most)).sum::<usize>();
        whole.saturating_sub(saved) <= room.tokens
    };
    let limits = LEAST_RESULT + 1..room.tokens;
    let best = largest(limits.clone(), |most| {
        if has_room(most) { Some((most, None)) } else { Some((most, Some(cut_at(most)?))) }
    });
    let (shorter, cut) = match best {
        Some((most, None)) => cut_at(most).or_else(|| largest(limits, cut_at)),
        best => best.and_then(|(_, done)| done),
    }
    .unwrap_or(least);
    *draft = shorter;
    cut
}
