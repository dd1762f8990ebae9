//! What a patch changed.
//!
//! Responsible for the files that a patch in the form of `*** Update File: …` names, and for the edits
//! that its hunks are.

use std::collections::HashSet;

use super::change::Edit;
use super::deed::{Deed, Touch};

/// The files that a patch touches, each with its hunks.
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
                    last.to = Some(path.trim().into());
                }
                Deed::Created
            }
            _ => continue,
        };
        let mut own = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("*** ")) {
            own.push(line);
        }
        let edits =
            if what == "Add File" { vec![Edit::whole(&side(&own, '+'))] } else { edits(&own) };
        found.push(Touch::new(path.trim(), deed, edits));
    }
    found
}

/// The path in the line of a patch that a file's own lines begin behind.
pub(super) fn named(line: &str) -> Option<&str> {
    let (what, path) = line.strip_prefix("*** ")?.split_once(": ")?;
    let is_head = ["Update File", "Add File", "Delete File", "Move to"].contains(&what);
    is_head.then_some(path.trim())
}

/// The edits of one file, a hunk each. What one takes out and another puts in was moved.
fn edits(body: &[&str]) -> Vec<Edit> {
    let hunks = body.split(|line| line.starts_with("@@"));
    let edits = hunks.map(|hunk| Edit::of(&side(hunk, '-'), &side(hunk, '+')));
    let mut edits: Vec<Edit> = edits.filter(|edit| edit.change.is_some()).collect();
    let put: HashSet<u64> = edits.iter().flat_map(|edit| edit.put.iter().copied()).collect();
    for edit in &mut edits {
        edit.gone.retain(|line| !put.contains(line));
    }
    edits
}

/// The lines behind a sign.
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
        let told: Vec<_> = found.iter().map(Touch::change).collect();
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
    }
}
