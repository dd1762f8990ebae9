//! The sections of an earlier digest.
//!
//! Responsible for finding the section of a line in a small digest, which has no titles.

use std::ops::Range;

use crate::begins::begins_with_any;
use crate::digest::calls::tasks::Plan;
use crate::digest::files::File;
use crate::digest::files::renames::Rename;
use crate::digest::ledger::errors;
use crate::digest::text::labels;
use crate::verbatim::{own_lines, pointer};

/// Whether the digest at `place` has section titles.
pub(super) fn has_titles(text: &str, place: &Range<usize>) -> bool {
    let mut titles =
        own_lines(text, place.clone()).filter_map(|line| text[line].strip_prefix("## "));
    titles.any(|title| labels::TITLES.contains(&title))
}

/// The section of a line in a digest without titles, from its beginning and the section `before` it.
pub(super) fn guess(line: &str, before: &'static str) -> &'static str {
    if pointer(line).is_some() {
        labels::STORY
    } else if line.starts_with("> [") {
        labels::RECORDS
    } else if line.starts_with("$ ") {
        labels::COMMANDS
    } else if Plan::default().take(line) {
        labels::PLAN
    } else if errors::count(line).is_some() {
        labels::FAILURES
    } else if line.strip_prefix("- ").is_some_and(|line| line.starts_with(labels::CHECKS)) {
        labels::STATE
    } else if line.starts_with("- [") {
        let words = line.split_once("] ").map_or("", |(_, words)| words);
        if begins_with_any(words, labels::OF_STATE) {
            labels::STATE
        } else if line.contains(labels::FAILED) {
            labels::FAILURES
        } else {
            labels::FOUND
        }
    } else if line.starts_with("- ") {
        if File::parse(line, "", 0).is_empty() && Rename::parse(line).is_none() {
            labels::STORY
        } else {
            labels::READ
        }
    } else {
        before
    }
}
