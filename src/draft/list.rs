//! Keeping, dropping and inserting items of a list, as edits of the source text.
//!
//! Responsible for what stands between items: the comma and white space of an array or object, the
//! line breaks of a stream. One edit covers the gap between two kept items, so kept items and gaps
//! in which nothing happens keep their bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::Edit;

/// What separates the items of a list.
pub(crate) enum Separator<'t> {
    /// Commas, with the white space that the list uses already.
    Comma,
    /// Line breaks.
    Line(&'t str),
}

/// The edits that drop the items that are not kept and insert texts before items.
///
/// `items` are spans in `text`; `inserts` maps the index of an item (or the number of items, for the end) to
/// the new items to put before it; `empty` is the offset where items go in a list that has none.
pub(crate) fn rewrite(
    text: &[u8],
    separator: &Separator<'_>,
    items: &[Range<usize>],
    empty: usize,
    keep: impl Fn(usize) -> bool,
    inserts: &BTreeMap<usize, Vec<String>>,
) -> Vec<Edit> {
    let between = match separator {
        Separator::Line(newline) => (*newline).to_owned(),
        Separator::Comma => usual_comma(text, items),
    };
    let mut edits = Vec::new();
    let mut last_kept: Option<usize> = None;
    let mut added: Vec<&str> = Vec::new();
    for at in 0..=items.len() {
        added.extend(inserts.get(&at).into_iter().flatten().map(String::as_str));
        let end = at == items.len();
        if !end && !keep(at) {
            continue;
        }
        let dropped = last_kept.map_or(at > 0, |last| last + 1 < at);
        if dropped || !added.is_empty() {
            let start = match last_kept {
                Some(last) => items[last].end,
                None => items.first().map_or(empty, |first| first.start),
            };
            let stop = match (end, last_kept) {
                (false, _) => items[at].start,
                (true, _) => items.last().map_or(empty, |last| last.end),
            };
            let mut piece = String::new();
            for (count, new) in added.drain(..).enumerate() {
                if count > 0 || last_kept.is_some() {
                    piece.push_str(&between);
                }
                piece.push_str(new);
            }
            if !end && (last_kept.is_some() || !piece.is_empty()) {
                // Keep the gap before a kept item as it was, if there is one.
                match at.checked_sub(1).map(|before| items[before].end..items[at].start) {
                    Some(gap) if is_gap(&text[gap.clone()], separator) => {
                        piece.push_str(&String::from_utf8_lossy(&text[gap]));
                    }
                    _ => piece.push_str(&between),
                }
            }
            let is_new_line = end && matches!(separator, Separator::Line(_)) && !piece.is_empty();
            if is_new_line && !is_gap(first_line(&text[stop..]), separator) {
                piece.push_str(&between);
            }
            edits.push(Edit { span: start..stop, text: piece });
        }
        last_kept = (!end).then_some(at);
    }
    edits
}

/// Whether `gap` separates two items: values of a stream may touch, but after an edit a line break must part
/// them.
fn is_gap(gap: &[u8], separator: &Separator<'_>) -> bool {
    match separator {
        Separator::Comma => true,
        Separator::Line(_) => gap.contains(&b'\n'),
    }
}

/// A text up to its first line break.
fn first_line(text: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', text).map_or(text, |newline| &text[..=newline])
}

/// A comma as this list writes it, with the white space that stands before its second item or, if it has just
/// one, before that.
fn usual_comma(text: &[u8], items: &[Range<usize>]) -> String {
    match items {
        [first, second, ..] => String::from_utf8_lossy(&text[first.end..second.start]).into_owned(),
        [only] => {
            let before = &text[..only.start];
            let blank = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            format!(",{}", String::from_utf8_lossy(&before[before.len() - blank..]))
        }
        [] => ",".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::apply;

    fn array(text: &str, keep: &[usize], inserts: &[(usize, &str)]) -> String {
        let items: Vec<_> = text
            .char_indices()
            .filter(|(_, c)| c.is_ascii_digit())
            .map(|(i, _)| i..i + 1)
            .collect();
        let mut map: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (at, new) in inserts {
            map.entry(*at).or_default().push((*new).to_owned());
        }
        let separator =
            if text.starts_with('[') { Separator::Comma } else { Separator::Line("\n") };
        let edits = rewrite(text.as_bytes(), &separator, &items, 1, |at| keep.contains(&at), &map);
        String::from_utf8(apply(text.as_bytes(), &edits)).unwrap()
    }

    #[test]
    fn drops_and_inserts_in_arrays() {
        assert_eq!(array("[1, 2, 3]", &[0, 1, 2], &[]), "[1, 2, 3]");
        assert_eq!(array("[1, 2, 3]", &[0, 2], &[]), "[1, 3]");
        assert_eq!(array("[1, 2, 3]", &[2], &[]), "[3]");
        assert_eq!(array("[1, 2, 3]", &[0], &[]), "[1]");
        assert_eq!(array("[1, 2, 3]", &[], &[]), "[]");
        assert_eq!(array("[1, 2, 3]", &[2], &[(1, "x")]), "[x, 3]");
        assert_eq!(array("[1, 2, 3]", &[0, 2], &[(1, "x"), (2, "y")]), "[1, x, y, 3]");
        assert_eq!(array("[1, 2, 3]", &[0, 1, 2], &[(3, "x"), (0, "y")]), "[y, 1, 2, 3, x]");
        assert_eq!(array("[1]", &[], &[(0, "x"), (1, "y")]), "[x,y]");
        assert_eq!(array("[]", &[], &[(0, "x")]), "[x]");
        assert_eq!(array("[\n  1\n]", &[0], &[(1, "x")]), "[\n  1,\n  x\n]");
    }

    #[test]
    fn drops_and_inserts_in_streams() {
        assert_eq!(array("1\n\n2\n3", &[0, 1], &[]), "1\n\n2");
        assert_eq!(array("1\n2\n", &[0, 1], &[(2, "x")]), "1\n2\nx\n");
        assert_eq!(array("1\n2", &[0, 1], &[(2, "x")]), "1\n2\nx\n");
        assert_eq!(array("1\n2", &[1], &[(2, "x"), (2, "y")]), "2\nx\ny\n");
        assert_eq!(array("1\n2", &[0], &[]), "1");
        assert_eq!(array("1 2\n", &[0, 1], &[(1, "x")]), "1\nx\n2\n");
        assert_eq!(array("1\n2\n3\n", &[2], &[(0, "x")]), "x\n3\n");
    }
}
