//! What an edit changed: patch bodies, and the difference of two texts in one line.
//!
//! Responsible for the files that a patch names and for the essence of a change, `before` → `after`
//! where a line became another one, else the first line put in that says something.

use std::collections::HashSet;

use super::deed::{Deed, Touch};
use super::kinds::Kinds;
use super::names;
use super::words::Words;
use crate::line::on_one_line;

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

/// What changed between two texts, in one line. White space within a line is no change.
pub(super) fn essence(old: &str, new: &str) -> Option<String> {
    let (old, new) = (lines(old), lines(new));
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let behind = old[before..]
        .iter()
        .rev()
        .zip(new[before..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (gone, put) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
    // What stands on both sides was only moved.
    let (gone, put) = (only(gone, put), only(put, gone));
    match (telling(&gone), telling(&put)) {
        (Some(a), Some(b)) if gone.len() <= put.len() + 3 && are_alike(a, b) => {
            Some(format!("`{}` → `{}`", cut(a), cut(b)))
        }
        (_, Some(b)) => Some(format!("added `{}`", cut(b))),
        (Some(a), None) => Some(format!("removed `{}`", cut(a))),
        (None, None) => None,
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(on_one_line).filter(|line| !line.is_empty()).collect()
}

fn only<'l>(lines: &'l [String], others: &[String]) -> Vec<&'l str> {
    let others: HashSet<&str> = others.iter().map(String::as_str).collect();
    lines.iter().map(String::as_str).filter(|line| !others.contains(line)).collect()
}

/// The first line that defines something, else the first that says something, else the first.
fn telling<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let says = |line: &&&str| {
        let (mut names, mut words) = (0, Words::default());
        names::scan(line, Kinds::of(line).all(), &mut words, |_| names += 1);
        let is_framing = line.starts_with(['/', '#', '*', '}']) || is_import(line);
        names > 0 && words.count() >= 2 && !is_framing
    };
    let is_long = |line: &&&str| line.len() > 3 && !is_import(line);
    let found = lines.iter().find(|line| defines(line)).or_else(|| lines.iter().find(says));
    found.or_else(|| lines.iter().find(is_long)).or(lines.first()).copied()
}

/// Whether a line begins the definition of a function or a type.
fn defines(line: &str) -> bool {
    const KEYWORDS: &[&str] =
        &["fn", "func", "function", "def", "class", "struct", "enum", "trait", "interface", "type"];
    const BEFORE: &[&str] = &[
        "pub",
        "pub(crate)",
        "export",
        "default",
        "async",
        "public",
        "private",
        "protected",
        "static",
        "abstract",
        "final",
        "const",
        "unsafe",
    ];
    let mut words = line.split(' ').skip_while(|word| BEFORE.contains(word));
    words.next().is_some_and(|word| KEYWORDS.contains(&word)) && words.next().is_some()
}

/// Whether a line only brings in what another file has.
fn is_import(line: &str) -> bool {
    let is_bare_string = line.starts_with('"') && line.ends_with('"');
    is_bare_string
        || ["import ", "from ", "use ", "using ", "#include"]
            .iter()
            .any(|word| line.starts_with(word))
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
            essence("id string\nwhen time", "id       string\nwhen     time\nlast_seen time")
                .as_deref(),
            Some("added `last_seen time`")
        );
        assert_eq!(
            essence("", "use std::fmt;\nlet the_log = open();\npub fn rows_of(text: &str) {")
                .as_deref(),
            Some("added `pub fn rows_of(text: &str) {`")
        );
        assert_eq!(
            essence("one\ntwo", "let zero = none;\none\nand more\ntwo").as_deref(),
            Some("added `let zero = none;`")
        );
    }
}
