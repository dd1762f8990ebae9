//! What a patch changed.
//!
//! Responsible for the files that a patch of the form `*** Update File: …` names, and for the edits in its
//! hunks.

use std::collections::HashSet;
use std::ops::Range;

use super::change;
use super::deed::{Deed, Touch};
use super::diff;
use super::edit::Edit;
use super::paths::slashed;

/// The line that a patch begins with.
pub(crate) const BEGIN: &str = "*** Begin Patch";

/// The program that applies a patch in a command.
pub(crate) const PROGRAM: &str = "apply_patch";

/// The range of the patch that a command applies; `None` if it applies none.
pub(crate) fn applied(command: &str) -> Option<Range<usize>> {
    const END: &str = "*** End Patch";
    let start = command.find(BEGIN)?;
    let end = command[start..].find(END).map_or(command.len(), |at| start + at + END.len());
    command[..start].contains(PROGRAM).then_some(start..end)
}

/// The files that a patch touches, each with its edits.
pub(crate) fn touches(body: &str) -> Vec<Touch> {
    let mut found: Vec<Touch> = Vec::new();
    let mut lines = body.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((head, path)) = head(line) else { continue };
        if head == Head::To
            && let Some(last) = found.last_mut()
        {
            last.deed = Deed::Moved;
            last.to = Some(slashed(path).into());
        }
        let mut own = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("*** ")) {
            own.push(line);
        }
        let (deed, edits) = match head {
            Head::Add => (Deed::Created, vec![Edit::whole(&side(&own, '+'))]),
            Head::Update => (Deed::Edited, edits(&own)),
            Head::Delete => (Deed::Deleted, edits(&own)),
            Head::To => (Deed::Created, edits(&own)),
        };
        found.push(Touch::new(path, deed, edits));
    }
    found
}

/// What a patch does to the file that a header line names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    Update,
    Add,
    Delete,
    /// The new path of the file before it.
    To,
}

fn head(line: &str) -> Option<(Head, &str)> {
    let (what, path) = line.strip_prefix("*** ")?.split_once(": ")?;
    let head = match what {
        "Update File" => Head::Update,
        "Add File" => Head::Add,
        "Delete File" => Head::Delete,
        "Move to" => Head::To,
        _ => return None,
    };
    Some((head, path.trim()))
}

/// The path in a header line of a patch.
pub(crate) fn named(line: &str) -> Option<&str> {
    head(line).map(|(_, path)| path)
}

/// The keys of lines that a patch both removes from and adds to a file, whatever their indentation.
pub(crate) fn set_anew(patch: &str) -> HashSet<u64> {
    let lines: Vec<&str> = patch.lines().collect();
    let keys = |body: &[&str], sign| -> HashSet<u64> {
        let lines = body.iter().filter_map(|line| line.strip_prefix(sign));
        lines.map(change::key).collect()
    };
    let bodies = lines.split(|line| head(line).is_some());
    bodies.flat_map(|body| &keys(body, '-') & &keys(body, '+')).collect()
}

/// The edits of one file, one for each hunk. Lines that one hunk removes and another adds count as moved.
fn edits(body: &[&str]) -> Vec<Edit> {
    let hunks = body.split(|line| line.starts_with("@@"));
    let edits = hunks.map(|hunk| {
        let [old, new] = ['-', '+'].map(|sign| diff::side(hunk, sign));
        Edit::of(&side(hunk, '-'), &side(hunk, '+')).placed(&old, &new)
    });
    let mut edits: Vec<Edit> = edits.filter(|edit| edit.change.is_some()).collect();
    let put: HashSet<u64> = edits.iter().flat_map(|edit| edit.put.iter().copied()).collect();
    for edit in &mut edits {
        edit.gone.retain(|line| !put.contains(line));
    }
    edits
}

/// The lines that begin with a sign, without it.
fn side(lines: &[&str], sign: char) -> String {
    lines.iter().filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_files_of_a_patch() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-old_name()\n+new_name()\n*** Delete File: c.rs\n*** Update File: d.rs\n@@\n-x\n+let a = one;\n+let b = two;\n@@\n-y\n*** End Patch";
        let found = touches(patch);
        let told: Vec<_> = found.iter().map(|it| it.change().map(ToString::to_string)).collect();
        let found = found.iter().zip(&told);
        let found: Vec<_> =
            found.map(|(touch, told)| (&*touch.path, touch.deed, told.as_deref())).collect();
        assert_eq!(
            found,
            [
                ("a.rs", Deed::Moved, None),
                ("b.rs", Deed::Created, Some("`old_name()` → `new_name()`")),
                ("c.rs", Deed::Deleted, None),
                ("d.rs", Deed::Edited, Some("added `let a = one;`")),
            ]
        );
        assert_eq!(touches(patch)[3].edits.len(), 2);
        // The definition around a line is found in all lines that the hunk shows.
        let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n+def dim():\n+    pass\n class Lamp:\n     oil = 1\n+    wick_length = 2\n*** End Patch";
        assert_eq!(
            touches(patch)[0].change().map(ToString::to_string).as_deref(),
            Some("added `def dim():`")
        );
        let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n class Lamp:\n     oil = 1\n+    wick_length = 2\n*** End Patch";
        assert_eq!(
            touches(patch)[0].change().map(ToString::to_string).as_deref(),
            Some("added `wick_length = 2` in `Lamp`")
        );
    }
}
