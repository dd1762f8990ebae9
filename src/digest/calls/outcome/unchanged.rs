//! Whether an editing tool says that it changed nothing, where no flag of its result does.
//!
//! Responsible for the sentences in which editors refuse: the text to replace is missing or not unique, the
//! file cannot be written. An editor also shows a piece of the file, which may say anything. So only the first
//! line counts, and the last one if the first quotes the text to replace.

use super::error::tagless;
use super::frame::is_frame;
use crate::begins::begins_with_any;
use crate::digest::text::prose::is_tag;
use crate::line::leaves_open;

/// Words of an editor that changed nothing.
const REFUSALS: &[&str] = &[
    "no replacement", "no changes", "no match", "not match", "not found", "not unique",
    "be unique", "n't unique", "not find", "n't find", "n't match", "multiple matches",
    "multiple occurrences", "not applied", "not been read", "permission denied", "no such file",
    "does not exist", "doesn't exist", "could not ", "couldn't ", "cannot ", "can't ",
    "unable to ", "failed to ", "failed: ", "execution failed", "eacces", "enoent", "eperm",
    "erofs", "eisdir", "invalid `", "invalid context", "invalid path", "invalid file path",
    "file already exists", "no sufficiently similar match", "must appear exactly once",
    "no edit history", "nothing to undo", "hook error", "should be within",
    "error while calling tool", "must read the file",
];

/// Beginnings of the line of an editor that changed something.
const DOING: &[&str] = &["wrote ", "updated ", "edited ", "replaced ", "created "];

/// Lines that only announce what follows.
const HEADS: &[&str] = &["ERROR:", "Error:"];

/// Words that only an editor says that changed nothing.
const SURE: &[&str] = &["n't match exactly", "has been modified since", "has not been read"];

/// Words that only an editor says that changed something.
const DONE: &[&str] =
    &["success", " has been ", " have been ", "applied ", "created at", "overwritten"];

/// Whether the result of an editor says that it changed no file.
pub(super) fn leaves_all_unchanged(text: &str) -> bool {
    let lines = text.lines().map(|line| tagless(line.trim()));
    let says = |line: &&str| !is_frame(line) && !is_tag(line) && !HEADS.contains(line);
    let mut lines = lines.filter(|line| !line.is_empty()).filter(says);
    let Some(first) = lines.next() else { return false };
    let last = lines.next_back();
    refuses(first) || opens_quote(first) && last.is_some_and(refuses)
}

fn refuses(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|words| line.contains(words));
    let is_done = has(DONE) || begins_with_any(&line, DOING);
    has(SURE) || (has(REFUSALS) || finds_several(&line)) && !is_done
}

/// Whether a line says that the text to replace is not unique: `Found 2 matches of the string`, `old_string
/// found 3 times`.
fn finds_several(line: &str) -> bool {
    const TIMES: &[&str] = &[" times", " matches", " occurrences"];
    let number = line.split_once("found ").map_or("", |(_, rest)| rest);
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < number.len() && begins_with_any(behind, TIMES) && !line.contains("replaced")
}

/// Whether a line is one word and the beginning of a quote that ends on a later line: `String 'the first line`.
fn opens_quote(line: &str) -> bool {
    let quote = line.split_once(' ').and_then(|(_, rest)| rest.chars().next());
    quote.is_some_and(|quote| "'\"`".contains(quote) && leaves_open(line, quote))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_says_that_it_changed_nothing() {
        for text in [
            "No replacement was performed, old_str `a` did not appear verbatim in a.py.",
            "<observation>\nString 'def a():\n    pass' not found in a.py.\n</observation>",
            "old_string found 2 times in a.py, it must be unique",
            "Could not find the string to replace",
            "Multiple matches found for old_str",
            "EACCES: permission denied, open '/w/a.py'",
            "No changes made to a.py. The replacement produced identical content.",
            "Found 3 occurrences of old_string; give more of it",
            "<error_details>\nNo sufficiently similar match found at line: 10\n</error_details>",
            "ERROR:\nInvalid `path` parameter: File already exists at: a.py.",
            "ERROR:\nNo replacement was performed, old_str `a` did not appear verbatim in a.py.",
            "-32603: Error: 'old_str' must appear exactly once in the file",
            "This is likely because the SEARCH block content doesn't match exactly with a.py.",
            "The tool execution failed with the following error:\n<error>\nx\n</error>",
            "File has been modified since read, either by the user or by a linter.",
            "You must read the file a.py before overwriting it.",
            "ERROR while calling tool: File already exists.",
            "Invalid Context 0:\n a",
        ] {
            assert!(leaves_all_unchanged(text), "{text}");
        }
        for text in [
            "",
            "ok",
            "The file a.py has been edited. Linting failed to start.",
            "Successfully replaced text in not found.py",
            "Found 2 matches, replaced all",
            "File created at: invalid input.py",
            "Replaced exactly once in a.py",
            "Edited a.py. Lint: invalid escape in line 3",
            "Directory already exists; wrote a/b.py",
            "File created at: a.py\n   1\traise KeyError('not found in it')",
            "--- a.py\n+++ a.py\n+raise KeyError('not found')",
        ] {
            assert!(!leaves_all_unchanged(text), "{text}");
        }
    }
}
