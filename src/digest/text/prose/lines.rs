//! Lines that are nobody's words: code, markup, pasted text.
//!
//! Responsible for recognising them by their form.

use crate::begins::begins_with_any;
use crate::digest::text::words;

/// Whether a line of code is a comment of several words.
pub(crate) fn is_comment(line: &str) -> bool {
    const MARKS: &[&str] = &["//", "# ", "/*", "* ", "-- ", "\"\"\"", "<!--", "; "];
    let line = line.trim_start_matches('+').trim_start();
    begins_with_any(line, MARKS) && words::number_of(line) > 5
}

/// Whether a line of code only imports something.
pub(crate) fn is_import(line: &str) -> bool {
    const WORDS: &[&str] = &["import ", "from ", "use ", "#include ", "using ", "require "];
    let line = line.trim_start_matches('+').trim_start();
    let is_word = begins_with_any(line, WORDS)
        && (line.ends_with([';', '"', '\'', '>']) || line.contains(" import "));
    // In Go, an import may be `alias "a/path"`, or `"name"` alone.
    let is_bare = |name: &str| !name.is_empty() && !name.contains([' ', '"']);
    if line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).is_some_and(is_bare) {
        return true;
    }
    let mut parts = line.splitn(3, '"');
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    let is_alias = |alias: &str| alias.trim_end().chars().all(is_letter);
    let is_path = |path: &str| path.contains('/') && !path.contains(' ');
    let is_end = |rest: &str| rest.is_empty() || rest.trim_start().starts_with("//");
    is_word
        || parts.next().is_some_and(is_alias)
            && parts.next().is_some_and(is_path)
            && parts.next().is_some_and(is_end)
}

const SHORT_NAME: usize = 3;

/// Whether a line is a single tag: `<name>`.
pub(crate) fn is_tag(line: &str) -> bool {
    let name = line.strip_prefix('<').and_then(|line| line.strip_suffix('>'));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['<', '>']))
}

/// Whether a line is an element with its content: `<open>a.rs</open>`.
pub(crate) fn is_element(line: &str) -> bool {
    let name = line.strip_prefix('<').and_then(|line| line.split('>').next());
    let end = line.strip_suffix('>').and_then(|line| line.rsplit("</").next());
    name.is_some_and(|name| !name.is_empty() && end == Some(name))
}

/// Whether a line is the tag that opens a part of a text.
pub(crate) fn opens_part(line: &str) -> bool {
    let name = line.trim_matches(['<', '>']);
    let is_letter = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '-');
    // Short tags are those of web pages: `<p>`, `<div>`.
    is_tag(line) && name.len() > SHORT_NAME && name.chars().all(is_letter)
}

/// Whether a line of a user was pasted: code, a diff, the screen of a terminal.
pub(crate) fn is_pasted(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    numbered.len() < line.len() && numbered.starts_with("  ")
        || line.starts_with(['+', '│', '⎿', '⏺', '❯', '●', '✻', '╭', '╰', '$', '<'])
        || line.ends_with(['{', '}', ';', '>', '│'])
}

/// Whether a line has a label for the state before a change: `**Before:** the oil was poured by hand`. The new
/// state is told after it.
pub(crate) fn tells_what_was(line: &str) -> bool {
    const LABELS: &[&str] = &[
        "before", "old", "was", "previously", "formerly", "vorher", "früher", "avant", "antes",
        "之前", "修改前", "変更前", "раньше",
    ];
    let is_mark = |c: char| matches!(c, '*' | '_' | ' ');
    let line = line.trim_start_matches(is_mark);
    let end = line.find([':', '：']).unwrap_or(0);
    let label = line[..end].trim_end_matches(is_mark).to_lowercase();
    LABELS.contains(&label.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_was() {
        for line in ["**Before:** it burnt", "Before: it burnt", "*Vorher*: dunkel", "之前：暗"]
        {
            assert!(tells_what_was(line), "{line}");
        }
        for line in ["Before the fix: dark", "**After:** light", "It was: dark", "before"] {
            assert!(!tells_what_was(line), "{line}");
        }
    }

    #[test]
    fn knows_imports() {
        for line in [
            "use std::collections::HashMap;",
            "from pathlib import Path",
            "import { a } from \"./b\";",
            "#include <stdio.h>",
            "_ \"example.com/a/b\" // for its effects",
            "+ \"example.com/a/b\"",
            "\"context\"",
        ] {
            assert!(is_import(line), "{line}");
        }
        for line in ["use it where you can", "let a = \"b/c\"", "open(\"a/b\")", "\"a/b\": 3"] {
            assert!(!is_import(line), "{line}");
        }
    }
}
