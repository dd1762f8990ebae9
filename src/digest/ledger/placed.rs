//! The definition that each change stands in.
//!
//! Responsible for finding it, where the edit does not show it, in what was read of the file before. It
//! relies on the calls being in order; its cost grows with their number.

use std::collections::HashMap;

use super::Ledger;
use crate::conversation::{Conversation, Place};
use crate::digest::calls::Call;
use crate::digest::files::File;
use crate::digest::files::deed::Deed;
use crate::digest::files::fates::Made;
use crate::digest::files::spot::{Found, Reading, Spot};

/// How many readings before a change are searched for its definition.
const READINGS: usize = 3;
/// How many changes are searched for in one reading.
const CHANGES: usize = 16;

/// Whether a file holds prose, in which words like `class` define nothing.
fn is_prose(path: &str) -> bool {
    const PROSE: &[&str] = &["md", "mdx", "txt", "rst", "adoc", "org", "tex", "log"];
    path.rsplit_once('.').is_some_and(|(_, extension)| PROSE.contains(&extension))
}

impl Ledger {
    /// Sets for each change the definition that it stands in, as shown by the last reading that has its
    /// lines; none where they stand in several places.
    pub(super) fn place_changes(&mut self, calls: &[Call], conversation: &Conversation<'_>) {
        for file in self.files.iter_mut().filter(|file| is_prose(&file.path)) {
            file.changes.iter_mut().for_each(|made| {
                (made.change.within, made.spot) = (None, Spot::default());
            });
        }
        // Per file the places of the readings after a call, the nearest last.
        let mut behind: HashMap<u32, Vec<Place>> = HashMap::new();
        let is_open = |made: &Made| made.change.within.is_none() && made.spot.is_open();
        for (call, file) in calls.iter().zip(&self.file_of).rev() {
            let is_reading = call.deed == Deed::Read && call.outcome.went_well();
            let Some(((message, part), file)) = call.result.filter(|_| is_reading).zip(*file)
            else {
                continue;
            };
            let behind = behind.entry(file).or_default();
            let until = behind.len().checked_sub(READINGS).map(|at| behind[at]);
            behind.push(call.place);
            // Changes are sorted by their order.
            let File { changes, fates, .. } = &mut self.files[file as usize];
            let from = changes.partition_point(|made| made.order <= call.place);
            let to = changes.partition_point(|made| until.is_none_or(|until| made.order < until));
            let near = changes.get_mut(from..to).unwrap_or_default().iter_mut().rev();
            let mut near = near.filter(|made| is_open(made)).take(CHANGES).peekable();
            if near.peek().is_none() {
                continue;
            }
            let text = conversation.messages[message].parts[part].text();
            let reading = Reading::of(&text);
            for made in near {
                let found = reading.around(&made.spot);
                let is_as_read = |line| fates.stood_still(&made.spot, line, call.place, made.order);
                match found {
                    Found::Nowhere => continue,
                    Found::Within { name, line } if is_as_read(line) => {
                        made.change.within = Some(name.into());
                    }
                    _ => {}
                }
                // An older reading would show nothing better.
                made.spot = Spot::default();
            }
        }
    }
}
