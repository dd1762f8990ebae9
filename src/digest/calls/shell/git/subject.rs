//! The subject that a command gives to its commit.
//!
//! Responsible for reading the message on the command line, quoted or in a text that stands there. Of one that
//! the shell or a file fills in it knows nothing.

use super::super::{undirected, unquoted, words};
use crate::line::clip;

/// How much of a subject is told, in bytes.
const MOST: usize = 72;

/// The subject of the commit that a command of git makes.
pub(crate) fn subject(part: &str) -> Option<String> {
    let all = words(undirected(part));
    let mut words = all.iter();
    let message = loop {
        let word = *words.next()?;
        let short = word.strip_prefix('-').filter(|short| !short.starts_with('-'));
        // Behind these letters stands their value.
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
    // Within quotes of its end the shell fills nothing in.
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
