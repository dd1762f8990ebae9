//! Results of several threads, taken in the order in which the work was given out.

use std::collections::BTreeMap;

/// Gives what is numbered to `take`, each as soon as all before it is there.
pub(crate) struct Ordered<T, F> {
    take: F,
    taken: usize,
    /// Those that came too early.
    waiting: BTreeMap<usize, T>,
}

impl<T, F: FnMut(T)> Ordered<T, F> {
    pub(crate) fn new(take: F) -> Self {
        Self { take, taken: 0, waiting: BTreeMap::new() }
    }

    /// How many were taken: the number of the next one.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    pub(crate) fn add(&mut self, number: usize, result: T) {
        self.waiting.insert(number, result);
        while let Some(next) = self.waiting.remove(&self.taken) {
            self.taken += 1;
            (self.take)(next);
        }
    }
}
