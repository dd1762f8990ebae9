//! Changed files that a page has no room for.
//!
//! Responsible for counting the changed files that the page names nowhere, and those that earlier digests
//! only counted: a reader who asks what was changed must know whether the list is complete.

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
        // A file that was created and deleted, or put back, is as it was before.
        let is_as_before = file.undone || file.created && file.deleted;
        !is_told && file.is_changed() && !is_as_before
    });
    left.count() + page.earlier.iter().map(|earlier| earlier.left_out).sum::<usize>()
}
