//! In which definition each change was made.
//!
//! Responsible for finding those that an edit does not show by what was read of the file before it. It relies on
//! the calls being in their order.

use super::Ledger;
use crate::conversation::Conversation;
use crate::digest::calls::Call;
use crate::digest::files::deed::Deed;
use crate::digest::files::fates::Made;
use crate::digest::files::spot::Reading;

impl Ledger {
    /// Tells of each change which definition it is in, as the last reading shows that has its lines.
    pub(in crate::digest) fn place_changes(
        &mut self,
        calls: &[Call],
        conversation: &Conversation<'_>,
    ) {
        let is_open = |made: &&mut Made| made.change.within.is_none() && made.spot.is_open();
        for (call, file) in calls.iter().zip(&self.file_of).rev() {
            let Some(file) = file.map(|file| &mut self.files[file as usize]) else { continue };
            let is_reading = call.deed == Deed::Read && call.outcome.went_well();
            let Some((message, part)) = call.result.filter(|_| is_reading) else { continue };
            let later = |made: &&mut Made| made.order > call.place;
            let mut open = file.changes.iter_mut().filter(is_open).filter(later).peekable();
            if open.peek().is_none() {
                continue;
            }
            let text = conversation.messages[message].parts[part].text();
            let reading = Reading::of(&text);
            for made in open {
                made.change.within = reading.around(&made.spot).map(Into::into);
            }
        }
    }
}
