//! The line of a failure, shortened.
//!
//! Responsible for what remains where there is no room for the whole line: what failed, why, and how it
//! ended; then what the model said of it, or else what was changed. It works on the line alone, so that it
//! also serves the lines of an earlier digest.

use std::fmt::Write;

use super::{ALSO, DIAGNOSIS, MENDED, OTHERS, PASSED, THEN, WHOLE};
use crate::begins::begins_with_any;
use crate::digest::calls::outcome;
use crate::digest::text::labels::{ARROW, FAILED};
use crate::digest::text::more;

/// How much is told of the error, in bytes.
const MOST: usize = 90;

/// How many levels of shortening there are, from the shortest on.
pub(crate) const LEVELS: usize = 3;
/// How much each level tells of the model's words, in bytes.
const OF_SAID: [usize; LEVELS] = [0, 110, 110];
/// How much each level tells of a change or another error, in bytes.
const OF_CHANGE: [usize; LEVELS] = [0, 90, 90];

/// Ends the line that counts failures, if every one of them passed later.
const ALL_PASSED: &str = ", all passed";
/// Ends that line behind the count of those that nobody had mended when they were left out.
const OPEN: &str = " open then";

/// The line that counts the failures which are not told.
pub(crate) fn more<'l>(left: impl Iterator<Item = &'l str> + Clone) -> String {
    let have_passed = left.clone().all(|line| line.contains(PASSED));
    let open = left.clone().filter(|line| super::is_open(line)).count();
    counted(left.count(), open, have_passed)
}

/// How many failures the line made by [`more()`] counts; `None` for any other line.
pub(crate) fn count(line: &str) -> Option<usize> {
    let open = open_part(line).map(|(counted, _)| counted);
    more::count(open.or(line.strip_suffix(ALL_PASSED)).unwrap_or(line))
}

/// The line before the count of the open failures, and that count.
fn open_part(line: &str) -> Option<(&str, usize)> {
    let (counted, open) = line.strip_suffix(OPEN)?.rsplit_once(", ")?;
    Some((counted, open.parse().ok()?))
}

/// One line that counts what two such lines count.
pub(crate) fn added(one: &str, other: &str) -> String {
    let both = [one, other];
    let all = both.iter().filter_map(|line| count(line)).sum();
    let open = both.iter().filter_map(|line| open_part(line)).map(|(_, open)| open).sum();
    counted(all, open, both.iter().all(|line| line.ends_with(ALL_PASSED)))
}

fn counted(count: usize, open: usize, have_passed: bool) -> String {
    let end = match open {
        0 if have_passed => ALL_PASSED.to_owned(),
        0 => String::new(),
        open => format!(", {open}{OPEN}"),
    };
    more::counted(count) + &end
}

/// A line of a failure as it is told at one of the levels.
pub(crate) fn shortened(line: &str, level: usize) -> String {
    let Some((head, rest)) = line.split_once(FAILED) else { return line.to_owned() };
    let (why, ends) = rest.split_once(ARROW).unwrap_or((rest, ""));
    let (why, also) = why.split_at(why.find(ALSO).unwrap_or(why.len()));
    let why = cut(why, MOST);
    let mut short = format!("{head}{FAILED}{why}{also}");
    let mut pieces: Vec<String> = Vec::new();
    for end in ends.split(ARROW).map(|end| format!("{ARROW}{end}")) {
        match pieces.last_mut() {
            // A change may contain an arrow as well.
            Some(piece) if !is_end(&end) => piece.push_str(&end),
            _ => pieces.push(end),
        }
    }
    let (said, most) = (OF_SAID[level], OF_CHANGE[level]);
    // The model's words say most; they and the change are both told where there is more room.
    let is_said = pieces.iter().any(|piece| begins(piece, DIAGNOSIS));
    let most = if level == 1 && is_said { 0 } else { most };
    for piece in pieces.iter().filter(|piece| is_end(piece)) {
        if begins(piece, DIAGNOSIS) {
            if said > 0 {
                short.push_str(&cut(piece, said));
            }
            continue;
        }
        let is_whole = WHOLE.iter().any(|mark| begins(piece, mark));
        let (before, test) = match piece.rfind("; `") {
            Some(at) if begins(piece, THEN) => piece.split_at(at),
            _ => (piece.as_str(), ""),
        };
        if is_whole {
            short.push_str(piece);
        } else {
            let (first, others) = before.split_at(others_start(before));
            let (first, change) = first.split_once(": ").unwrap_or((first, ""));
            short.push_str(first);
            if most > 0 && !change.is_empty() {
                let _ = write!(short, ": {}", cut(change, most));
            }
            short.push_str(others);
        }
        short.push_str(test);
    }
    short
}

/// The index in a piece at which changes other than its first begin, each of which may have mended the failure.
fn others_start(piece: &str) -> usize {
    const DONE: &[&str] = &["editing ", "deleting ", "moving ", "putting back "];
    let counts = |rest: &str| {
        rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" more file")
    };
    let mut places = piece.match_indices("; ").map(|(at, _)| at);
    places
        .find(|at| begins_with_any(&piece[at + 2..], DONE) || counts(&piece[at + 2..]))
        .unwrap_or(piece.len())
}

fn begins(piece: &str, mark: &str) -> bool {
    piece.starts_with(mark.trim_end())
}

/// Whether a piece says how a failure ended, or what was said of it.
fn is_end(piece: &str) -> bool {
    [MENDED, WHOLE, OTHERS].into_iter().flatten().any(|mark| begins(piece, mark))
}

/// The beginning of a text. Cutting the result again leaves it as it is.
fn cut(text: &str, most: usize) -> Box<str> {
    if text.len() <= most + '…'.len_utf8() { text.into() } else { outcome::shorten(text, most) }
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
        let open = more(["- [1] `make test` failed: b", passed].into_iter());
        assert_eq!((&*open, count(&open)), ("- and 2 more, 1 open then", Some(2)));
        assert_eq!(added(&added(&two, &open), &open), "- and 6 more, 2 open then");
    }

    #[test]
    fn what_failed_and_how_it_ended_stay() {
        let why = "a.go:3:1: cannot use this as that ".repeat(4);
        let long = format!(
            "- [3] `make` failed: {why}→ said [4] It is so. → fixed by editing a.go: `x` → `{why}`; \
             editing b.go → passed [9]"
        );
        let cut = "a.go:3:1: cannot use this as that a.go:3:1: cannot use this as that a.go:3:1: cannot use t…";
        let change =
            "a.go:3:1: cannot use this as that a.go:3:1: cannot use this as that a.go:3:1: can…";
        let told = |said: &str, change: &str| {
            format!(
                "- [3] `make` failed: {cut}{said} → fixed by editing a.go{change}; editing b.go → passed [9]"
            )
        };
        let short = shortened(&long, 2);
        assert_eq!(short, told(" → said [4] It is so.", &format!(": `x` → `{change}")));
        assert_eq!(shortened(&short, 2), short);
        assert_eq!(shortened(&long, 1), told(" → said [4] It is so.", ""));
        assert_eq!(shortened(&long, 0), told("", ""));
        for same in [
            "- [3] `x` failed: no, also [4] → failed again [5]: yes → then editing a.go: `b`",
            "- [3] `x` failed: no → not run again",
            "- [3] `x` failed: no",
        ] {
            assert_eq!(shortened(same, 2), same);
        }
    }
}
