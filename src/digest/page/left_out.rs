//! Changed files that a page has no room for.
//!
//! Responsible for counting those that it names nowhere, with those of which an earlier digest gave no
//! name: whoever asks what was changed is to know whether the list is whole.

use super::{Heading, Item, Page};

/// How many changed files a page with the first `chosen` choices leaves out.
pub(crate) fn changed_files(page: &Page<'_, '_>, chosen: usize) -> usize {
    let ledger = &page.ledger;
    let mut is_told = vec![false; ledger.files.len()];
    let chosen = page.arranged.iter().filter(|(_, at)| (*at as usize) < chosen);
    for &(heading, at) in chosen {
        match (page.items[at as usize], heading) {
            (Item::File(file), _) | (_, Heading::File(file)) => is_told[file as usize] = true,
            (Item::Rename(rename), _) => {
                for &file in &ledger.renames[rename as usize].files {
                    is_told[file as usize] = true;
                }
            }
            _ => {}
        }
    }
    let left = ledger.files.iter().zip(is_told).filter(|(file, is_told)| {
        // What came and went, or was put back, is as it was before.
        let is_as_before = file.undone || file.created && file.deleted;
        !is_told && file.is_changed() && !is_as_before
    });
    left.count() + page.earlier.iter().map(|earlier| earlier.left_out).sum::<usize>()
}
