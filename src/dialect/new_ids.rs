//! Ids for new messages.
//!
//! Responsible for giving none that another message has: a reader takes the second message with an id for the
//! first one, written again.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// The ids of a list: those of its messages, once they were looked for, and those given to new ones.
#[derive(Debug, Default)]
pub struct NewIds {
    taken: RefCell<Option<HashSet<String>>>,
    next: Cell<Option<u64>>,
}

impl NewIds {
    /// The first id that is free among `make(0)`, `make(1)`, …; `taken` are those of the messages.
    pub fn fresh<'a, I: Iterator<Item = Cow<'a, str>>>(
        &self,
        taken: impl FnOnce() -> I,
        make: impl Fn(usize) -> String,
    ) -> String {
        let mut known = self.taken.borrow_mut();
        let known = known.get_or_insert_with(|| taken().map(Cow::into_owned).collect());
        // One more than are taken has a free one among them.
        let mut ids = (0..=known.len()).map(make);
        let id = ids.find(|id| !known.contains(id)).unwrap_or_default();
        known.insert(id.clone());
        id
    }

    /// The next number; `taken` are those of the messages, and the first new one is behind the largest.
    pub fn next<I: Iterator<Item = u64>>(&self, taken: impl FnOnce() -> I) -> u64 {
        let next =
            self.next.get().unwrap_or_else(|| taken().max().map_or(0, |largest| largest + 1));
        self.next.set(Some(next + 1));
        next
    }
}
