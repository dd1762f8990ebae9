//! Broken lines of a log (those that are not JSON) as items of the list of its lines.

use std::collections::BTreeMap;
use std::ops::Range;

/// Merges the `broken` lines, each with whether it is kept, into the items of a list. So a broken line is not
/// lost with its neighbours, and a new line is never appended to a torn one.
pub(super) fn join(
    broken: Vec<(Range<usize>, bool)>,
    items: &mut Vec<Range<usize>>,
    keep: &mut Vec<bool>,
    inserts: &mut BTreeMap<usize, Vec<String>>,
) {
    let before = |item: usize| match items.get(item) {
        Some(item) => broken.partition_point(|(line, _)| line.start < item.start),
        None => broken.len(),
    };
    let moved = std::mem::take(inserts).into_iter().map(|(at, new)| (at + before(at), new));
    *inserts = moved.collect();
    let own = items.drain(..).zip(keep.drain(..));
    let mut all: Vec<_> = own.chain(broken).collect();
    all.sort_by_key(|(item, _)| item.start);
    (*items, *keep) = all.into_iter().unzip();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_items() {
        let (mut items, mut keep) = (vec![0..3, 10..13], vec![true, false]);
        let new = |at: usize, text: &str| (at, vec![text.to_owned()]);
        let mut inserts = BTreeMap::from([new(0, "a"), new(1, "b"), new(2, "c")]);
        let broken = vec![(4..5, true), (6..9, true), (14..15, false)];
        join(broken, &mut items, &mut keep, &mut inserts);
        assert_eq!(items, [0..3, 4..5, 6..9, 10..13, 14..15]);
        assert_eq!(keep, [true, true, true, false, false]);
        assert_eq!(inserts, BTreeMap::from([new(0, "a"), new(3, "b"), new(5, "c")]));
    }
}
