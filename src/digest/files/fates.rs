//! What became of a file's lines.
//!
//! Responsible for knowing which of the lines that were read or put in have been taken out by later edits. It
//! relies on the edits being entered in their order.

use std::collections::{HashMap, HashSet};

use super::change::{Change, Side, key, key_of_all};
use super::edit::Edit;
use crate::digest::text::point::Point;

/// When something happened: the message, and the part of it.
pub(crate) type Order = (usize, usize);

/// The key that sorts points by time.
pub(crate) type Time = (u32, usize);

/// The sort key of an order in this conversation.
pub(crate) fn time(order: Order) -> Time {
    Point::now(order.0).order()
}

/// A change, and when it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) point: Point,
    pub(crate) order: Order,
    pub(crate) change: Change,
}

/// What edits did to the lines of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fates {
    /// For each line's key: when the line was last put in or taken out, and whether it was put in.
    last: HashMap<u64, (Order, bool)>,
    /// Each time a line was put in (`true`) or taken out, in order.
    all: Vec<(Order, u64, bool)>,
    /// Texts that edits replaced within a line.
    within: Vec<(Order, Box<str>)>,
    /// When the whole file was last written anew, and (`blurred`) when lines of it were last changed that are
    /// unknown.
    written: Option<Order>,
    blurred: Option<Order>,
    /// The index of the change that put a line in, by the line's key.
    told: HashMap<u64, usize>,
    /// How many edits no later edit has taken back, by the keys of what was replaced and put in.
    open: HashMap<(u64, u64), usize>,
    /// The number of edits in `open`, plus the changes of which nothing is known.
    left: usize,
    /// When the whole file was last put back by git, and (`is_restored`) whether nothing was done to it since.
    restored: Option<Order>,
    is_restored: bool,
}

impl Fates {
    /// Enters an edit. Its change is added to `made`, merged with the change whose line it changes again.
    pub(crate) fn enter(&mut self, edit: &Edit, now: Point, order: Order, made: &mut Vec<Made>) {
        let is_back = self.take_back(edit);
        self.is_restored = false;
        if edit.is_whole {
            self.written = Some(order);
        }
        let gone = edit.gone.iter().map(|line| (order, *line, false));
        let first = self.all.len();
        self.all.extend(gone.chain(edit.put.iter().map(|line| (order, *line, true))));
        self.last.extend(self.all[first..].iter().map(|&(at, line, is_put)| (line, (at, is_put))));
        self.within.extend(edit.within.clone().map(|old| (order, old)));
        let is_told = |change: &Change| {
            change.before.as_ref().is_some_and(|side| self.told.contains_key(&side.key))
        };
        // An edit that takes another one back puts in nothing new; only a change already told of that line is
        // corrected.
        if let Some(change) = edit.change.clone().filter(|change| !is_back || is_told(change)) {
            self.tell(Made { point: now, order, change }, made);
        }
    }

    /// Adds a change to `made`.
    fn tell(&mut self, mut new: Made, made: &mut Vec<Made>) {
        let change = &mut new.change;
        let before = change.before.as_ref().and_then(|side| self.told.remove(&side.key));
        if let Some(at) = before {
            // The emptied change stays in the list: `told` refers to the others by index.
            *change = std::mem::take(&mut made[at].change).then(std::mem::take(change));
        }
        if let Some(after) = change.after.as_ref().filter(|_| !change.is_none()) {
            self.told.insert(after.key, made.len());
        }
        made.push(new);
    }

    /// Counts the edits that stand. Returns true if this edit is the reverse of an earlier one and so takes
    /// that back.
    fn take_back(&mut self, edit: &Edit) -> bool {
        let Edit { gone, put, texts, .. } = edit;
        let lines = (key_of_all(gone), key_of_all(put));
        // Lines that were only taken out and come back at another place were moved. Keys of lines and hashes of
        // texts share one map: they are made in two ways and are equal by chance alone.
        let own = if put.is_empty() { *texts } else { lines };
        let other = if gone.is_empty() { (texts.1, texts.0) } else { (lines.1, lines.0) };
        let taken = self.open.get_mut(&other).filter(|times| **times > 0 && !edit.is_whole);
        if let Some(times) = taken {
            *times -= 1;
            self.left -= 1;
            true
        } else {
            *self.open.entry(own).or_default() += 1;
            self.left += 1;
            false
        }
    }

    /// Enters the changes that an earlier digest tells, behind those of the digests before it.
    pub(crate) fn know(&mut self, old: &[Made], made: &mut Vec<Made>) {
        for old in old {
            if made.iter().all(|made| made.change != old.change) {
                self.tell(old.clone(), made);
            }
        }
    }

    /// Enters a change of which no line is known.
    pub(crate) fn enter_unknown(&mut self) {
        self.left += 1;
        self.is_restored = false;
    }

    /// Notes that unknown lines were changed.
    pub(crate) fn blur(&mut self, order: Order) {
        self.blurred = Some(order);
    }

    /// Whether a line that was read at `since` may have been changed since, with nobody knowing.
    pub(crate) fn is_doubtful(&self, since: Order) -> bool {
        self.blurred > Some(since)
    }

    /// Takes back everything done since `committed`; `is_kept` says whether something was done before that.
    pub(crate) fn restore(
        &mut self,
        order: Order,
        committed: Option<Order>,
        is_kept: bool,
        made: &mut [Made],
    ) {
        self.is_restored = true;
        // What an earlier restore put back stays as that left it.
        let since = committed.max(self.restored.replace(order));
        // The walk goes backwards, so the state before a line's first change wins.
        let undone = self.all.iter().rev().take_while(|(at, ..)| Some(*at) > since);
        self.last.extend(undone.map(|&(_, line, is_put)| (line, (order, !is_put))));
        self.within.retain(|(made, _)| Some(*made) <= committed);
        self.written = self.written.filter(|written| Some(*written) <= committed);
        self.untell(committed, made);
        self.open.clear();
        self.left = usize::from(is_kept);
    }

    /// Forgets all lines and changes, because it is unknown which of them stand.
    pub(crate) fn forget(&mut self, order: Order, made: &mut [Made]) {
        self.untell(None, made);
        *self = Self { written: Some(order), left: 1, ..Self::default() };
    }

    /// Empties every change that was made since `committed`.
    fn untell(&mut self, committed: Option<Order>, made: &mut [Made]) {
        for made in made.iter_mut().filter(|made| Some(made.order) > committed) {
            // The emptied change stays in the list: `told` refers to the others by index.
            made.change = Change::default();
        }
        self.told.retain(|_, at| !made[*at].change.is_none());
    }

    /// Frees what only a further edit would need, which is most of the memory of a file that is edited often.
    pub(crate) fn close(&mut self) {
        (self.all, self.told, self.open) = Default::default();
    }

    /// Whether the whole file was put back and nothing was done to it since.
    pub(crate) fn is_restored(&self) -> bool {
        self.is_restored
    }

    /// Whether all edits were taken back.
    pub(crate) fn is_undone(&self) -> bool {
        self.left == 0
    }

    /// Whether a line that stood at `since` was taken out later.
    pub(crate) fn is_gone(&self, line: &str, since: Order) -> bool {
        let is_known = !self.last.is_empty() || self.written.is_some();
        is_known && self.is_gone_by(key(line), line, since)
    }

    fn is_gone_by(&self, key: u64, line: &str, since: Order) -> bool {
        let since = match self.last.get(&key) {
            Some((order, is_put)) if *order > since => {
                if !is_put {
                    return true;
                }
                *order
            }
            _ => since,
        };
        let later = &self.within[self.within.partition_point(|(order, _)| *order <= since)..];
        self.written > Some(since)
            || later.iter().take(MOST).any(|(_, old)| line.contains(old.as_ref()))
    }

    /// Whether a line was put in again after an edit took it out, so that it was neither removed nor replaced.
    fn is_back(&self, key: u64, since: Order) -> bool {
        self.last.get(&key).is_some_and(|(last, is_put)| *is_put && *last >= since)
    }

    /// Keeps the changes that still stand; none if all were taken back.
    pub(crate) fn standing(&self, made: &mut Vec<Made>) {
        if self.is_undone() {
            return made.clear();
        }
        made.retain_mut(|Made { order, change, .. }| {
            let is_gone = |side: &Side| self.is_gone_by(side.key, &side.text, *order);
            change.holds.retain(|side| !is_gone(side));
            change.beside.retain(|side| !is_gone(side));
            match (&change.before, &change.after) {
                (None, None) => !change.holds.is_empty(),
                (_, Some(_)) if change.is_none() => false,
                (before, Some(after)) => {
                    let stands = !is_gone(after);
                    if before.as_ref().is_some_and(|before| self.is_back(before.key, *order)) {
                        (change.before, change.name) = (None, None);
                    }
                    stands
                }
                (Some(before), None) => !self.is_back(before.key, *order),
            }
        });
    }
}

/// Keeps one of each set of changes with the same text: the same change at several places is told once.
pub(crate) fn drop_doubles(made: &mut Vec<Made>) {
    let mut seen = HashSet::new();
    made.retain(|made| seen.insert(made.change.to_string()));
}

/// How many replacements within lines are checked against one line.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn after(edits: &[(&str, &str)]) -> (Fates, Vec<String>) {
        let (mut fates, mut made) = (Fates::default(), Vec::new());
        for (at, (old, new)) in edits.iter().enumerate() {
            fates.enter(&Edit::of(old, new), Point::now(at), (at + 1, 0), &mut made);
        }
        fates.standing(&mut made);
        drop_doubles(&mut made);
        (fates, made.iter().map(|made| made.change.to_string()).collect())
    }

    #[test]
    fn a_change_that_was_taken_back_is_not_told() {
        let (fates, told) = after(&[("a", "a\nlet new_row = 1;"), ("let new_row = 1;\nb", "b")]);
        assert!(told.is_empty() && fates.is_undone(), "{told:?}");
        let (fates, told) = after(&[("old_row", "new_row"), ("new_row", "last_row")]);
        assert_eq!((told, fates.is_undone()), (vec!["`old_row` → `last_row`".to_owned()], false));
        let (fates, told) = after(&[("old_row", "new_row"), ("new_row", "old_row")]);
        assert!(told.is_empty() && fates.is_undone(), "{told:?}");
        let old = "// asks each lamp\nfn find() {\n    scan_all();\n}";
        let new = "// asks the first lamp\n// before others\nfn find() {\n    ask_first();\n    \
                   scan_all();\n}";
        let (fates, told) = after(&[(old, new), (new, old)]);
        assert!(told.is_empty() && fates.is_undone(), "{told:?}");
        // The same change at two places is told once.
        let edits = [("row one\na", "a"), ("row one\nb", "b")];
        assert_eq!(after(&edits).1, ["removed `row one`"]);
        // A line that came back at another place was not replaced.
        let edits = [("give(name)", "give(text)"), ("if lit {", "if lit {\n    give(name)")];
        assert_eq!(after(&edits).1, ["added `give(text)`", "added `give(name)`"]);
        // Of several added definitions, those are told that still stand.
        let all = ("a", "fn one() {}\nfn two() {}\nfn three() {}\na");
        let told = ["added `fn one() {}`, `three`", "removed `fn two() {}`"];
        assert_eq!(after(&[all, ("fn two() {}", "")]).1, told);
        assert!(after(&[all, ("fn one() {}\nfn two() {}\nfn three() {}\n", "")]).1.is_empty());
        let renamed =
            [("fn one(a) {}", "fn one(a, c) {}\nfn two() {}"), ("fn one(a, c) {}", "fn one(a) {}")];
        assert_eq!(after(&renamed).1, Vec::<String>::new());
        // A line that is taken out here and put in there was moved.
        let (fates, told) = after(&[("a\nrow one\nb", "a\nb"), ("c", "row one\nc")]);
        assert_eq!((told, fates.is_undone()), (vec!["added `row one`".to_owned()], false));
    }

    #[test]
    fn what_was_put_back_twice_is_as_after_the_first_time() {
        let (mut fates, mut made) = (Fates::default(), Vec::new());
        fates.enter(&Edit::of("let a = one;", "let a = two;"), Point::now(1), (1, 0), &mut made);
        fates.restore((2, 0), None, false, &mut made);
        assert!(fates.is_restored());
        fates.enter(&Edit::of("fn b() {}", "fn b() { c() }"), Point::now(3), (3, 0), &mut made);
        assert!(!fates.is_restored());
        fates.restore((4, 0), None, false, &mut made);
        assert!(fates.is_gone("let a = two;", (0, 0)) && !fates.is_gone("let a = one;", (0, 0)));
        assert!(fates.is_gone("fn b() { c() }", (3, 0)) && !fates.is_gone("fn b() {}", (0, 0)));
    }

    #[test]
    fn a_line_that_came_and_went_is_as_before_the_first_time() {
        let (mut fates, mut made) = (Fates::default(), Vec::new());
        let edits = [("let a = one;", "let a = two;"), ("let a = two;", "let a = three;")];
        for (at, (old, new)) in (1..).zip(edits) {
            fates.enter(&Edit::of(old, new), Point::now(at), (at, 0), &mut made);
        }
        fates.restore((3, 0), None, false, &mut made);
        for (line, is_gone) in [("one", false), ("two", true), ("three", true)] {
            assert_eq!(fates.is_gone(&format!("let a = {line};"), (0, 0)), is_gone, "{line}");
        }
    }

    #[test]
    fn a_line_is_gone_after_the_edit_that_took_it_out() {
        let (fates, _) =
            after(&[("let a = one;\nlet b = 2;", "let b = 2;"), ("old_name", "new_name")]);
        assert!(fates.is_gone("    let a = one;", (0, 0)));
        assert!(!fates.is_gone("let a = one;", (1, 0)));
        assert!(!fates.is_gone("let b = 2;", (0, 0)));
        assert!(fates.is_gone("call(old_name)", (1, 0)));
        assert!(!fates.is_gone("call(old_name)", (2, 0)));
    }
}
