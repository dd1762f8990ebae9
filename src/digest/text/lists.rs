//! Points of lists and rows of tables.
//!
//! Responsible for finding what stands around a point in the text of a message: the other points of its
//! list, and the names of the columns of a table. It relies on indentation and list marks alone; places are
//! byte offsets in the text. Code between fences is skipped.

use crate::begins::begins_with_any;

/// How many lines above and below a line are searched.
pub(crate) const FAR: usize = 100;

/// Whether a line is a point of a list, or a row of a table.
pub(crate) fn is_point(line: &str) -> bool {
    let bare = line.trim_start();
    is_numbered(line) || begins_with_any(bare, &["- ", "* ", "• ", "+ ", "|"])
}

/// Whether a line is a numbered point, whose number shows what goes before it.
pub(crate) fn is_numbered(line: &str) -> bool {
    let line = line.trim_start();
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < line.len() && behind.starts_with([')', '.'])
}

pub(crate) fn indentation(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The offset of the line that contains `at`.
pub(crate) fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The offsets of the points of the same list above a line, the nearest first.
pub(crate) fn above(text: &str, at: usize) -> impl Iterator<Item = usize> {
    let start = start_of_line(text, at);
    beside(prose_above(text, start), &text[start..])
}

/// The offsets of the points of the same list below a line, the nearest first.
pub(crate) fn below(text: &str, at: usize) -> impl Iterator<Item = usize> {
    let start = start_of_line(text, at);
    let mut next = start;
    let lines = text[start..].split_inclusive('\n').map(move |line| {
        next += line.len();
        (next - line.len(), line)
    });
    beside(without_code(lines.skip(1)), &text[start..])
}

/// The line with the column names of a row's table, and its offset; `None` if there is none.
pub(crate) fn names(text: &str, at: usize) -> Option<(usize, &str)> {
    let start = start_of_line(text, at);
    let rows = lines_above(text, start).take_while(|(_, line)| is_row(line));
    let mut rows = rows.skip_while(|(_, line)| !is_rule(line)).skip(1);
    rows.next().filter(|_| is_row(&text[start..]))
}

/// The lines above an offset with their own offsets, the nearest first.
pub(crate) fn lines_above(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut end = start;
    let lines = text[..start].split_inclusive('\n').rev();
    lines.map(move |line| {
        end -= line.len();
        (end, line)
    })
}

/// The lines above an offset that are no code, the nearest first; the offset itself is outside of code.
pub(crate) fn prose_above(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    without_code(lines_above(text, start))
}

/// Lines without code fences and without what stands between them.
fn without_code<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> impl Iterator<Item = (usize, &'t str)> {
    let mut is_code = false;
    lines.filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !(is_code || is_fence)
    })
}

/// The offsets of those lines that are points of the same list as `point`.
fn beside<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
    point: &str,
) -> impl Iterator<Item = usize> {
    let own = if is_point(point) { indentation(point) } else { usize::MAX };
    let lines = lines.take(FAR).filter(|(_, line)| !line.trim().is_empty());
    let inner = lines.take_while(move |(_, line)| indentation(line) >= own);
    let points = inner.filter(move |(_, line)| indentation(line) == own);
    points.take_while(|(_, line)| is_point(line) && !is_rule(line)).map(|(start, _)| start)
}

fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Whether a line is the rule between the column names and the rows of a table.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.trim().bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firsts(text: &str, starts: impl Iterator<Item = usize>) -> Vec<&str> {
        starts.map(|start| text[start..].lines().next().unwrap().trim()).collect()
    }

    #[test]
    fn points_of_the_same_list_stand_beside_each_other() {
        let text = "Do:\n- a\n  more\n- b\n  - c\n\n- d\nThen:\n- e\n1. f\nEnd";
        let around = |point: &str| {
            let at = text.find(point).unwrap();
            (firsts(text, above(text, at)), firsts(text, below(text, at)))
        };
        assert_eq!(around("- b"), (vec!["- a"], vec!["- d"]));
        assert_eq!(around("- d"), (vec!["- b", "- a"], vec![]));
        assert_eq!(around("- c"), (vec![], vec![]));
        assert_eq!(around("f"), (vec!["- e"], vec![]));
        assert_eq!(around("more"), (vec![], vec![]));
        let text = "1. a\n```\n- code\nif x:\n```\n2. b\n   ```\n   more\n   ```\n3. c";
        let at = text.find("2. b").unwrap();
        assert_eq!(firsts(text, above(text, at)), ["1. a"]);
        assert_eq!(firsts(text, below(text, at)), ["3. c"]);
    }

    #[test]
    fn names_stand_over_the_columns_of_a_table() {
        let text = "So:\n| é | b |\n|:--|---|\n| 1 | 2 |\n| 3 | 4 |\n\nBut:\n| 5 |";
        let at = |row: &str| text.find(row).unwrap();
        assert_eq!(names(text, at("3 ")), Some((4, "| é | b |\n")));
        assert_eq!(names(text, at("| 1")), names(text, at("3 ")));
        assert_eq!(
            (names(text, at("5 |")), names(text, at("é")), names(text, 0)),
            (None, None, None)
        );
        assert_eq!(firsts(text, above(text, at("3 "))), ["| 1 | 2 |"]);
        assert_eq!(firsts(text, below(text, at("1 "))), ["| 3 | 4 |"]);
    }
}
