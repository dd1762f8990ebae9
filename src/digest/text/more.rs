//! The count of entries that a section has no room for.
//!
//! Responsible for the line that tells the count and for reading it back: a list without such a line is complete.

/// The beginning of the line.
pub(crate) const MORE: &str = "- and ";

const END: &str = " more";

/// The line for a count; `None` for zero.
pub(crate) fn line(count: usize) -> Option<String> {
    (count > 0).then(|| counted(count))
}

/// The line for a count, whatever it is.
pub(crate) fn counted(count: usize) -> String {
    format!("{MORE}{count}{END}")
}

/// The count in a line made by [`counted`]; `None` for any other line.
pub(crate) fn count(line: &str) -> Option<usize> {
    line.strip_prefix(MORE)?.strip_suffix(END)?.parse().ok()
}
