//! In which definition each change was made.
//!
//! Responsible for finding those that an edit does not show by what was read of the file before it. It relies on
//! the calls being in their order; what it looks at grows with them.

use std::collections::HashMap;

use super::Ledger;
use crate::conversation::{Conversation, Place};
use crate::digest::calls::Call;
use crate::digest::files::File;
use crate::digest::files::deed::Deed;
use crate::digest::files::fates::Made;
use crate::digest::files::spot::{Found, Reading, Spot};

/// By how many readings before it a change is looked for, and for how many changes one is searched.
const READINGS: usize = 3;
const CHANGES: usize = 16;

/// Whether a file holds prose, in which such words define nothing.
fn is_prose(path: &str) -> bool {
    const PROSE: &[&str] = &["md", "mdx", "txt", "rst", "adoc", "org", "tex", "log"];
    path.rsplit_once('.').is_some_and(|(_, extension)| PROSE.contains(&extension))
}

impl Ledger {
    /// Tells of each change which definition it is in, as the last reading shows that has its lines; nothing where they
    /// stand there at several places.
    pub(super) fn place_changes(&mut self, calls: &[Call], conversation: &Conversation<'_>) {
        for file in self.files.iter_mut().filter(|file| is_prose(&file.path)) {
            file.changes.iter_mut().for_each(|made| {
                (made.change.within, made.spot) = (None, Spot::default());
            });
        }
        // Of each file where the readings behind a call begin, the nearest last.
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
            // They stand in their order.
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
                // What an older reading shows is no better.
                made.spot = Spot::default();
            }
        }
    }
}
