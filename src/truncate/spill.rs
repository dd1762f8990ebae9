//! Writing the largest results of the last batch to files; a preview and the path replace each.
//!
//! Responsible for which results go and for their replacements. The caller writes the files and returns their
//! paths; nothing here touches a disk.

use crate::conversation::{Kind, Place};
use crate::draft::Draft;
use crate::marks;
use crate::pairing::Pairs;
use crate::subject::Subject;
use crate::truncate::clear::{self, Tools};
use crate::truncate::text_of;

/// The size in bytes up to which a result stays, because its replacement would hardly be smaller.
pub const FLOOR: usize = 2 * marks::PREVIEW;

/// A result that is to be written to a file.
pub struct Spill {
    /// The place of the result.
    pub place: Place,
    /// The id of its call; empty where the dialect has none.
    pub call_id: String,
    /// The whole text of the result.
    pub text: String,
}

/// Lets `store` write the largest results of the last batch to files, except the newest `keep` results, until
/// the batch, with what stands for these, has at most `budget` bytes; returns the places of those written.
pub fn spill_last_batch(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    tools: &Tools,
    budget: usize,
    keep: usize,
    store: &mut dyn FnMut(&Spill) -> Option<String>,
) -> Vec<Place> {
    let batch = last_batch(draft);
    let newest = batch.len().saturating_sub(keep);
    let first_kept = batch.get(newest).copied();
    let mut total = bytes_of_last_batch(draft);
    let mut spilled = Vec::new();
    for spill in largest(draft, subject.pairs, tools) {
        if total <= budget {
            break;
        }
        if first_kept.is_some_and(|first| first <= spill.place) {
            continue;
        }
        let Some(path) = store(&spill) else { continue };
        let outcome = clear::outcome(subject, spill.place);
        let text = marks::spilled(&spill.text, &path, outcome.as_deref());
        if clear::replace_text(draft, subject.meter, spill.place, &text) {
            total = (total + text.len()).saturating_sub(spill.text.len());
            spilled.push(spill.place);
        }
    }
    spilled
}

/// Results that an earlier run wrote to files, each with its path.
pub fn written_before(subject: &Subject<'_, '_>) -> impl Iterator<Item = (Place, String)> {
    let messages = subject.conversation.messages.iter().enumerate();
    messages.flat_map(|(at, message)| {
        let results = message.parts_of(Kind::ToolResult);
        let results = results.filter(|(_, part)| marks::may_hold_spilled(part.json.source()));
        results.filter_map(move |(index, part)| {
            let path = marks::spilled_to(&part.text())?.to_owned();
            Some(((at, index), path))
        })
    })
}

/// The tokens of what would replace a result, without the path of its file; `None` if it is not of the last
/// batch or too small to go to a file.
pub fn rest_of_result(subject: &Subject<'_, '_>, tools: &Tools, place: Place) -> Option<usize> {
    let draft = Draft::new(subject.conversation);
    let spill = largest(&draft, subject.pairs, tools).find(|spill| spill.place == place)?;
    let outcome = clear::outcome(subject, place);
    Some(subject.meter.text(&marks::spilled(&spill.text, "", outcome.as_deref())))
}

/// The bytes of the results in the last batch.
pub fn bytes_of_last_batch(draft: &Draft<'_, '_>) -> usize {
    last_batch(draft).into_iter().map(|place| text_of(draft, place).len()).sum()
}

/// The results of the last batch, in order: those at the end, with no other message between them.
fn last_batch(draft: &Draft<'_, '_>) -> Vec<Place> {
    let messages = &draft.conversation().messages;
    let is_result = |at: &usize| messages[*at].has(Kind::ToolResult);
    let last = (0..messages.len()).rev().find(is_result);
    let mut batch: Vec<usize> =
        last.into_iter().flat_map(|last| (0..=last).rev().take_while(is_result)).collect();
    batch.reverse();
    let places = batch
        .into_iter()
        .flat_map(|at| messages[at].parts_of(Kind::ToolResult).map(move |(index, _)| (at, index)));
    places.filter(|place| !draft.is_removed(*place)).collect()
}

/// The results of the last batch that may go to files, the largest first. Placeholders and results little longer
/// than one stay.
fn largest(
    draft: &Draft<'_, '_>,
    pairs: &Pairs,
    tools: &Tools,
) -> impl Iterator<Item = Spill> + use<> {
    let conversation = draft.conversation();
    let spill = |place| {
        let part = conversation.part(place);
        let call_id = part.id().unwrap_or_default().into_owned();
        Spill { place, call_id, text: text_of(draft, place).into_owned() }
    };
    let mut spills: Vec<Spill> = last_batch(draft).into_iter().map(spill).collect();
    spills.retain(|spill| {
        let may = || tools.allow(&pairs.tool_of(&conversation.messages, spill.place));
        spill.text.len() > FLOOR && !marks::is_placeholder(&spill.text) && may()
    });
    spills.sort_by_key(|spill| std::cmp::Reverse(spill.text.len()));
    spills.into_iter()
}
