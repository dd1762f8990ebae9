//! The subject that a command gives to its commit.
//!
//! Responsible for reading the message from the command line, where it is quoted or in a here-document. It
//! knows nothing of a message that a variable or a file provides.

use super::super::{undirected, unquoted, words};
use crate::line::clip;

/// How many bytes of a subject are told.
const MOST: usize = 72;

/// The subject of the commit that a git command makes; `None` if it is unknown.
pub(crate) fn subject(part: &str) -> Option<String> {
    let all = words(undirected(part));
    let mut words = all.iter();
    let message = loop {
        let word = *words.next()?;
        let short = word.strip_prefix('-').filter(|short| !short.starts_with('-'));
        // What follows one of these letters in its word is a value.
        let at = short.and_then(|short| short.find(|c: char| "mFCcStu".contains(c)));
        if let Some(long) = word.strip_prefix("--message") {
            break long.strip_prefix('=').or_else(|| words.next().copied())?;
        }
        if let (Some(short), Some(at)) = (short, at)
            && let Some(behind) = short[at..].strip_prefix('m')
        {
            break if behind.is_empty() { words.next()? } else { behind };
        }
    };
    let message = unquoted(message);
    let end = message.strip_prefix("$(cat <<").map(|end| end.trim_start_matches('-'));
    let is_text = end.is_some();
    let mut lines = message.lines().skip(usize::from(is_text)).map(str::trim);
    let line = lines.find(|line| !line.is_empty())?.replace("\\\"", "\"");
    // With a quoted end mark the shell expands nothing in the text.
    let is_literal = end.is_some_and(|end| end.starts_with(['\'', '"', '\\']));
    let is_known = is_literal || !line.contains(['$', '`']);
    is_known.then(|| clip(&line, MOST).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_stands_behind_its_flag() {
        for (part, wanted) in [
            ("git commit -qam two", Some("two")),
            (
                "git commit -m \"Mend \\\"it\\\"\n\nFor it broke.\" -q > /dev/null",
                Some("Mend \"it\""),
            ),
            ("git commit --message='Mend it'", Some("Mend it")),
            ("git commit -q -m \"$(cat <<'EOF'\nMend it\n\nWhy.\nEOF\n)\"", Some("Mend it")),
            ("git commit -unormal -m two", Some("two")),
            ("git commit -m \"$SUBJECT\"", None),
            ("git commit -m \"$(cat <<EOF\nMend $X\nEOF\n)\"", None),
            ("git commit -qF notes.md", None),
            ("git commit -q --amend --no-edit", None),
        ] {
            assert_eq!(subject(part).as_deref(), wanted, "{part}");
        }
    }
}
