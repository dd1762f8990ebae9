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
/// the rest of the batch has at most `budget` bytes; returns the places of those written.
pub fn spill_last_batch(
    draft: &mut Draft<'_, '_>,
    subject: &Subject<'_, '_>,
    tools: &Tools,
    budget: usize,
    keep: usize,
    store: &mut dyn FnMut(&Spill) -> Option<String>,
) -> Vec<Place> {
    let (spills, _) = largest_of_last_batch(draft, subject.pairs, tools, budget, keep);
    let stored = spills.iter().filter(|spill| {
        store(spill).is_some_and(|path| {
            let outcome = clear::outcome(subject, spill.place);
            let text = marks::spilled(&spill.text, &path, outcome.as_deref());
            clear::replace_text(draft, subject.meter, spill.place, &text)
        })
    });
    stored.map(|spill| spill.place).collect()
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

/// The bytes of the last batch that stay in it. They exceed `budget` if small or protected results alone do.
pub fn rest_of_last_batch(
    draft: &Draft<'_, '_>,
    pairs: &Pairs,
    tools: &Tools,
    budget: usize,
) -> usize {
    largest_of_last_batch(draft, pairs, tools, budget, 0).1
}

/// The tokens of what would replace a result, without the path of its file; `None` if it is not of the last
/// batch or too small to go to a file.
pub fn rest_of_result(subject: &Subject<'_, '_>, tools: &Tools, place: Place) -> Option<usize> {
    let draft = Draft::new(subject.conversation);
    let (goes, _) = largest_of_last_batch(&draft, subject.pairs, tools, FLOOR, 0);
    let spill = goes.iter().find(|spill| spill.place == place)?;
    let outcome = clear::outcome(subject, place);
    Some(subject.meter.text(&marks::spilled(&spill.text, "", outcome.as_deref())))
}

/// The largest results of the last batch whose removal brings the batch down to `budget` bytes, and the bytes
/// that are left then. Placeholders and results little longer than one stay.
fn largest_of_last_batch(
    draft: &Draft<'_, '_>,
    pairs: &Pairs,
    tools: &Tools,
    budget: usize,
    keep: usize,
) -> (Vec<Spill>, usize) {
    let conversation = draft.conversation();
    let tool_of = |place| pairs.tool_of(&conversation.messages, place);
    let is_result = |at: &usize| conversation.messages[*at].has(Kind::ToolResult);
    let Some(last) = (0..conversation.messages.len()).rev().find(is_result) else {
        return (Vec::new(), 0);
    };
    let first = (0..=last).rev().take_while(is_result).last().unwrap_or(last);
    let mut results = Vec::new();
    for at in first..=last {
        for (index, part) in conversation.messages[at].parts_of(Kind::ToolResult) {
            results.push(Spill {
                place: (at, index),
                call_id: part.id().unwrap_or_default().into_owned(),
                text: part.text().into_owned(),
            });
        }
    }
    let first_kept = results.len().saturating_sub(keep);
    let first_kept = results.get(first_kept).map(|spill| spill.place);
    results.retain(|spill| !marks::is_placeholder(&spill.text));
    let mut total: usize = results.iter().map(|spill| spill.text.len()).sum();
    results.sort_by_key(|spill| std::cmp::Reverse(spill.text.len()));
    results.retain(|spill| {
        let is_kept = first_kept.is_some_and(|first| first <= spill.place);
        let may = spill.text.len() > FLOOR && !is_kept && tools.allow(&tool_of(spill.place));
        let goes = total > budget && may;
        total -= if goes { spill.text.len() } else { 0 };
        goes
    });
    (results, total)
}
