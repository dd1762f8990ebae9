//! Whether a call that searched for something found nothing.
//!
//! Responsible for empty results, and for the sentence with which tools tell it. It relies on the result saying
//! nothing else.

use super::Call;
use super::tool::{THINKING, Words};
use crate::begins::begins_with_any;
use crate::conversation::Part;
use crate::digest::files::deed::Deed;
use crate::json::Json;

/// The most bytes of such a sentence.
const LONGEST: usize = 200;

/// The beginnings of such sentences, in lower case.
const BEGINNINGS: &[&str] = &[
    "no matches", "no match ", "no match.", "no files", "no results", "no result ",
    "no occurrences", "nothing found", "nothing was found", "found 0 ", "0 results", "0 matches",
    "found no ", "could not find any", "no code found", "no relevant",
];

/// Whether a call that only looks found nothing. A result without text may still have a picture.
pub(super) fn finds_nothing(call: &Call, result: &Part<'_>) -> bool {
    if call.command.is_some() || !call.outcome.went_well() {
        return false;
    }
    let text = result.opening();
    let is_whole = result.body.is_none_or(Json::is_string) || text == "[]" || text == "{}";
    let is_nothing = |text: &str| ["[]", "", "{}", "null"].contains(&text.trim());
    // A text may begin with much white space.
    let is_empty = is_whole && is_nothing(&text) && is_nothing(&result.text());
    let searches = call.only_looks() && !Words::of(&call.tool).has(THINKING);
    is_empty && searches || call.deed == Deed::Searched && says_so(&result.text())
}

/// Whether a text only says that there is nothing.
fn says_so(text: &str) -> bool {
    let text = text.trim();
    if text.len() > LONGEST {
        return false;
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default().to_ascii_lowercase();
    lines.next().is_none() && begins_with_any(&first, BEGINNINGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_says_that_there_is_nothing() {
        for text in
            ["No files found", "Found 0 results.", "No matches found for pattern \"lamp\"\n"]
        {
            assert!(says_so(text), "{text}");
        }
        for text in ["Found 3 results", "No files\nsrc/a.rs", "a.rs:3: no matches found", ""] {
            assert!(!says_so(text), "{text}");
        }
    }
}
