//! The line of a failure, told shortly.
//!
//! Responsible for what stays of it where there is no room for all: what failed, the beginning of the
//! error and how it ended. It works on the line alone, so that it does for those of an earlier digest too.

use std::fmt::Write;

use super::{MENDED, OTHERS, PASSED, SAID, THEN, WHOLE};
use crate::digest::text::labels::{self, ARROW};
use crate::digest::text::more;
use crate::line::clip;

/// How much is told of the error, in bytes.
const MOST: usize = 64;

/// How much is told of a change or another error where there is some room.
pub(crate) const SOME: usize = 48;

/// What ends it where none of them is open.
const ALL_PASSED: &str = ", all passed";

/// The line that counts failures which are not told.
pub(crate) fn more<'l>(left: impl Iterator<Item = &'l str> + Clone) -> String {
    let have_passed = left.clone().all(|line| line.contains(PASSED));
    counted(left.count(), have_passed)
}

/// How many failures such a line counts.
pub(crate) fn count(line: &str) -> Option<usize> {
    more::count(line.strip_suffix(ALL_PASSED).unwrap_or(line))
}

/// The line that counts what two such lines count.
pub(crate) fn added(one: &str, other: &str) -> String {
    let both = [one, other];
    let all = both.iter().filter_map(|line| count(line)).sum();
    counted(all, both.iter().all(|line| line.ends_with(ALL_PASSED)))
}

fn counted(count: usize, have_passed: bool) -> String {
    more::counted(count) + if have_passed { ALL_PASSED } else { "" }
}

/// The line without what was said, with the beginning of the error, and of the changes where `most` bytes
/// say so.
pub(crate) fn shortened(line: &str, most: usize) -> String {
    let Some((head, rest)) = line.split_once(labels::FAILED) else { return line.to_owned() };
    let (why, ends) = rest.split_once(ARROW).unwrap_or((rest, ""));
    let mut short = format!("{head}{}{}", labels::FAILED, cut(why, MOST));
    let mut pieces: Vec<String> = Vec::new();
    for end in ends.split(ARROW).map(|end| format!("{ARROW}{end}")) {
        match pieces.last_mut() {
            // An arrow stands in a change as well.
            Some(piece) if !is_end(&end) => piece.push_str(&end),
            _ => pieces.push(end),
        }
    }
    for piece in pieces.iter().filter(|piece| is_end(piece) && !piece.starts_with(SAID)) {
        let is_whole = WHOLE.iter().any(|mark| begins(piece, mark));
        let (before, test) = match piece.rfind("; `") {
            Some(at) if begins(piece, THEN) => piece.split_at(at),
            _ => (piece.as_str(), ""),
        };
        match before.split_once(": ") {
            _ if is_whole => short.push_str(before),
            Some((before, change)) if most > 0 => {
                let _ = write!(short, "{before}: {}", cut(change, most));
            }
            Some((before, _)) => short.push_str(before),
            None => short.push_str(before.split("; ").next().unwrap_or(before)),
        }
        short.push_str(test);
    }
    short
}

fn begins(piece: &str, mark: &str) -> bool {
    piece.starts_with(mark.trim_end())
}

/// Whether a piece says how a failure ended or what was said of it.
fn is_end(piece: &str) -> bool {
    [MENDED, WHOLE, OTHERS].into_iter().flatten().any(|mark| begins(piece, mark))
}

/// The beginning of a text, which stays as it is when it is cut again.
fn cut(text: &str, most: usize) -> Box<str> {
    if text.len() <= most + '…'.len_utf8() { text.into() } else { clip(text, most) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_is_counted_together() {
        let passed = "- [3] `make` failed: no → passed [9]";
        let (two, open) =
            (more([passed; 2].into_iter()), more(["- [1] `a` failed: b"].into_iter()));
        assert_eq!(added(&two, &two), "- and 4 more, all passed");
        assert_eq!(added(&two, &open), "- and 3 more");
    }

    #[test]
    fn what_failed_and_how_it_ended_stay() {
        let why = "a.go:3:1: cannot use this as that ".repeat(4);
        let long = format!(
            "- [3] `make` failed: {why}→ said [4] It is so. → fixed by editing a.go: `x` → `{why}`; \
             editing b.go → passed [9]"
        );
        let short = shortened(&long, SOME);
        let wanted = "- [3] `make` failed: a.go:3:1: cannot use this as that a.go:3:1: cannot use this as t… \
                      → fixed by editing a.go: `x` → `a.go:3:1: cannot use this as that a.go:… → passed [9]";
        assert_eq!(short, wanted);
        assert_eq!(shortened(&short, SOME), short);
        let shortest = "- [3] `make` failed: a.go:3:1: cannot use this as that a.go:3:1: cannot use this as t… \
                        → fixed by editing a.go → passed [9]";
        assert_eq!(shortened(&long, 0), shortest);
        for same in [
            "- [3] `x` failed: no → failed again [5]: yes → then editing a.go: `b`; `make test` ok [9]",
            "- [3] `x` failed: no → instead `y: z` ok [9]",
            "- [3] `x` failed: no → not run again",
            "- [3] `x` failed: no",
        ] {
            assert_eq!(shortened(same, SOME), same);
        }
    }
}
