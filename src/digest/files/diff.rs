//! What a diff changed in one file.
//!
//! Responsible for the hunks of `diff -u`, and for blocks that tell the text to search for and its replacement.

use super::edit::Edit;
use crate::begins::begins_with_any;

/// The lines that begin, divide and end a block.
const SEARCH: [&str; 2] = ["<<<<<<< SEARCH", "------- SEARCH"];
const PARTED: &str = "=======";
const REPLACE: [&str; 2] = [">>>>>>> REPLACE", "+++++++ REPLACE"];
/// The line between a place, such as `:start_line:3`, and the text.
const PLACED: &str = "-------";

/// The edits of a diff, one for each block or hunk.
pub(crate) fn edits(diff: &str) -> Vec<Edit> {
    let marks = SEARCH.into_iter().zip(REPLACE).find(|(search, _)| diff.contains(search));
    let edits = marks.map_or_else(|| hunks(diff), |marks| blocks(diff, marks));
    edits.into_iter().filter(|edit| edit.change.is_some()).collect()
}

fn blocks(diff: &str, (search, replace): (&str, &str)) -> Vec<Edit> {
    let block = |block: &str| {
        let block = block.trim_start_matches('>').trim_start_matches('\n');
        let (old, rest) = block.split_once(&format!("{PARTED}\n"))?;
        let old = match old.split_once(&format!("{PLACED}\n")) {
            Some((place, old)) if place.lines().all(|line| line.starts_with(':')) => old,
            _ => old,
        };
        Some(Edit::of(old, rest.split(replace).next().unwrap_or(rest)))
    };
    diff.split(search).skip(1).filter_map(block).collect()
}

fn hunks(diff: &str) -> Vec<Edit> {
    let is_head = |line: &&str| begins_with_any(line, &["--- ", "+++ ", "diff ", "index "]);
    let lines: Vec<&str> = diff.lines().filter(|line| !is_head(line)).collect();
    let hunks = lines.split(|line| line.starts_with("@@"));
    hunks.map(|hunk| Edit::of(&side(hunk, '-'), &side(hunk, '+'))).collect()
}

/// The lines of one side of a hunk: those with a sign and the unchanged ones.
pub(super) fn side(hunk: &[&str], sign: char) -> String {
    let own = hunk.iter().filter_map(|line| line.strip_prefix([sign, ' ']));
    own.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_hunks_are_edits() {
        let told = |diff: &str| -> Vec<String> {
            let changes = edits(diff).into_iter().filter_map(|edit| edit.change);
            changes.map(|change| change.to_string()).collect()
        };
        let block = "<<<<<<< SEARCH\n:start_line:3\n-------\nlet a = 1;\n=======\nlet a = 2;\n>>>>>>> REPLACE";
        assert_eq!(told(block), ["`let a = 1;` → `let a = 2;`"]);
        let signs = block.replace("<<<<<<<", "-------").replace(">>>>>>>", "+++++++");
        assert_eq!(told(&signs), ["`let a = 1;` → `let a = 2;`"]);
        let two = "<<<<<<< SEARCH\nlet a = 1;\n=======\nlet a = 2;\n>>>>>>> REPLACE\n\n\
                   <<<<<<< SEARCH\nlet b = 1;\n=======\n>>>>>>> REPLACE";
        assert_eq!(told(two), ["`let a = 1;` → `let a = 2;`", "removed `let b = 1;`"]);
        let hunk = "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n fn a() {\n-let a = 1;\n+let a = 2;\n";
        assert_eq!(told(hunk), ["`let a = 1;` → `let a = 2;`"]);
        assert_eq!(told("nothing"), [""; 0]);
    }
}
