//! How many more there are of something than a section has room for.
//!
//! Responsible for the line that says so and for reading it back: a list without it is whole.

/// What the line begins with.
pub(crate) const MORE: &str = "- and ";

const END: &str = " more";

/// The line, if there are any.
pub(crate) fn line(count: usize) -> Option<String> {
    (count > 0).then(|| counted(count))
}

/// The line for so many.
pub(crate) fn counted(count: usize) -> String {
    format!("{MORE}{count}{END}")
}

/// How many such a line counts.
pub(crate) fn count(line: &str) -> Option<usize> {
    line.strip_prefix(MORE)?.strip_suffix(END)?.parse().ok()
}
