//! What a page has no room for.
//!
//! Responsible for counting files and commands that it names nowhere, with those of which an earlier
//! digest gave no name: whoever reads a section is to know whether it is whole.

use super::{Heading, Item, Page};
use crate::digest::text::more::LeftOut;

/// What a page with the first `chosen` choices leaves out.
pub(crate) fn left_out(page: &Page<'_, '_>, chosen: usize) -> LeftOut {
    let ledger = &page.ledger;
    let mut files = vec![false; ledger.files.len()];
    let mut commands = vec![false; ledger.commands.len()];
    for &item in &page.items[..chosen] {
        match (item, page.heading_of(item)) {
            (Item::File(file), _) | (_, Heading::File(file)) => files[file as usize] = true,
            (Item::Rename(rename), _) => {
                for &file in &ledger.renames[rename as usize].files {
                    files[file as usize] = true;
                }
            }
            (_, Heading::Command(command)) => commands[command as usize] = true,
            _ => {}
        }
    }
    let mut left = LeftOut::default();
    for old in page.earlier.iter().map(|earlier| &earlier.left_out) {
        left.changed += old.changed;
        left.read += old.read;
        left.commands += old.commands;
    }
    for (file, _) in ledger.files.iter().zip(files).filter(|(_, is_told)| !is_told) {
        // What came and went, or was put back, is as it was before.
        let is_as_before = file.undone || file.created && file.deleted;
        left.changed += usize::from(file.is_changed() && !is_as_before);
        left.read += usize::from(!file.is_changed() && file.reads > 0);
    }
    let ran = ledger.commands.iter().zip(commands);
    left.commands += ran.filter(|(command, is_told)| !is_told && command.times > 0).count();
    left
}
