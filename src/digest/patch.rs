//! What an edit changed: patch bodies, and the difference of two texts in one line.
//!
//! Responsible for the files that a patch names and for the essence of a change, `before` → `after`
//! where a line became another one, else the first line put in that says something.

use std::collections::HashSet;

use super::calls::{Deed, Touch};
use super::names;
use super::words::Words;

/// How much of a line stands in the essence of a change.
const LONGEST: usize = 110;

/// The files that a patch in the form of `*** Update File: …` touches.
pub(super) fn touches(body: &str) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    for line in body.lines() {
        let Some(rest) = line.strip_prefix("*** ") else { continue };
        let Some((what, path)) = rest.split_once(": ") else { continue };
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
        found.push(Touch { path: path.trim().into(), deed });
    }
    found
}

/// The essence of a patch: that of its first hunk.
pub(super) fn essence_of_patch(patch: &str) -> Option<String> {
    let body: Vec<&str> = patch.lines().filter(|line| !line.starts_with("*** ")).collect();
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
        (Some(a), Some(b)) if gone.len() <= put.len() + 3 => {
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

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_files_of_a_patch() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-old_name()\n+new_name()\n*** Delete File: c.rs\n*** End Patch";
        let found: Vec<_> = touches(patch)
            .into_iter()
            .map(|touch| (touch.path.into_string(), touch.deed))
            .collect();
        assert_eq!(
            found,
            [
                ("a.rs".to_owned(), Deed::Moved),
                ("b.rs".to_owned(), Deed::Created),
                ("c.rs".to_owned(), Deed::Deleted),
            ]
        );
        assert_eq!(essence_of_patch(patch).as_deref(), Some("`old_name()` → `new_name()`"));
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
