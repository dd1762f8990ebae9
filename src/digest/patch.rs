//! What an edit changed: patch bodies, and the difference of two texts in one line.
//!
//! Responsible for the files that a patch names and for the essence of a change, `before` → `after`
//! where a line became another one, else the first line put in that says something.

use std::collections::HashSet;

use super::deed::{Deed, Touch};
use super::names;
use super::words::Words;

/// How much of a line stands in the essence of a change.
const LONGEST: usize = 110;

/// The files that a patch in the form of `*** Update File: …` touches, each with the essence of its
/// first hunk.
pub(super) fn touches(body: &str) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    let mut lines = body.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((what, path)) = line.strip_prefix("*** ").and_then(|rest| rest.split_once(": "))
        else {
            continue;
        };
        let deed = match what {
            "Update File" => Deed::Edited,
            "Add File" => Deed::Created,
            "Delete File" => Deed::Deleted,
            "Move to" => {
                if let Some(last) = found.last_mut() {
                    last.deed = Deed::Moved;
                }
                Deed::Created
            }
            _ => continue,
        };
        let mut own = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("*** ")) {
            own.push(line);
        }
        let change = essence_of_patch(&own).filter(|_| what != "Add File").map(String::into);
        found.push(Touch { path: path.trim().into(), deed, change });
    }
    found
}

/// The essence of the patch of one file: that of its first hunk.
fn essence_of_patch(body: &[&str]) -> Option<String> {
    let first = body.iter().position(|line| line.starts_with(['-', '+']))?;
    let hunk = body[first..].iter().take_while(|line| !line.starts_with("@@"));
    let side = |sign: char| {
        let lines = hunk.clone().filter_map(|line| line.strip_prefix(sign));
        lines.collect::<Vec<_>>().join("\n")
    };
    essence(&side('-'), &side('+'))
}

/// What changed between two texts, in one line.
pub(super) fn essence<'t>(old: &'t str, new: &'t str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let behind = old[before..]
        .iter()
        .rev()
        .zip(new[before..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (gone, put) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
    // What stands on both sides was only moved.
    let only = |lines: &[&'t str], others: &[&str]| -> Vec<&'t str> {
        let others: HashSet<&str> = others.iter().copied().collect();
        lines.iter().copied().filter(|line| !others.contains(line)).collect()
    };
    let (gone, put) = (&only(gone, put)[..], &only(put, gone)[..]);
    match (telling(gone), telling(put)) {
        (Some(a), Some(b)) if gone.len() <= put.len() + 3 && are_alike(a, b) => {
            Some(format!("`{}` → `{}`", cut(a), cut(b)))
        }
        (_, Some(b)) => Some(format!("added `{}`", cut(b))),
        (Some(a), None) => Some(format!("removed `{}`", cut(a))),
        (None, None) => None,
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// The first line that says something, else the first.
fn telling<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let says = |line: &&&str| {
        let (mut names, mut words) = (0, Words::default());
        names::scan(line, &mut words, |_| names += 1);
        names > 0 && words.count() >= 2 && !line.starts_with(['/', '#', '*', '}'])
    };
    lines
        .iter()
        .find(says)
        .or_else(|| lines.iter().find(|line| line.len() > 3))
        .or(lines.first())
        .copied()
}

/// Whether one line may have become the other: a quarter of their words stands in both.
fn are_alike(a: &str, b: &str) -> bool {
    let words = |line| -> HashSet<&str> {
        let words = str::split(line, |c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).collect()
    };
    let (a, b) = (words(a), words(b));
    a.intersection(&b).count() * 4 >= a.union(&b).count().max(1)
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_files_of_a_patch() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-old_name()\n+new_name()\n*** Delete File: c.rs\n*** Update File: d.rs\n@@\n-x\n+let a = one;\n*** End Patch";
        let found = touches(patch);
        let found: Vec<_> =
            found.iter().map(|touch| (&*touch.path, touch.deed, touch.change.as_deref())).collect();
        assert_eq!(
            found,
            [
                ("a.rs", Deed::Moved, None),
                ("b.rs", Deed::Created, Some("`old_name()` → `new_name()`")),
                ("c.rs", Deed::Deleted, None),
                ("d.rs", Deed::Edited, Some("added `let a = one;`")),
            ]
        );
    }

    #[test]
    fn tells_what_an_edit_put_in() {
        assert_eq!(
            essence("a\nc", "a\nlet new_limit = 3;\nc").as_deref(),
            Some("added `let new_limit = 3;`")
        );
        assert_eq!(essence("a\nb", "a\nb"), None);
        assert_eq!(
            essence("one\ntwo", "let zero = none;\none\nand more\ntwo").as_deref(),
            Some("added `let zero = none;`")
        );
    }
}
